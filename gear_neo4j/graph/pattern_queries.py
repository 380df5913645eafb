"""The queries of patterns over a user's own graph: its schema, the values of its properties, and the patterns."""

from collections.abc import Iterator

from gear_neo4j.domain import Cypher
from gear_neo4j.graph.database import Database, Row
from gear_neo4j.graph.graph_schema import GraphSchema, Owner
from gear_neo4j.graph.queries import Query

SECONDS = 5


class PatternQueries:
    """The queries of patterns over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def schema(self) -> GraphSchema | None:
        """The schema of the adopted graph; None where none is recorded. One round trip."""
        rows = self._database.call("graph_schema")
        return GraphSchema.from_json(rows[0]["schema"]) if rows else None

    def values(self, owner: Owner, property: str, *, longest: int, most: int) -> Iterator[str]:
        """The different texts of a property, streamed."""
        parameters = {"property": property, "longest": longest, "most": most}
        if owner.kind == "label":
            rows = self._database.stream("property_values", label=owner.name, **parameters)
        else:
            rows = self._database.stream("relationship_values", type=owner.name, **parameters)
        return (row["value"] for row in rows)

    def run(self, cypher: Cypher) -> list[Row]:
        """The rows of a compiled pattern, which only reads.

        Raises:
            QueryTimeout: the server took more than five seconds.
        """
        query = Query("pattern", cypher.statement, frozenset(cypher.parameters), timeout=SECONDS)
        return self._database.run(query, **cypher.parameters)
