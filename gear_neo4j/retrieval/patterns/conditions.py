"""Conditions on properties, and the words of a question that state them: comparisons, ranges, beginnings of texts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner

Comparison = Literal["=", ">", "<", ">=", "<=", "%"]
Operator = Literal["is", "other", "contains", "starts", "ends", "flag", "compare", "measure", "absent"]
Bound = tuple[Comparison, float]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a property of a label or relationship type.

    ``texts`` holds the values for ``is`` (any of them) and ``other`` (none of them), or the part for ``contains``,
    ``starts`` and ``ends``; ``bounds`` the comparisons for ``compare``, all of which must hold; ``flag`` the required
    value of a flag. ``absent`` has no property: nodes must have no relationship of the type in ``texts``. ``measure``
    marks what an aggregation measures: a property or, without one, the number of nodes or relationships; its bounds
    apply to the measure. ``prior`` is how well the nearby words name the property; equality ignores it.
    """

    owner: Owner
    property: str
    operator: Operator
    texts: tuple[str, ...] = ()
    bounds: tuple[Bound, ...] = ()
    flag: bool = True
    prior: float = field(default=0.0, compare=False)


def is_count(condition: Condition) -> bool:
    """Whether a condition is the measure of an aggregation that counts nodes or relationships."""
    return condition.operator == "measure" and not condition.property


def is_name(condition: Condition, schema: GraphSchema) -> bool:
    """Whether a condition says what nodes are called."""
    return condition.operator == "is" and schema.names_with(condition.owner, condition.property)


@dataclass(frozen=True, slots=True)
class Numbers:
    """A number or range in a question: its span, its bounds, and whether words state the comparison.

    ``nouns`` names what an adjective such as *taller* compares, in words that a schema may have.
    """

    start: int
    end: int
    bounds: tuple[Bound, ...]
    compared: bool
    nouns: tuple[str, ...] = ()


_COUNTS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBER_WORDS = {"zero": 0, "none": 0} | {word: count for count, word in enumerate(_COUNTS, start=1)}
_RANGE = re.compile(
    r"between\s+[$€£]?(\d+(?:\.\d*)?)\s*(?:and|to|-)\s*[$€£]?(\d+(?:\.\d+)?)"
    r"|\bfrom\s+[$€£]?(\d+(?:\.\d*)?)\s+(?:to|until)\s+[$€£]?(\d+(?:\.\d+)?)",
    re.IGNORECASE,
)
_DECADE = re.compile(r"\b((?:1\d|20)\d0)s\b")
_NUMBER = re.compile(
    rf"(?<![\w.])'?[$€£]?(\d+(?:[.,]\d+)?)'?(?![\w]|s\b)|\b({'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE
)
_BEFORE_WORDS: tuple[tuple[Comparison, str], ...] = (
    (
        ">=",
        r"(?:no|not) (?:less|fewer|lower|earlier) than|at least|minimum(?: of)?|since|(?:starting )?from|starting in",
    ),
    ("<=", r"(?:no|not) (?:more|greater|higher|later) than|at most|up to|until|maximum(?: of)?"),
    (">", r"(?:more|greater|higher|larger|bigger|later|newer|older) than|above|over|after|exceed(?:s|ing)?|beyond"),
    ("<", r"(?:less|fewer|lower|smaller|earlier|cheaper|younger) than|below|under|before|prior to"),
    ("%", r"divisible by|multiple of"),
)
# Adjectives and what they compare.
_ADJECTIVES: tuple[tuple[Comparison, tuple[str, ...], str], ...] = (
    (">", ("height",), "taller"),
    (">", ("weight", "mass"), "heavier"),
    ("<", ("weight", "mass"), "lighter"),
    (">", ("length", "duration", "runtime"), "longer"),
    ("<", ("length", "duration", "runtime", "height"), "shorter"),
    (">", ("speed",), "faster"),
    ("<", ("speed",), "slower"),
    (">", ("width",), "wider"),
    (">", ("depth",), "deeper"),
    (">", ("age",), "older"),
    ("<", ("age",), "younger"),
    (">", ("price", "cost"), r"more\s+expensive|dearer"),
    ("<", ("price", "cost"), r"less\s+expensive|cheaper"),
)
_COMPARATIVES = tuple(
    (comparison, nouns, re.compile(rf"\b(?:{words})\s+than\s+$")) for comparison, nouns, words in _ADJECTIVES
)
_BEFORE = tuple((comparison, re.compile(rf"\b(?:{words})\s*$")) for comparison, words in _BEFORE_WORDS)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?:1\d|20)\d\d"
_DATE_WORDS = (
    rf"{_YEAR}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?"
    rf"|{_DAY}(?:\s+of)?\s+{_MONTH},?\s+{_YEAR}|{_MONTH}\s+(?:{_DAY},?\s+)?{_YEAR}"
)
# The time of day is ignored.
_TIME = r"(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?"
_DATE = re.compile(rf"(?<![\w.])['\"]?({_DATE_WORDS}){_TIME}['\"]?(?![\w-])", re.IGNORECASE)
_JOINED = re.compile(r"\s*(?:and|to|until|-)\s*", re.IGNORECASE)
_RANGE_BEGINS = re.compile(r"\b(?:between|from)\s*$", re.IGNORECASE)
_EXACTLY = re.compile(r"\b(?:exactly|only|just)\s*$")
_AFTER: tuple[tuple[Comparison, re.Pattern[str]], ...] = (
    (">=", re.compile(r"\s*(?:\w+\s+)?(?:or (?:higher|more|greater|above|later|newer)|and (?:above|later|up))\b")),
    ("<=", re.compile(r"\s*(?:\w+\s+)?(?:or (?:lower|less|fewer|below|earlier|older)|and (?:below|earlier))\b")),
)
_COUNTING = re.compile(r"\b(?:top|first|last|name|list|the|show|which|these)\s+$")
MOST_COUNTED = 20
_PARTS: tuple[tuple[Operator, str], ...] = (
    ("starts", r"(?:that )?(?:starts?|starting|begins?|beginning) with"),
    ("ends", r"(?:ends?|ending) (?:with|in)"),
    (
        "contains",
        r"contain(?:s|ing)?|includ(?:es|ing|e)|mention(?:s|ing)?|with the words?|having the words?|the words?|like",
    ),
)
_PART_BEFORE = tuple(
    (operator, re.compile(rf"\b(?:{words})(?: the)?(?: words?)?(?: of)?\s*$", re.IGNORECASE))
    for operator, words in _PARTS
)
_NEGATION = re.compile(r"\b(?:not|never|non|no longer|without|isn't|aren't|wasn't)\b[- ]?(?:\w+ ){0,2}$", re.IGNORECASE)
_EXCEPTION = re.compile(
    r"\b(?:other than|except(?: for| from| in)?|besides|apart from|excluding|(?:but )?not (?:from|in|of|called|named))"
    r"(?: the)?\s*['\"“]?$",
    re.IGNORECASE,
)
QUOTED = re.compile(r"(?<!\w)(['\"“])(.+?)['\"”](?!\w)")


def numbers_in(question: str) -> Iterator[Numbers]:
    """The numbers, ranges and decades of a question.

    Example:
        >>> [numbers.bounds for numbers in numbers_in("films of the 1990s rated between 5 and 7")]
        [(('>=', 1990.0), ('<', 2000.0)), (('>=', 5.0), ('<=', 7.0))]
        >>> [numbers.bounds for numbers in numbers_in("more than 70 units, stock 25 or higher, price 0")]
        [(('>', 70.0),), (('>=', 25.0),), (('=', 0.0),)]
        >>> [(numbers.bounds, numbers.nouns) for numbers in numbers_in("taller than 180")]
        [((('>', 180.0),), ('height',))]
        >>> [numbers.bounds for numbers in numbers_in("version between 1.2.3 and 5")]
        [(('=', 1.2),), (('=', 5.0),)]
        >>> list(numbers_in("name 3 of the top 5"))
        []
    """
    spans: list[tuple[int, int]] = []
    for match in _DECADE.finditer(question):
        spans.append(match.span())
        year = float(match[1])
        yield Numbers(*match.span(), ((">=", year), ("<", year + 10)), compared=True)
    for match in _RANGE.finditer(question):
        spans.append(match.span())
        least, most = (float(part) for part in match.groups() if part)
        yield Numbers(*match.span(), ((">=", least), ("<=", most)), compared=True)
    for match in _NUMBER.finditer(question):
        if all(match.end() <= start or match.start() >= end for start, end in spans):
            yield from _single(question, match)


def dates_in(question: str) -> Iterator[Numbers]:
    """The dates of a question that have a month, and ranges of dates; each date becomes a number: 19970501 or 199705.

    Example:
        >>> [date.bounds for date in dates_in("orders placed after May 1, 1997 and shipped in June 1997")]
        [(('>', 19970501.0),), (('=', 199706.0),)]
        >>> [date.bounds for date in dates_in("matches between 2019-06-07 and 7 July 2019")]
        [(('>=', 20190607.0), ('<=', 20190707.0))]
        >>> [date.bounds for date in dates_in("orders of '1996-07-04 00:00:00.000'")]
        [(('=', 19960704.0),)]
        >>> list(dates_in("What happened in 1997?"))
        []
    """
    dates = list(_DATE.finditer(question))
    while dates:
        first, second = dates.pop(0), next(iter(dates), None)
        joined = second and _JOINED.fullmatch(question[first.end() : second.start()])
        if second and joined and _RANGE_BEGINS.search(question[: first.start()]):
            dates.pop(0)
            bounds: tuple[Bound, ...] = ((">=", _as_number(first[1])), ("<=", _as_number(second[1])))
            yield Numbers(first.start(), second.end(), bounds, compared=True)
        else:
            comparison = _comparison(question, first)
            yield Numbers(*first.span(), ((comparison or "=", _as_number(first[1])),), compared=comparison is not None)


def _as_number(date: str) -> float:
    """A date as a number: 19970501 for *May 1st, 1997*, 199705 for *May 1997*."""
    if date[:4].isdigit():
        return float(date.replace("-", ""))
    words = re.findall(r"[a-z]{3,}|\d+", date.casefold())
    month = next(number for number, name in enumerate(_MONTHS, start=1) if any(word.startswith(name) for word in words))
    day = [int(word) for word in words if len(word) < 3 and word.isdigit()]
    return float(f"{words[-1]}{month:02}" + "".join(f"{number:02}" for number in day))


def _comparison(question: str, match: re.Match[str]) -> Comparison | None:
    """The comparison that the words around a number express."""
    before, after = question[: match.start()].casefold(), question[match.end() :].casefold()
    return next((comparison for comparison, words in _AFTER if words.match(after)), None) or next(
        (comparison for comparison, words in _BEFORE if words.search(before)), None
    )


def _single(question: str, match: re.Match[str]) -> Iterator[Numbers]:
    value = float(match[1].replace(",", "")) if match[1] else float(NUMBER_WORDS[match[2].casefold()])
    before = question[: match.start()].casefold()
    for compares, nouns, words in _COMPARATIVES:
        if adjective := words.search(before):
            yield Numbers(adjective.start(), match.end(), ((compares, value),), compared=True, nouns=nouns)
            return
    comparison = _comparison(question, match)
    if comparison is None and not _EXACTLY.search(before):
        # "one of the films", and "the top 5" count answers.
        counts = value != 0 if match[2] else value <= MOST_COUNTED and bool(_COUNTING.search(before))
        if counts:
            return
    compared = comparison is not None or bool(_EXACTLY.search(before))
    yield Numbers(*match.span(), ((comparison or "=", value),), compared=compared)


def part_operator(before: str) -> Operator | None:
    """The operator that the words before a quotation express; None unless it is part of a longer text.

    Example:
        >>> part_operator("products with a description containing "), part_operator("supplied by ")
        ('contains', None)
    """
    return next((operator for operator, words in _PART_BEFORE if words.search(before)), None)


def is_excepted(before: str) -> bool:
    """Whether the words before a value exclude it.

    Example:
        >>> is_excepted("customers from countries other than "), is_excepted("customers from ")
        (True, False)
    """
    return bool(_EXCEPTION.search(before))


def is_negated(before: str) -> bool:
    """Whether the words before a flag negate it.

    Example:
        >>> is_negated("products that are not "), is_negated("products that are ")
        (True, False)
    """
    return bool(_NEGATION.search(before))
