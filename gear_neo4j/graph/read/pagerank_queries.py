"""The graph for PageRank: ids and weights, streamed, and the graph's version."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gear_neo4j.domain import Path, Triple, entity_key
from gear_neo4j.errors import IndexUnavailable
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.read.store import Vector, candidates, triple_of
from gear_neo4j.graph.read.vanished import TRIPLE, present
from gear_neo4j.graph.schema.record import require_record

LINK_CANDIDATES = 20
SIMILAR_ENTITIES = 50
# Number of passages to check whether a word is written like a name.
PASSAGES_OF_A_WORD = 5
# Several passages may state the same fact: triples fetched per requested fact.
TRIPLES_A_FACT = 4


@dataclass(frozen=True, slots=True)
class Version:
    """A value that changes whenever the graph does.

    ``changed`` is a stamp that every ingest, extraction and deletion writes in its own transaction; the counts, from
    the database's counters, also reveal additions and deletions by other programs.
    """

    changed: str | None
    passages: int
    triples: int
    entities: int
    synonyms: int


@dataclass(frozen=True, slots=True)
class Extent:
    """The approximate size of a scope in a version of the graph: passages, triples, and nodes with names."""

    passages: int
    triples: int
    names: int


@dataclass(frozen=True, slots=True)
class Seed:
    """A triple with its cosine to the question, and the element ids of its two ends."""

    triple: Triple
    score: float
    ends: tuple[str, str]

    @property
    def path(self) -> Path:
        """The triple as a path of length 1."""
        return Path((self.triple,), self.score, (self.score,))


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity by its element id: its name as in the graph, and whether it has an embedding."""

    id: str
    name: str
    embedded: bool


@dataclass(frozen=True, slots=True)
class EntityLink:
    """The entity linked to a name: its element id, its name, and the cosine of the two names, 1 for an exact match."""

    id: str
    name: str
    score: float


@dataclass(frozen=True, slots=True)
class Similarities:
    """Cosines: of a query with n entities, of those with each other (n x n), and of each passage with both."""

    query: Sequence[float]
    between: Sequence[Sequence[float]]
    passages: Mapping[str, tuple[float, Sequence[float]]]


def distinct_facts(seeds: Sequence[Seed]) -> list[Seed]:
    """The first of the triples with the same content, in their order."""
    facts: dict[tuple[str, str, str], Seed] = {}
    for seed in seeds:
        head, tail = seed.ends
        facts.setdefault((head, entity_key(seed.triple.predicate), tail), seed)
    return list(facts.values())


class PageRankQueries:
    """The queries of PageRank over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def version(self) -> Version:
        """The version of the graph as it is now.

        Raises:
            InputError: the database holds no gear-neo4j data.
        """
        rows = self._database.call("graph_version")
        if not rows:
            require_record(self._database)
        return Version(**rows[0])

    def facts(self) -> Iterator[tuple[str, list[list[str]]]]:
        """Every passage's id, in order, with the element ids of both ends of each of its triples; streamed."""
        rows = self._database.stream("export_facts")
        return ((row["passage"], row["facts"]) for row in present(rows, "passage"))

    def synonyms(self) -> Iterator[tuple[str, str, float]]:
        """The element ids of the two ends of every synonym edge, and its score; streamed."""
        rows = self._database.stream("export_synonyms")
        return ((row["one"], row["other"], row["score"]) for row in present(rows, "score"))

    def seeds(self, query: Vector, *, k: int) -> list[Seed]:
        """The k facts nearest to a query vector, best first; only the best of triples with the same content."""
        return distinct_facts(self.nearest(query, k=k * TRIPLES_A_FACT))[:k]

    def nearest(self, query: Vector, *, k: int) -> list[Seed]:
        """The k triples nearest to a query vector, best first; one round trip."""
        rows = self._database.call("seed_triples", query=query, k=k, candidates=candidates(k))
        return [
            Seed(triple_of(row), row["score"], (row["head"], row["tail"])) for row in present(rows, *TRIPLE, "score")
        ]

    def link(self, names: Sequence[tuple[str, Vector]]) -> list[EntityLink]:
        """For each name (a key and a vector), the entity with that key, else the nearest one by the vector index."""
        lookups: list[dict[str, Any]] = [{"key": key, "vector": vector} for key, vector in names]
        rows = self._database.call("link_entities", names=lookups, candidates=LINK_CANDIDATES) if lookups else []
        return [EntityLink(row["id"], row["name"], row["score"]) for row in present(rows, "id", "name")]

    def named(self, keys: Sequence[str]) -> dict[str, NamedEntity]:
        """The entities with some of the keys, by key; one round trip."""
        rows = self._database.call("named_entities", keys=list(keys)) if keys else []
        return {
            row["key"]: NamedEntity(row["id"], row["name"], row["embedded"]) for row in present(rows, "key", "name")
        }

    def similar(self, words: Sequence[str], *, text: str) -> tuple[dict[str, NamedEntity], set[str]]:
        """The entities whose names best match a text in Lucene's syntax, by key, and the words that passages contain.

        One round trip. Empty while the index is missing or being built, so that a database of an older version can be
        searched; also empty under a strict scope.
        """
        if self._database.scope.strict:
            return {}, set()
        try:
            row = self._database.call("similar_entities", words=list(words), text=text, limit=SIMILAR_ENTITIES)[0]
        except IndexUnavailable:
            return {}, set()
        return {key: NamedEntity(*entity) for key, *entity in row["similar"] if None not in (key, *entity)}, set(
            row["known"]
        )

    def common_words(self, words: Sequence[str]) -> set[str]:
        """The words that passages also write in lower case; one round trip, or none without words.

        Empty under a strict scope.
        """
        if not words or self._database.scope.strict:
            return set()
        rows = self._database.call("common_words", words=list(words), limit=PASSAGES_OF_A_WORD)
        return {row["word"] for row in rows}

    def extent(self, version: Version) -> Extent:
        """The size of a version of the graph; under a scope, the approximate size of the scope."""
        size = self._database.scope_size
        passages, triples = (version.passages, version.triples) if size is None else (size.passages, size.triples)
        # An upper bound: each name has a triple, and nodes of an adopted graph are not entities.
        return Extent(passages, triples, min(2 * triples, version.entities or 2 * triples))

    def compare(
        self, passages: Sequence[str], *, keys: Sequence[str], vectors: Sequence[Vector] = (), query: Vector
    ) -> Similarities:
        """The cosines between a query, the entities with some keys, further vectors, and some passages.

        The server returns no vectors.
        """
        given: dict[str, Any] = {"passages": list(passages), "keys": list(keys), "vectors": list(vectors)}
        row = self._database.call("compare_passages", **given, query=query)[0]
        return Similarities(
            row["query"],
            row["between"],
            # If a passage is deleted while the query reads it, the server returns nulls.
            {id: (cosine, names) for id, cosine, names in row["passages"] if None not in (id, cosine, *names)},
        )
