"""The documents that were read from files and tables: a record for each, in the graph that has their passages."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType

from gear_neo4j.graph.connection.database import Database, Row

RECORDS_A_BATCH = 1_000
NO_MOVES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ReadSource:
    """A document as it was read: its name, its version at the origin, and the digest of its content.

    The version is empty if it may already be outdated; ``problem`` says why the document could not be used. ``options``
    are those of the reading, and ``origin`` is the name of the origin that a sync listed, empty after an ingest.
    """

    name: str
    version: str
    digest: str
    problem: str | None = None
    options: str = ""
    origin: str = ""


class Manifest:
    """The records in one database; each method is one query unless it says otherwise."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, origin: str | None, *, below: Sequence[str] = (), collection: str) -> Iterator[ReadSource]:
        """The documents of an origin, if one is given, that have been read into a collection, streamed.

        Args:
            below: what the names of further documents begin with, whatever origin they were read from.
        """
        for row in self._database.stream("source_manifest", origin=origin, below=list(below), collection=collection):
            yield ReadSource(**row)

    def record(
        self,
        sources: Sequence[ReadSource],
        origin: str | None,
        *,
        collection: str,
        moves: Mapping[str, str] = NO_MOVES,
        taken: Set[str] = frozenset(),
    ) -> None:
        """Record that documents were read.

        Args:
            origin: where a sync listed them; without one, documents keep what is on record.
            moves: the former names of documents that have moved, by their new names; their readers are kept.
            taken: the former names that now belong to other documents.
        """
        rows = _rows(sources, collection)
        if not moves:
            self._database.call("record_sources", rows=rows, origin=origin, collection=collection)
            return
        moved = [
            {"from": _id(old, collection), "to": _id(new, collection), "source": new, "taken": new in taken}
            for new, old in moves.items()
        ]
        self._database.call("record_moves", rows=rows, origin=origin, collection=collection, moves=moved)

    def forget(self, names: Sequence[str], *, collection: str) -> None:
        """Delete the records of documents, so that the next sync reads them again."""
        self._database.call("forget_sources", ids=[_id(name, collection) for name in names])

    def drop(self, collection: str) -> None:
        """Delete all records of a collection, with a query per thousand."""
        while self._database.call("drop_sources", collection=collection, limit=RECORDS_A_BATCH)[0]["deleted"]:
            pass


def _rows(sources: Sequence[ReadSource], collection: str) -> list[Row]:
    return [
        {
            "id": _id(source.name, collection),
            "name": source.name,
            "version": source.version,
            "digest": source.digest,
            "problem": source.problem,
            "options": source.options,
        }
        for source in sources
    ]


def _id(name: str, collection: str) -> str:
    # The name of a collection contains no slash.
    return f"{collection}/{name}"
