"""Commands for those who maintain gear-neo4j."""
