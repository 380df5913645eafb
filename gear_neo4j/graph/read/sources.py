"""The sources of passages, such as documents."""

from collections.abc import Sequence
from dataclasses import dataclass

from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.read.vanished import present
from gear_neo4j.graph.write.corpus_writes import Deletion


@dataclass(frozen=True, slots=True)
class StoredSource:
    """A source in a collection, and its number of passages there."""

    collection: str
    source: str
    passages: int


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page of sources in order; ``next`` is the source after which the next page begins, None at the end."""

    sources: tuple[StoredSource, ...]
    next: str | None = None


class Sources:
    """The sources of one database; each method is one query and one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, *, after: str = "", limit: int) -> SourcePage:
        """The next ``limit`` sources after one, in order, each with its collections."""
        rows = self._database.call("sources", after=after, limit=limit + 1)
        stored = [
            StoredSource(collection, row["source"], passages)
            for row in rows[:limit]
            for collection, passages in row["collections"]
        ]
        return SourcePage(tuple(stored), rows[limit - 1]["source"] if len(rows) > limit else None)

    def passages(self, source: str) -> dict[str, int]:
        """The number of passages of a source by collection, in order of the collections' names."""
        rows = self._database.call("count_source", source=source)
        return {row["collection"]: row["passages"] for row in rows}

    def passage_ids(self, source: str, *, collection: str, limit: int) -> list[str]:
        """The ids of up to ``limit`` passages of a source in a collection."""
        rows = self._database.call("passages_of_source", source=source, collection=collection, limit=limit)
        return [row["id"] for row in present(rows, "id")]

    def of_documents(self, sources: Sequence[str], *, collection: str) -> list[tuple[str, str]]:
        """The passages of these sources in a collection, as (id, source)."""
        rows = self._database.call("passages_of_documents", sources=list(sources), collection=collection)
        return [(row["id"], row["source"]) for row in present(rows, "id", "source")]

    def preview(self, source: str, *, collection: str) -> Deletion:
        """What deleting a source from a collection would delete; read-only."""
        return Deletion(**self._database.call("preview_source", source=source, collection=collection)[0])

    def count(self) -> int:
        """The number of sources; the query visits every passage."""
        return int(self._database.call("count_sources")[0]["sources"])

    def next(self, after: str) -> str | None:
        """The next source in order; None after the last."""
        rows = self._database.call("next_source", after=after)
        return rows[0]["source"] if rows else None
