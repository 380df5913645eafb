"""The sources that have been read into a collection: a record of each, with where it was read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.read.vanished import present
from gear_neo4j.text.address import is_address

# Maximum number of roots to keep, because a container may read a source from another folder in each run.
MOST_ROOTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSource:
    """A source of documents in a collection.

    ``roots`` are the folders or addresses that it was read from, the last one first; ``whole`` says whether it was ever
    more than single files; ``machine`` is the name of the machine that read it last, and ``read`` the time, in ISO
    8601. ``readers`` are those of its new documents: none means everybody who may read the collection.

    Example:
        >>> KnownSource(name="handbook", roots=("/mnt/handbook",), whole=True, machine="archive").roots[0]
        '/mnt/handbook'
    """

    name: str
    roots: tuple[str, ...] = ()
    whole: bool = False
    machine: str = ""
    read: str = ""
    readers: tuple[str, ...] = ()


class SourceRegistry:
    """The sources of one database; each method is one query and one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, collection: str) -> list[KnownSource]:
        """The sources of a collection, in order of name; one that is forgotten meanwhile may be missing."""
        rows = self._database.call("known_sources", collection=collection)
        return [
            KnownSource(
                name=row["name"],
                roots=tuple(row["roots"]),
                whole=row["whole"],
                machine=row["machine"],
                read=row["read"].iso_format(),
                readers=tuple(row["readers"]),
            )
            for row in present(rows, "name", "roots", "machine", "read")
        ]

    def size(self) -> int:
        """The number of sources in all collections."""
        return int(self._database.call("count_origins")[0]["origins"])

    def record(self, source: KnownSource, *, collection: str, known: bool) -> bool:
        """Record where a source was read: its first root; returns whether it is this source's name.

        Args:
            known: whether the source already has the name, whatever it was read from.
        """
        row = self._database.call(
            "record_origin",
            id=_id(source.name, collection),
            collection=collection,
            name=source.name,
            root=source.roots[0],
            machine=source.machine,
            most=MOST_ROOTS,
            known=known,
            whole=source.whole,
        )[0]
        return bool(row["recorded"])

    def restrict(self, name: str, readers: Sequence[str], *, collection: str, widen: bool) -> bool:
        """Set the readers of new documents; returns False if these would let more people read, without ``widen``."""
        rows = self._database.call("restrict_source", id=_id(name, collection), readers=list(readers), widen=widen)
        return not any(row["kept"] for row in rows)

    def forget(self, name: str, *, collection: str) -> None:
        """Forget a source without readers, but not its documents."""
        self._database.call("forget_origin", id=_id(name, collection))

    def rename(self, names: Mapping[str, str], *, origin: tuple[str, str], collection: str) -> None:
        """Rename the records of documents, and replace the prefix in the names of their origins."""
        rows = [{"from": _id(old, collection), "to": _id(new, collection), "name": new} for old, new in names.items()]
        former, renamed = origin
        self._database.call("rename_documents", rows=rows, collection=collection, origin=former, renamed=renamed)

    def stored(self, documents: Sequence[str], *, collection: str) -> set[str]:
        """The documents, among those given, that have passages in a collection."""
        rows = self._database.call("stored_documents", sources=list(documents), collection=collection)
        return {row["source"] for row in rows}

    def below(self, prefix: str, *, collection: str, after: str = "", limit: int) -> list[tuple[str, int]]:
        """The next documents whose names have a prefix, in order, with their numbers of passages."""
        rows = self._database.call("documents_below", prefix=prefix, collection=collection, after=after, limit=limit)
        return [(row["source"], row["passages"]) for row in rows]

    def count(self, prefixes: Sequence[str], *, collection: str) -> dict[str, tuple[int, int]]:
        """The numbers of documents and passages for each prefix of the documents' names."""
        rows = self._database.call("count_documents", prefixes=list(prefixes), collection=collection)
        return {row["prefix"]: (row["documents"], row["passages"]) for row in rows}


def sources_around(document: str) -> list[str]:
    """The names that the source of a document may have.

    Example:
        >>> sources_around("docs/hr/pay.md"), sources_around("s3://bucket/pay.md")
        (['docs'], ['s3:', 's3:/', 's3://bucket', 's3://bucket/pay.md'])
    """
    if not is_address(document):
        return [document.partition("/")[0]]
    return [*(document[: end.start()] for end in re.finditer("[/#]", document)), document]


def _id(name: str, collection: str) -> str:
    # The name of a collection contains no slash.
    return f"{collection}/{name}"
