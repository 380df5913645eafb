// name: server_settings(names)
// access: read
// The values of some settings of the server; those that the user may not see are left out.
SHOW SETTINGS YIELD name, value
WHERE name IN $names
RETURN name, value
