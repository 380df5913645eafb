// name: write_plain_keys(rows)
// access: write
// columns: none
// Stores the keys of entities without their accents and underscores: row.key, row.plain.
UNWIND $rows AS row
MATCH (e:Entity {key: row.key})
USING INDEX SEEK e:Entity(key)
SET e.plain = row.plain
