// name: count_origins()
// access: read
// columns: origins
// The number of sources that have been read into all collections.
MATCH (o:__GearOrigin)
RETURN count(o) AS origins
