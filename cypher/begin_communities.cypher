// name: begin_communities(collection)
// access: write
// columns: moved, restricted
// Reads the two marks of a collection before its communities are built; the first build makes them. A write that takes
// passages out of the collection sets moved anew, one that takes readers from a passage or a triple of it restricted. So
// communities with other marks rest on what their readers may no longer read.
MERGE (b:__GearStore {id: 'communities/' + $collection})
ON CREATE SET b.collection = $collection, b.moved = randomUUID(), b.restricted = randomUUID()
RETURN b.moved AS moved, b.restricted AS restricted
