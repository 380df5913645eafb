// name: ids_to_extract(extractor, beside, collection, after, limit, failed)
// access: read
// columns: id
// The ids of the next $limit passages after an id that an extractor has yet to read, in order, as in
// passages_to_extract.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id > $after
// include: to_extract(p)
RETURN p.id AS id
ORDER BY id
LIMIT $limit
