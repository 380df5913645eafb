// name: templates()
// access: read
// columns: name, description, text
// scope: graph
// The templates of the graph's owner, by name. Their descriptions may be secret, too.
MATCH (t:__GearStore)
USING INDEX SEEK t:__GearStore(id)
WHERE t.id STARTS WITH 'template/'
RETURN t.name AS name, t.description AS description, t.text AS text
ORDER BY name
