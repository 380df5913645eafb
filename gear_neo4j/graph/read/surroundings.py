"""The passages around others in their documents."""

from collections.abc import Sequence

from gear_neo4j.domain import Passage
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.read.store import passage_from


class Surroundings:
    """The order of passages in the documents of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, ids: Sequence[str], *, most: int, section: bool = False) -> list[list[tuple[int, Passage]]]:
        """For each passage (id), those around it, with their distances; negative before it. One round trip.

        Lines of JSONL, rows and nodes of an adopted graph have no order.

        Args:
            most: maximum distance, up to 10.
            section: only the passages of the same section, which has one title.

        Raises:
            QueryTimeout: the server took more than ten seconds.
        """
        around: list[list[tuple[int, Passage]]] = [[] for _ in ids]
        for row in self._database.call("neighbours", ids=list(ids), most=most, section=section):
            if passage := passage_from(row["passage"]):
                around[row["hit"]].append((row["distance"], passage))
        return around
