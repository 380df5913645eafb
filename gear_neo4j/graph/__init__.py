"""Neo4j: the connection, the query files, the migrations, the local server, and the typed queries on top of them."""
