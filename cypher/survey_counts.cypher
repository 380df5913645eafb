// name: survey_counts()
// access: read
// How many nodes each label has, and how many relationships each type, by the labels at either end: from the server's
// own counters, whatever the size of the graph.
CALL db.stats.retrieve('GRAPH COUNTS') YIELD data
RETURN data.nodes AS nodes, data.relationships AS relationships
