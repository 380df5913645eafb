"""How well a pattern explains a question: what it covers of its words and literals, less what nothing asks for."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

from gear_neo4j.graph.read.graph_schema import GraphSchema
from gear_neo4j.retrieval.patterns.conditions import is_count, is_name
from gear_neo4j.retrieval.patterns.hints import SUPPORTS, Hints
from gear_neo4j.retrieval.patterns.likeness import Element
from gear_neo4j.retrieval.patterns.pattern import Pattern, Placed

# The share of a question's words that a pattern without any value must explain.
MOST_WORDS = 0.5


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of a question counts, in points; chosen on the even questions of movies, northwind and MetaQA.

    Attributes:
        literal: a value, number or flag that the pattern has a condition for.
        prior: how well the words around it name the condition's property.
        near: the condition's label stands near it.
        beside: the type that stands next to a name is at the named node; ``asked``, next to what is asked for.
        word: a word that names one of the pattern's labels, types or properties.
        again: the share of a further word for the same relationship.
        target: the answer's label is asked for.
        own: what an aggregation measures is a property of the answer.
        named: the answer is named in the question, so it is hardly the answer.
        edge: each relationship; ``unsaid`` more if no word supports it, ``back`` if it repeats one that has support.
        loose: a node that nothing is said of, unless by its label (``unlabelled`` less) or relationship (``untied``).
        parallel: a second relationship between two nodes where words support both; ``unshared`` less where not.
        direction: a relationship within one label has the direction that the question says.
        wording: the cosine of the pattern's wording with the question.
    """

    literal: float = 2.0
    prior: float = 0.8
    near: float = 0.5
    beside: float = 0.5
    asked: float = 0.5
    word: float = 0.8
    again: float = 0.4
    target: float = 1.0
    own: float = 0.3
    named: float = 2.5
    edge: float = 0.1
    unsaid: float = 0.45
    back: float = 0.25
    loose: float = 0.5
    unlabelled: float = 0.7
    untied: float = 1.5
    parallel: float = 0.6
    unshared: float = 2.0
    direction: float = 0.3
    wording: float = 1.0


WEIGHTS = Weights()
# How many words support each type, or how many nodes of a label are still to be named.
Uses = defaultdict[str, int]


@dataclass(frozen=True, slots=True)
class Evidence:
    """How much of a question a pattern accounts for.

    Attributes:
        words: the mean likeness of its telling words to what the pattern explains them by, 0 to 1; ``least`` the least.
        target: how surely the answer's label is asked for, 0 to 1.
    """

    words: float
    least: float
    target: float


@dataclass(frozen=True)
class Scorer:
    """Scores the patterns for one question."""

    hints: Hints
    schema: GraphSchema
    weights: Weights = WEIGHTS

    def score(self, pattern: Pattern) -> float:
        """The points of a pattern, its best node taken for the answer, without its wording."""
        named = self._named(pattern)
        uses = Uses(int)
        points = self._words(pattern, named, uses) + self._literals(pattern, named)
        target, target_points = max(self._targets(pattern, named), key=lambda entry: entry[1])
        points += target_points - self._edges(pattern, uses) - self._loose(pattern, uses, target=target)
        return points + self._parallels(pattern, uses) + self._direction(pattern, target)

    def _direction(self, pattern: Pattern, target: int) -> float:
        """Points for the direction of a relationship between nodes of one label: who follows, or is followed."""
        points = 0.0
        for edge, _, forward in pattern.ways[target]:
            ends = {pattern.labels[pattern.edges[edge].start], pattern.labels[pattern.edges[edge].end]}
            if len(ends) == 1 and forward == self._is_done_by_target(pattern.edges[edge].type):
                points += self.weights.direction
        return points

    def _is_done_by_target(self, type: str) -> bool:
        """Whether the word for a type is active, with what is asked for before it: *who follows Ann*, not *by Ann*."""
        words = self.hints.reading.words
        place = self.hints.first_words.get(type)
        if place is None:
            return True
        following = [word.text.casefold() for word in words[place + 1 : place + 2]]
        passive = following == ["by"]
        # Whom does Ann follow: a name stands before the word.
        object = any(literal.last < place for literal in self.hints.reading.literals)
        return passive == object

    def targets(self, pattern: Pattern) -> list[tuple[int, float]]:
        """The nodes of a pattern with their points as the answer, best first."""
        return sorted(self._targets(pattern, self._named(pattern)), key=lambda entry: -entry[1])

    def _targets(self, pattern: Pattern, named: frozenset[int]) -> Iterator[tuple[int, float]]:
        measured = {placed.place: placed.condition for placed in pattern.measures if placed in pattern.on_nodes}
        asked = [self.hints.asked.get(edge.type, 0.0) for edge in pattern.edges] if self.hints.asked else []
        for node, label in enumerate(pattern.labels):
            points = self.weights.target * self.hints.wanted.labels.get(label, 0.0)
            if node in named or (node in measured and is_count(measured[node])):
                points -= self.weights.named
            elif node in measured:
                points += self.weights.own
            if asked:
                points += self.weights.asked * max((asked[edge] for edge, _, _ in pattern.ways[node]), default=0.0)
            yield node, points

    def _named(self, pattern: Pattern) -> frozenset[int]:
        return frozenset(placed.place for placed in pattern.on_nodes if is_name(placed.condition, self.schema))

    def _words(self, pattern: Pattern, named: frozenset[int], uses: Uses) -> float:
        """Points for words; counts in ``uses`` how many support each type."""
        points = 0.0
        for place, element, value in self._explained(pattern, named):
            share = 1.0
            if element.kind == "type":
                enough = uses[element.name] >= pattern.types.get(element.name, 0)
                share = self.weights.again if enough or place in self.hints.wanted.appositions else 1.0
                uses[element.name] += value >= SUPPORTS
            points += share * self.weights.word * value
        return points

    def _explained(self, pattern: Pattern, named: frozenset[int]) -> Iterator[tuple[int, Element, float]]:
        """The words that the pattern explains, by their places, with its element; a node's label explains one word."""
        absent = [placed.condition.texts[0] for placed in pattern.on_nodes if placed.condition.operator == "absent"]
        types = {*pattern.types, *absent}
        unnamed = Uses(int)
        for node, label in enumerate(pattern.labels):
            unnamed[label] += node not in named
        for end in (end for type in absent for end in self.schema.ends[type]):
            unnamed[end] += 1
        given = {pattern.labels[node] for node in named}
        properties = {(placed.condition.owner.name, placed.condition.property) for placed in pattern.placed}
        for place, row in self.hints.content.items():
            apposition = place in self.hints.wanted.appositions
            for element, value in row:
                if element.kind == "label":
                    present = element.name in given if apposition else unnamed[element.name] > 0
                elif element.kind == "type":
                    present = element.name in types
                else:
                    present = (element.name, element.property) in properties
                if present:
                    unnamed[element.name] -= element.kind == "label" and not apposition
                    yield place, element, value
                    break

    def is_meant(self, pattern: Pattern) -> bool:
        """Whether a question says enough of a pattern: a value, or else many of its words."""
        if any(placed.condition.operator != "measure" for placed in pattern.placed):
            return True
        explained = [value for *_, value in self._explained(pattern, frozenset()) if value >= SUPPORTS]
        return bool(explained) and len(explained) >= MOST_WORDS * len(self.hints.content)

    def evidence(self, pattern: Pattern, target: int) -> Evidence:
        """How much of the question a pattern accounts for, with one of its nodes as the answer."""
        explained = {place: value for place, _, value in self._explained(pattern, self._named(pattern))}
        labels = {Element("label", label) for label in pattern.labels}
        explained |= {
            place: value
            for place in self.hints.wanted.appositions
            for element, value in self.hints.content.get(place, ())
            if element in labels
        }
        words = [explained.get(place, 0.0) for place in self.hints.content]
        return Evidence(
            words=fmean(words) if words else 1.0,
            least=min(words, default=1.0),
            target=self.hints.wanted.labels.get(pattern.labels[target], 0.0),
        )

    def _literals(self, pattern: Pattern, named: frozenset[int]) -> float:
        points = 0.0
        for placed in pattern.placed:
            weight = self.hints.reading.literals[placed.literal].weight
            points += self.weights.literal * weight + self.weights.prior * placed.condition.prior
            points += self.weights.near * weight * self._label_near(placed)
        for placed in pattern.on_nodes:
            if placed.place in named:
                beside = self.hints.beside.get(placed.literal, {})
                types = (pattern.edges[edge].type for edge, _, _ in pattern.ways[placed.place])
                weight = self.hints.reading.literals[placed.literal].weight
                points += self.weights.beside * weight * max((beside.get(type, 0.0) for type in types), default=0.0)
        return points

    def _label_near(self, placed: Placed) -> float:
        """How near a condition's label stands to its literal, 0 to 1."""
        owner, literal = placed.condition.owner, self.hints.reading.literals[placed.literal]
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
        """What relationships cost: little where a word supports them."""
        stated = {pattern.edges[placed.place].type for placed in pattern.on_edges}
        cost = 0.0
        for type, count in pattern.types.items():
            cost += count * self.weights.edge
            if type not in stated and uses[type] < count:
                first = 0 if uses[type] else 1
                cost += first * self.weights.unsaid + (count - uses[type] - first) * self.weights.back
        return cost

    def _loose(self, pattern: Pattern, uses: Uses, *, target: int) -> float:
        """What nodes at the rim cost that are neither the answer nor stated by anything."""
        stated = {placed.place for placed in pattern.on_nodes}
        for placed in pattern.on_edges:
            stated |= {pattern.edges[placed.place].start, pattern.edges[placed.place].end}
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
        """The likeness to a label of the word that names it best, second best, and so on."""
        values = self.hints.label_values.get(label, ())
        return values[number] if number < len(values) else 0.0

    def _parallels(self, pattern: Pattern, uses: Uses) -> float:
        points = 0.0
        for parallel in pattern.parallels:
            said = uses[parallel.type] and uses[pattern.edges[parallel.edge].type]
            points += self.weights.parallel if said else -self.weights.unshared
        return points

    def open_end(self, pattern: Pattern) -> int | None:
        """A node at the rim that nothing is said of: no condition, no word for its label or its relationship."""
        stated = {placed.place for placed in pattern.on_nodes}
        on_edges = {placed.place for placed in pattern.on_edges}
        for node in range(len(pattern.labels) - 1, 0, -1):
            if len(pattern.ways[node]) == 1 and node not in stated and pattern.labels[node] not in self.hints.said:
                edge = pattern.ways[node][0][0]
                if edge not in on_edges and pattern.edges[edge].type not in self.hints.said:
                    return node
        return None
