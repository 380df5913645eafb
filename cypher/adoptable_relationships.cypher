// name: adoptable_relationships(types, labels, names, properties, sources, keys, mentions, chunks, texts)
// access: read
// columns: id, type, properties, chunk, start, startLabels, startNames, end, endLabels, endNames
// Streams the relationships of the given types between nodes with any of the labels: id (element id), type, and
// properties ([property, value] pairs of $properties). start, startLabels and startNames describe the start node by
// element id, labels and naming properties; end, endLabels and endNames the end node.
// chunk is the element id of a chunk that mentions either end, or null. A chunk whose value under one of $keys matches
// a value of the relationship under one of $sources comes first, then a chunk that mentions both ends, then a chunk
// that mentions the start; ties are broken by element id.
MATCH (a:$any($labels))-[r:$any($types)]->(b:$any($labels))
// include: chunk_of()
RETURN elementId(r) AS id, type(r) AS type,
  // include: relationship_columns()
