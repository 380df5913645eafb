// name: write_template(name, description, text, replace)
// access: write
// columns: name
// Stores a template. One of the same name is replaced with $replace; without it, it stays, and there is no row.
MERGE (t:__GearStore {id: 'template/' + $name})
WITH t
WHERE t.text IS NULL OR $replace
SET t.name = $name, t.description = $description, t.text = $text
RETURN t.name AS name
