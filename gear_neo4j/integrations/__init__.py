"""gear-neo4j in other frameworks."""
