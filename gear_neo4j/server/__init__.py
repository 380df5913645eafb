"""A real Neo4j Community on this machine, for development, demos and tests; and the connection that settings name."""
