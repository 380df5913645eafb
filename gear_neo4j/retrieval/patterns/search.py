"""The search for patterns: grown from what a question states, step by step, the best kept as a beam."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gear_neo4j.graph.read.graph_schema import Way
from gear_neo4j.retrieval.patterns.absences import add_absences
from gear_neo4j.retrieval.patterns.aggregation import Aggregation
from gear_neo4j.retrieval.patterns.conditions import Condition, is_count
from gear_neo4j.retrieval.patterns.confidence import FARTHEST_MARGIN, confidence
from gear_neo4j.retrieval.patterns.hints import SUPPORTS, Hints
from gear_neo4j.retrieval.patterns.likeness import Likeness, Likenesses
from gear_neo4j.retrieval.patterns.measures import add_measures
from gear_neo4j.retrieval.patterns.pattern import Edge, Parallel, Pattern, Placed
from gear_neo4j.retrieval.patterns.reading import Reader, Reading
from gear_neo4j.retrieval.patterns.scoring import Evidence, Scorer
from gear_neo4j.retrieval.patterns.target import NAMES, target_labels

BEAM = 12
# Points that a pattern may be behind the best of its step.
SLACK = 2.0
MOST_EDGES = 4
# Ways out of a node that a pattern can grow by. A graph that a language model has extracted can have thousands of
# relationship types between entities, most of them once; then a question is put to those that it speaks of.
MOST_WAYS = 16
WORDED = 16

Ways = Mapping[str, Sequence[Way]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pattern with the node that answers, its points, and how much of the question it accounts for.

    ``measured`` says whether it has what the question's aggregation is over, ``margin`` how many points it has more
    than the best of the others.
    """

    pattern: Pattern
    target: int
    score: float
    evidence: Evidence
    measured: bool
    margin: float = 0.0

    @property
    def confidence(self) -> float:
        """The probability that it is what the question means, 0 to 1."""
        return confidence(self.evidence, self.margin)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The patterns for a question, best first, and what it wants done with their nodes."""

    ranked: tuple[Candidate, ...] = ()
    aggregation: Aggregation | None = None


class PatternSearch:
    """Finds the patterns of one schema that explain a question best."""

    def __init__(self, reader: Reader, likenesses: Likenesses) -> None:
        self._reader = reader
        self._schema = reader.schema
        self._likenesses = likenesses

    def linked(self, question: str) -> frozenset[str]:
        """The labels and types that a question's words and values belong to, and those of its best patterns."""
        reading = self._reader.read(question)
        likeness = self._likenesses.of(reading)
        by_words = {element.name for row in likeness.values() for element, value in row.items() if value >= SUPPORTS}
        by_values = {condition.owner.name for literal in reading.literals for condition in literal.conditions}
        patterns = [candidate.pattern for candidate in self.find(question).ranked]
        between = {name for pattern in patterns for name in (*pattern.labels, *pattern.types)}
        return frozenset(by_words | by_values | between)

    def find(self, question: str, *, most: int = 20, aggregated: bool = True) -> Candidates:
        """The best patterns for a question; none where it names nothing of the graph.

        Not ``aggregated``, they are those of the nodes that it speaks of, whatever it wants done with them.
        """
        reading = self._reader.read(question)
        likeness = self._likenesses.of(reading)
        _drop_plain_words(reading, likeness)
        add_absences(reading, likeness, schema=self._schema)
        if aggregated:
            add_measures(reading, likeness, schema=self._schema, likenesses=self._likenesses)
        wanted = target_labels(reading, likeness, schema=self._schema, likenesses=self._likenesses)
        scorer = Scorer(Hints(reading, likeness, wanted), self._schema)
        best = sorted(self._grow(reading, scorer), key=lambda entry: -entry[0])[:WORDED]
        candidates = [
            candidate
            for score, pattern in best
            if scorer.is_meant(pattern)
            for candidate in _candidates(pattern, score, reading, scorer)
        ]
        candidates.sort(key=lambda candidate: -candidate.score)
        ranked = self._worded(reading, candidates[:WORDED], weight=scorer.weights.wording)[:most]
        return Candidates(tuple(_with_margins(ranked)), reading.aggregation)

    def _worded(self, reading: Reading, candidates: list[Candidate], *, weight: float) -> list[Candidate]:
        """The candidates with the cosine of their wording to the question."""
        texts = [candidate.pattern.wording(candidate.target) for candidate in candidates]
        rows = self._likenesses.vectors([reading.masked(), *texts])
        cosines = rows[1:] @ rows[0]
        worded = [
            replace(candidate, score=candidate.score + weight * float(cosine))
            for candidate, cosine in zip(candidates, cosines, strict=True)
        ]
        return sorted(worded, key=lambda candidate: -candidate.score)

    def _grow(self, reading: Reading, scorer: Scorer) -> list[tuple[float, Pattern]]:
        """Patterns of all steps with their points."""
        seen: set[int] = set()
        found: list[tuple[float, Pattern]] = []
        ways = self._ways(scorer.hints.likeness)
        frontier: Iterable[Pattern] = self._starts(reading)
        for _ in range(MOST_EDGES + len(reading.literals) + 2):
            step = []
            for pattern in frontier:
                if pattern.form not in seen and not pattern.contradicts_itself:
                    seen.add(pattern.form)
                    step.append((scorer.score(pattern), pattern))
            found += step
            kept = sorted(step, key=lambda entry: -entry[0])[:BEAM]
            if not kept:
                break
            kept = [e for e in kept if e[0] >= kept[0][0] - SLACK]
            frontier = [grown for _, pattern in kept for grown in self._grown(pattern, reading, scorer, ways)]
        return found

    def _ways(self, likeness: Likeness) -> Ways:
        """The ways out of each label; of very many, those most like the question's words, then the most used."""
        ways = self._schema.ways
        if all(len(of) <= MOST_WAYS for of in ways.values()):
            return ways
        alike: dict[tuple[str, str], float] = defaultdict(float)
        for row in likeness.values():
            for element, value in row.items():
                alike[element.kind, element.name] = max(alike[element.kind, element.name], value)

        def rank(label: str, way: Way) -> tuple[float, float, int]:
            return -alike["type", way.type], -alike["label", way.label], -self._schema.uses[label, way]

        return {label: tuple(sorted(of, key=partial(rank, label))[:MOST_WAYS]) for label, of in ways.items()}

    def _starts(self, reading: Reading) -> Iterator[Pattern]:
        """A pattern for each meaning of each literal; without literals, one for each label."""
        if not reading.literals:
            yield from (Pattern((label,)) for label in self._schema.labels)
        for number, literal in enumerate(reading.literals):
            for condition in literal.conditions:
                placed = (Placed(0, condition, number),)
                if condition.owner.kind == "label":
                    yield Pattern((condition.owner.name,), on_nodes=placed)
                else:
                    for tie in self._schema.ties:
                        if tie.type == condition.owner.name:
                            yield Pattern((tie.start, tie.end), (Edge(0, 1, tie.type, True),), on_edges=placed)

    def _grown(self, pattern: Pattern, reading: Reading, scorer: Scorer, ways: Ways) -> Iterator[Pattern]:
        """A pattern with one condition, relationship or parallel more.

        From a node that nothing is said of, which can only be on the way to another, growth goes on there alone.
        """
        stated = {placed.literal for placed in pattern.placed}
        for number, literal in enumerate(reading.literals):
            if number not in stated:
                for condition in literal.conditions:
                    yield from _with_condition(pattern, condition, number)
        if len(pattern.edges) < MOST_EDGES:
            open_end = scorer.open_end(pattern)
            for node in range(len(pattern.labels)) if open_end is None else (open_end,):
                for way in ways[pattern.labels[node]]:
                    edge = Edge(node, len(pattern.labels), way.type, way.forward)
                    yield replace(pattern, labels=(*pattern.labels, way.label), edges=(*pattern.edges, edge))
        if scorer.hints.shares and not pattern.parallels:
            for place, edge in enumerate(pattern.edges):
                for way in ways[pattern.labels[edge.start]]:
                    other = (way.type, way.forward) != (edge.type, edge.forward)
                    if other and way.label == pattern.labels[edge.end]:
                        yield replace(pattern, parallels=(Parallel(place, way.type, way.forward),))


def _candidates(pattern: Pattern, score: float, reading: Reading, scorer: Scorer) -> Iterator[Candidate]:
    """A pattern with each of its nodes as the answer."""
    targets = scorer.targets(pattern)
    # The score counts the best target.
    rest = score - targets[0][1]
    for target, points in targets:
        measured = _is_measured(pattern, target, reading)
        yield Candidate(pattern, target, rest + points, scorer.evidence(pattern, target), measured)


def _with_margins(ranked: Sequence[Candidate]) -> Iterator[Candidate]:
    """The candidates with their points before the best other one, or behind it."""
    for place, candidate in enumerate(ranked):
        other = ranked[0] if place else next(iter(ranked[1:]), None)
        yield replace(candidate, margin=candidate.score - other.score if other else FARTHEST_MARGIN)


def _with_condition(pattern: Pattern, condition: Condition, literal: int) -> Iterator[Pattern]:
    if condition.owner.kind == "type":
        for place, edge in enumerate(pattern.edges):
            if edge.type == condition.owner.name:
                yield replace(pattern, on_edges=(*pattern.on_edges, Placed(place, condition, literal)))
        return
    taken = {placed.place for placed in pattern.on_nodes if placed.condition.property == condition.property}
    for place, label in enumerate(pattern.labels):
        # One property cannot have two values.
        if label == condition.owner.name and not (condition.operator == "is" and place in taken):
            yield replace(pattern, on_nodes=(*pattern.on_nodes, Placed(place, condition, literal)))


def _is_measured(pattern: Pattern, target: int, reading: Reading) -> bool:
    """Whether a pattern has what an aggregation is over, and answers with another node than those it counts."""
    wanted = reading.aggregation
    if wanted is None:
        return not pattern.measures
    needs = wanted.order is not None or (
        wanted.function is not None and not (wanted.figure and wanted.function == "count")
    )
    if not wanted.supported or len(pattern.measures) > 1 or (needs and reading.measure is None):
        return False
    counted = any(is_count(placed.condition) and placed.place == target for placed in pattern.on_nodes)
    stated = {placed.literal for placed in pattern.placed}
    missing = any(
        condition.operator == "measure" and number not in stated
        for number, literal in enumerate(reading.literals)
        for condition in literal.conditions[:1]
    )
    return not counted and not missing


def _drop_plain_words(reading: Reading, likeness: Likeness) -> None:
    """Take values that are written like plain words, or are words of the schema, for words where others are named."""
    if all(literal.small for literal in reading.literals):
        return
    dropped = set()
    for number, literal in enumerate(reading.literals):
        rows = [likeness[place] for place in range(literal.first, literal.last + 1) if place in likeness]
        names = [[value for element, value in row.items() if element.kind != "property"] for row in rows]
        in_schema = bool(names) and min(max(values, default=0.0) for values in names) >= NAMES
        if literal.weight < 1 or (literal.small and in_schema):
            dropped.add(number)
    reading.drop(dropped)
