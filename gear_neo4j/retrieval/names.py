"""The names in a question, found without a language model: the longest runs of words that are entities of the graph."""

import re
from collections.abc import Container
from dataclasses import dataclass

from gear_neo4j.domain import entity_key

LONGEST_NAME = 8
# A question is a sentence or two; a page pasted in must not cause thousands of look-ups.
MOST_WORDS = 200
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Span:
    """Words of a question, from ``start`` to before ``end``, and the key of the entity that they would name."""

    start: int
    end: int
    key: str


def spans(question: str) -> list[Span]:
    """The runs of at most eight words that could be a name, longest first.

    One of the words must begin a name: hold a capital letter or a digit, and not be the first word, which has a capital
    whatever it is. ("country" and "author" are entities of many graphs, and a walk from there leads anywhere.)

    Example:
        >>> [span.key for span in spans("Who wrote Brand?")]
        ['who wrote brand', 'wrote brand', 'brand']
    """
    words = list(_WORD.finditer(question))[:MOST_WORDS]
    named = [place > 0 and any(c.isupper() or c.isdigit() for c in word[0]) for place, word in enumerate(words)]
    return [
        Span(start, start + length, entity_key(question[words[start].start() : words[start + length - 1].end()]))
        for length in range(min(LONGEST_NAME, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
        if any(named[start : start + length])
    ]


def names(candidates: list[Span], *, known: Container[str]) -> list[str]:
    """The keys of those spans that are known, the longest first; a word belongs to one name only.

    Example:
        >>> names(spans("Is New York City in York?"), known={"new york city", "new york", "york"})
        ['new york city', 'york']
    """
    used: set[int] = set()
    keys = []
    for span in candidates:
        words = range(span.start, span.end)
        if span.key in known and used.isdisjoint(words):
            used.update(words)
            keys.append(span.key)
    return list(dict.fromkeys(keys))
