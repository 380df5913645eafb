"""Who may read documents: a record for each source of a collection, which outlives the passages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.connection.database import Database, Row


@dataclass(frozen=True, slots=True)
class ReaderRecord:
    """The readers of a source: none means everybody who may read the collection.

    ``passages`` is the number of its passages now.

    Example:
        >>> ReaderRecord("legal", "contracts/varna.md", ("group:legal",)).passages
        0
    """

    collection: str
    source: str
    readers: tuple[str, ...]
    passages: int = 0


@dataclass(frozen=True, slots=True)
class Derived:
    """A batch of derived records: the last document (None at the end), the numbers of records and changed passages."""

    last: str | None
    recorded: int
    restricted: int


class ReaderRecords:
    """The records of one database; each method is one query and one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, collection: str, *, after: str = "", limit: int) -> list[ReaderRecord]:
        """The next records of a collection, in order of source."""
        rows = self._database.call("reader_records", collection=collection, after=after, limit=limit)
        return [ReaderRecord(collection, row["source"], tuple(row["readers"]), row["passages"]) for row in rows]

    def of(self, sources: Iterable[str], *, collection: str) -> dict[str, tuple[str, ...]]:
        """The recorded readers of the sources that have a record."""
        rows = self._database.call("readers_of_documents", sources=list(sources), collection=collection)
        return {row["source"]: tuple(row["readers"]) for row in rows if row["known"]}

    def other(self, readers: Mapping[str, Sequence[str]], *, collection: str) -> dict[str, tuple[str, ...]]:
        """The sources whose record, or one of whose passages, has readers other than the given ones."""
        rows = self._database.call("readers_of_documents", sources=list(readers), collection=collection)
        return {
            row["source"]: tuple(readers[row["source"]])
            for row in rows
            if row["lags"] or list(readers[row["source"]]) != row["readers"]
        }

    def record(
        self, readers: Mapping[str, Sequence[str]], *, collection: str, widen: bool, narrow: bool = False
    ) -> frozenset[str]:
        """Record the readers of sources; returns those that get no new ones, because ``widen`` is not set.

        With ``narrow``, these lose the readers that are not among the given ones.
        """
        rows: list[Row] = [{"source": source, "readers": list(names)} for source, names in sorted(readers.items())]
        done = self._database.call("record_readers", rows=rows, collection=collection, widen=widen, narrow=narrow)
        return frozenset(row["source"] for row in done if row["kept"])

    def lagging(self, source: str, *, collection: str, limit: int) -> dict[str, list[str]]:
        """Up to ``limit`` passages of a document whose readers differ from the recorded ones, with the latter."""
        rows = self._database.call("passages_to_restrict", source=source, collection=collection, limit=limit)
        return {row["id"]: row["readers"] for row in rows}

    def derive(self, *, after: str, limit: int) -> Derived:
        """Record the readers of the next documents that an older version wrote."""
        return Derived(**self._database.call("derive_readers", after=after, limit=limit)[0])
