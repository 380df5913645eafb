"""Commands for maintainers of gear-neo4j."""
