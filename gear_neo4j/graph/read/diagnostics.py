"""Diagnostics of a server and its graph: samples for a survey, and queries of the doctor."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.read.entities import first_name


@dataclass(frozen=True, slots=True)
class Hubs:
    """The number of hubs, and the busiest of them: name and number of triples."""

    count: int
    busiest: tuple[tuple[str, int], ...] = ()


class Diagnostics:
    """The diagnostic queries of one database; each method is one query and one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def settings(self, *names: str) -> dict[str, str]:
        """The values of some settings of the server, without those that do not exist.

        Raises:
            DatabaseError: the user may not see the settings.
        """
        return {row["name"]: row["value"] for row in self._database.call("server_settings", names=list(names))}

    def hubs(self, *, labels: Sequence[str], names: Sequence[str], hub: int, limit: int) -> Hubs:
        """The nodes with one of the labels that are in more than ``hub`` triples, and the names of the busiest."""
        row = self._database.call("hubs", labels=list(labels), names=list(names), hub=hub, limit=limit)[0]
        return Hubs(row["hubs"], tuple((first_name(names), degree) for names, degree in row["busiest"]))

    def sample_texts(self, *, limit: int) -> list[str]:
        """The texts of some triples."""
        return [row["text"] for row in self._database.call("some_triples", limit=limit)]


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
