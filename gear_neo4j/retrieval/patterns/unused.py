"""What a pattern leaves out of a question."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from gear_neo4j.retrieval.patterns.condition import QUOTED
from gear_neo4j.retrieval.patterns.reading import Reading, Word

# Words that say how a condition holds; patterns use them without explaining them.
_STATING = frozenset({"word", "words", "phrase", "start", "mentioning", "stating", "divisible", "names"})


@dataclass(frozen=True, slots=True)
class Unused:
    """Phrases of a question that a pattern does not use; ``names`` are those that look like names.

    A quotation looks like a name, and so does a capital letter after the first word of the question.
    """

    phrases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def unused(reading: Reading, indexes: Collection[int]) -> Unused:
    """The phrases that the words at some indexes form, each with the capitalised words around it."""
    stated = {index for index in indexes if reading.words[index].text.casefold() not in _STATING}
    quotations = [match.span() for match in QUOTED.finditer(reading.text)]
    phrases: dict[str, bool] = {}
    small = {index for index in stated if not reading.words[index].text[0].isupper()}
    capitals = _with_capitals(reading, stated - small)
    for first, last in sorted([*_runs(capitals), *_runs(small)]):
        start, end = reading.words[first].start, reading.words[last].end
        capitalised = last > 0 and last in capitals
        phrases[reading.text[start:end]] = capitalised or any(left < start < end < right for left, right in quotations)
    return Unused(tuple(phrases), tuple(phrase for phrase, is_name in phrases.items() if is_name))


def _with_capitals(reading: Reading, indexes: Collection[int]) -> set[int]:
    """The indexes, and those of capitalised stop words beside them: *World* in *Football World Cup*."""
    words, kept = reading.words, set(indexes)
    for index in indexes:
        for step in (-1, 1):
            beside = index + step
            while 0 < beside < len(words) and beside not in kept and _is_free_capital(words[beside]):
                kept.add(beside)
                beside += step
    return kept


def _is_free_capital(word: Word) -> bool:
    return word.literal is None and word.text[0].isupper()


def _runs(indexes: Collection[int]) -> Iterator[tuple[int, int]]:
    """The first and last index of each run of consecutive indexes."""
    starts = sorted(index for index in indexes if index - 1 not in indexes)
    ends = sorted(index for index in indexes if index + 1 not in indexes)
    yield from zip(starts, ends, strict=True)
