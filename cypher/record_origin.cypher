// name: record_origin(id, collection, name, root, machine, most, known, whole)
// access: write
// columns: recorded
// Records that a source was read from a folder or an address; the last $most are kept. recorded is false, and nothing
// changes, if the source should be new but another writer has just given its name to another folder. $whole says that
// the folder was read as a whole, not only a file in it.
MERGE (o:__GearOrigin {id: $id})
ON CREATE SET o.collection = $collection, o.name = $name, o.roots = []
WITH o, $known OR o.roots = [] OR $root IN o.roots AS recorded
FOREACH (_ IN CASE WHEN recorded THEN [1] ELSE [] END |
  SET o.roots = ([$root] + [root IN o.roots WHERE root <> $root])[..$most], o.machine = $machine, o.read = datetime(),
    o.whole = $whole OR coalesce(o.whole, false)
)
RETURN recorded
