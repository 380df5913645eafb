// name: server_info()
// access: read
// columns: version, edition, database
// scope: free
// The server's version and edition, and the name of the database in use.
CALL dbms.components() YIELD name, versions, edition
WITH name, versions[0] AS version, edition
WHERE name = 'Neo4j Kernel'
CALL db.info() YIELD name AS database
RETURN version, edition, database
