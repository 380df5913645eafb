"""What the product asks of the graph, as typed methods; each is one query of ``cypher/`` and one round trip."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gear_neo4j.domain import Cypher, Passage, Path, Triple
from gear_neo4j.errors import IndexUnavailable, InputError
from gear_neo4j.graph.database import Database, Row
from gear_neo4j.graph.queries import named
from gear_neo4j.graph.record import has_foreign_entities, read_record, require_record
from gear_neo4j.graph.schema import TRIPLE_INDEX

# Asked for its 15 nearest, the index missed 3 % of them on 1,890 passages, asked for 50 none.
LEAST_CANDIDATES = 100
LINK_CANDIDATES = 20
# Seconds after which it is asked again whether an index that was not there is there.
RECHECK = 10.0
Vector = Sequence[float]
Scoring = Literal["composed", "last"]


@dataclass(frozen=True, slots=True)
class Counts:
    """How much the database holds."""

    passages: int
    triples: int
    entities: int
    synonyms: int


@dataclass(frozen=True, slots=True)
class ScoredTriple:
    """A triple with a similarity to the question, a cosine, and the degree of its busier entity, in triples."""

    triple: Triple
    score: float
    degree: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """What the indexes found for one query, best first: ids with cosines, ids with Lucene's scores, and ids alone.

    ``passages`` are those of the first two by id, where they were asked for.
    """

    dense: Sequence[tuple[str, float]] = ()
    words: Sequence[tuple[str, float]] = ()
    stating: Sequence[str] = ()
    passages: Mapping[str, Passage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How one step of a walk ranks the paths that it makes.

    ``scoring`` says what a candidate is scored by: the whole path with it (``composed``), or itself (``last``). Of a
    beam's candidates as many are ranked as there are ``weights``; of the paths that they make, each worth (the beam's
    own score + the candidate's) * the weight of its place, the best ``keep`` come back. Entities in more than ``hub``
    triples are not looked at as a whole. ``degrees`` asks for those of the candidates, which only a further step needs.
    """

    query: Vector
    weights: Sequence[float]
    keep: int
    scoring: Scoring
    hub: int
    degrees: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """As the queries take them."""
        return {
            "query": self.query,
            "weights": list(self.weights),
            "keep": self.keep,
            "composed": self.scoring == "composed",
            "hub": self.hub,
            "degrees": self.degrees,
        }


class Store:
    """The passages, triples and entities of one database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._indexed = False
        self._asked = -RECHECK

    def require_model(self, *, name: str, dimension: int) -> None:
        """Refuse a database that another embedding model built, or that holds no data of ours yet.

        Raises:
            EmbeddingMismatch: names both models and dimensions.
            InputError: the database is empty.
        """
        require_record(self.database).require_model(name=name, dimension=dimension)
        # Asked here, for a search should not have to.
        self._has_triple_index()

    def require_entities(self, retriever: str) -> None:
        """Refuse a retriever that looks entities of ours up, in a graph whose ``Entity`` nodes are the user's.

        Raises:
            InputError: says what works there.
        """
        if has_foreign_entities(self.database):
            raise InputError(
                f"{retriever} looks up entities that gear-neo4j made, and the Entity nodes of {self.database.name} are "
                "those of the graph that was adopted: search with 'paths' or 'naive'"
            )

    def dataset(self) -> tuple[str, str | None] | None:
        """The data set on record and, once it is complete, the fingerprint of its files; None where there is none."""
        record = read_record(self.database)
        return (record.dataset, record.fingerprint) if record and record.dataset else None

    def record_dataset(self, name: str, *, fingerprint: str | None) -> None:
        """Put a data set on record; without a fingerprint it counts as incomplete."""
        self.database.call("record_dataset", name=name, fingerprint=fingerprint)

    def counts(self) -> Counts:
        """How many passages, triples, entities and synonym edges there are."""
        return Counts(**self.database.call("counts")[0])

    def find_passages(self, queries: Sequence[Mapping[str, object]], *, k: int, whole: bool = False) -> list[Found]:
        """What the indexes find for each ``{"vector", "text"}``: k passages by either, with contents if ``whole``.

        A text is in Lucene's syntax; None for a vector or a text looks nothing up.
        """
        return [_found(row) for row in self.database.call("find_passages", **_looked_up(queries, k), whole=whole)]

    def link_passages(self, queries: Sequence[Mapping[str, object]], *, k: int, triples: int) -> list[Found]:
        """What :meth:`find_passages` finds, and the passages of so many triples nearest to each vector."""
        return [_found(row) for row in self.database.call("link_passages", **_looked_up(queries, k), triples=triples)]

    def all_passages(self) -> Iterator[Passage]:
        """Every passage in order of id, streamed."""
        return map(passage_of, self.database.stream("all_passages"))

    def passages(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages of the given ids; an unknown id is left out."""
        rows = self.database.call("passages_by_id", ids=list(ids))
        return {row["id"]: passage_of(row) for row in rows}

    def start_triples(self, passages: Sequence[str], *, query: Vector, limit: int) -> list[ScoredTriple]:
        """The triples of the passages that are nearest to the query, best first."""
        alone = Step(query=query, weights=(), keep=0, scoring="last", hub=0)
        return self.start_paths(passages, limit=limit, step=alone)[0]

    def start_paths(
        self, passages: Sequence[str], *, limit: int, step: Step
    ) -> tuple[list[ScoredTriple], list[list[ScoredTriple]] | None]:
        """The start triples and, for each, what :meth:`expand` would tell; None instead if one is at a hub.

        Both in one round trip; a hub needs more, for the triples that may be seen there.
        """
        rows = self.database.call("start_paths", passages=list(passages), limit=limit, **step.parameters)
        start = [_listed(*one) for one in rows[0]["start"]]
        if rows[0]["longer"] is None:
            return start, None
        found: list[list[ScoredTriple]] = [[] for _ in start]
        for place, *one in rows[0]["longer"]:
            found[place].append(_listed(*one))
        return start, found

    def nearest_triples(self, query: Vector, *, k: int) -> list[str]:
        """The ids of the k triples nearest to a query vector, by the vector index; none while that is being built."""
        try:
            return (
                [row["id"] for row in self.database.call("nearest_triples", query=query, k=k)]
                if self._has_triple_index()
                else []
            )
        except IndexUnavailable:
            self._indexed = False
            return []

    def _has_triple_index(self) -> bool:
        # A server that is asked for an index in the making can wait half a minute before it says so.
        if not self._indexed and time.monotonic() - self._asked >= RECHECK:
            self._asked = time.monotonic()
            rows = self.database.call("show_indexes")
            self._indexed = any(row["name"] == TRIPLE_INDEX and row["state"] == "ONLINE" for row in rows)
        return self._indexed

    def link_triples(self, vectors: Sequence[Vector], *, query: Vector) -> list[ScoredTriple | None]:
        """The stored triple nearest to each vector (GeAR's tripleLink), each with its similarity to the query."""
        found: list[ScoredTriple | None] = [None] * len(vectors)
        rows = self.database.call("link_triples", vectors=list(vectors), query=query, candidates=LINK_CANDIDATES)
        for row in rows:
            found[row["place"]] = ScoredTriple(triple_of(row), row["score"], row["degree"])
        return found

    def expand(
        self, beams: Sequence[Sequence[str]], *, scores: Sequence[float], step: Step, pool: Sequence[str] = ()
    ) -> list[list[ScoredTriple]]:
        """For each beam (triple ids), the triples one step beyond that make one of the best paths of all beams.

        Triples of any beam are left out; of an entity in more triples than the step allows, only those in ``pool`` are
        seen.
        """
        found: list[list[ScoredTriple]] = [[] for _ in beams]
        given = {"beams": [list(beam) for beam in beams], "scores": list(scores), "pool": list(pool)}
        for row in self.database.call("expand", **given, **step.parameters):
            found[row["beam"]] = [_listed(*one) for one in row["triples"]]
        return found


def path_cypher(*paths: Path) -> Cypher:
    """The query that shows paths in Neo4j Browser, with its parameters.

    Example:
        >>> from gear_neo4j.domain import make_triple
        >>> shown = path_cypher(Path((make_triple("p1", "Curie", "born in", "Warsaw"),), 0.9))
        >>> str(shown).splitlines()[1]
        'MATCH (t:Triple)'
    """
    ids = dict.fromkeys(triple.id for path in paths for triple in path.triples)
    return Cypher(named("show_path").text, {"ids": list(ids)})


def triple_of(row: Row) -> Triple:
    """The triple that a row holds."""
    return Triple(row["id"], row["subject"], row["predicate"], row["object"], row["passage"])


def passage_of(row: Row) -> Passage:
    """The passage that a row holds."""
    return Passage(row["id"], row["title"], row["text"], row["source"], row["position"])


def _looked_up(queries: Sequence[Mapping[str, object]], k: int) -> dict[str, Any]:
    return {"queries": list(queries), "k": k, "candidates": max(LEAST_CANDIDATES, 2 * k)}


def _found(row: Row) -> Found:
    passages = {id: Passage(id, *whole) for id, _, *whole in (*row["dense"], *row["words"]) if whole}
    return Found(_scored_ids(row["dense"]), _scored_ids(row["words"]), row.get("stating", ()), passages)


def _scored_ids(listed: Sequence[Sequence[Any]]) -> list[tuple[str, float]]:
    return [(one[0], one[1]) for one in listed]


def _listed(
    id: str, subject: str, predicate: str, object: str, passage: str, score: float, degrees: Sequence[int] | None
) -> ScoredTriple:
    return ScoredTriple(Triple(id, subject, predicate, object, passage), score, max(degrees or [0]))
