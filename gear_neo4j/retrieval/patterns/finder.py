"""Finds the entities that answer a question: runs patterns one by one and ranks their nodes."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from gear_neo4j.domain import Cypher, EntityHit, Figure
from gear_neo4j.errors import InputError, QueryTimeout
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.pagerank_queries import Version
from gear_neo4j.graph.read.versioned import Versioned
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.dictionary import Names
from gear_neo4j.retrieval.patterns.aggregation import LISTED, Aggregation
from gear_neo4j.retrieval.patterns.choice import measured_surely
from gear_neo4j.retrieval.patterns.confidence import SURE
from gear_neo4j.retrieval.patterns.cypher import Compiler
from gear_neo4j.retrieval.patterns.likeness import Likenesses
from gear_neo4j.retrieval.patterns.pattern import Pattern
from gear_neo4j.retrieval.patterns.question_reader import QuestionReader
from gear_neo4j.retrieval.patterns.runner import PatternRunner
from gear_neo4j.retrieval.patterns.search import Candidate, Candidates, PatternSearch
from gear_neo4j.retrieval.patterns.spelling import Speller
from gear_neo4j.retrieval.patterns.vocabulary import StoredValues

# Maximum number of patterns to run; most questions need one.
TRIED = 12
# A less probable pattern is a guess.
LEAST_SURE = 0.1
# A pattern that is more points behind the best one with an answer is unlikely to be meant.
MARGIN = 2.0
ROWS = 100
NOTHING = "nothing in the graph matches: the question may mean something else"
UNSURE = "not sure what to count, or what to order by: these are nodes that the question speaks of"


@dataclass(frozen=True, slots=True)
class EntityResult:
    """The entities that answer a question, best first, or the figure that it asks for.

    ``exact`` is False if a pattern had more nodes, or timed out; ``doubt`` is one sentence on what is ambiguous, else
    empty. ``corrected`` is the question without typos in its names, if it had some.
    """

    entities: tuple[EntityHit, ...] = ()
    figure: Figure | None = None
    exact: bool = True
    doubt: str = ""
    corrected: str = ""

    @property
    def confidence(self) -> float:
        """The probability that the first pattern is what the question means, 0 to 1."""
        best = self.figure or next(iter(self.entities), None)
        return best.confidence if best else 0.0

    @property
    def unused(self) -> tuple[str, ...]:
        """The phrases of the question that the first pattern does not use."""
        best = self.figure or next(iter(self.entities), None)
        return best.unused if best else ()

    @property
    def cypher(self) -> Cypher:
        """The query of the first pattern; empty without a result."""
        best = self.figure or next(iter(self.entities), None)
        return best.cypher if best else Cypher("")


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """What one version of the graph is searched with."""

    search: PatternSearch
    runner: PatternRunner
    speller: Speller


class PatternFinder:
    """Finds the entities that answer questions over one adopted graph; threads may share it."""

    def __init__(self, graph: Graph, *, embedder: Embedder) -> None:
        self._patterns = graph.patterns
        self._lexicon = graph.lexicon
        self._embedder = embedder
        self._kept = Versioned(self._make, version=graph.pagerank.version)

    def linked(self, question: str) -> frozenset[str]:
        """The labels and types of the graph that a question mentions, or that connect those.

        Empty without a schema, and in a database that was never adopted.
        """
        try:
            snapshot = self._current()
        except InputError:
            return frozenset()
        return snapshot.search.linked(question) if snapshot else frozenset()

    def search(self) -> PatternSearch | None:
        """The search over the current graph; None without a schema, or under a scope that hides nodes of the graph."""
        snapshot = self._current()
        return snapshot.search if snapshot else None

    def candidates(self, question: str) -> Candidates:
        """The patterns for a question; none is run."""
        snapshot = self._current()
        return snapshot.search.find(question) if snapshot else Candidates()

    def alternatives(self, question: str, *, most: int, answers: int = 20) -> list[EntityResult]:
        """The separate results of the best patterns, at most ``answers`` nodes for each.

        The first pattern is the one that :meth:`find` uses; patterns without a result are left out.
        """
        snapshot = self._current()
        if snapshot is None:
            return []
        candidates = snapshot.search.find(question)
        wanted = candidates.aggregation
        measured = [candidate for candidate in candidates.ranked if candidate.measured]
        sure = measured_surely(candidates)
        # Sorting is stable: all other patterns keep their order.
        ordered = sorted(measured, key=lambda candidate: candidate not in sure) if wanted else candidates.ranked
        results: list[EntityResult] = []
        for candidate in ordered:
            if len(results) == most:
                break
            try:
                result = self._aggregate(candidate, wanted or LISTED, snapshot, most=answers)
            except QueryTimeout:
                continue
            if result.entities or result.figure:
                results.append(result if (candidate,) == sure or not wanted else replace(result, doubt=UNSURE))
        return results

    def find(self, question: str, *, most: int = 20) -> EntityResult:
        """At most ``most`` entities; none without a recorded schema, or under a scope that hides nodes of the graph.

        Each pattern takes one round trip and times out after five seconds.
        """
        snapshot = self._current()
        if snapshot is None:
            return EntityResult()
        candidates = snapshot.search.find(question)
        corrected, note = snapshot.speller.corrected(question, candidates.unknown)
        if note:
            found = self._answer(corrected, snapshot.search.find(corrected), snapshot, most=most)
            if found.entities or found.figure:
                return replace(found, doubt="; ".join(filter(None, (note, found.doubt))), corrected=corrected)
        return self._answer(question, candidates, snapshot, most=most)

    def _answer(self, question: str, candidates: Candidates, snapshot: _Snapshot, *, most: int) -> EntityResult:
        """What the patterns find, and why that may be wrong."""
        found = self._find(question, candidates, snapshot, most=most)
        if candidates.unknown and not (found.entities or found.figure):
            names = ", ".join(f"'{name}'" for name in candidates.unknown)
            return replace(found, doubt=f"nothing in the graph is called {names}: check the spelling")
        if candidates.denied and not found.doubt and (found.entities or found.figure):
            return replace(found, doubt=f"the graph cannot express '{candidates.denied}': this may be the opposite")
        return found

    def _find(self, question: str, candidates: Candidates, snapshot: _Snapshot, *, most: int) -> EntityResult:
        wanted = candidates.aggregation
        if wanted is None:
            return self._list(candidates.ranked[:TRIED], snapshot, most=most)
        try:
            results = [self._aggregate(one, wanted, snapshot, most=most) for one in measured_surely(candidates)]
        except QueryTimeout:
            return EntityResult(exact=False, doubt="the server took too long to count")
        agreed = _agreed(results)
        if agreed is None or not (agreed.entities or agreed.figure):
            plain = snapshot.search.find(question, aggregated=False).ranked[:TRIED]
            loose = wanted.loose and wanted.supported
            if loose and wanted.limit:
                few = min(most, wanted.limit)
                return self._list(plain, snapshot, most=few, rows=few)
            if loose:
                listed = self._list(plain, snapshot, most=most)
                unordered = wanted.order is not None and len(listed.entities) > 1
                return replace(listed, doubt=UNSURE) if unordered else listed
            return replace(self._list(plain, snapshot, most=most), doubt=UNSURE)
        if agreed.figure and agreed.figure.value == 0 and wanted.function == "count":
            return replace(agreed, doubt=NOTHING)
        return agreed

    def _current(self) -> _Snapshot | None:
        """The snapshot of the current graph; None without a schema, or under a scope that hides nodes."""
        return self._kept.current() if self._patterns.admitted else None

    def _list(
        self, candidates: Sequence[Candidate], snapshot: _Snapshot, *, most: int, rows: int = ROWS
    ) -> EntityResult:
        """The nodes of the patterns, starting with those of the best pattern."""
        entities: dict[str, EntityHit] = {}
        exact, least = True, -math.inf
        sure: int | None = None
        without_nodes: list[Pattern] = []
        for candidate in candidates:
            if len(entities) >= most or candidate.score < least:
                break
            if candidate.confidence < LEAST_SURE:
                continue
            if any(pattern.is_part_of(candidate.pattern) for pattern in without_nodes):
                continue
            if sure is not None and candidate.pattern.form != sure:
                # After a sure pattern, only the same pattern with another target is run: with whom, in what.
                continue
            try:
                nodes = snapshot.runner.nodes(candidate, limit=rows)
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

    def _aggregate(self, candidate: Candidate, wanted: Aggregation, snapshot: _Snapshot, *, most: int) -> EntityResult:
        """The nodes of one pattern with their measures, or one figure over them."""
        if wanted.function == "value":
            nodes = snapshot.runner.nodes(candidate, limit=most, wanted=wanted)
            if len(nodes.hits) != 1:
                return EntityResult(_ranked(nodes.hits), exact=nodes.whole)
        if wanted.figure:
            return EntityResult(figure=snapshot.runner.figure(candidate, wanted))
        limit = None if wanted.picks else wanted.limit
        nodes = snapshot.runner.nodes(candidate, limit=min(limit or most, most), wanted=wanted)
        counted = limit is not None or (wanted.order is not None and not wanted.picks)
        return EntityResult(_ranked(nodes.hits), exact=counted or nodes.whole)

    def _make(self, _: Version) -> _Snapshot | None:
        schema = self._patterns.schema()
        if schema is None:
            return None
        self._lexicon.require_terms()
        search = PatternSearch(QuestionReader(schema, StoredValues(self._lexicon)), Likenesses(schema, self._embedder))
        runner = PatternRunner(self._patterns, compiler=Compiler(schema), names=Names(self._lexicon))
        return _Snapshot(search, runner, Speller(self._lexicon))


def _agreed(results: Sequence[EntityResult]) -> EntityResult | None:
    """The result that all patterns have that have one; None if they differ. A count of zero is no result."""
    known = [result for result in results if result.entities or (result.figure and result.figure.value)] or results
    answers = {
        (result.figure and result.figure.value, tuple((hit.id, hit.value) for hit in result.entities))
        for result in known
    }
    return known[0] if len(answers) == 1 else None


def _ranked(hits: Iterable[EntityHit]) -> tuple[EntityHit, ...]:
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))
