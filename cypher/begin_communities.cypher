// name: begin_communities(collection)
// access: write
// columns: moved, restricted
// Reads the two marks of a collection before its communities are built; the first build creates them. Writes that move
// passages out of the collection renew the mark moved; writes that take readers from its passages or triples renew
// restricted. So communities with other marks may use data that their readers may no longer read.
MERGE (b:__GearStore {id: 'communities/' + $collection})
ON CREATE SET b.collection = $collection, b.moved = randomUUID(), b.restricted = randomUUID()
RETURN b.moved AS moved, b.restricted AS restricted
