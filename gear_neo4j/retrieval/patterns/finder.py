"""The entities that answer a question: patterns are found, run one by one, and their nodes ranked."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from gear_neo4j.domain import Cypher, EntityHit, Figure
from gear_neo4j.errors import InputError, QueryTimeout
from gear_neo4j.graph.export import Version
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.graph_schema import GraphSchema, OwnerKind, PropertySchema
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.dictionary import MOST_NODES, Dictionaries, Dictionary
from gear_neo4j.retrieval.patterns.aggregation import LISTED, Aggregation
from gear_neo4j.retrieval.patterns.choice import measured_surely
from gear_neo4j.retrieval.patterns.cypher import MOST_ROWS, NO_ANCHORS, Anchors, Compiler, is_bounded
from gear_neo4j.retrieval.patterns.likeness import Likenesses
from gear_neo4j.retrieval.patterns.pattern import Pattern
from gear_neo4j.retrieval.patterns.reading import Reader
from gear_neo4j.retrieval.patterns.search import Candidate, Candidates, PatternSearch
from gear_neo4j.retrieval.patterns.sureness import SURE
from gear_neo4j.retrieval.patterns.vocabulary import Place, Vocabulary
from gear_neo4j.retrieval.versioned import Versioned

LONGEST_VALUE = 200
# Patterns that are run, until enough nodes are known; most questions need one.
TRIED = 12
# Points behind the best pattern with an answer, beyond which another is hardly meant.
MARGIN = 2.0
ROWS = 100
# A name that more nodes bear is left to the server.
FEW_NODES = 50
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
    def sureness(self) -> float:
        """How surely the first pattern is what the question means, 0 to 1."""
        best = self.figure or next(iter(self.entities), None)
        return best.sureness if best else 0.0

    @property
    def cypher(self) -> Cypher:
        """The query of the first pattern; empty without a result."""
        best = self.figure or next(iter(self.entities), None)
        return best.cypher if best else Cypher("")


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is made from one version of the graph."""

    search: PatternSearch
    compiler: Compiler
    dictionary: Dictionary


class PatternFinder:
    """Finds the entities that answer questions over one adopted graph; threads may share it."""

    def __init__(self, graph: Graph, *, embedder: Embedder, dictionaries: Dictionaries) -> None:
        self._patterns = graph.patterns
        self._dictionaries = dictionaries
        self._embedder = embedder
        self._kept = Versioned(self._make, version=graph.export.version)

    def linked(self, question: str) -> frozenset[str]:
        """The labels and types of the graph that a question speaks of, or that lie between them.

        None without a schema, and in a graph of too many values to be held in memory.
        """
        try:
            kept = self._kept.current()
        except InputError:
            return frozenset()
        return kept.search.linked(question) if kept else frozenset()

    def candidates(self, question: str) -> Candidates:
        """The patterns for a question, before any is run."""
        kept = self._kept.current()
        return kept.search.find(question) if kept else Candidates()

    def alternatives(self, question: str, *, most: int, answers: int = 20) -> list[EntityResult]:
        """The results of the best patterns, each by itself, at most ``answers`` nodes of each.

        The first is what :meth:`find` would take; patterns without a result are left out.

        Raises:
            InputError: the graph has too many values to be held in memory.
        """
        kept = self._kept.current()
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
        """At most ``most`` entities; none over a graph whose schema is not on record.

        Each pattern is one round trip, which ends after five seconds.

        Raises:
            InputError: the graph has too many values to be held in memory.
        """
        kept = self._kept.current()
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

    def _list(self, candidates: Sequence[Candidate], kept: _Kept, *, most: int, rows: int = ROWS) -> EntityResult:
        """The nodes of the patterns, those of the best first."""
        entities: dict[str, EntityHit] = {}
        exact, least = True, -math.inf
        sure: int | None = None
        for candidate in candidates:
            if len(entities) >= most or candidate.score < least:
                break
            if sure is not None and candidate.pattern.form != sure:
                # Beside a sure pattern only its other nodes are wanted: with whom, in what.
                continue
            try:
                hits = list(self._run(candidate, LISTED, kept, limit=rows))
            except QueryTimeout:
                exact = False
                continue
            if hits:
                least = max(least, candidate.score - MARGIN)
            exact = exact and len(hits) < rows
            entities |= {hit.id: hit for hit in hits if hit.id not in entities}
            if hits and candidate.sureness >= SURE:
                sure = candidate.pattern.form
        return EntityResult(_ranked(islice(entities.values(), most)), exact=exact)

    def _aggregate(self, candidate: Candidate, wanted: Aggregation, kept: _Kept, *, most: int) -> EntityResult:
        """The nodes of one pattern with their measure, or the figure over them."""
        pattern, target = candidate.pattern, candidate.target
        if wanted.figure:
            query = kept.compiler.figure(pattern, target, wanted)
            value = self._patterns.run(query)[0]["value"]
            return EntityResult(figure=Figure(value, pattern.wording(target), query, candidate.sureness))
        limit = min(wanted.limit or most, most)
        hits = list(self._run(candidate, wanted, kept, limit=limit))
        return EntityResult(_ranked(hits), exact=wanted.limit is not None or len(hits) < limit)

    def _run(self, candidate: Candidate, wanted: Aggregation, kept: _Kept, *, limit: int) -> Iterator[EntityHit]:
        pattern, target = candidate.pattern, candidate.target
        label, wording = pattern.labels[target], pattern.wording(target)
        anchors = _anchors(pattern, kept)
        rows = self._patterns.run(kept.compiler.run(pattern, target, limit=limit, aggregation=wanted, anchors=anchors))
        shown = kept.compiler.shown(pattern, target, limit=limit, aggregation=wanted)
        if is_bounded(pattern) and (len(rows) == limit or sum(row["ways"] for row in rows) >= MOST_ROWS):
            # Which rows come first depends on the plan, so a reader gets the query as it was run.
            shown = kept.compiler.shown(pattern, target, limit=limit, aggregation=wanted, anchors=anchors, bounded=True)
        given = {id for ids in anchors.values() for id in ids}
        # What the question names itself comes last.
        for row in sorted(rows, key=lambda row: row["id"] in given) if not pattern.measures else rows:
            name, value = kept.compiler.called(label, row["name"]), row["value"]
            yield EntityHit(row["id"], name, tuple(row["labels"]), 0, wording, shown, value, candidate.sureness)

    def _make(self, version: Version) -> _Kept | None:
        schema = self._patterns.schema()
        if schema is None:
            return None
        vocabulary = Vocabulary(self._values(schema))
        reader = Reader(schema, vocabulary, Dictionary(vocabulary.named()))
        search = PatternSearch(reader, Likenesses(schema, self._embedder))
        return _Kept(search, Compiler(schema), self._dictionaries.at(version))

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


def _anchors(pattern: Pattern, kept: _Kept) -> Anchors:
    """The nodes that the names in a pattern may mean, as far as these are few."""
    if not pattern.edges:
        # Its node may be in no triple, and so in no dictionary.
        return NO_ANCHORS
    anchors: dict[int, Sequence[str]] = {}
    for placed in filter(lambda placed: kept.compiler.is_name(placed.condition), pattern.on_nodes):
        ids = dict.fromkeys(id for text in placed.condition.texts for id in kept.dictionary.nodes_named(text))
        if 0 < len(ids) <= FEW_NODES:
            anchors[placed.place] = list(ids)
    return anchors


def _ranked(hits: Iterable[EntityHit]) -> tuple[EntityHit, ...]:
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))


def _texts(properties: Mapping[str, PropertySchema]) -> list[str]:
    return [name for name, property in properties.items() if property.kind == "text" or property.stored_as_text]
