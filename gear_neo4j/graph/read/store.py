"""The typed queries of retrieval over the graph; each method is one query of ``cypher/`` and one round trip."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gear_neo4j.domain import Passage, Triple
from gear_neo4j.errors import IndexUnavailable, InputError
from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.read.vanished import TRIPLE, present
from gear_neo4j.graph.schema.indexes import TRIPLE_INDEX
from gear_neo4j.graph.schema.record import (
    RecordedDataset,
    has_foreign_entities,
    read_record,
    record_dataset,
    require_record,
)
from gear_neo4j.scope import DEFAULT_COLLECTION, metadata_of

# With 15 candidates, the index missed 3 % of the 15 nearest of 1,890 passages; with 50, none.
LEAST_CANDIDATES = 100
MORE_CANDIDATES = 50
LINK_CANDIDATES = 20
# Seconds between two checks for an index that was missing.
RECHECK = 10.0
Vector = Sequence[float]
Scoring = Literal["composed", "last"]


@dataclass(frozen=True, slots=True)
class Counts:
    """The size of the database's contents."""

    passages: int
    triples: int
    entities: int
    synonyms: int


@dataclass(frozen=True, slots=True)
class Contents:
    """Whether a database has an ``adopted`` graph, with or without ``chunks``, and ``triples`` of documents."""

    adopted: bool = False
    chunks: bool = False
    triples: bool = False


@dataclass(frozen=True, slots=True)
class ScoredTriple:
    """A triple with its cosine to the question, and the degree (number of triples) of its busier entity."""

    triple: Triple
    score: float
    degree: int = 0


@dataclass(frozen=True, slots=True)
class IndexHits:
    """The hits of the indexes for one query, best first: ids with cosines, ids with Lucene scores, and bare ids.

    ``passages`` has the passages of the first two by id, if requested.
    """

    dense: Sequence[tuple[str, float]] = ()
    words: Sequence[tuple[str, float]] = ()
    stating: Sequence[str] = ()
    passages: Mapping[str, Passage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How one step of a walk ranks its paths.

    ``scoring`` chooses the text that scores a candidate: the whole path (``composed``), or the candidate alone
    (``last``). For each beam, the best ``len(weights)`` candidates are ranked; the score of a path is (the beam's score
    + the candidate's score) * the weight of the candidate's rank, and the best ``keep`` paths are returned. Of an
    entity in more than ``hub`` triples, only some are examined. ``degrees`` requests the candidates' degrees, for
    another step.
    """

    query: Vector
    weights: Sequence[float]
    keep: int
    scoring: Scoring
    hub: int
    degrees: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """The step as query parameters."""
        return {
            "query": self.query,
            "weights": list(self.weights),
            "keep": self.keep,
            "composed": self.scoring == "composed",
            "hub": self.hub,
            "degrees": self.degrees,
        }


@dataclass(frozen=True, slots=True)
class StartPaths:
    """Start triples and, for each, the next triples on the best paths, or None if one of them is at a hub.

    ``passages`` has the contents of the passages on the paths, by id.
    """

    start: list[ScoredTriple]
    longer: list[list[ScoredTriple]] | None
    passages: Mapping[str, Passage]


class Store:
    """The passages, triples and entities of one database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._indexed = False
        self._checked_at = -RECHECK

    def require_model(self, *, name: str, dimension: int) -> None:
        """Refuse a database that is empty, or was built with another embedding model.

        Raises:
            EmbeddingMismatch: names both models and dimensions.
            InputError: the database is empty.
        """
        require_record(self.database).require_model(name=name, dimension=dimension)
        # Checked here, to save the first search the round trip.
        self._has_triple_index()

    def require_entities(self, retriever: str) -> None:
        """Refuse a retriever that needs our entities in a graph whose ``Entity`` nodes are the user's.

        Raises:
            InputError: names the retrievers that work there.
        """
        if has_foreign_entities(self.database):
            raise InputError(
                f"{retriever} looks up entities that gear-neo4j made, and the Entity nodes of {self.database.name} are "
                "those of the graph that was adopted: search with 'paths' or 'naive'"
            )

    def dataset(self, *, collection: str = DEFAULT_COLLECTION) -> RecordedDataset | None:
        """The data set that is recorded for a collection; None if there is none."""
        record = read_record(self.database)
        return record.datasets.get(collection) if record else None

    def record_dataset(self, name: str, *, fingerprint: str | None, collection: str = DEFAULT_COLLECTION) -> None:
        """Record the data set of a collection; without a fingerprint it counts as incomplete."""
        record_dataset(self.database, name, fingerprint=fingerprint, collection=collection)

    def counts(self) -> Counts:
        """The numbers of passages, triples, entities and synonym edges."""
        return Counts(**self.database.call("counts")[0])

    def long_passages(self, characters: int) -> int:
        """The number of passages with more characters; visits every passage."""
        return int(self.database.call("long_passages", characters=characters)[0]["passages"])

    def count_entities(self) -> int:
        """The number of entities; under a scope, only of those that its triples mention."""
        return int(self.database.call("count_entities")[0]["entities"])

    def contents(self) -> Contents:
        """The kinds of contents of the database.

        Raises:
            InputError: it is empty.
        """
        rows = self.database.call("contents")
        if not rows:
            require_record(self.database)
        row = rows[0]
        return Contents(row["adopted"], row["chunks"], row["entities"] > 0 and not row["foreign"])

    def find_passages(self, queries: Sequence[Mapping[str, object]], *, k: int, whole: bool = False) -> list[IndexHits]:
        """The k best passages of each index for each ``{"vector", "text"}``, with contents if ``whole``.

        The text is in Lucene syntax; None for a vector or a text skips that index.
        """
        rows = self.database.call("find_passages", **_lookup_parameters(queries, k), whole=whole)
        return list(map(_index_hits, rows))

    def link_passages(self, queries: Sequence[Mapping[str, object]], *, k: int, triples: int) -> list[IndexHits]:
        """The hits of :meth:`find_passages`, and the passages of the n ``triples`` nearest to each vector."""
        given = {**_lookup_parameters(queries, k), "triples": triples, "near": triples}
        rows = self.database.call("link_passages", **given)
        return list(map(_index_hits, rows))

    def all_passages(self) -> Iterator[Passage]:
        """Every passage in order of id, streamed."""
        rows = self.database.stream("all_passages")
        return (passage_of(row) for row in present(rows, "id", "text"))

    def passages(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages with these ids; unknown ids are left out."""
        rows = self.database.call("passages_by_id", ids=list(ids))
        return {row["id"]: passage_of(row) for row in present(rows, "id", "text")}

    def passage_ids(self, prefix: str, *, limit: int) -> list[str]:
        """The first ids of passages that begin with a prefix, in order."""
        return [row["id"] for row in present(self.database.call("passage_ids", prefix=prefix, limit=limit), "id")]

    def stated_triples(self, passage: str, *, limit: int) -> list[Triple]:
        """At most ``limit`` triples of a passage, in order of their three parts."""
        return [
            triple_of(row)
            for row in present(self.database.call("stated_triples", passage=passage, limit=limit), *TRIPLE)
        ]

    def start_triples(self, passages: Sequence[str], *, query: Vector, limit: int) -> list[ScoredTriple]:
        """The triples of the passages that are nearest to the query, best first."""
        alone = Step(query=query, weights=(), keep=0, scoring="last", hub=0)
        return self.start_paths(passages, limit=limit, step=alone).start

    def start_paths(self, passages: Sequence[str], *, limit: int, step: Step) -> StartPaths:
        """The start triples of the passages and, for each, the result of :meth:`expand`.

        Both take one round trip; a hub needs another, which passes the ``pool`` of triples allowed there.
        """
        row = self.database.call("start_paths", passages=list(passages), limit=limit, **step.parameters)[0]
        # Nulls are of triples that were deleted during the query.
        start = {
            number: _scored_triple(*values) for number, values in enumerate(row["start"]) if None not in values[:5]
        }
        contents = {found.id: found for values in row["passages"] if (found := passage_from(values))}
        if row["longer"] is None:
            return StartPaths(list(start.values()), None, contents)
        expansions: dict[int, list[ScoredTriple]] = {number: [] for number in start}
        for number, *values in row["longer"]:
            if number in start and None not in values[:5]:
                expansions[number].append(_scored_triple(*values))
        return StartPaths(list(start.values()), list(expansions.values()), contents)

    def nearest_triples(self, query: Vector, *, k: int) -> list[str]:
        """The ids of the k triples nearest to a query vector, by the vector index; empty while the index is built."""
        try:
            return (
                [row["id"] for row in present(self.database.call("nearest_triples", query=query, k=k, near=k), "id")]
                if self._has_triple_index()
                else []
            )
        except IndexUnavailable:
            self._indexed = False
            return []

    def _has_triple_index(self) -> bool:
        # Querying an index that is being built can block for half a minute before it fails.
        if not self._indexed and time.monotonic() - self._checked_at >= RECHECK:
            rows = self.database.call("show_indexes")
            # Only now, because an outage says nothing about the index.
            self._checked_at = time.monotonic()
            self._indexed = any(row["name"] == TRIPLE_INDEX and row["state"] == "ONLINE" for row in rows)
        return self._indexed

    def link_triples(self, vectors: Sequence[Vector], *, query: Vector) -> list[ScoredTriple | None]:
        """The stored triple nearest to each vector (GeAR's tripleLink), each with its similarity to the query."""
        triples: list[ScoredTriple | None] = [None] * len(vectors)
        rows = self.database.call("link_triples", vectors=list(vectors), query=query, candidates=LINK_CANDIDATES)
        for row in present(rows, *TRIPLE, "score"):
            triples[row["number"]] = ScoredTriple(triple_of(row), row["score"], row["degree"])
        return triples

    def expand(
        self, beams: Sequence[Sequence[str]], *, scores: Sequence[float], step: Step, pool: Sequence[str] = ()
    ) -> list[list[ScoredTriple]]:
        """For each beam (triple ids), the next triples on the best paths over all beams.

        Triples that are already in a beam are left out; of an entity in more than ``step.hub`` triples, only those in
        ``pool`` are examined.
        """
        expansions: list[list[ScoredTriple]] = [[] for _ in beams]
        parameters = {"beams": [list(beam) for beam in beams], "scores": list(scores), "pool": list(pool)}
        for row in self.database.call("expand", **parameters, **step.parameters):
            expansions[row["beam"]] = [_scored_triple(*values) for values in row["triples"] if None not in values[:5]]
        return expansions


def candidates(k: int) -> int:
    """The number of candidates to request for the k nearest: an index orders by quantised vectors, and misses some."""
    return max(LEAST_CANDIDATES, k + MORE_CANDIDATES)


def triple_of(row: Row) -> Triple:
    """The triple in a row."""
    return Triple(row["id"], row["subject"], row["predicate"], row["object"], row["passage"])


def passage_of(row: Row) -> Passage:
    """The passage in a row."""
    return _passage(
        row["id"], row["title"], row["text"], row["source"], row["position"], row["collection"], row["metadata"]
    )


def passage_from(values: Sequence[Any]) -> Passage | None:
    """The passage in a list of its id and its content; None if it was deleted during the query."""
    id, title, text, *rest = values
    return None if None in (id, text) else _passage(id, title, text, *rest)


def _passage(
    id: str,
    title: str,
    text: str,
    source: str | None,
    position: str | None,
    collection: str | None,
    metadata: Sequence[tuple[str, Any]],
) -> Passage:
    return Passage(id, title, text, source, position, collection or DEFAULT_COLLECTION, metadata_of(metadata))


def _lookup_parameters(queries: Sequence[Mapping[str, object]], k: int) -> dict[str, Any]:
    return {"queries": list(queries), "k": k, "candidates": candidates(k)}


def _index_hits(row: Row) -> IndexHits:
    contents = ((id, *whole) for id, _, *whole in (*row["dense"], *row["words"]) if whole)
    passages = {found.id: found for values in contents if (found := passage_from(values))}
    return IndexHits(_scored_ids(row["dense"]), _scored_ids(row["words"]), row.get("stating", ()), passages)


def _scored_ids(hits: Sequence[Sequence[Any]]) -> list[tuple[str, float]]:
    return [(id, score) for id, score, *_ in hits if id is not None]


def _scored_triple(
    id: str, subject: str, predicate: str, object: str, passage: str, score: float, degrees: Sequence[int] | None
) -> ScoredTriple:
    return ScoredTriple(Triple(id, subject, predicate, object, passage), score, max(degrees or [0]))
