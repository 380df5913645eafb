// name: import_twin(labels, property, value)
// access: read
// Whether a node with the labels has the value already. One pass over the nodes, for which of them have an index, we
// cannot know.
RETURN EXISTS { MATCH (n:$all($labels)) WHERE n[$property] = $value } AS found
