"""The entities that answer a question: patterns are found, run one by one, and their nodes ranked."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from gear_neo4j.domain import Cypher, EntityHit, Figure
from gear_neo4j.errors import InputError, QueryTimeout
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.graph_schema import GraphSchema, OwnerKind, PropertySchema
from gear_neo4j.graph.read.pagerank_queries import Version
from gear_neo4j.graph.read.versioned import Versioned
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.dictionary import MOST_NODES, Dictionaries, Dictionary
from gear_neo4j.retrieval.patterns.aggregation import LISTED, Aggregation
from gear_neo4j.retrieval.patterns.choice import measured_surely
from gear_neo4j.retrieval.patterns.confidence import SURE
from gear_neo4j.retrieval.patterns.cypher import Compiler
from gear_neo4j.retrieval.patterns.likeness import Likenesses
from gear_neo4j.retrieval.patterns.pattern import Pattern
from gear_neo4j.retrieval.patterns.reading import Reader
from gear_neo4j.retrieval.patterns.runner import PatternRunner
from gear_neo4j.retrieval.patterns.search import Candidate, Candidates, PatternSearch
from gear_neo4j.retrieval.patterns.vocabulary import Place, Vocabulary

LONGEST_VALUE = 200
# Patterns that are run, until enough nodes are known; most questions need one.
TRIED = 12
# Points behind the best pattern with an answer, beyond which another is hardly meant.
MARGIN = 2.0
ROWS = 100
Owners = Mapping[str, Mapping[str, PropertySchema]]
UNSURE = "not sure what to count, or what to order by: these are nodes that the question speaks of"


@dataclass(frozen=True, slots=True)
class EntityResult:
    """The entities of a question, best first, or the figure that it asks for.

    ``exact`` is False if a pattern had more, or took too long; ``doubt`` says in a sentence what they leave open.
    """

    entities: tuple[EntityHit, ...] = ()
    figure: Figure | None = None
    exact: bool = True
    doubt: str = ""

    @property
    def confidence(self) -> float:
        """How surely the first pattern is what the question means, 0 to 1."""
        best = self.figure or next(iter(self.entities), None)
        return best.confidence if best else 0.0

    @property
    def cypher(self) -> Cypher:
        """The query of the first pattern; empty without a result."""
        best = self.figure or next(iter(self.entities), None)
        return best.cypher if best else Cypher("")


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is made from one version of the graph."""

    search: PatternSearch
    runner: PatternRunner


class PatternFinder:
    """Finds the entities that answer questions over one adopted graph; threads may share it."""

    def __init__(self, graph: Graph, *, embedder: Embedder, dictionaries: Dictionaries) -> None:
        self._patterns = graph.patterns
        self._dictionaries = dictionaries
        self._embedder = embedder
        self._kept = Versioned(self._make, version=graph.pagerank.version)

    def linked(self, question: str) -> frozenset[str]:
        """The labels and types of the graph that a question speaks of, or that lie between them.

        None without a schema, and in a graph of too many values to be held in memory.
        """
        try:
            kept = self._current()
        except InputError:
            return frozenset()
        return kept.search.linked(question) if kept else frozenset()

    def candidates(self, question: str) -> Candidates:
        """The patterns for a question, before any is run."""
        kept = self._current()
        return kept.search.find(question) if kept else Candidates()

    def alternatives(self, question: str, *, most: int, answers: int = 20) -> list[EntityResult]:
        """The results of the best patterns, each by itself, at most ``answers`` nodes of each.

        The first is what :meth:`find` would take; patterns without a result are left out.

        Raises:
            InputError: the graph has too many values to be held in memory.
        """
        kept = self._current()
        if kept is None:
            return []
        candidates = kept.search.find(question)
        wanted = candidates.aggregation
        measured = [candidate for candidate in candidates.ranked if candidate.measured]
        sure = measured_surely(candidates)
        # Sorting is stable: all but the sure one keep their order.
        ordered = sorted(measured, key=lambda candidate: candidate is not sure) if wanted else candidates.ranked
        results: list[EntityResult] = []
        for candidate in ordered:
            if len(results) == most:
                break
            try:
                result = self._aggregate(candidate, wanted or LISTED, kept, most=answers)
            except QueryTimeout:
                continue
            if result.entities or result.figure:
                results.append(result if candidate is sure or not wanted else replace(result, doubt=UNSURE))
        return results

    def find(self, question: str, *, most: int = 20) -> EntityResult:
        """At most ``most`` entities; none without a schema on record, or under a scope that hides nodes of the graph.

        Each pattern is one round trip, which ends after five seconds.

        Raises:
            InputError: the graph has too many values to be held in memory.
        """
        kept = self._current()
        if kept is None:
            return EntityResult()
        candidates = kept.search.find(question)
        wanted = candidates.aggregation
        if wanted is None:
            return self._list(candidates.ranked[:TRIED], kept, most=most)
        measured = measured_surely(candidates)
        if measured is None:
            plain = kept.search.find(question, aggregated=False).ranked[:TRIED]
            loose = wanted.loose and wanted.supported
            few = min(most, wanted.limit or most)
            if loose:
                return self._list(plain, kept, most=few, rows=few)
            return replace(self._list(plain, kept, most=most), doubt=UNSURE)
        try:
            return self._aggregate(measured, wanted, kept, most=most)
        except QueryTimeout:
            return EntityResult(exact=False, doubt="the server took too long to count")

    def _current(self) -> _Kept | None:
        """What is made from the graph as it is now; None without a schema, or under a scope that hides nodes of it."""
        return self._kept.current() if self._patterns.admitted else None

    def _list(self, candidates: Sequence[Candidate], kept: _Kept, *, most: int, rows: int = ROWS) -> EntityResult:
        """The nodes of the patterns, those of the best first."""
        entities: dict[str, EntityHit] = {}
        exact, least = True, -math.inf
        sure: int | None = None
        without_nodes: list[Pattern] = []
        for candidate in candidates:
            if len(entities) >= most or candidate.score < least:
                break
            if any(pattern.is_part_of(candidate.pattern) for pattern in without_nodes):
                continue
            if sure is not None and candidate.pattern.form != sure:
                # Beside a sure pattern only its other nodes are wanted: with whom, in what.
                continue
            try:
                nodes = kept.runner.nodes(candidate, limit=rows)
            except QueryTimeout:
                exact = False
                continue
            if not nodes.hits:
                without_nodes.append(candidate.pattern)
            else:
                least = max(least, candidate.score - MARGIN)
            exact = exact and nodes.whole
            entities |= {hit.id: hit for hit in nodes.hits if hit.id not in entities}
            if nodes.hits and candidate.confidence >= SURE:
                sure = candidate.pattern.form
        return EntityResult(_ranked(islice(entities.values(), most)), exact=exact)

    def _aggregate(self, candidate: Candidate, wanted: Aggregation, kept: _Kept, *, most: int) -> EntityResult:
        """The nodes of one pattern with their measure, or the figure over them."""
        if wanted.figure:
            return EntityResult(figure=kept.runner.figure(candidate, wanted))
        nodes = kept.runner.nodes(candidate, limit=min(wanted.limit or most, most), wanted=wanted)
        return EntityResult(_ranked(nodes.hits), exact=wanted.limit is not None or nodes.whole)

    def _make(self, version: Version) -> _Kept | None:
        schema = self._patterns.schema()
        if schema is None:
            return None
        vocabulary = Vocabulary(self._values(schema))
        reader = Reader(schema, vocabulary, Dictionary(vocabulary.named()))
        search = PatternSearch(reader, Likenesses(schema, self._embedder))
        return _Kept(search, PatternRunner(self._patterns, Compiler(schema), self._dictionaries, version))

    def _values(self, schema: GraphSchema) -> Iterator[tuple[Place, str]]:
        """The texts of all properties; numbers that are kept as texts, too, since they may be names or keys."""
        count = 0
        kinds: tuple[tuple[OwnerKind, Owners], ...] = (("label", schema.labels), ("type", schema.types))
        for kind, owners in kinds:
            wanted = {owner: _texts(properties) for owner, properties in owners.items() if _texts(properties)}
            found = self._patterns.values(kind, wanted, longest=LONGEST_VALUE, most=MOST_NODES + 1)
            for owner, property, value in found:
                count += 1
                if count > MOST_NODES:
                    raise InputError(f"the graph has more than {MOST_NODES:,} values, too many for values in memory")
                yield Place(owner, property), value


def _ranked(hits: Iterable[EntityHit]) -> tuple[EntityHit, ...]:
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))


def _texts(properties: Mapping[str, PropertySchema]) -> list[str]:
    return [name for name, property in properties.items() if property.kind == "text" or property.stored_as_text]
