"""A local Neo4j Community for development, demos and tests, and the connection to the configured server."""
