// name: delete_other_communities(collections, limit)
// access: write
// columns: communities
// Deletes up to $limit communities that are in none of the given collections, such as those of an older version, which
// built all collections together. communities is how many it deleted.
MATCH (c:__GearCommunity)
WHERE c.collection IS NULL OR NOT c.collection IN $collections
WITH c
LIMIT $limit
DETACH DELETE c
RETURN count(*) AS communities
