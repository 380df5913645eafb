"""The collections of passages."""

from dataclasses import dataclass

from gear_neo4j.errors import NothingFound
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.text.wording import did_you_mean

# Maximum number of collections to list in a message.
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection: its numbers of passages, of triples, and of passages with readers."""

    name: str
    passages: int
    triples: int
    restricted: int


class Collections:
    """The collections of one database; each method is one query and one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Collection]:
        """Every collection, in order of name; the query reads every passage."""
        return [Collection(**row) for row in self._database.call("collections")]

    def missing(self, collection: str) -> NothingFound:
        """The error for a collection that does not exist; it names a similar one, and some others."""
        known = [one.name for one in self.all()]
        names = ", ".join([*known[:SHOWN], *(["..."] if len(known) > SHOWN else [])])
        hint = did_you_mean(collection, known)
        return NothingFound(f"there is no collection {collection!r}: {hint}there are {names or 'none'}")

    def require(self, collection: str) -> None:
        """Refuse a collection without passages.

        Raises:
            NothingFound: names a similar one, and some others.
        """
        if not self.passage_ids(collection, limit=1):
            raise self.missing(collection)

    def passage_ids(self, collection: str, *, limit: int) -> list[str]:
        """The ids of at most ``limit`` passages in a collection."""
        return [row["id"] for row in self._database.call("passages_of_collection", collection=collection, limit=limit)]

    def preview(self, collection: str) -> tuple[int, int]:
        """The numbers of passages and of triples in a collection."""
        row = self._database.call("preview_collection", collection=collection)[0]
        return row["passages"], row["triples"]

    def stamp(self, *, after: str, collection: str, limit: int) -> str | None:
        """Put passages without a collection, and their triples, into one; returns the last id, for the next batch.

        None at the end.
        """
        rows = self._database.call("stamp_passages", after=after, collection=collection, limit=limit)
        return rows[0]["last"] if rows else None
