"""The search for patterns: they grow step by step from the literals of a question, in a beam search."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gear_neo4j.graph.read.graph_schema import Way
from gear_neo4j.retrieval.patterns.absences import add_absences
from gear_neo4j.retrieval.patterns.aggregation import Aggregation
from gear_neo4j.retrieval.patterns.condition import Condition, exclude_each_other, is_count, is_name
from gear_neo4j.retrieval.patterns.confidence import FARTHEST_MARGIN, confidence
from gear_neo4j.retrieval.patterns.hints import Hints
from gear_neo4j.retrieval.patterns.likeness import SUPPORTS, Likeness, Likenesses
from gear_neo4j.retrieval.patterns.measures import add_measures
from gear_neo4j.retrieval.patterns.pattern import Constraint, Edge, Parallel, Pattern
from gear_neo4j.retrieval.patterns.possessives import PossessiveReader
from gear_neo4j.retrieval.patterns.question_reader import QuestionReader
from gear_neo4j.retrieval.patterns.reading import Reading
from gear_neo4j.retrieval.patterns.scoring import Evidence, Scorer
from gear_neo4j.retrieval.patterns.target import NAMES, target_labels

BEAM = 12
# A pattern is kept if it is at most this many points behind the best of its step.
SLACK = 2.0
MOST_EDGES = 4
# Labels with this share of the likelihood of the first one may be asked for, too.
NEARLY = 0.8
# Maximum number of ways out of a node. A graph that a language model extracted can have thousands of relationship
# types between entities, most of them used once; then only those most like the question are tried.
MOST_WAYS = 16
WORDED = 16

# Words between the parts of one name: *King, Ada*, *Ada of Lovelace*.
MOST_INSIDE = 1

Ways = Mapping[str, Sequence[Way]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pattern with the node that is the answer, its points, and how much of the question it explains.

    ``measured`` says whether it contains what the question's aggregation measures; ``margin`` is its lead over the best
    other candidate, in points.
    """

    pattern: Pattern
    target: int
    score: float
    evidence: Evidence
    measured: bool
    margin: float = 0.0

    @property
    def confidence(self) -> float:
        """The probability that this is what the question means, 0 to 1."""
        return confidence(self.evidence, self.margin)

    @property
    def understood(self) -> bool:
        """Whether it uses every name of the question."""
        return not self.evidence.unused.names


@dataclass(frozen=True, slots=True)
class Candidates:
    """The patterns for a question, best first, and the aggregation of their nodes.

    ``unknown`` are the names of the question that the graph does not have, ``denied`` is a word such as *not* that no
    condition expresses.
    """

    ranked: tuple[Candidate, ...] = ()
    aggregation: Aggregation | None = None
    unknown: tuple[str, ...] = ()
    denied: str = ""


class PatternSearch:
    """Finds the patterns over one schema that explain a question best."""

    def __init__(self, reader: QuestionReader, likenesses: Likenesses) -> None:
        self.reader = reader
        self._schema = reader.schema
        self.likenesses = likenesses
        self._possessives = PossessiveReader(self._schema, likenesses)

    def linked(self, question: str) -> frozenset[str]:
        """The labels and types of a question's words and values, and those of its best patterns."""
        reading = self.reader.read(question)
        likeness = self.likenesses.of(reading)
        by_words = {element.name for row in likeness.values() for element, value in row.items() if value >= SUPPORTS}
        by_values = {condition.owner.name for literal in reading.literals for condition in literal.conditions}
        patterns = [candidate.pattern for candidate in self.find(question).ranked]
        between = {name for pattern in patterns for name in (*pattern.labels, *pattern.types)}
        return frozenset(by_words | by_values | between)

    def asked_for(self, question: str) -> frozenset[str]:
        """The labels that a question, or a description of an answer, most likely asks for; empty if it names none."""
        reading = self.reader.read(question)
        likeness = self.likenesses.of(reading)
        labels = target_labels(reading, likeness, schema=self._schema, likenesses=self.likenesses).labels
        best = max(labels.values(), default=0.0)
        return frozenset(label for label, value in labels.items() if value >= NEARLY * best)

    def find(self, question: str, *, most: int = 20, aggregated: bool = True) -> Candidates:
        """The best patterns for a question; none if it names nothing in the graph.

        With ``aggregated=False``, the patterns of the nodes that it mentions, whatever its aggregation.
        """
        reading = self.reader.read(question)
        likeness = self.likenesses.of(reading)
        _drop_plain_words(reading, likeness)
        add_absences(reading, likeness, schema=self._schema)
        possessives, likeness = self._possessives.read(reading, likeness)
        if aggregated:
            likeness = add_measures(reading, likeness, schema=self._schema, likenesses=self.likenesses)
        wanted = target_labels(reading, likeness, schema=self._schema, likenesses=self.likenesses)
        scorer = Scorer(Hints(reading, likeness, wanted, possessives), self._schema)
        best = sorted(self._grow(reading, scorer), key=lambda entry: -entry[0])[:WORDED]
        candidates = [
            candidate
            for score, pattern in best
            if scorer.is_meant(pattern)
            for candidate in _candidates(pattern, score, reading, scorer)
        ]
        candidates.sort(key=lambda candidate: -candidate.score)
        ranked = self._worded(reading, candidates[:WORDED], weight=scorer.weights.wording)[:most]
        denied = "" if reading.denial is None else reading.words[reading.denial].text
        return Candidates(tuple(_with_margins(ranked)), reading.aggregation, scorer.hints.unknown, denied)

    def _worded(self, reading: Reading, candidates: list[Candidate], *, weight: float) -> list[Candidate]:
        """The candidates, with points added for the cosine of their wording and the question."""
        texts = [candidate.pattern.wording(candidate.target) for candidate in candidates]
        rows = self.likenesses.vectors([reading.masked(), *texts])
        cosines = rows[1:] @ rows[0]
        worded = [
            replace(candidate, score=candidate.score + weight * float(cosine))
            for candidate, cosine in zip(candidates, cosines, strict=True)
        ]
        return sorted(worded, key=lambda candidate: -candidate.score)

    def _grow(self, reading: Reading, scorer: Scorer) -> list[tuple[float, Pattern]]:
        """The patterns of all steps, with their points."""
        seen: set[int] = set()
        scored: list[tuple[float, Pattern]] = []
        ways = self._ways(scorer.hints.likeness)
        frontier: Iterable[Pattern] = self._starts(reading)
        for _ in range(MOST_EDGES + len(reading.literals) + 2):
            step = []
            for pattern in frontier:
                if pattern.form not in seen and not pattern.contradicts_itself:
                    seen.add(pattern.form)
                    step.append((scorer.score(pattern), pattern))
            scored += step
            if not step:
                break
            hoped = sorted(((score + scorer.hope(pattern), pattern) for score, pattern in step), key=lambda e: -e[0])
            kept = [pattern for points, pattern in hoped[:BEAM] if points >= hoped[0][0] - SLACK]
            frontier = [grown for pattern in kept for grown in self._grown(pattern, reading, scorer, ways)]
        return scored

    def _ways(self, likeness: Likeness) -> Ways:
        """The ways out of each label; if there are too many, those most like the question, then the most used."""
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
        """One pattern for each condition of each literal; without literals, one for each label."""
        if not reading.literals:
            yield from (Pattern((label,)) for label in self._schema.labels)
        for number, literal in enumerate(reading.literals):
            for condition in literal.conditions:
                constraints = (Constraint(0, condition, number),)
                if condition.owner.kind == "label":
                    yield Pattern((condition.owner.name,), on_nodes=constraints)
                else:
                    for tie in self._schema.ties:
                        if tie.type == condition.owner.name:
                            edges = (Edge(0, 1, tie.type, True, tie.is_mutual),)
                            yield Pattern((tie.start, tie.end), edges, on_edges=constraints)

    def _grown(self, pattern: Pattern, reading: Reading, scorer: Scorer, ways: Ways) -> Iterator[Pattern]:
        """The pattern extended by one condition, relationship or parallel.

        A node that the question does not mention can only connect others: the pattern then grows from there alone.
        """
        stated = {constraint.literal for constraint in pattern.constraints}
        for number, literal in enumerate(reading.literals):
            if number not in stated:
                for condition in literal.conditions:
                    grown = _with_condition(pattern, condition, number)
                    yield from (one for one in grown if not self._misplaces_a_name(one, reading))
        if len(pattern.edges) < MOST_EDGES:
            open_end = scorer.open_end(pattern)
            for node in range(len(pattern.labels)) if open_end is None else (open_end,):
                for way in ways[pattern.labels[node]]:
                    edge = Edge(node, len(pattern.labels), way.type, way.forward, way.mutual)
                    yield replace(pattern, labels=(*pattern.labels, way.label), edges=(*pattern.edges, edge))
        if scorer.hints.shares and not pattern.parallels:
            for index, edge in enumerate(pattern.edges):
                for way in ways[pattern.labels[edge.start]]:
                    other = (way.type, way.forward) != (edge.type, edge.forward)
                    if other and way.label == pattern.labels[edge.end]:
                        yield replace(pattern, parallels=(Parallel(index, way.type, way.forward),))

    def _misplaces_a_name(self, pattern: Pattern, reading: Reading) -> bool:
        """Whether parts of names are on one node though they stand apart in the question, or on two though they do not.

        The last condition is the one that is new.
        """
        new = pattern.on_nodes[-1] if pattern.on_nodes else None
        if (
            new is None
            or not self._schema.names_in_part(new.condition.owner)
            or not is_name(new.condition, self._schema)
        ):
            return False
        for constraint in pattern.on_nodes[:-1]:
            if constraint.condition.owner == new.condition.owner and is_name(constraint.condition, self._schema):
                words_between = _words_between(reading, constraint.literal, new.literal)
                if words_between > MOST_INSIDE if constraint.index == new.index else words_between == 0:
                    return True
        return False


def _words_between(reading: Reading, first: int, second: int) -> int:
    before, after = sorted((reading.literals[first], reading.literals[second]), key=lambda literal: literal.first)
    return after.first - before.last - 1


def _candidates(pattern: Pattern, score: float, reading: Reading, scorer: Scorer) -> Iterator[Candidate]:
    """One candidate for each node of a pattern as the answer."""
    targets = scorer.answers.ranked(pattern)
    # The score counts the best target.
    rest = score - targets[0][1]
    for target, points in targets:
        measured = _is_measured(pattern, target, reading)
        meant = replace(pattern, revisits=True) if scorer.hints.possessives.are_all_of(pattern, target) else pattern
        yield Candidate(meant, target, rest + points, scorer.evidence(pattern, target), measured)


def _with_margins(ranked: Sequence[Candidate]) -> Iterator[Candidate]:
    """The candidates with their lead over the best other one, or their gap to it.

    One without what the question measures is no rival of one that has it.
    """
    for candidate in ranked:
        others = (other for other in ranked if other is not candidate and other.measured == candidate.measured)
        other = next(others, None)
        yield replace(candidate, margin=candidate.score - other.score if other else FARTHEST_MARGIN)


def _with_condition(pattern: Pattern, condition: Condition, literal: int) -> Iterator[Pattern]:
    if condition.owner.kind == "type":
        for index, edge in enumerate(pattern.edges):
            if edge.type == condition.owner.name:
                yield replace(pattern, on_edges=(*pattern.on_edges, Constraint(index, condition, literal)))
        return
    same = [constraint for constraint in pattern.on_nodes if constraint.condition.property == condition.property]
    taken = {
        constraint.index
        for constraint in same
        if condition.operator == "is" or exclude_each_other(constraint.condition, condition)
    }
    for index, label in enumerate(pattern.labels):
        # One property cannot have two values.
        if label == condition.owner.name and index not in taken:
            yield replace(pattern, on_nodes=(*pattern.on_nodes, Constraint(index, condition, literal)))


def _is_measured(pattern: Pattern, target: int, reading: Reading) -> bool:
    """Whether a pattern contains what the aggregation measures, and the answer is not the node that it counts."""
    wanted = reading.aggregation
    if wanted is None:
        return not pattern.measures
    needs = wanted.order is not None or (
        wanted.function is not None and not (wanted.figure and wanted.function == "count")
    )
    if not wanted.supported or len(pattern.measures) > 1 or (needs and reading.measure is None):
        return False
    if wanted.picks and pattern.picked(wanted.picks, target) is None:
        return False
    counted = any(is_count(constraint.condition) and constraint.index == target for constraint in pattern.on_nodes)
    stated = {constraint.literal for constraint in pattern.constraints}
    missing = any(
        condition.operator == "measure" and number not in stated
        for number, literal in enumerate(reading.literals)
        for condition in literal.conditions[:1]
    )
    return not counted and not missing


def _drop_plain_words(reading: Reading, likeness: Likeness) -> None:
    """Treat values that look like plain words or schema words as words, if the question names others."""
    if all(literal.small for literal in reading.literals):
        return
    dropped = set()
    for number, literal in enumerate(reading.literals):
        rows = [likeness[index] for index in range(literal.first, literal.last + 1) if index in likeness]
        names = [[value for element, value in row.items() if element.kind != "property"] for row in rows]
        in_schema = bool(names) and min(max(values, default=0.0) for values in names) >= NAMES
        if literal.weight < 1 or (literal.small and in_schema):
            dropped.add(number)
    reading.drop(dropped)
