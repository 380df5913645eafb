// name: server_settings(names)
// access: read
// columns: name, value
// The values of the given server settings, without those that the user may not read.
SHOW SETTINGS YIELD name, value
WHERE name IN $names
RETURN name, value
