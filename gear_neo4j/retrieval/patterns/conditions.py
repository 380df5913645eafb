"""How a question compares numbers, dates and times: in words and signs, as ranges and decades."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gear_neo4j.retrieval.patterns.amounts import Amount, amounts_in, value_of
from gear_neo4j.retrieval.patterns.condition import Bound, Comparison
from gear_neo4j.retrieval.patterns.dates import Moment, dates_written, times_written

_DECADE = re.compile(r"\b((?:1\d|20)\d0)s\b")
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_ORDINALS = ("1st|first", "2nd|second", "3rd|third", "4th|fourth|last")
_NUMBERED = "|".join(f"(?P<q{number}>q{number}|(?:{words}) quarter)" for number, words in enumerate(_ORDINALS, start=1))
_QUARTER = re.compile(rf"\b(?:{_NUMBERED})(?:,| of)?[ -](?P<year>{_YEAR.pattern})\b", re.IGNORECASE)
_PAIR = re.compile(r"(\d+(?:[.,]\d+)*)[-–](\d+(?:[.,]\d+)*)")
# Compared with folded text: no ß.
_BEFORE_WORDS: tuple[tuple[Comparison, str], ...] = (
    (
        ">=",
        r"\b(?:(?:no|not) (?:less|fewer|lower|earlier) than|(?:greater|more|larger|higher|later) than or equal to"
        r"|equal (?:to )?or (?:greater|more|larger|higher|later) than|(?:greater|more|larger|higher) or equal(?: to)?"
        r"|at (?:the very )?least|at or (?:above|over|after)|(?:a )?minimum(?: of)?|a minimum \w+ of|min\b\.?"
        r"|since|(?:starting )?from|starting in|on or after|upwards? of"
        r"|mindestens|ab|au moins|al menos|como mínimo)|至少|不少于|不低于|>=|=>|≥",
    ),
    (
        "<=",
        r"\b(?:(?:no|not) (?:more|greater|higher|later|larger) than"
        r"|(?:less|fewer|lower|smaller|earlier) than or equal to"
        r"|equal (?:to )?or (?:less|fewer|lower|smaller|earlier) than|(?:less|fewer|lower|smaller) or equal(?: to)?"
        r"|at or (?:below|under|before)|a maximum \w+ of|max\b\.?|not exceeding|at (?:the very )?most"
        r"|up to|until|(?:a )?maximum(?: of)?|on or before|höchstens|bis zu|au plus|como máximo)"
        r"|最多|至多|不超过|<=|=<|≤",
    ),
    (
        ">",
        r"\b(?:(?:more|greater|higher|larger|bigger|later|newer|older) than|above|over|after|exceed(?:s|ed|ing)?|beyond"
        r"|in excess of|mehr als|grösser als|höher als|über|nach|plus (?:de|que)|plus grand que"
        r"|más de|mayor (?:que|de))|超过|大于|多于|高于|晚于"
        r"|(?<![=<-])>",
    ),
    (
        "<",
        r"\b(?:(?:less|fewer|lower|smaller|earlier|cheaper|younger) than|below|under|before|prior to|weniger als"
        r"|kleiner als|niedriger als|unter|vor|moins (?:de|que)|menos de|menor (?:que|de))"
        r"|少于|小于|低于|不到|早于|<(?![=>-])",
    ),
    ("<>", r"\b(?:(?:not|un)\s?equal to|(?:is|are|was|were) not|other than|different from|ungleich)|!=|<>|≠"),
    ("%", r"\b(?:divisible by|(?:a )?multiple of)"),
    ("=", r"\b(?:equal to|exactly|only|just|genau|exactement)|(?<![<>=!])="),
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
_BEFORE = tuple((comparison, re.compile(rf"(?:{words})\s*$")) for comparison, words in _BEFORE_WORDS)
_JOINED = re.compile(r"\s*(?:and|&|to|until|till|through|und|bis|et|y|à|a|-|–)\s*", re.IGNORECASE)
_TO = re.compile(r"\s+(?:to|bis|à)\s+", re.IGNORECASE)
_CHANGES = re.compile(r"\b(?:won|lost|beat|by|odds|ratio|score|scale|of)\s*$", re.IGNORECASE)
_ANDED = re.compile(r",?\s+(?:and|but|&|und|aber|et|mais|y|pero)\s+", re.IGNORECASE)
_LOWER: tuple[Comparison, ...] = (">", ">=")
_UPPER: tuple[Comparison, ...] = ("<", "<=")
_RANGE_BEGINS = re.compile(
    r"\b(?:between(?: the)?(?: ages| years| values)?(?: of)?|from|ranging from|range of|aged"
    r"|zwischen|von|entre|de|desde)\s*$",
    re.IGNORECASE,
)
_EXCLUDED = re.compile(r"\bnot between\s*$", re.IGNORECASE)
# Not above 5 and below 10.
_ALONE = r"(?! (?:than )?[-−]?\d)"
# What is counted may stand before it: 300人以上.
_COUNTED = r"\s*[^\W\d]{0,3}?"
_AFTER: tuple[tuple[Comparison, re.Pattern[str]], ...] = (
    (">=", re.compile(rf"{_COUNTED}以上")),
    ("<=", re.compile(rf"{_COUNTED}(?:以下|以内)|\s*max(?:imum)?\b")),
    (">", re.compile(rf"{_COUNTED}(?:を超え|超|より(?:多|大き|高|長))")),
    ("<", re.compile(rf"{_COUNTED}(?:未満|未满|より(?:少な|小さ|低|短))")),
    (
        ">=",
        re.compile(
            r"\s*(?:\w+\s+)?(?:or (?:higher|more|greater|above|later|newer|after|over)|and (?:above|later|up|over))\b"
            rf"{_ALONE}|\+(?!\w)"
        ),
    ),
    (
        "<=",
        re.compile(
            r"\s*(?:\w+\s+)?(?:or (?:lower|less|fewer|below|earlier|older|before|under)|and (?:below|earlier|under))\b"
            rf"{_ALONE}"
        ),
    ),
)
_FROM = re.compile(r"(?<!starting )\bfrom\s*$", re.IGNORECASE)
_ONWARDS = re.compile(r"\s*(?:on\b|onwards?\b|to\b|until\b|till\b|through\b|and (?:later|after)\b)", re.IGNORECASE)
# What units measure, in words that a schema may have.
_UNITS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rf"[\s-]?(?:{units})\b", re.IGNORECASE), nouns)
    for units, nouns in (
        (r"seconds?|secs?|s|minutes?|mins?|min|hours?|h", ("duration", "runtime", "length", "time")),
        (r"days?|weeks?|months?", ("duration", "age", "time")),
        (r"years? old", ("age",)),
        (r"km|kilomet(?:er|re)s?|miles?", ("distance", "length", "range")),
        (r"cm|m|met(?:er|re)s?|feet|foot|ft|inch(?:es)?", ("height", "length", "elevation", "depth", "width")),
        (r"kg|kilos?|kilograms?|grams?|g|pounds?|lbs?|tons?|tonnes?", ("weight", "mass")),
        (r"dollars?|euros?|pounds?|usd|eur", ("price", "cost", "amount", "revenue", "budget", "salary")),
        (r"%|percent|per cent", ("percentage", "percent", "rate", "share")),
        (r"square (?:miles?|kilomet(?:er|re)s?|met(?:er|re)s?|feet)|acres?|hectares?", ("area", "size")),
        (r"people|inhabitants|residents", ("population",)),
    )
)
_COUNTING = re.compile(r"\b(?:top|first|last|name|list|the|show|which|these)\s+$")
MOST_COUNTED = 20
# Characters around a number in which words may compare it.
NEAR = 60


@dataclass(frozen=True, slots=True)
class Numbers:
    """A number or range in a question: its span, its bounds, and whether words state the comparison.

    ``nouns`` names what an adjective such as *taller* compares, in words that a schema may have; ``others`` are the
    bounds if the month of a date stands before its day.
    """

    start: int
    end: int
    bounds: tuple[Bound, ...]
    compared: bool
    nouns: tuple[str, ...] = ()
    others: tuple[Bound, ...] = ()


def numbers_in(question: str) -> Iterator[Numbers]:
    """The numbers, ranges and decades of a question.

    Example:
        >>> [numbers.bounds for numbers in numbers_in("films of the 1990s rated between 5 and 7")]
        [(('>=', 1990.0), ('<', 2000.0)), (('>=', 5.0), ('<=', 7.0))]
        >>> [numbers.bounds for numbers in numbers_in("more than 70 units, stock 25 or higher, price 0")]
        [(('>', 70.0),), (('>=', 25.0),), (('=', 0.0),)]
        >>> [numbers.bounds for numbers in numbers_in("above 5 and below 10, 300人以上")]
        [(('>', 5.0), ('<', 10.0)), (('>=', 300.0),)]
        >>> [numbers.bounds for numbers in numbers_in("over 1.5 million, below -5, >= 1,000")]
        [(('>', 1500000.0),), (('<', -5.0),), (('>=', 1000.0),)]
        >>> [numbers.bounds for numbers in numbers_in("1,000-2,000 employees, 5 to 10 members, level != 3")]
        [(('>=', 1000.0), ('<=', 2000.0)), (('>=', 5.0), ('<=', 10.0)), (('<>', 3.0),)]
        >>> [(numbers.bounds, numbers.nouns) for numbers in numbers_in("taller than 180")]
        [((('>', 180.0),), ('height',))]
        >>> list(numbers_in("version between 1.2.3 and 5"))
        []
        >>> list(numbers_in("name 3 of the top 5"))
        []
    """
    yield from _decades(question)
    amounts = amounts_in(question)
    while amounts:
        first, second = amounts.pop(0), next(iter(amounts), None)
        if second and _are_range(question, first, second):
            amounts.pop(0)
            yield from _range(question, first, second)
        elif second and (bounds := _two_bounds(question, first, second)):
            amounts.pop(0)
            yield Numbers(first.start, second.end, bounds, compared=True, nouns=_measured(question, second))
        elif first.value is None:
            yield from _pair(question, first)
        else:
            yield from _single(question, first, first.value)


def dates_in(question: str) -> Iterator[Numbers]:
    """The dates of a question that have a month, and ranges of dates; each date becomes a number: 19970501 or 199705.

    Example:
        >>> [date.bounds for date in dates_in("orders placed after May 1, 1997 and shipped in June 1997")]
        [(('>', 19970501.0),), (('=', 199706.0),)]
        >>> [date.bounds for date in dates_in("between 31.12.2019 and 7 July 2020")]
        [(('>=', 20191231.0), ('<=', 20200707.0))]
        >>> [(date.bounds, date.others) for date in dates_in("on 1/8/2017")]
        [((('=', 20170801.0),), (('=', 20170108.0),))]
        >>> [date.bounds for date in dates_in("sales of Q3 2019")]
        [(('>=', 201907.0), ('<=', 201909.0))]
        >>> list(dates_in("What happened in 1997?"))
        []
    """
    yield from _quarters(question)
    yield from _moments(question, list(dates_written(question)))


def times_in(question: str) -> Iterator[Numbers]:
    """The times of day of a question, and ranges of them, as numbers: 2226 for 10:26 PM.

    Example:
        >>> [time.bounds for time in times_in("calls after 10:26 PM or between 9:00 and 17:30")]
        [(('>', 2226.0),), (('>=', 900.0), ('<=', 1730.0))]
    """
    return _moments(question, list(times_written(question)))


def _moments(question: str, moments: list[Moment]) -> Iterator[Numbers]:
    while moments:
        first, second = moments.pop(0), next(iter(moments), None)
        if second and _are_range(question, first, second):
            moments.pop(0)
            end = second.end
            held: list[tuple[Comparison, Moment]] = [(">=", first), ("<=", second)]
        else:
            end, held = first.end, [(_moment_comparison(question, first) or "=", first)]
        bounds: tuple[Bound, ...] = tuple((comparison, moment.number) for comparison, moment in held)
        others: tuple[Bound, ...] = tuple((comparison, moment.other or moment.number) for comparison, moment in held)
        compared = len(held) > 1 or _moment_comparison(question, first) is not None
        yield Numbers(first.start, end, bounds, compared=compared, others=() if others == bounds else others)


def _are_range(question: str, first: Amount | Moment, second: Amount | Moment) -> bool:
    between = question[first.end : second.start]
    if _JOINED.fullmatch(between) and _RANGE_BEGINS.search(_before(question, first)):
        return True
    # 5 to 10 members, but not a score of 3 to 5, nor a price raised by 3 to 5.
    ends = [one.value for one in (first, second) if isinstance(one, Amount) and one.value is not None]
    is_plain = len(ends) == 2 and ends[0] < ends[1] and _comparison(question, first) is None
    return is_plain and _TO.fullmatch(between) is not None and not _CHANGES.search(_before(question, first))


def _two_bounds(question: str, first: Amount, second: Amount) -> tuple[Bound, ...]:
    """The bounds of *above 5 and below 10*, which are of one property; none for other numbers."""
    if first.value is None or second.value is None:
        return ()
    joined = _ANDED.match(question, first.end, second.start)
    words = question[joined.end() : second.start].casefold() if joined else ""
    later = next((comparison for comparison, before in _BEFORE if words and before.fullmatch(words)), None)
    earlier = _comparison(question, first)
    if earlier in _LOWER and later in _UPPER and first.value < second.value:
        return (earlier, first.value), (later, second.value)
    if earlier in _UPPER and later in _LOWER and second.value < first.value:
        return (later, second.value), (earlier, first.value)
    return ()


def _quarters(question: str) -> Iterator[Numbers]:
    """Quarters of a year, as ranges of months."""
    for match in _QUARTER.finditer(question):
        number = next(number for number in range(1, 5) if match[f"q{number}"] is not None)
        first = 100.0 * int(match["year"]) + 3 * number - 2
        yield Numbers(*match.span(), ((">=", first), ("<=", first + 2)), compared=True)


def _decades(question: str) -> Iterator[Numbers]:
    for match in _DECADE.finditer(question):
        year = float(match[1])
        yield Numbers(*match.span(), ((">=", year), ("<", year + 10)), compared=True)


def _range(question: str, first: Amount, second: Amount) -> Iterator[Numbers]:
    """A range of two numbers, unless it is excluded; a version or address at one end says nothing about numbers."""
    if first.value is None or second.value is None or _EXCLUDED.search(_before(question, first)):
        return
    least = first.value
    if first.scale == 1 and second.scale > 1 and abs(least) < second.scale:
        # Between 5 and 10 million.
        least *= second.scale
    begins = _RANGE_BEGINS.search(_before(question, first))
    start = first.start - len(begins[0]) if begins else first.start
    yield Numbers(start, second.end, ((">=", least), ("<=", second.value)), compared=True)


def _pair(question: str, code: Amount) -> Iterator[Numbers]:
    """A range that a hyphen joins: of years, of thousands with commas, or of any numbers after *between*."""
    pair = _PAIR.fullmatch(question, code.start, code.end)
    is_range = pair and (
        all(map(_YEAR.fullmatch, pair.groups())) or "," in pair[1] or _RANGE_BEGINS.search(_before(question, code))
    )
    if pair and is_range:
        least, most = map(value_of, pair.groups())
        if least is not None and most is not None and least <= most:
            yield Numbers(code.start, code.end, ((">=", least), ("<=", most)), compared=True)


def _before(question: str, found: Amount | Moment) -> str:
    """The words before a number that may say what it is compared with: a long question is not read for each."""
    return question[max(0, found.start - NEAR) : found.start]


def _comparison(question: str, amount: Amount | Moment) -> Comparison | None:
    """The comparison that the words around a number express."""
    before = _before(question, amount).casefold()
    after = question[amount.end : amount.end + NEAR].casefold()
    return next((comparison for comparison, words in _AFTER if words.match(after)), None) or next(
        (comparison for comparison, words in _BEFORE if words.search(before)), None
    )


def _moment_comparison(question: str, moment: Moment) -> Comparison | None:
    """The comparison for a date or time; calls from Monday are those of that day, unless they are from Monday on."""
    if _FROM.search(_before(question, moment)) and not _ONWARDS.match(question[moment.end : moment.end + NEAR]):
        return None
    return _comparison(question, moment)


def _single(question: str, amount: Amount, value: float) -> Iterator[Numbers]:
    before = _before(question, amount).casefold()
    for compares, nouns, words in _COMPARATIVES:
        if adjective := words.search(before):
            start = amount.start - len(adjective[0])
            yield Numbers(start, amount.end, ((compares, value),), compared=True, nouns=nouns)
            return
    comparison = _comparison(question, amount)
    if comparison is None:
        # "one of the films", and "the top 5" count answers.
        few = value <= MOST_COUNTED and value.is_integer()
        counts = few and (value != 0 if amount.spelled else bool(_COUNTING.search(before)))
        if counts:
            return
    nouns = _measured(question, amount)
    yield Numbers(amount.start, amount.end, ((comparison or "=", value),), compared=comparison is not None, nouns=nouns)


def _measured(question: str, amount: Amount) -> tuple[str, ...]:
    """What the unit after a number, or within it, measures: duration for *82 seconds*."""
    after = question[amount.end : amount.end + NEAR]
    within = re.sub(r"^[\W\d]+", "", question[amount.start : amount.end])
    for unit, nouns in _UNITS:
        if unit.match(after) or (within and unit.fullmatch(within)):
            return nouns
    return ()
