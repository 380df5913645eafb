// name: graph_schema()
// access: read
// columns: schema
// scope: graph
// The schema of the adopted graph, a JSON text, or no row.
MATCH (s:__GearStore {id: 'store'})
WITH properties(s).graphSchema AS schema
WHERE schema IS NOT NULL
RETURN schema
