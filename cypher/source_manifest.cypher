// name: source_manifest(collection, origin)
// access: read
// columns: name, version, digest, problem
// The documents of an origin that syncs of a collection have read: name, version as the origin gives it, digest of the
// content, and what is wrong with it, or null.
MATCH (s:__GearSource {collection: $collection, origin: $origin})
USING INDEX SEEK s:__GearSource(collection, origin)
RETURN s.name AS name, s.version AS version, s.digest AS digest, s.problem AS problem
