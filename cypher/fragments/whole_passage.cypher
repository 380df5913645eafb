// fragment: whole_passage(p)
// The content of a passage in a hit, after its id, as a list.
[p.title, p.text, p.source, p.position, p.collection, [key IN keys(p) WHERE key STARTS WITH 'meta_' | [key, p[key]]]]
