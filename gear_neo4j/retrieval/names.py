"""The names in a question, found without a language model: the longest runs of words that are entities of the graph."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.domain import entity_key
from gear_neo4j.retrieval.patterns.language import stop_words

LONGEST_NAME = 8
# A question is a sentence or two; a page pasted in must not cause thousands of look-ups.
MOST_WORDS = 200
_WORD = re.compile(r"\w+")
# Scripts in which a name may begin or end inside a run of letters: without spaces, or with particles that follow it.
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


@dataclass(frozen=True, slots=True)
class Span:
    """Words of a question, from ``start`` to before ``end``, and the key of the entity that they would name.

    ``capital`` says whether they are written like a name: with a digit, or with a capital other than that of the first
    word.
    """

    start: int
    end: int
    key: str
    capital: bool


def spans(question: str) -> list[Span]:
    """The runs of at most eight words that could be a name, longest first.

    Where a question has capitals, one of the words must have one, or a digit. ("country" and "author" are entities of
    many graphs, and a walk from there leads anywhere.) Where it has none but in its first word, any run may be a name.

    Example:
        >>> [span.key for span in spans("Who wrote Brand?")]
        ['who wrote brand', 'wrote brand', 'brand']
        >>> [span.key for span in spans("who wrote brand?")]
        ['who wrote brand', 'who wrote', 'wrote brand', 'wrote', 'brand']
    """
    words = list(_words(question))[:MOST_WORDS]
    upper = [place > 0 and any(map(str.isupper, word)) for place, (word, _, _) in enumerate(words)]
    capitals = [is_upper or any(map(str.isdigit, word)) for is_upper, (word, _, _) in zip(upper, words, strict=True)]
    cased = any(upper)
    found = []
    for length in range(min(LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            end = start + length
            capital = any(capitals[start:end])
            if capital or (not cased and _may_name(words[start:end])):
                key = entity_key(question[words[start][1] : words[end - 1][2]])
                found.append(Span(start, end, key, capital))
    return found


def _words(question: str) -> Iterator[tuple[str, int, int]]:
    """The words of a question with their start and end; in scripts without spaces, each letter is a word."""
    for match in _WORD.finditer(question):
        start = match.start()
        for place in range(match.start(), match.end()):
            if is_unspaced(question[place]):
                if place > start:
                    yield question[start:place], start, place
                yield question[place], place, place + 1
                start = place + 1
        if match.end() > start:
            yield question[start : match.end()], start, match.end()


def is_unspaced(letter: str) -> bool:
    """Whether a letter is of a script in which a name may begin or end inside a run of letters.

    Example:
        >>> is_unspaced("鲁"), is_unspaced("서"), is_unspaced("é")
        (True, True, False)
    """
    return not letter.isascii() and unicodedata.name(letter, "").startswith(_UNSPACED)


def _may_name(words: Sequence[tuple[str, int, int]]) -> bool:
    """Whether words without a capital may be a name: not a word of the language, and not one letter."""
    texts = [word.casefold() for word, _, _ in words]
    return len("".join(texts)) > 1 and not all(text in stop_words() for text in texts)


def names(candidates: Sequence[Span], *, known: Mapping[str, str]) -> list[str]:
    """The keys of those spans that are known, the longest first; a word belongs to one name only.

    Args:
        known: the names of entities as the graph writes them, by key. To a question without capitals, an entity that
            the graph writes without any is a thing, not a name.

    Example:
        >>> known = {"new york city": "New York City", "new york": "New York", "york": "York"}
        >>> names(spans("Is New York City in York?"), known=known)
        ['new york city', 'york']
        >>> names(spans("who is the author of brand?"), known={"brand": "Brand", "author": "author"})
        ['brand']
    """
    used: set[int] = set()
    keys = []
    for span in candidates:
        words = range(span.start, span.end)
        if span.key in known and used.isdisjoint(words) and (span.capital or _is_written_like_a_name(known[span.key])):
            used.update(words)
            keys.append(span.key)
    return list(dict.fromkeys(keys))


def _is_written_like_a_name(name: str) -> bool:
    """Whether a name has a capital or a digit, or letters of a script that has no capitals.

    Example:
        >>> [_is_written_like_a_name(name) for name in ("Brand", "brand", "鲁迅", "מים")]
        [True, False, True, True]
    """
    return any(letter.isupper() or letter.isdigit() for letter in name) or name.upper() == name.lower()
