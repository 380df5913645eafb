// name: lacks_terms()
// access: read
// columns: lacking
// scope: free
// Whether an earlier version adopted the graph: its schema is on record, but its names and values are not.
MATCH (s:__GearStore {id: 'store'})
RETURN properties(s).graphSchema IS NOT NULL AND NOT coalesce(properties(s).terms, false) AS lacking
