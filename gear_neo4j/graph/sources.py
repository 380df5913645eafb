"""The sources that passages came from, such as documents."""

from collections.abc import Sequence

from gear_neo4j.graph.corpus_writes import Deletion
from gear_neo4j.graph.database import Database


class Sources:
    """The sources of one database; each method is one query and one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def passages(self, source: str) -> int:
        """How many passages a source has."""
        return int(self._database.call("count_source", source=source)[0]["passages"])

    def passage_ids(self, source: str, *, limit: int) -> list[str]:
        """The ids of some passages of a source."""
        return [row["id"] for row in self._database.call("passages_of_source", source=source, limit=limit)]

    def of_documents(self, sources: Sequence[str]) -> list[tuple[str, str]]:
        """The passages of some sources: the id of each, and its source."""
        rows = self._database.call("passages_of_documents", sources=list(sources))
        return [(row["id"], row["source"]) for row in rows]

    def weigh(self, source: str) -> Deletion:
        """What would go with the passages of a source; nothing is changed."""
        return Deletion(**self._database.call("weigh_source", source=source)[0])

    def next(self, after: str) -> str | None:
        """The source that comes next in order; None after the last."""
        rows = self._database.call("next_source", after=after)
        return rows[0]["source"] if rows else None
