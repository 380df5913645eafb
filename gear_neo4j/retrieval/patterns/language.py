"""The words of questions and names: stems, stop words, and the meaning of question words. English only."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache

import snowballstemmer
from stop_words import get_stop_words

from gear_neo4j.graph.read.typegraph import words

_STEMMER = snowballstemmer.stemmer("english")
# Endings with two spellings: organisation, colour, theatre.
_SPELLINGS = (
    (re.compile(r"(?<=\w{3})is(ations?|e[ds]?|ing)$"), r"iz\1"),
    (re.compile(r"(?<=\w{3})our(s|ed|ing|hoods?)?$"), r"or\1"),
    (re.compile(r"(?<=\w{3})tre(s?)$"), r"ter\1"),
)
# Irregular verbs and plurals that are common in graphs.
_IRREGULAR = {
    "wrote": "write",
    "written": "write",
    "people": "person",
    "persons": "person",
    "acted": "act",
    "acting": "act",
    "bought": "buy",
    "sold": "sell",
    "made": "make",
    "led": "lead",
    "taught": "teach",
    "children": "child",
}
# Words that ask or join, in addition to the usual stop words.
_ASKING = frozenset(
    """
    list find show identify name give provide many all any both please tell retrieve get display every each different
    same distinct various one also there involved associated related placed existing based located titled called named
    number value values containing including includes contain contains starting begin exactly whose whom within across
    per via that this times database graph dataset data respective respectively attached belong belonging belongs
    categorised categorized classed classified committed conducted connected feature features flagged handled happened
    labeled labelled linked listed made marked occurred performed received recorded registered reported tagged tied
    """.split()  # noqa: SIM905
)
# The list of stop words has these, but before a noun they limit it: *big cities* are not all cities.
QUALIFIERS = frozenset("big early good great high important large long low new old small young".split())  # noqa: SIM905
# Verbs with many meanings, some of them in the list: a river that *runs through* a state is a sign of a relationship,
# but nothing is missing if no relationship resembles it.
VAGUE = frozenset("flow flows flowing pass passes passing ran run running runs".split())  # noqa: SIM905
# The list of stop words has these, but a question may ask for them.
_NOUNS = frozenset(
    """
    area areas bill bills case cases file files group groups home member members novel novels page pages place places
    room rooms test tests
    """.split()  # noqa: SIM905
)
# What each question word asks for, in words that a schema may have.
STANDS_FOR = {
    "who": ("person",),
    "whom": ("person",),
    "whose": ("person",),
    **dict.fromkeys(("someone", "somebody", "anyone", "anybody"), ("person",)),
    "when": ("year",),
    "where": ("place",),
    **dict.fromkeys(("kind", "kinds", "type", "types", "sort", "sorts"), ("category", "genre")),
}
# Broader words, where a schema does not have the word itself.
BROADER = {
    **dict.fromkeys(("mother", "father", "mom", "mum", "dad"), ("parent",)),
    **dict.fromkeys(("son", "daughter", "heir", "offspring"), ("child",)),
    **dict.fromkeys(("husband", "wife", "other half", "better half"), ("spouse",)),
    **dict.fromkeys(("brother", "sister"), ("sibling",)),
    **dict.fromkeys(("friend", "friends", "acquaintance", "acquaintances", "acquainted"), ("know",)),
    **dict.fromkeys(("home", "homes", "house", "houses", "residence", "residences"), ("address",)),
}
# Countries with several common names.
COUNTRIES = (
    ("United States", "United States of America", "USA", "U.S.A.", "US", "U.S.", "America"),
    ("United Kingdom", "UK", "U.K.", "Great Britain", "Britain"),
    ("United Arab Emirates", "UAE", "U.A.E."),
    ("Soviet Union", "USSR", "U.S.S.R."),
    ("South Korea", "Republic of Korea"),
    ("Russia", "Russian Federation"),
    ("Netherlands", "The Netherlands", "Holland"),
    ("Czech Republic", "Czechia"),
)
# What names of two words stand for.
NAMES_OF_TWO_WORDS = {("last", "name"): "surname", ("family", "name"): "surname", ("given", "name"): "first name"}
# Words after a verb that make it another one: to run, to run through.
PARTICLES = frozenset(
    "across after against around at by down from in into of off on onto out over past through to under up with".split()  # noqa: SIM905
)
# Endings that derive a noun or a form from a verb: direct, director, direction.
_ENDINGS = frozenset({"or", "er", "r", "rs", "ing", "ion", "e", "ress"})
_DOERS = ("or", "ors", "er", "ers", "ist", "ists")
# Words without meaning of their own in a longer name: WRITTEN_BY, HAS_GENRE.
_JOINING = frozenset(["a", "an", "by", "for", "from", "has", "have", "in", "is", "of", "the", "to"])
SHORTEST_PART = 4
MOST_STEMS = 10_000
_IDENTIFIER = re.compile(r"(?:^|_)(?:ids?|ID)$|(?<=[a-z])I[dD]s?$")


# Words of questions are among them: of these there is no end.
@lru_cache(MOST_STEMS)
def stem(word: str) -> str:
    """The stem of a word.

    Example:
        >>> stem("Directed"), stem("directing"), stem("written")
        ('direct', 'direct', 'write')
        >>> stem("organisations") == stem("organization"), stem("colour") == stem("color")
        (True, True)
    """
    folded = word.casefold()
    for ending, other in _SPELLINGS:
        folded = ending.sub(other, folded)
    return str(_STEMMER.stemWord(_IRREGULAR.get(folded, folded)))


@cache
def stop_words() -> frozenset[str]:
    """Words that carry no meaning for a graph."""
    return (frozenset(get_stop_words("en")) | _ASKING) - _NOUNS - VAGUE


def telling_words(name: str) -> tuple[str, ...]:
    """The words of a label, type or property, without those that only join.

    Example:
        >>> telling_words("WRITTEN_BY"), telling_words("unitsInStock")
        (('written',), ('units', 'stock'))
    """
    parts = words(name).split()
    return tuple(part for part in parts if part not in _JOINING) or tuple(parts)


def is_identifier(name: str) -> bool:
    """Whether the name of a property suggests an identifier.

    Example:
        >>> [name for name in ("id", "productID", "order_id", "userId", "paid") if is_identifier(name)]
        ['id', 'productID', 'order_id', 'userId']
    """
    return bool(_IDENTIFIER.search(name))


def without_possessive(text: str) -> str:
    """A text without an *'s* at its end.

    Example:
        >>> without_possessive("mother's"), without_possessive("class")
        ('mother', 'class')
    """
    return text.removesuffix("'s").removesuffix("’s")


def names_a_doer(word: str) -> bool:
    """Whether a word may name someone by what they do: an actor, a director, a pianist."""
    return word.casefold().endswith(_DOERS)


def alike(word: str, other: str) -> float:
    """How likely two stems are forms of one word, 0 to 1.

    Example:
        >>> alike(stem("reviews"), stem("reviewed")), alike(stem("directed"), stem("director"))
        (1.0, 0.9)
        >>> alike(stem("screenwriter"), stem("wrote")), alike(stem("film"), stem("person"))
        (0.8, 0.0)
    """
    if word == other:
        return 1.0
    for longer, shorter in ((word, other), (other, word)):
        if len(shorter) >= 3 and longer.startswith(shorter) and longer[len(shorter) :] in _ENDINGS:
            return 0.9
    part = _part(other)
    return 0.8 if len(part) >= SHORTEST_PART and part in word else 0.0


def _part(stem: str) -> str:
    """The part of a stem that longer words keep."""
    return stem.removesuffix("e")


class Stems:
    """An index of stems, to look up those that are :func:`alike` to a word: a schema can have thousands."""

    def __init__(self, stems: Sequence[str]) -> None:
        self._stems = stems
        self._indexes: dict[str, list[int]] = defaultdict(list)
        self._parts: dict[str, list[int]] = defaultdict(list)
        for index, stem in enumerate(stems):
            self._indexes[stem].append(index)
            self._parts[_part(stem)].append(index)

    def alike(self, word: str) -> dict[int, float]:
        """How likely each stem is a form of the same word as ``word``; the others are left out.

        Example:
            >>> Stems(["film", "direct", "write"]).alike(stem("director"))
            {1: 0.9}
        """
        forms = {word, *(word + ending for ending in _ENDINGS)}
        forms |= {word.removesuffix(ending) for ending in _ENDINGS}
        parts = {word[start:end] for start in range(len(word)) for end in range(start + SHORTEST_PART, len(word) + 1)}
        indexes = {index for form in forms for index in self._indexes.get(form, ())}
        indexes |= {index for part in parts for index in self._parts.get(part, ())}
        likeness = {index: alike(word, self._stems[index]) for index in sorted(indexes)}
        return {index: value for index, value in likeness.items() if value}


WORD = re.compile(r"[^\W\d_]+(?:['’](?:s|t)\b)?|\d+(?:[.,]\d+)*s?|\S")
CAMEL = re.compile(r"[A-Z]?[a-zà-ÿ]+|[A-Z]+(?![a-z])")
