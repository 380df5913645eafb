// name: count_to_extract(failed)
// access: read
// How many passages have neither triples nor a recorded failure (with $failed: or failed), and their characters.
MATCH (p:Passage)
WHERE p.extractedAt IS NULL AND ($failed OR p.extractionError IS NULL)
RETURN count(p) AS passages, sum(size(p.title) + size(p.text)) AS characters
