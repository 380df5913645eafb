// name: source_manifest(collection, origin, below)
// access: read
// columns: name, version, digest, problem, options, origin
// The documents of an origin that have been read into a collection, and those whose names begin with one of $below: name,
// version at the origin, digest of the content, its problem, or null, and the options and the origin of the reading.
CALL () {
  MATCH (s:__GearSource {collection: $collection, origin: $origin})
  USING INDEX SEEK s:__GearSource(collection, origin)
  RETURN s
  UNION
  UNWIND $below AS prefix
  MATCH (s:__GearSource)
  USING INDEX SEEK s:__GearSource(id)
  WHERE s.id STARTS WITH $collection + '/' + prefix
  RETURN s
}
RETURN s.name AS name, s.version AS version, s.digest AS digest, s.problem AS problem,
  coalesce(s.options, '') AS options, s.origin AS origin
