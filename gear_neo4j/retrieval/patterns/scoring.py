"""Scores how well a pattern explains a question: the words and literals that it covers, less its unneeded parts."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean

from gear_neo4j.graph.read.graph_schema import GraphSchema
from gear_neo4j.retrieval.patterns.answer_nodes import AnswerNodes
from gear_neo4j.retrieval.patterns.hints import Hints
from gear_neo4j.retrieval.patterns.language import VAGUE
from gear_neo4j.retrieval.patterns.likeness import SUPPORTS, Element
from gear_neo4j.retrieval.patterns.pattern import Constraint, Edge, Pattern
from gear_neo4j.retrieval.patterns.unused import Unused, unused
from gear_neo4j.retrieval.patterns.weights import WEIGHTS, Weights

# A pattern without a value must explain at least this share of a question's words.
MOST_WORDS = 0.5
# Minimum likeness at which a word supports the only type between two labels.
SUGGESTS = 0.3
# Counts: the words that support each type, or the nodes of a label that no word has named yet.
Uses = defaultdict[str, int]


@dataclass(frozen=True, slots=True)
class Evidence:
    """How much of a question a pattern explains.

    Attributes:
        words: the mean likeness of the question's content words to the pattern's elements, 0 to 1; ``least`` is the
            minimum.
        target: how likely the question asks for the answer's label, 0 to 1.
        unused: what of the question the pattern does not use.
    """

    words: float
    least: float
    target: float
    unused: Unused = field(default_factory=Unused)


@dataclass(frozen=True)
class Scorer:
    """Scores the patterns for one question."""

    hints: Hints
    schema: GraphSchema
    weights: Weights = WEIGHTS

    @cached_property
    def answers(self) -> AnswerNodes:
        """The points of a pattern's nodes as the answer."""
        return AnswerNodes(self.hints, self.schema, self.weights)

    def score(self, pattern: Pattern) -> float:
        """The points of a pattern with its best node as the answer, without those for its wording."""
        named = self.answers.named(pattern)
        uses = Uses(int)
        points = self._words(pattern, named, uses) + self._literals(pattern, named)
        target, target_points = self.answers.ranked(pattern)[0]
        points += target_points - self._edges(pattern, uses) - self._loose(pattern, uses, target=target)
        points += self._parallels(pattern, uses) + self.answers.direction(pattern, target)
        followed = self.hints.possessives.followed_by(pattern)
        return points + sum(steps * self.weights.step for steps, _ in followed.values())

    def hope(self, pattern: Pattern) -> float:
        """The points that a pattern can still gain by the literals that it does not state."""
        stated = {constraint.literal for constraint in pattern.constraints}
        literals = enumerate(self.hints.reading.literals)
        return self.weights.literal * sum(of.weight for number, of in literals if number not in stated)

    def _words(self, pattern: Pattern, named: frozenset[int], uses: Uses) -> float:
        """Points for words; counts the words that support each type in ``uses``."""
        points = 0.0
        last: dict[str, int] = {}
        for index, element, value in self._explained(pattern, named):
            share = 1.0
            if element.kind == "type":
                enough = uses[element.name] >= pattern.types.get(element.name, 0)
                # The highest point: two words for one relationship.
                goes_on = last.get(element.name) == index - 1
                again = enough or goes_on or index in self.hints.wanted.appositions
                share = self.weights.again if again else 1.0
                uses[element.name] += value >= SUPPORTS and not goes_on
                last[element.name] = index
            points += share * self.weights.word * value
        return points

    def _explained(self, pattern: Pattern, named: frozenset[int]) -> Iterator[tuple[int, Element, float]]:
        """The indexes of the words that the pattern explains, with the element; a node's label explains one word."""
        absent = [
            constraint.condition.texts[0]
            for constraint in pattern.on_nodes
            if constraint.condition.operator == "absent"
        ]
        types = {*pattern.types, *absent}
        unnamed = Uses(int)
        for node, label in enumerate(pattern.labels):
            unnamed[label] += node not in named
        for end in (end for type in absent for end in self.schema.ends[type]):
            unnamed[end] += 1
        given = {pattern.labels[node] for node in named}
        properties = {
            (constraint.condition.owner.name, constraint.condition.property) for constraint in pattern.constraints
        }
        said = self._in_values(pattern)
        for index, row in self.hints.content.items():
            if index in said:
                continue
            apposition = index in self.hints.wanted.appositions
            for element, value in row:
                if element.kind == "label":
                    present = element.name in given if apposition else unnamed[element.name] > 0
                elif element.kind == "type":
                    present = element.name in types
                else:
                    present = (element.name, element.property) in properties
                if present:
                    unnamed[element.name] -= element.kind == "label" and not apposition
                    yield index, element, value
                    break

    def _in_values(self, pattern: Pattern) -> frozenset[int]:
        """The words of the values that a pattern has: in lower case, *texas* looks like a content word."""
        stated = {constraint.literal for constraint in pattern.constraints}
        words = self.hints.reading.words
        return frozenset(index for index in self.hints.content if words[index].literal in stated)

    def is_meant(self, pattern: Pattern) -> bool:
        """Whether a question supports a pattern: the pattern has a value, or explains enough of the words."""
        if any(constraint.condition.operator != "measure" for constraint in pattern.constraints):
            return True
        explained = [value for *_, value in self._explained(pattern, frozenset()) if value >= SUPPORTS]
        return bool(explained) and len(explained) >= MOST_WORDS * len(self.hints.content)

    def evidence(self, pattern: Pattern, target: int) -> Evidence:
        """How much of the question a pattern explains, with one of its nodes as the answer."""
        only_ones = self._only_ones(pattern)
        explained = {
            index: max(value, SUPPORTS) if value >= SUGGESTS and element.name in only_ones else value
            for index, element, value in self._explained(pattern, self.answers.named(pattern))
        }
        labels = {Element("label", label) for label in pattern.labels}
        explained |= {
            index: value
            for index in self.hints.wanted.appositions
            for element, value in self.hints.content.get(index, ())
            if element in labels
        }
        needed = self._needed(explained)
        words = [explained.get(index, 0.0) for index in needed - self._in_values(pattern)]
        if self.hints.reading.denial is not None:
            # Without it, the answer may be the opposite.
            words.append(0.0)
        return Evidence(
            words=fmean(words) if words else 1.0,
            least=min(words, default=1.0),
            target=self.hints.wanted.labels.get(pattern.labels[target], 0.0),
            unused=self._unused(pattern, explained, needed),
        )

    def _only_ones(self, pattern: Pattern) -> frozenset[str]:
        """The types that are the only ones between their labels: a verb between these hardly means another."""
        return frozenset(
            edge.type
            for edge in pattern.edges
            if len(self.schema.between[pattern.labels[edge.start], pattern.labels[edge.end]]) == 1
        )

    def _needed(self, explained: Mapping[int, float]) -> frozenset[int]:
        """The content words, without those of many meanings that no element of the pattern resembles."""
        return frozenset(
            index
            for index in self.hints.content
            if explained.get(index, 0.0) >= SUPPORTS or self.hints.reading.words[index].text.casefold() not in VAGUE
        )

    def _unused(self, pattern: Pattern, explained: Mapping[int, float], needed: frozenset[int]) -> Unused:
        """The values and numbers that the pattern does not compare, and the content words that it does not explain."""
        stated = {constraint.literal for constraint in pattern.constraints}
        reading = self.hints.reading
        return unused(
            reading,
            {
                index
                for index, word in enumerate(reading.words)
                if (
                    word.literal not in stated
                    if word.literal is not None
                    else word.unread or (index in needed and explained.get(index, 0.0) < SUPPORTS)
                )
            },
        )

    def _literals(self, pattern: Pattern, named: frozenset[int]) -> float:
        points = 0.0
        for constraint in pattern.constraints:
            weight = self.hints.reading.literals[constraint.literal].weight
            points += self.weights.literal * weight + self.weights.prior * constraint.condition.prior
            points += self.weights.near * weight * self._label_near(constraint)
        for constraint in pattern.on_nodes:
            if constraint.index in named:
                beside = self.hints.beside.get(constraint.literal, {})
                types = (pattern.edges[edge].type for edge, _, _ in pattern.ways[constraint.index])
                weight = self.hints.reading.literals[constraint.literal].weight
                points += self.weights.beside * weight * max((beside.get(type, 0.0) for type in types), default=0.0)
        return points

    def _label_near(self, constraint: Constraint) -> float:
        """How near the words for a condition's label are to its literal, 0 to 1."""
        owner, literal = constraint.condition.owner, self.hints.reading.literals[constraint.literal]
        if owner.kind != "label":
            return 0.0
        return max(
            (
                value * math.exp(-distance / 5)
                for distance, value in self.hints.distances(owner.name, literal.first, literal.last)
            ),
            default=0.0,
        )

    def _edges(self, pattern: Pattern, uses: Uses) -> float:
        """The cost of relationships; low where a word supports them."""
        stated = {pattern.edges[constraint.index].type for constraint in pattern.on_edges}
        cost = 0.0
        for edge in pattern.edges:
            if not uses[edge.type]:
                cost += self.weights.rare * self._rarity(pattern, edge)
        for type, count in pattern.types.items():
            cost += count * self.weights.edge
            if type not in stated and uses[type] < count:
                first = 0 if uses[type] else 1
                cost += first * self.weights.unsaid + (count - uses[type] - first) * self.weights.back
        return cost

    def _rarity(self, pattern: Pattern, edge: Edge) -> float:
        """How rare a relationship is among those between its labels, 0 to 1: a city is in a state, or its capital."""
        counts = self.schema.between[pattern.labels[edge.start], pattern.labels[edge.end]]
        return 1.0 - counts[edge.type] / max(counts.values())

    def _loose(self, pattern: Pattern, uses: Uses, *, target: int) -> float:
        """The cost of end nodes that are not the answer and have no condition."""
        stated = {constraint.index for constraint in pattern.on_nodes}
        for constraint in pattern.on_edges:
            stated |= {pattern.edges[constraint.index].start, pattern.edges[constraint.index].end}
        counts = pattern.edge_types
        cost = 0.0
        for node, label in enumerate(pattern.labels):
            if node == target or node in stated or len(pattern.ways[node]) > 1:
                continue
            likeness = self._nth(label, pattern.labels[:node].count(label))
            type = pattern.edges[pattern.ways[node][0][0]].type if pattern.ways[node] else ""
            if likeness or (type and uses[type] >= counts[type]):
                cost += self.weights.loose + self.weights.unlabelled * (1 - likeness)
            else:
                cost += self.weights.untied
        return cost

    def _nth(self, label: str, number: int) -> float:
        """The nth greatest likeness of a word to a label, counted from 0."""
        values = self.hints.label_values.get(label, ())
        return values[number] if number < len(values) else 0.0

    def _parallels(self, pattern: Pattern, uses: Uses) -> float:
        points = 0.0
        for parallel in pattern.parallels:
            said = uses[parallel.type] and uses[pattern.edges[parallel.edge].type]
            points += self.weights.parallel if said else -self.weights.unshared
        return points

    def open_end(self, pattern: Pattern) -> int | None:
        """An end node that the question does not mention: no condition, no word for its label or relationship."""
        stated = {constraint.index for constraint in pattern.on_nodes}
        on_edges = {constraint.index for constraint in pattern.on_edges}
        for node in range(len(pattern.labels) - 1, 0, -1):
            if len(pattern.ways[node]) == 1 and node not in stated and pattern.labels[node] not in self.hints.said:
                edge = pattern.ways[node][0][0]
                if edge not in on_edges and pattern.edges[edge].type not in self.hints.said:
                    return node
        return None
