// name: write_terms(rows)
// access: write
// columns: linked
// Writes names of nodes (row.node, an element id) and values of properties (row.kind, row.owner, row.property), each
// with its key and its text. linked is how many were linked to a node.
// include: shared_lock()
UNWIND $rows AS row
MERGE (term:__GearTerm {id: row.id})
ON CREATE SET term.key = row.key, term.text = row.text, term.kind = row.kind, term.owner = row.owner,
  term.property = row.property
WITH row, term
WHERE row.node IS NOT NULL AND NOT EXISTS { (term)-[:NAME_OF]->() }
MATCH (n)
WHERE elementId(n) = row.node
CREATE (term)-[:NAME_OF]->(n)
WITH count(*) AS linked
// include: graph_written()
RETURN linked
