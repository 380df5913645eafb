// name: record_origin(id, collection, name, root, machine, most, known)
// access: write
// columns: recorded
// Records that a source was read from a folder or an address, of which it keeps the last $most. recorded is false, and
// nothing changes, if the source should be new and another writer has just given its name to another folder.
MERGE (o:__GearOrigin {id: $id})
ON CREATE SET o.collection = $collection, o.name = $name, o.roots = []
WITH o, $known OR o.roots = [] OR $root IN o.roots AS recorded
FOREACH (_ IN CASE WHEN recorded THEN [1] ELSE [] END |
  SET o.roots = ([$root] + [root IN o.roots WHERE root <> $root])[..$most], o.machine = $machine, o.read = datetime()
)
RETURN recorded
