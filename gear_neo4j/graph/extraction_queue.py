"""The queue of passages whose triples are not extracted yet."""

from dataclasses import dataclass

from gear_neo4j.domain import Passage
from gear_neo4j.graph.database import Database
from gear_neo4j.graph.store import passage_of


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many passages are waiting, and how many characters they have together."""

    passages: int
    characters: int


class ExtractionQueue:
    """The passages without status in one database; each method is one query and one round trip.

    ``failed`` includes the passages with a recorded failure.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def backlog(self, *, failed: bool = False) -> Backlog:
        """How much is waiting."""
        return Backlog(**self._database.call("count_to_extract", failed=failed)[0])

    def page(self, *, after: str, limit: int, failed: bool = False) -> list[Passage]:
        """The next waiting passages, in order of id."""
        rows = self._database.call("passages_to_extract", after=after, limit=limit, failed=failed)
        return [passage_of(row) for row in rows]

    def record_error(self, passage: str, *, error: str, model: str) -> None:
        """Record why the extraction from a passage failed."""
        self._database.call("record_extraction_error", passage=passage, error=error, model=model)
