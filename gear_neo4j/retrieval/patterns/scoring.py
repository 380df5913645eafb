"""Scores how well a pattern explains a question: the words and literals that it covers, less its unneeded parts."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from gear_neo4j.graph.read.graph_schema import GraphSchema
from gear_neo4j.retrieval.patterns.condition import is_count, is_name
from gear_neo4j.retrieval.patterns.hints import SUPPORTS, Hints
from gear_neo4j.retrieval.patterns.likeness import Element
from gear_neo4j.retrieval.patterns.pattern import Constraint, Pattern
from gear_neo4j.retrieval.patterns.possessives import Step
from gear_neo4j.retrieval.patterns.target import NAMES
from gear_neo4j.retrieval.patterns.unused import Unused, unused

# A pattern without a value must explain at least this share of a question's words.
MOST_WORDS = 0.5


@dataclass(frozen=True, slots=True)
class Weights:
    """The points for each part of a question, chosen on even questions: movies, northwind, MetaQA and pathquestion.

    Attributes:
        literal: a value, number or flag for which the pattern has a condition.
        prior: how well nearby words name the condition's property.
        near: the condition's label is near the literal.
        beside: the type next to a name belongs to the named node; ``asked``: the type next to the question word.
        word: a word that names one of the pattern's labels, types or properties.
        again: the share that another word for the same relationship gets.
        target: the question asks for the answer's label.
        own: the measure is a property of the answer.
        named: subtracted if the question names the answer, which is then unlikely to be the answer.
        edge: subtracted for each relationship; also ``unsaid`` if no word supports it, ``back`` if it is a repetition.
        loose: subtracted for an end node without a condition; also ``unlabelled`` if no word supports its label. If no
            word supports its relationship either, ``untied`` is subtracted instead.
        parallel: a second relationship between two nodes if words support both; otherwise ``unshared`` is subtracted.
        direction: a relationship within one label has the direction that the question states.
        order: nodes of one label follow from the answer as they do in the question; subtracted if they follow the other
            way round.
        behind: from the answer, one value is reached through the node of another where the question says so (*Ann, who
            knows Bob*), and not where it joins them by *and*; else it is subtracted.
        far: the answer is behind another node of its label, if the question names the label again; else subtracted.
        step: a step of a chain of possessives that the pattern takes in the same order: *Ann's mother's job*; ``end``:
            the chain ends at the answer.
        wording: multiplied by the cosine of the pattern's wording and the question.
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
    order: float = 0.4
    behind: float = 0.3
    far: float = 0.2
    step: float = 0.6
    end: float = 1.0
    wording: float = 1.0


WEIGHTS = Weights()
# The share of the points for a literal that a pattern without it is likely to gain.
HOPE = 1.0
# The share of a step that a relationship within one label gets in the direction that its name does not suggest.
OTHER_WAY = 0.5
# Words before part of a name that describe people, and words that then mean others than those asked for.
_NAMING = frozenset({"named", "called", "surnamed", "name", "names", "surname", "surnames"})
_SOMEONE = frozenset({"someone", "anyone", "somebody", "anybody", "person", "others"})
DESCRIBED_WITHIN = 7
# The first word of a question that describes a node, by the node's index.
Words = Mapping[int, int]
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

    def score(self, pattern: Pattern) -> float:
        """The points of a pattern with its best node as the answer, without those for its wording."""
        named = self._named(pattern)
        uses = Uses(int)
        points = self._words(pattern, named, uses) + self._literals(pattern, named)
        target, target_points = max(self._targets(pattern, named), key=lambda entry: entry[1])
        points += target_points - self._edges(pattern, uses) - self._loose(pattern, uses, target=target)
        points += self._parallels(pattern, uses) + self._direction(pattern, target)
        return points + sum(steps * self.weights.step for steps, _ in self._chained(pattern).values())

    def _chained(self, pattern: Pattern) -> dict[int, tuple[float, int]]:
        """For each literal with a chain of possessives, how many steps a pattern takes, and where they end."""
        chains = self.hints.possessives.chains
        if not chains:
            return {}
        return {
            constraint.literal: _followed(pattern, constraint.index, chains[constraint.literal], frozenset())
            for constraint in pattern.on_nodes
            if constraint.literal in chains
        }

    def _direction(self, pattern: Pattern, target: int) -> float:
        """Points for the direction of a relationship within one label: who follows, or is followed."""
        if any(end == target for _, end in self._chained(pattern).values()):
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

    def hope(self, pattern: Pattern) -> float:
        """The points that a pattern can still gain by the literals that it does not state."""
        stated = {constraint.literal for constraint in pattern.constraints}
        literals = enumerate(self.hints.reading.literals)
        return HOPE * self.weights.literal * sum(of.weight for number, of in literals if number not in stated)

    def is_chain(self, pattern: Pattern, target: int) -> bool:
        """Whether a pattern is a chain of possessives and nothing else, from a name to the answer."""
        chains = self.hints.possessives.chains
        return any(
            end == target and len(chains[literal]) == len(pattern.edges)
            for literal, (_, end) in self._chained(pattern).items()
        )

    def targets(self, pattern: Pattern) -> list[tuple[int, float]]:
        """The nodes of a pattern, each with its points as the answer, best first."""
        return sorted(self._targets(pattern, self._named(pattern)), key=lambda entry: -entry[1])

    def _targets(self, pattern: Pattern, named: frozenset[int]) -> Iterator[tuple[int, float]]:
        measured = {
            constraint.index: constraint.condition for constraint in pattern.measures if constraint in pattern.on_nodes
        }
        chain = self.hints.possessives.asked
        # Of a chain, the word nearest to the question word may be any step.
        types = self.hints.asked if chain is None else {}
        asked = [types.get(edge.type, 0.0) for edge in pattern.edges] if types else []
        words = _words(pattern, self.hints)
        ends = {end for number, (_, end) in self._chained(pattern).items() if number == chain}
        wanted = self.hints.reading.aggregation
        asks_for_value = wanted is not None and wanted.function == "value"
        for node, label in enumerate(pattern.labels):
            points = self.weights.target * self.hints.wanted.labels.get(label, 0.0)
            if asks_for_value:
                # The population of Ohio is a property of Ohio.
                points += self.weights.own if node in measured else -self.weights.named
            elif node in named or (node in measured and is_count(measured[node])):
                points -= self.weights.named
            elif node in measured:
                points += self.weights.own
            if asked:
                points += self.weights.asked * max((asked[edge] for edge, _, _ in pattern.ways[node]), default=0.0)
            points += self.weights.end * (node in ends)
            points += self.weights.behind * self._behind(pattern, node) + self.weights.far * self._far(
                pattern, node, named
            )
            yield node, points + self.weights.order * self._order(pattern, node, words)

    def _order(self, pattern: Pattern, target: int, words: Words) -> float:
        """How far a pattern follows from an answer as the question does: 1 for all pairs that can be compared, or -1.

        Emails of Ann, who knows Bob: Ann is nearer to the answer in the question, and so she is in the pattern.
        """
        if len(words) < 2:
            return 0.0
        asked = self.hints.wanted.question_word or 0
        signs: list[int] = []
        reached: list[tuple[int, tuple[int, ...]]] = [(target, ())]
        seen = {target}
        while reached:
            node, before = reached.pop()
            if word := words.get(node):
                signs += [1 if abs(other - asked) < abs(word - asked) else -1 for other in before]
                before = (*before, word)
            for _, end, _ in pattern.ways[node]:
                if end not in seen:
                    seen.add(end)
                    reached.append((end, before))
        order = fmean(signs) if signs else 0.0
        # Of nodes that cannot be mixed up, the order is no sign of a good pattern.
        mixed = [node for node in words if pattern.labels.count(pattern.labels[node]) > 1]
        return order if len(mixed) > 1 else min(0.0, order)

    def _far(self, pattern: Pattern, target: int, named: frozenset[int]) -> float:
        """Whether the answer is behind another node of its label: *states that border states that border Ohio*."""
        label = pattern.labels[target]
        others = {node for node, of in enumerate(pattern.labels) if of == label} - named - {target}
        if not others or sum(value >= NAMES for value in self.hints.label_values.get(label, ())) < 2:
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

    def _named(self, pattern: Pattern) -> frozenset[int]:
        return frozenset(
            constraint.index
            for constraint in pattern.on_nodes
            if is_name(constraint.condition, self.schema) and not self._is_described(constraint)
        )

    def _is_described(self, constraint: Constraint) -> bool:
        """Whether part of a name describes what is asked for, instead of naming it.

        *Which people called Rose*, *which Roses have a phone*, *the Miller who has a phone*.
        """
        if not self.schema.names_in_part(constraint.condition.owner):
            return False
        literal = self.hints.reading.literals[constraint.literal]
        words = self.hints.reading.words[: literal.first]
        after = [word.text.casefold() for word in self.hints.reading.words[literal.last + 1 : literal.last + 2]]
        before = [word.text.casefold() for word in words[-DESCRIBED_WITHIN:]]
        if before[-1:] in (["which"], ["what"]) or (before[-1:] == ["the"] and after == ["who"]):
            return True
        return not _NAMING.isdisjoint(before[-2:]) and _SOMEONE.isdisjoint(before)

    def _words(self, pattern: Pattern, named: frozenset[int], uses: Uses) -> float:
        """Points for words; counts the words that support each type in ``uses``."""
        points = 0.0
        for index, element, value in self._explained(pattern, named):
            share = 1.0
            if element.kind == "type":
                enough = uses[element.name] >= pattern.types.get(element.name, 0)
                share = self.weights.again if enough or index in self.hints.wanted.appositions else 1.0
                uses[element.name] += value >= SUPPORTS
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
        explained = {index: value for index, _, value in self._explained(pattern, self._named(pattern))}
        labels = {Element("label", label) for label in pattern.labels}
        explained |= {
            index: value
            for index in self.hints.wanted.appositions
            for element, value in self.hints.content.get(index, ())
            if element in labels
        }
        said = self._in_values(pattern)
        words = [explained.get(index, 0.0) for index in self.hints.content if index not in said]
        if self.hints.reading.denial is not None:
            # Without it, the answer may be the opposite.
            words.append(0.0)
        return Evidence(
            words=fmean(words) if words else 1.0,
            least=min(words, default=1.0),
            target=self.hints.wanted.labels.get(pattern.labels[target], 0.0),
            unused=self._unused(pattern, explained),
        )

    def _unused(self, pattern: Pattern, explained: Mapping[int, float]) -> Unused:
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
                    else word.unread or (index in self.hints.content and explained.get(index, 0.0) < SUPPORTS)
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
        for type, count in pattern.types.items():
            cost += count * self.weights.edge
            if type not in stated and uses[type] < count:
                first = 0 if uses[type] else 1
                cost += first * self.weights.unsaid + (count - uses[type] - first) * self.weights.back
        return cost

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


def _followed(pattern: Pattern, node: int, chain: Sequence[Step], taken: frozenset[int]) -> tuple[float, int]:
    """How well the edges from a node follow a chain, in steps, and the node at its end."""
    best = (0.0, node)
    if not chain:
        return best
    fits, against = chain[0].fits, chain[0].against
    for edge, end, forward in pattern.ways[node]:
        if edge not in taken:
            type, label = pattern.edges[edge].type, pattern.labels[end]
            fit = max(fits.get(Element("type", type), 0.0), fits.get(Element("label", label), 0.0))
            if label == pattern.labels[node] and not pattern.edges[edge].mutual and forward == (type in against):
                fit *= OTHER_WAY
            if fit:
                steps, at = _followed(pattern, end, chain[1:], taken | {edge})
                best = max(best, (fit + steps, at))
    return best


def _paths_from(pattern: Pattern, target: int) -> dict[int, tuple[int, ...]]:
    """For each node, the nodes on the way to it from another one."""
    paths: dict[int, tuple[int, ...]] = {target: ()}
    reached = [target]
    while reached:
        node = reached.pop()
        for _, end, _ in pattern.ways[node]:
            if end not in paths:
                paths[end] = (*paths[node], node)
                reached.append(end)
    return paths
