"""The queries of patterns over a user's own graph: its schema, and the patterns."""

from gear_neo4j.domain import Cypher
from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.read.graph_schema import GraphSchema

SECONDS = 5


class PatternQueries:
    """The queries of patterns over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def admitted(self) -> bool:
        """Whether the scope admits every node of the adopted graph; otherwise, the queries are refused."""
        size = self._database.scope_size
        return size is None or size.graph

    def schema(self) -> GraphSchema | None:
        """The schema of the adopted graph; None if none is recorded. One round trip."""
        rows = self._database.call("graph_schema")
        return GraphSchema.from_json(rows[0]["schema"]) if rows else None

    def run(self, cypher: Cypher) -> list[Row]:
        """The rows of a compiled pattern, which is read-only.

        Raises:
            QueryTimeout: the server took more than five seconds.
        """
        query = Query("pattern", cypher.statement, frozenset(cypher.parameters), timeout=SECONDS, scope="graph")
        return self._database.run(query, **cypher.parameters)
