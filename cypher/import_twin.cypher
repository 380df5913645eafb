// name: import_twin(labels, property, value)
// access: read
// columns: found
// found is whether a node with the labels already has the value. This scans all nodes, because the user's properties
// may lack an index.
RETURN EXISTS { MATCH (n:$all($labels)) WHERE n[$property] = $value } AS found
