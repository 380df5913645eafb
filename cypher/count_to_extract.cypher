// name: count_to_extract(extractor, beside, collection, failed)
// access: read
// columns: passages, characters
// passages is the number of passages that an extractor has yet to read, characters their total length: those that
// neither it nor any extractor outside of $beside has read, or, if $beside is null, those that it has not read. A
// passage with a recorded failure of this extractor only counts with $failed. $collection is their collection, null for
// any.
MATCH (p:Passage)
// include: to_extract(p)
RETURN count(p) AS passages, coalesce(sum(size(p.title) + size(p.text)), 0) AS characters
