// name: count_to_extract(failed)
// access: read
// columns: passages, characters
// passages is the number of passages that still need extraction, characters their total length. A passage with a
// recorded failure counts only with $failed.
MATCH (p:Passage)
WHERE p.extractedAt IS NULL AND ($failed OR p.extractionError IS NULL)
RETURN count(p) AS passages, sum(size(p.title) + size(p.text)) AS characters
