"""Neo4j: the connection, the query files, the migrations, the local server, and the typed store on top of them."""
