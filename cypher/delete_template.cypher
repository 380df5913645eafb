// name: delete_template(name)
// access: write
// columns: name
// Deletes a template; no row if there is none of that name.
MATCH (t:__GearStore {id: 'template/' + $name})
USING INDEX SEEK t:__GearStore(id)
DELETE t
RETURN $name AS name
