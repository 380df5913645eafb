"""Synonym edges between entities, and the embeddings of their names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.read.vanished import present


@dataclass(frozen=True, slots=True)
class SynonymPair:
    """Two keys, the smaller one first, and the cosine of the names."""

    first: str
    second: str
    score: float


@dataclass(frozen=True, slots=True)
class EmbeddedEntity:
    """An entity with its embedding; ``linked`` is set once its synonyms have been linked."""

    key: str
    embedding: Sequence[float]
    linked: bool


class Synonyms:
    """The synonym edges of one database; each method is one query and one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keys_after(self, key: str, *, limit: int) -> list[str]:
        """The keys of the next entities in order."""
        return [row["key"] for row in self._database.call("entities_after", key=key, limit=limit)]

    def without_embedding(self, keys: Sequence[str]) -> list[str]:
        """The entities, among those given, that have no embedding."""
        return [row["key"] for row in self._database.call("entities_to_embed", keys=list(keys))]

    def write_embeddings(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Write the embeddings of entities, by key."""
        rows = [{"key": key, "embedding": vector} for key, vector in vectors.items()]
        self._database.call("write_entity_embeddings", rows=rows)

    def link(self, keys: Sequence[str], *, k: int, threshold: float) -> int:
        """Link each entity to its k nearest with a cosine of at least ``threshold``; returns the count of new edges."""
        rows = self._database.call("link_synonyms", keys=list(keys), k=k, threshold=threshold)
        return int(rows[0]["written"])

    def embedded(self) -> Iterator[EmbeddedEntity]:
        """Every entity with an embedding; streamed."""
        return (EmbeddedEntity(**row) for row in present(self._database.stream("entity_vectors"), "key", "embedding"))

    def unlinked(self, keys: Sequence[str]) -> list[str]:
        """The keys, among those given, whose synonyms have not been linked yet."""
        return [row["key"] for row in self._database.call("entities_to_link", keys=list(keys))]

    def write(self, pairs: Sequence[SynonymPair], *, linked: Sequence[str]) -> int:
        """Write missing edges, and mark entities as linked; returns the number of new edges."""
        rows = [asdict(pair) for pair in pairs]
        return int(self._database.call("write_synonyms", pairs=rows, keys=list(linked))[0]["written"])
