// name: known_sources(collection)
// access: read
// columns: name, roots, whole, machine, read, readers
// The sources that have been read into a collection, in order of name: the folders or addresses that they were read
// from, the last one first, whether as a whole, the machine that read them last, and when; and who may read new documents.
MATCH (o:__GearOrigin)
USING INDEX SEEK o:__GearOrigin(id)
WHERE o.id STARTS WITH $collection + '/'
RETURN o.name AS name, o.roots AS roots, coalesce(o.whole, false) AS whole, o.machine AS machine, o.read AS read,
  coalesce(o.readers, []) AS readers
ORDER BY name
