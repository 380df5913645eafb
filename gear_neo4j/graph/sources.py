"""The sources of passages, such as documents."""

from collections.abc import Sequence

from gear_neo4j.graph.corpus_writes import Deletion
from gear_neo4j.graph.database import Database


class Sources:
    """The sources of one database; each method is one query and one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def passages(self, source: str) -> int:
        """The number of passages of a source."""
        return int(self._database.call("count_source", source=source)[0]["passages"])

    def passage_ids(self, source: str, *, limit: int) -> list[str]:
        """The ids of up to ``limit`` passages of a source."""
        return [row["id"] for row in self._database.call("passages_of_source", source=source, limit=limit)]

    def of_documents(self, sources: Sequence[str]) -> list[tuple[str, str]]:
        """The passages of these sources, as (id, source)."""
        rows = self._database.call("passages_of_documents", sources=list(sources))
        return [(row["id"], row["source"]) for row in rows]

    def weigh(self, source: str) -> Deletion:
        """What deleting a source would delete; read-only."""
        return Deletion(**self._database.call("weigh_source", source=source)[0])

    def count(self) -> int:
        """The number of sources; the query visits every passage."""
        return int(self._database.call("count_sources")[0]["sources"])

    def next(self, after: str) -> str | None:
        """The next source in order; None after the last."""
        rows = self._database.call("next_source", after=after)
        return rows[0]["source"] if rows else None
