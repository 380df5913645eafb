// name: source_manifest(collection, origin)
// access: read
// columns: name, version, digest, problem
// The documents of an origin that syncs of a collection have read: name, version at the origin, digest of the content,
// and its problem, or null.
MATCH (s:__GearSource {collection: $collection, origin: $origin})
USING INDEX SEEK s:__GearSource(collection, origin)
RETURN s.name AS name, s.version AS version, s.digest AS digest, s.problem AS problem
