"""Values of several words that a question says in part or in another form: *unable to prosecute* (a suspect)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field

from gear_neo4j.retrieval.patterns.condition import Condition
from gear_neo4j.retrieval.patterns.language import WORD, Stems, stem, stop_words

# A value of two words must be said whole, and of a longer one this share of its words.
SHARE = 0.6
# How many words of the question may stand between those of a value.
BETWEEN = 4
SAME = 0.9


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of a question that say a value: the first and the last one, and the share of the value's words."""

    first: int
    last: int
    condition: Condition = field(compare=False)
    share: float


class Phrases:
    """Finds values of closed lists by their words.

    Args:
        plain: stems that say no value alone: those of the schema.

    Example:
        >>> from gear_neo4j.graph.read.graph_schema import Owner
        >>> outcome = Condition(Owner("label", "Crime"), "outcome", "is", ("Unable to prosecute suspect",))
        >>> phrases = Phrases([outcome])
        >>> [(one.first, one.last) for one in phrases.find("crimes marked as unable to prosecute".split())]
        [(3, 5)]
    """

    def __init__(self, conditions: Iterable[Condition], *, plain: Set[str] = frozenset()) -> None:
        self._plain = plain
        said = {condition: _stems(condition.texts[0]) for condition in conditions}
        self._values = [(condition, stems) for condition, stems in said.items() if len(stems) > 1]
        self._parts = tuple(dict.fromkeys(part for _, stems in self._values for part in sorted(stems)))
        self._stems = Stems(self._parts)
        self._of: dict[str, list[int]] = defaultdict(list)
        for number, (_, stems) in enumerate(self._values):
            for part in stems:
                self._of[part].append(number)

    def find(self, words: Sequence[str]) -> list[Phrase]:
        """The values that words say, best first; none of them overlap, and of two equally good ones there is none."""
        places: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for index, word in enumerate(words):
            for part in self._alike(word):
                for number in self._of[part]:
                    places[number].append((index, part))
        phrases = [phrase for number, said in places.items() for phrase in self._said(number, said)]
        phrases.sort(key=lambda phrase: (-phrase.share, phrase.first - phrase.last))
        found: list[Phrase] = []
        for number, phrase in enumerate(phrases):
            rivals = [other for other in phrases[:number] if _overlap(other, phrase)]
            equal = [
                other
                for other in phrases
                if other is not phrase
                and _overlap(other, phrase)
                and other.share == phrase.share
                and other.condition.property == phrase.condition.property
                and other.condition.owner == phrase.condition.owner
            ]
            if not rivals and not equal:
                found.append(phrase)
        return found

    def _alike(self, word: str) -> Iterator[str]:
        if not self._values or word.casefold() in stop_words():
            return
        for index, value in self._stems.alike(stem(word)).items():
            if value >= SAME:
                yield self._parts[index]

    def _said(self, number: int, places: Sequence[tuple[int, str]]) -> Iterator[Phrase]:
        condition, stems = self._values[number]
        longest = len(condition.texts[0].split()) + BETWEEN
        for first, _ in places:
            within = [(index, part) for index, part in places if first <= index < first + longest]
            said = {part for _, part in within}
            share = len(said) / len(stems)
            if share >= (SHARE if len(stems) > 2 else 1) and not said <= self._plain:
                yield Phrase(first, max(index for index, _ in within), condition, share)
                return


def _stems(text: str) -> frozenset[str]:
    words = [match[0] for match in WORD.finditer(text)]
    return frozenset(stem(word) for word in words if word[0].isalpha() and word.casefold() not in stop_words())


def _overlap(one: Phrase, other: Phrase) -> bool:
    return one.first <= other.last and other.first <= one.last
