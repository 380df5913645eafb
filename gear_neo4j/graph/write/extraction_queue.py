"""The queue of passages that an extractor has yet to read."""

from collections.abc import Sequence
from dataclasses import dataclass

from gear_neo4j.domain import Passage
from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.read.store import passage_of
from gear_neo4j.graph.read.vanished import present


@dataclass(frozen=True, slots=True)
class Selection:
    """The passages that an extractor reads, by its name as stored in passages and triples.

    It reads those that it has not read yet, and that no other extractor except those in ``beside`` has read; with None,
    other extractors do not matter. ``collection`` is the collection of the passages, None for any.
    """

    name: str
    beside: Sequence[str] | None = ()
    collection: str | None = None

    @property
    def parameters(self) -> Row:
        """The selection as query parameters."""
        beside = None if self.beside is None else list(self.beside)
        return {"extractor": self.name, "beside": beside, "collection": self.collection}


@dataclass(frozen=True, slots=True)
class Backlog:
    """The number of waiting passages, and their total number of characters."""

    passages: int
    characters: int


class ExtractionQueue:
    """The passages that wait for an extractor in one database; each method is one query and one round trip.

    ``failed`` includes the passages whose recorded failure is the extractor's.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def backlog(self, selection: Selection, *, failed: bool = False) -> Backlog:
        """The size of the queue."""
        return Backlog(**self._database.call("count_to_extract", **selection.parameters, failed=failed)[0])

    def page(self, selection: Selection, *, after: str, limit: int, failed: bool = False) -> list[Passage]:
        """The next waiting passages, in order of id."""
        rows = self._database.call(
            "passages_to_extract", **selection.parameters, after=after, limit=limit, failed=failed
        )
        return [passage_of(row) for row in present(rows, "id", "text")]

    def ids(self, selection: Selection, *, after: str, limit: int, failed: bool = False) -> list[str]:
        """The ids of the next waiting passages, in order."""
        rows = self._database.call("ids_to_extract", **selection.parameters, after=after, limit=limit, failed=failed)
        return [row["id"] for row in rows]

    def readers(self) -> dict[str, int]:
        """The number of passages that each extractor has read, by its name, the largest first."""
        return {row["extractor"]: row["passages"] for row in self._database.call("count_extractors")}

    def record_error(self, passage: str, *, error: str, extractor: str) -> None:
        """Record why the extraction from a passage failed."""
        self._database.call("record_extraction_error", passage=passage, error=error, extractor=extractor)
