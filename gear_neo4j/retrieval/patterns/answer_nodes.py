"""Which node of a pattern a question asks for: each node's points as the answer."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from gear_neo4j.graph.read.graph_schema import GraphSchema
from gear_neo4j.retrieval.patterns.condition import is_count, is_name
from gear_neo4j.retrieval.patterns.hints import Hints
from gear_neo4j.retrieval.patterns.pattern import Constraint, Pattern
from gear_neo4j.retrieval.patterns.weights import WEIGHTS, Weights

# Words before part of a name that describe people, and words that then mean others than those asked for.
_NAMING = frozenset({"named", "called", "surnamed", "name", "names", "surname", "surnames"})
_SOMEONE = frozenset({"someone", "anyone", "somebody", "anybody", "person", "others"})
DESCRIBED_WITHIN = 7
# The first word of a question that describes a node, by the node's index.
Words = Mapping[int, int]


@dataclass(frozen=True)
class AnswerNodes:
    """Scores the nodes of patterns for one question."""

    hints: Hints
    schema: GraphSchema
    weights: Weights = WEIGHTS

    def ranked(self, pattern: Pattern) -> list[tuple[int, float]]:
        """The nodes of a pattern, each with its points as the answer, best first."""
        return sorted(self._points(pattern), key=lambda entry: -entry[1])

    def _points(self, pattern: Pattern) -> Iterator[tuple[int, float]]:
        named = self.named(pattern)
        measured = {
            constraint.index: constraint.condition for constraint in pattern.measures if constraint in pattern.on_nodes
        }
        chain = self.hints.possessives.asked
        # Of a chain, the word nearest to the question word may be any step.
        types = self.hints.asked if chain is None else {}
        called = {constraint.index for constraint in pattern.on_nodes if self._is_asked_for(constraint)}
        asked = [types.get(edge.type, 0.0) for edge in pattern.edges] if types else []
        words = _words(pattern, self.hints)
        followed = self.hints.possessives.followed_by(pattern)
        ends = {end for number, (_, end) in followed.items() if number == chain}
        owners = self._owners(pattern, named, measured)
        for node, label in enumerate(pattern.labels):
            points = self.weights.target * self.hints.wanted.labels.get(label, 0.0)
            if owners is not None:
                # The population of Ohio is a property of Ohio.
                points += self.weights.own if node in owners else -self.weights.named
            elif node in named or (node in measured and is_count(measured[node])):
                points -= self.weights.named
            elif node in measured:
                points += self.weights.own
            if asked:
                points += self.weights.asked * max((asked[edge] for edge, _, _ in pattern.ways[node]), default=0.0)
            points += self.weights.end * (node in ends) + self.weights.target * (node in called)
            points += self.weights.behind * self._behind(pattern, node)
            points += self.weights.far * self._far(pattern, node, named)
            yield node, points + self.weights.order * self._order(pattern, node, words)

    def _owners(self, pattern: Pattern, named: frozenset[int], measured: Collection[int]) -> Collection[int] | None:
        """The nodes whose value a question may ask for; None if it asks for no value."""
        wanted = self.hints.reading.aggregation
        if wanted and wanted.shows:
            ordered = [constraint.index for constraint in pattern.measures if constraint in pattern.on_nodes]
            owners = [node for node, label in enumerate(pattern.labels) if label in wanted.shows]
            return [node for node in owners if node in ordered] or owners
        if not wanted or wanted.function != "value":
            return None
        edges = [pattern.edges[constraint.index] for constraint in pattern.measures if constraint in pattern.on_edges]
        # The elevation of a peak may be a property of its relationship.
        return {*measured, *(end for edge in edges for end in (edge.start, edge.end) if end in named)}

    def named(self, pattern: Pattern) -> frozenset[int]:
        """The nodes that a question names, and so does not ask for."""
        return frozenset(
            constraint.index
            for constraint in pattern.on_nodes
            if is_name(constraint.condition, self.schema) and not self._is_described(constraint)
        )

    def direction(self, pattern: Pattern, target: int) -> float:
        """Points for the direction of a relationship within one label: who follows, or is followed."""
        if any(end == target for _, end in self.hints.possessives.followed_by(pattern).values()):
            # The chain says in which direction it takes each relationship.
            return 0.0
        points = 0.0
        for edge, _, forward in pattern.ways[target]:
            within = pattern.edges[edge]
            ends = {pattern.labels[within.start], pattern.labels[within.end]}
            if len(ends) == 1 and (within.mutual or forward == self._is_done_by_target(within.type)):
                points += self.weights.direction
        return points

    def _is_done_by_target(self, type: str) -> bool:
        """Whether the answer is the subject of a type's word: *who follows Ann*, not *who is followed by Ann*."""
        words = self.hints.reading.words
        index = self.hints.first_words.get(type)
        if index is None:
            return True
        following = [word.text.casefold() for word in words[index + 1 : index + 2]]
        passive = following == ["by"]
        # Whom does Ann follow: a name precedes the word.
        object = any(literal.last < index for literal in self.hints.reading.literals)
        return passive == object

    def _order(self, pattern: Pattern, target: int, words: Words) -> float:
        """How far a pattern follows from an answer as the question does: 1 for all pairs that can be compared, or -1.

        Emails of Ann, who knows Bob: Ann is nearer to the answer in the question, and so she is in the pattern.
        """
        if len(words) < 2:
            return 0.0
        asked = self.hints.wanted.question_word or 0
        signs: list[int] = []
        for node, path in _paths_from(pattern, target).items():
            if word := words.get(node):
                before = (other for on_path in path if (other := words.get(on_path)))
                signs += [1 if abs(other - asked) < abs(word - asked) else -1 for other in before]
        order = fmean(signs) if signs else 0.0
        # Of nodes that cannot be mixed up, the order is no sign of a good pattern.
        mixed = [node for node in words if pattern.labels.count(pattern.labels[node]) > 1]
        return order if len(mixed) > 1 else min(0.0, order)

    def _far(self, pattern: Pattern, target: int, named: frozenset[int]) -> float:
        """Whether the answer is behind another node of its label: *states that border states that border Ohio*."""
        label = pattern.labels[target]
        others = {node for node, of in enumerate(pattern.labels) if of == label} - named - {target}
        if not others or self.hints.mentions(label) < 2:
            return 0.0
        paths = _paths_from(pattern, target)
        between = {node for end in named for node in paths[end]}
        return 1.0 if others <= between else -1.0

    def _behind(self, pattern: Pattern, target: int) -> float:
        """For how many pairs of values a pattern has one behind the other as the question says, less the others."""
        if not self.hints.behind:
            return 0.0
        nodes = {constraint.literal: constraint.index for constraint in pattern.on_nodes}
        paths = _paths_from(pattern, target)
        points = 0
        for first, second, behind in self.hints.behind:
            start, end = nodes.get(first), nodes.get(second)
            if start is not None and end is not None:
                between = start in paths[end]
                points += 1 if (between if behind else start == target or not between) else -1
        return float(points)

    def _is_described(self, constraint: Constraint) -> bool:
        """Whether a name describes what is asked for, instead of naming it: *which people called Rose*.

        A whole name describes several, *cities called Rome*; part of a name also one.
        """
        words = self.hints.reading.words[: self.hints.reading.literals[constraint.literal].first]
        before = [word.text.casefold() for word in words[-DESCRIBED_WITHIN:]]
        if not self.schema.names_in_part(constraint.condition.owner):
            return before[-1:] in (["called"], ["named"]) and before[-2:-1] != [] and before[-2].endswith("s")
        called = not _NAMING.isdisjoint(before[-2:]) and _SOMEONE.isdisjoint(before)
        return called or self._is_asked_for(constraint)

    def _is_asked_for(self, constraint: Constraint) -> bool:
        """Whether part of a name stands where the answer's label would: *which Roses have a phone*, *the Rose who*."""
        if not self.schema.names_in_part(constraint.condition.owner):
            return False
        literal = self.hints.reading.literals[constraint.literal]
        words = [word.text.casefold() for word in self.hints.reading.words]
        before, after = words[max(0, literal.first - 1) : literal.first], words[literal.last + 1 : literal.last + 2]
        return before in (["which"], ["what"]) or (before == ["the"] and after == ["who"])


def _words(pattern: Pattern, hints: Hints) -> Words:
    """The numbers of the words of conditions, by node, if a label occurs again."""
    if len(set(pattern.labels)) == len(pattern.labels):
        return {}
    literals = hints.reading.literals
    words: dict[int, int] = {}
    for constraint in pattern.on_nodes:
        if constraint.condition.operator != "measure":
            words.setdefault(constraint.index, literals[constraint.literal].first)
    return words


def _paths_from(pattern: Pattern, target: int) -> dict[int, tuple[int, ...]]:
    """The nodes on the way from the target to each node, the target first."""
    paths: dict[int, tuple[int, ...]] = {target: ()}
    reached = [target]
    while reached:
        node = reached.pop()
        for _, end, _ in pattern.ways[node]:
            if end not in paths:
                paths[end] = (*paths[node], node)
                reached.append(end)
    return paths
