"""The queries of a survey: counters, samples of nodes and relationships, and indexes."""

from collections.abc import Iterator, Sequence

from gear_neo4j.graph.connection.database import Database, Row


class SurveyQueries:
    """The queries of a survey over one database; each method is one query and one round trip.

    Example values are cut to ``longest`` characters.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def counts(self) -> Row:
        """The server's counters: nodes by label, and relationships by type and label."""
        return self._database.call("survey_counts")[0]

    def nodes(self, labels: Sequence[str], *, limit: int, longest: int) -> Iterator[Row]:
        """Up to ``limit`` nodes with one of the labels, or of any label if none is given, streamed."""
        return self._database.stream("survey_nodes", labels=list(labels), limit=limit, longest=longest)

    def relationships(self, types: Sequence[str], *, limit: int, longest: int) -> Iterator[Row]:
        """Up to ``limit`` relationships of the types, streamed."""
        return self._database.stream("survey_relationships", types=list(types), limit=limit, longest=longest)

    def indexes(self) -> list[Row]:
        """Every index of the database."""
        return self._database.call("show_indexes")
