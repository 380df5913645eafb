// name: restrict_source(id, readers, widen)
// access: write
// columns: kept
// Sets who may read new documents of a source; an empty list means everybody. kept says that nothing changes, because the
// given readers would let more people read, and $widen is not set.
// include: exclusive_lock()
MATCH (o:__GearOrigin {id: $id})
USING INDEX SEEK o:__GearOrigin(id)
WITH o, NOT $widen AND o.readers IS NOT NULL
  AND ($readers = [] OR any(name IN $readers WHERE NOT name IN o.readers)) AS kept
FOREACH (_ IN CASE WHEN kept THEN [] ELSE [1] END | SET o.readers = nullIf($readers, []))
RETURN kept
