"""Chains of possessives, which lead from a name step by step: *Ann's mother's job*, *the job of the mother of Ann*."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.read.graph_schema import GraphSchema
from gear_neo4j.graph.read.typegraph import words
from gear_neo4j.models.embeddings import Vectors
from gear_neo4j.retrieval.patterns.condition import is_name
from gear_neo4j.retrieval.patterns.language import (
    BROADER,
    alike,
    names_a_doer,
    stem,
    stop_words,
    telling_words,
    without_possessive,
)
from gear_neo4j.retrieval.patterns.likeness import SUPPORTS, Element, Likeness, Likenesses
from gear_neo4j.retrieval.patterns.pattern import Pattern
from gear_neo4j.retrieval.patterns.reading import Literal, Reading, is_cue

# A step means the nearest element; this much less cosine makes another one e times less likely.
TEMPERATURE = 0.1
# The nearest element has at least this cosine with a step, and others at least this share of its likelihood.
LEAST_COSINE, LEAST = 0.2, 0.1
# How much a word of a step resembles the element that it means only because nothing is nearer: too little to be sure.
GUESSED = 0.45
# The share of a step that a relationship within one label gets in the direction that its name does not suggest.
OTHER_WAY = 0.5
_DETERMINERS = frozenset({"the", "a", "an", "all", "any", "his", "her", "their", "its"})
_ENDS = frozenset(
    """
    of in at on by with from for to and or but is are was were be been did do does has have had that this these those
    which who whom whose where when what how why not each every than as like
    """.split()  # noqa: SIM905
)
_NAMES = frozenset({"name", "names", "title", "titles"})
_APOSTROPHES = ("'", "’")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a chain: its first and last word, and how well each element of the schema fits, 0 to 1.

    ``against`` are the types that the step takes from end to start: *Ann's employee* is at the start of WORKS_FOR. It
    matters for types between nodes of one label.
    """

    first: int
    last: int
    fits: Mapping[Element, float]
    against: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Possessives:
    """The chains of a question.

    ``chains`` has for each literal that begins one its steps, from the literal outwards; ``asked`` is the literal whose
    chain is all that the question asks for.
    """

    chains: Mapping[int, tuple[Step, ...]]
    asked: int | None = None

    def followed_by(self, pattern: Pattern) -> dict[int, tuple[float, int]]:
        """For each literal of a pattern that begins a chain, how many of the steps it takes, and where they end."""
        if not self.chains:
            return {}
        return {
            constraint.literal: _followed(pattern, constraint.index, self.chains[constraint.literal], frozenset())
            for constraint in pattern.on_nodes
            if constraint.literal in self.chains
        }

    def are_all_of(self, pattern: Pattern, target: int) -> bool:
        """Whether a pattern is a chain and nothing else, from a name to the answer."""
        return any(
            end == target and len(self.chains[literal]) == len(pattern.edges)
            for literal, (_, end) in self.followed_by(pattern).items()
        )


class PossessiveReader:
    """Reads the chains of questions about one schema."""

    def __init__(self, schema: GraphSchema, likenesses: Likenesses) -> None:
        self._schema = schema
        self._likenesses = likenesses
        self._elements = [Element("label", label) for label in schema.labels]
        self._elements += [Element("type", type) for type in schema.types if type not in schema.mute]
        self._elements += [
            Element("property", owner.name, name)
            for owner in schema.owners()
            for name in schema.properties(owner)
            if not schema.names_with(owner, name)
        ]
        names = [(element, name) for element in self._elements for name in self._names(element)]
        self._owners = [element for element, _ in names]
        self._texts = [name for _, name in names]
        parts = (tuple(map(stem, telling_words(name))) for name in self._texts)
        self._long = {part for part in parts if len(part) > 1}
        self._vectors: Vectors | None = None

    def read(self, reading: Reading, likeness: Likeness) -> tuple[Possessives, Likeness]:
        """The chains of a question, and the likeness of its words with what the steps of the chains mean."""
        spans = {
            number: [*self._after(reading, literal), *self._before(reading, literal)]
            for number, literal in enumerate(reading.literals)
            if literal.weight == 1 and any(is_name(condition, self._schema) for condition in literal.conditions)
        }
        chains = {number: self._steps(reading, number, found) for number, found in spans.items() if found}
        chains = {number: chain for number, chain in chains.items() if chain}
        if not chains:
            return Possessives({}), likeness
        asked = next((number for number in chains if _is_all(reading, number, spans[number])), None)
        return Possessives(chains, asked), _helped(reading, likeness, chains)

    def _after(self, reading: Reading, literal: Literal) -> Iterator[Span]:
        """The words after a name and each *'s*."""
        first = _after_possessive(reading, literal.last)
        while first is not None:
            last = self._segment_end(reading, first)
            if last < first:
                return
            yield first, last
            first = _after_possessive(reading, last)

    def _segment_end(self, reading: Reading, first: int) -> int:
        """The last word of the noun that begins at a word; the word before it, if none does."""
        for last in range(min(len(reading.words), first + 6) - 1, first, -1):
            stems = _telling(reading, first, last)
            if stems in self._long and all(reading.words[at].literal is None for at in range(first, last + 1)):
                return last
        last = first - 1
        for index in range(first, len(reading.words)):
            word = reading.words[index]
            if not _continues(reading, index) or (index > first and word.text.endswith(("ed", "ing"))):
                break
            last = index
            if _after_possessive(reading, index) is not None:
                break
        return last

    def _before(self, reading: Reading, literal: Literal) -> Iterator[Span]:
        """The nouns that stand before *of* and a name, from the name outwards."""
        of = _before_determiner(reading, literal.first)
        while of > 0 and reading.words[of].text.casefold() == "of":
            last = of - 1
            first = of
            while first > 0 and _continues(reading, first - 1):
                first -= 1
            for begin in range(max(0, last - 5), first):
                begins = reading.words[begin].text.casefold() not in _DETERMINERS
                if begins and _telling(reading, begin, last) in self._long:
                    first = begin
                    break
            if first > last:
                return
            yield first, last
            of = _before_determiner(reading, first)

    def _steps(self, reading: Reading, number: int, spans: Sequence[Span]) -> tuple[Step, ...]:
        """The steps that some words name; none if a property stands between two of them."""
        literal = reading.literals[number]
        called = {Element("label", condition.owner.name) for condition in literal.conditions}
        steps: list[Step] = []
        for count, (first, last) in enumerate(spans):
            if first == last and reading.words[first].text.casefold() in _NAMES:
                # The name of Ann's mother is a name for her.
                return tuple(steps)
            fits = self._fits(reading, first, last)
            best = max(fits, key=lambda element: fits[element], default=None)
            if best is None:
                break
            if best in called and not steps and last < literal.first:
                # The state of Texas is Texas.
                continue
            if best.kind == "property":
                return tuple(steps) if count == len(spans) - 1 else ()
            said = self._said(reading, first, last)
            types = (element.name for element in fits if element.kind == "type")
            steps.append(Step(first, last, fits, frozenset(type for type in types if _is_against(said, type))))
        return tuple(steps)

    def _fits(self, reading: Reading, first: int, last: int) -> dict[Element, float]:
        """How well each element of the schema fits the words of a step, relative to the best one."""
        meant = self._said(reading, first, last)
        stems = [tuple(map(stem, telling_words(text))) for text in meant]
        if not self._texts:
            return {}
        if self._vectors is None:
            self._vectors = self._likenesses.vectors(self._texts)
        cosines = (self._likenesses.vectors(meant) @ self._vectors.T).max(axis=0).tolist()
        fits: dict[Element, float] = {}
        for element, text, cosine in zip(self._owners, self._texts, cosines, strict=True):
            same = tuple(map(stem, telling_words(text))) in stems
            fits[element] = max(fits.get(element, 0.0), 1.0 if same else cosine)
        best = max(fits.values())
        if best < LEAST_COSINE:
            return {}
        shares = {element: math.exp((cosine - best) / TEMPERATURE) for element, cosine in fits.items()}
        return {element: share for element, share in shares.items() if share >= LEAST}

    def _said(self, reading: Reading, first: int, last: int) -> tuple[str, ...]:
        """The words of a step, and what they are one of."""
        said = [word.text.casefold() for word in reading.words[first : last + 1]]
        text = without_possessive(" ".join(said))
        return (text, *BROADER.get(text, ()))

    def _names(self, element: Element) -> tuple[str, ...]:
        own = element.property or element.name
        return (words(own), *self._schema.synonyms.get(own, ()))


def _is_against(said: Sequence[str], type: str) -> bool:
    """Whether a noun names the start of a relationship: a *child* by CHILD_OF, a *manager* by MANAGES."""
    parts = words(type).split()
    if len(parts) > 1 and parts[-1] in ("of", "for"):
        return True
    pairs = [(text.split()[-1], part) for text in said for part in parts]
    named = any(stem(head) == stem(part) and names_a_doer(head) == names_a_doer(part) for head, part in pairs)
    does = any(names_a_doer(head) and not names_a_doer(part) and alike(stem(head), stem(part)) for head, part in pairs)
    return does and not named and parts[-1] != "by"


def _telling(reading: Reading, first: int, last: int) -> tuple[str, ...]:
    """The stems of some words, without those that only join."""
    text = " ".join(word.text.casefold() for word in reading.words[first : last + 1])
    return tuple(map(stem, telling_words(without_possessive(text))))


def _continues(reading: Reading, index: int) -> bool:
    """Whether a word may belong to a noun."""
    word = reading.words[index]
    text = word.text.casefold()
    plain = text not in _ENDS and text not in _DETERMINERS and not is_cue(reading, word)
    return word.literal is None and word.text[0].isalpha() and plain


def _after_possessive(reading: Reading, index: int) -> int | None:
    """The index of the word after a possessive; None if a word is none."""
    if reading.words[index].text.casefold().endswith(("'s", "’s")):
        return index + 1
    following = [word.text.casefold() for word in reading.words[index + 1 : index + 3]]
    if following[:1] and following[0] in _APOSTROPHES:
        return index + (3 if following[1:] == ["s"] else 2)
    return None


def _before_determiner(reading: Reading, first: int) -> int:
    """The index of the word before a noun and its article; -1 if there is none."""
    before = first - 1
    while before >= 0 and reading.words[before].text.casefold() in _DETERMINERS:
        before -= 1
    return before


def _is_all(reading: Reading, number: int, spans: Sequence[Span]) -> bool:
    """Whether a question has no telling word but those of a name and its chain."""
    literal = reading.literals[number]
    inside = {*range(literal.first, literal.last + 1)}
    for first, last in spans:
        inside |= {*range(first, last + 1)}
    return not any(
        (word.telling or word.literal is not None) and word.text.casefold() not in stop_words()
        for index, word in enumerate(reading.words)
        if index not in inside
    )


def _helped(reading: Reading, likeness: Likeness, chains: Mapping[int, Sequence[Step]]) -> Likeness:
    """The likeness with a guess for each step that resembles nothing enough."""
    helped = dict(likeness)
    for step in (step for chain in chains.values() for step in chain):
        span = [index for index in range(step.first, step.last + 1) if index in helped]
        if any(value >= SUPPORTS for index in span for value in helped[index].values()):
            continue
        for index in span:
            del helped[index]
        head = step.last
        reading.words[head].telling = True
        helped[head] = {element: GUESSED * share for element, share in step.fits.items()}
    return helped


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
