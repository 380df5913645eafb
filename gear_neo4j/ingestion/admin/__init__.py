"""Files for ``neo4j-admin database import``, by which a database that does not exist yet is filled fastest."""
