// name: passages_to_restrict(source, collection, limit)
// access: read
// columns: id, readers
// Up to $limit passages of a document whose readers differ from the recorded ones, with the recorded ones.
OPTIONAL MATCH (r:__GearReaders {id: $collection + '/' + $source})
USING INDEX SEEK r:__GearReaders(id)
WITH coalesce(r.readers, []) AS readers
MATCH (p:Passage {source: $source})
USING INDEX SEEK p:Passage(source)
WHERE coalesce(p.collection, 'default') = $collection AND p.position IS NOT NULL AND coalesce(p.readers, []) <> readers
RETURN p.id AS id, readers
LIMIT $limit
