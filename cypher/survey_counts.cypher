// name: survey_counts()
// access: read
// columns: nodes, relationships
// nodes has the number of nodes of each label, relationships the number of relationships of each type, also by the
// label at either end. Both are read from the server's counters, so the cost does not depend on the size of the graph.
CALL db.stats.retrieve('GRAPH COUNTS') YIELD data
RETURN data.nodes AS nodes, data.relationships AS relationships
