// fragment: is_synonym(s)
// Whether a relationship SYNONYM is ours: ours lead from the smaller key of two entities to the larger and have a
// cosine; the user's own relationships may also have that type.
s.score IS :: FLOAT NOT NULL AND startNode(s):Entity AND endNode(s):Entity AND startNode(s).key < endNode(s).key
