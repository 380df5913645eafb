"""The language of a text, detected by its stop words, with its sentences and stop words."""

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import cache, lru_cache

import sentencex
from stop_words import LANGUAGE_MAPPING, get_stop_words

DEFAULT = "en"
# A single word may be a name, such as Ada, which is a stop word in Indonesian.
LEAST_WORDS = 2
# Languages that capitalise every noun: a single capitalised word need not be a name.
NOUN_CAPITALS = frozenset({"de"})
# The number of characters that the detection reads.
SAMPLE = 2_000
# Headings, and the separators of paragraphs: a blank line, or the start of a list item, quotation or table row.
_HEADING = re.compile(r"(?m)^#{1,6}[ \t].*$")
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+•|#>]|[0-9]{1,3}[.)][ \t]))")
_QUOTED = re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+(?:\[![A-Z]+\])?")
FIRST_UNSPACED = "\u2e80"
# Months and days are capitalised but are no names; the lists of stop words lack most of them.
_CALENDAR = {
    "en": "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday",
    "de": "januar februar märz april mai juni juli august september oktober november dezember "
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
}


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its ISO 639-1 code, its stop words, and whether it capitalises every noun."""

    code: str
    stop_words: Set[str]

    @property
    def has_noun_capitals(self) -> bool:
        """Whether every noun has a capital."""
        return self.code in NOUN_CAPITALS

    def sentences(self, text: str) -> list[str]:
        """The sentences of a text in order, each on one line; none crosses a paragraph or list item.

        Markdown headings are left out: they are the titles of passages. So are the marks of quotations and notes.

        Example:
            >>> language_of("It is in the U.S. He was there.").sentences("Dr. Weiss came. He stayed.")
            ['Dr. Weiss came.', 'He stayed.']
        """
        prose = _QUOTED.sub("", _HEADING.sub("\n", text))
        paragraphs = (" ".join(paragraph.split()) for paragraph in _PARAGRAPH.split(prose))
        return [
            sentence.strip()
            for paragraph in paragraphs
            if paragraph
            for sentence in sentencex.segment(self.code, paragraph)
            if sentence.strip()
        ]


def language_of(text: str) -> Language:
    """The language with the most stop words in the text; English if none has more, or at least two.

    Example:
        >>> language_of("Der Hund ist in dem Haus, und die Katze auch.").code
        'de'
        >>> language_of("1984").code
        'en'
    """
    beginning = text[:SAMPLE].casefold()
    # Chinese and Japanese have no spaces, and many of their stop words are single characters.
    words = frozenset(beginning.split()) | frozenset(letter for letter in beginning if letter > FIRST_UNSPACED)
    counts = {code: len(words & _stop_words(code)) for code in _codes()}
    code = max(counts, key=lambda code: (counts[code], code == DEFAULT))
    return _language(code if counts[code] >= LEAST_WORDS else DEFAULT)


@cache
def _codes() -> tuple[str, ...]:
    return tuple(sorted(LANGUAGE_MAPPING))


@cache
def _stop_words(code: str) -> frozenset[str]:
    return frozenset(get_stop_words(code)) | frozenset(_CALENDAR.get(code, "").split())


@lru_cache
def _language(code: str) -> Language:
    return Language(code, _stop_words(code))
