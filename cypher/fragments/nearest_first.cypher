// fragment: nearest_first(t, wanted)
// Sorts candidates that were read without an index in the order of an index.
// form: plain
// form: small_scope
WITH t, vector.similarity.cosine(t.embedding, wanted) AS score
ORDER BY score DESC, t.id
