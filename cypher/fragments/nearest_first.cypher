// fragment: nearest_first(t, wanted)
// Puts what was read instead of an index in the order of an index.
// form: plain
// form: small_scope
WITH t, vector.similarity.cosine(t.embedding, wanted) AS score
ORDER BY score DESC, t.id
