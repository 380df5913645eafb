// name: drop_usage(day, limit)
// access: write
// columns: dropped
// timeout: 10
// Deletes up to $limit records of what was used before a day, such as 2026-11-29. In the order of ids, a month such as
// usage/2026-11/ comes after its days, so months that have ended are deleted, too.
MATCH (used:__GearStore)
USING INDEX SEEK used:__GearStore(id)
WHERE used.id >= 'usage/' AND used.id < 'usage/' + $day
WITH used
LIMIT $limit
DELETE used
RETURN count(*) AS dropped
