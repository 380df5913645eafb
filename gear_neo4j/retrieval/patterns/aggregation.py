"""How a question aggregates its answer: counts, sums, averages, orders or limits it. English only."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from gear_neo4j.retrieval.patterns.amounts import NUMBER_WORDS

# ``extreme`` is the greatest value where the order is descending, else the least; ``value`` the value of a single node.
Function = Literal["count", "sum", "average", "extreme", "value"]
Order = Literal["ascending", "descending"]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Aggregation:
    """How the nodes of an answer are aggregated.

    Attributes:
        function: combines the values of one node into its measure; None lets the measured property decide.
        order: the order of the nodes by their measure; None if the question does not order them.
        limit: the number of nodes that the question states; None for the first one and those equal to it.
        figure: whether the question asks for one number over all nodes, such as how many there are.
        phrase: the offset of the words that name the measure; None if nothing is measured.
        nouns: what an adjective such as *expensive* measures, in words that a schema may have, most likely first.
        sized: whether a size is meant if no property is named: *the largest city*.
        countable: whether nodes or relationships may be counted, as in *the most films*.
        loose: whether the order may be unintended: *the first three*, *the last call*, or part of a name, *the highest
            point*. Without a certain measure, the nodes are then listed.
        type: the relationship type whose name contains the superlative: HIGHEST_POINT.
        cues: the spans of the words that express the aggregation; they name nothing in the graph.
        picks: the label of the node that the order picks, if it is not the answer: *the states that the longest river
            runs through*.
        shows: the property that is asked of an ordered node, by label: *the population of the largest state*.
        supported: False for questions beyond patterns, such as differences and shares.
    """

    function: Function | None = None
    order: Order | None = None
    limit: int | None = None
    figure: bool = False
    phrase: int | None = None
    nouns: tuple[str, ...] = ()
    sized: bool = False
    countable: bool = True
    loose: bool = False
    type: str = ""
    cues: tuple[Span, ...] = ()
    picks: str = ""
    shows: Mapping[str, str] = field(default_factory=dict)
    supported: bool = True


LISTED = Aggregation()
_COUNTS = "|".join(word for word, number in NUMBER_WORDS.items() if number)
_COUNT = rf"(?P<count>\d{{1,3}}|{_COUNTS})"
_LIMITS = (
    re.compile(rf"\b(?P<end>top|best|bottom|first|last|earliest|latest)\s+{_COUNT}\b", re.IGNORECASE),
    re.compile(
        r"^(?:(?:which|what|who)(?:\s+are)?|list|name|show(?:\s+me)?|find|identify|give(?:\s+me)?|return|get)"
        rf"\s+(?:the\s+|any\s+)?{_COUNT}\s",
        re.IGNORECASE,
    ),
    re.compile(rf"\bthe\s+{_COUNT}\s+(?=most\b|least\b|\w+est\b)", re.IGNORECASE),
)
_COUNTED = re.compile(r"(?<!at )\b(?:(?P<descending>most)|(?P<ascending>least|fewest))\b", re.IGNORECASE)
_SUPERLATIVE = re.compile(
    r"\b(?:(?P<descending>highest|largest|greatest|biggest|maximum|max)|(?P<ascending>lowest|smallest|minimum|min))\b",
    re.IGNORECASE,
)
_ENDS: dict[str, Order] = {"top": "descending", "best": "descending", "bottom": "ascending"}
TIMES = ("date", "year", "time", "released", "created")
POPULATION = ("population",)
INHABITANTS = frozenset({"people", "inhabitants", "residents", "citizens"})
_AGES = ("born", "birth", "birthday")
# Adjectives: the order of their superlative, and what they measure.
_ADJECTIVE_WORDS: tuple[tuple[Order, tuple[str, ...], str], ...] = (
    ("descending", ("price", "cost"), r"most\s+expensive|costliest|priciest"),
    ("ascending", ("price", "cost"), r"least\s+expensive|cheapest"),
    ("descending", _AGES, r"youngest"),
    ("ascending", (*_AGES, *TIMES), r"oldest"),
    ("descending", TIMES, r"most\s+recent(?:ly)?|newest|latest"),
    ("ascending", TIMES, r"least\s+recent(?:ly)?|earliest"),
    ("descending", ("length", "duration", "runtime"), r"longest"),
    ("ascending", ("length", "duration", "runtime"), r"shortest"),
    ("descending", ("weight",), r"heaviest"),
    ("ascending", ("weight",), r"lightest"),
    ("descending", ("height",), r"tallest"),
    ("descending", POPULATION, r"most\s+populous|most\s+populated"),
    ("ascending", POPULATION, r"least\s+populous|least\s+populated"),
)
_ADJECTIVES = tuple(
    (order, nouns, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for order, nouns, words in _ADJECTIVE_WORDS
)
_NO_ORDINAL = r"(?!(?:days?|minutes?|months?|names?|nights?|place|times?|weeks?|years?)\b)"
# Ordinals that order by time, unless they are part of a name: *the last call*, but *the last name*.
_ORDINALS: tuple[tuple[Order, re.Pattern[str]], ...] = (
    ("ascending", re.compile(rf"\bthe\s+(?P<cue>first|initial)\s+{_NO_ORDINAL}(?=[a-z])")),
    ("descending", re.compile(rf"\bthe\s+(?P<cue>last|final)\s+{_NO_ORDINAL}(?=[a-z])")),
)
# What a size is, of whatever has one; an area comes first.
SIZES = ("area", "size", "population", "length")
_SIZE = re.compile(r"\b(?:largest|biggest|greatest|smallest)\b", re.IGNORECASE)
# What the numbers of one dimension are called.
_DIMENSIONS = (("height", "elevation", "altitude"), ("length", "duration", "runtime"), ("weight", "mass"))
# What a superlative without a noun of its own measures.
_MEASURES = {
    **dict.fromkeys(("highest", "lowest"), _DIMENSIONS[0]),
    **dict.fromkeys(("largest", "biggest", "greatest", "smallest"), SIZES),
}
# Questions for a value by an adjective or a verb, and what it measures.
_VALUES = tuple(
    (re.compile(rf"^\s*{words}", re.IGNORECASE), nouns)
    for words, nouns in (
        (r"how (?:high|tall)\b", _DIMENSIONS[0]),
        (r"how long\b", _DIMENSIONS[1]),
        (r"how (?:big|large)\b|what(?: is| was|['’]s) the size\b", SIZES),
        (r"how old\b", ("age",)),
        (r"how heavy\b|how much \w+ .{0,80}\bweigh\b", _DIMENSIONS[2]),
        (r"how deep\b", ("depth",)),
        (r"how wide\b", ("width",)),
        (r"how fast\b", ("speed",)),
        (r"how (?:expensive|costly)\b|how much \w+ .{0,80}\bcosts?\b", ("price", "cost")),
        (
            rf"how populous\b|(?:how many|number of) (?:{'|'.join(sorted(INHABITANTS))})\b"
            r"(?:\s+(?:are|there|live[sd]?|living|resid(?:e[sd]?|ing)))*",
            POPULATION,
        ),
        *(
            (rf"(?:what(?: is| was|['’]s) )?the {noun}\b", (noun, *(other for other in dimension if other != noun)))
            for dimension in _DIMENSIONS
            for noun in dimension
        ),
    )
)
_LOOSE: dict[str, Order] = {"first": "ascending", "last": "descending"}
_OFTEN = re.compile(r"\s+(?:frequent(?:ly)?|often|common(?:ly)?|popular|active|prolific)\b", re.IGNORECASE)
_FUNCTIONS: tuple[tuple[Function, re.Pattern[str]], ...] = (
    ("count", re.compile(r"\bhow many\b|\b(?:total\s+)?(?:number|count)\s+of(?:\s+distinct)?\b", re.IGNORECASE)),
    ("average", re.compile(r"\b(?:average|mean|avg)\b", re.IGNORECASE)),
    ("sum", re.compile(r"\b(?:total|sum(?:\s+of)?|combined)\b", re.IGNORECASE)),
)
_GROUPED = re.compile(r"\b(?:per|each|every)\b", re.IGNORECASE)
_EACH = re.compile(r"\b(?:each|every)\b", re.IGNORECASE)
_AND_ITS = re.compile(r"\b(?:and|with|together with|along with|show|including)\s+(?:the|their|its)?\s*$", re.IGNORECASE)
_FIGURE = re.compile(
    r"^(?:what(?:\s+(?:is|are|was|were)|['’]s)|find|calculate|compute|show(?:\s+me)?|give(?:\s+me)?|tell\s+me)"
    r"\s+(?:the\s+)?$",
    re.IGNORECASE,
)
# Functions that no pattern computes, and phrases that no pattern combines with an order or a count.
_SHARES = re.compile(
    r"\b(?:ratio|percent(?:age)?|proportion|share of|distribution|median|variance|correlation)\b", re.IGNORECASE
)
_UNSUPPORTED = re.compile(
    r"\b(?:together|differ(?:s|ence)?|co-\w+|and (?:what|which|who|how)|(?:than|above|below) (?:the )?average)\b",
    re.IGNORECASE,
)
_BASED_ON = re.compile(r"\b(?:based on|in terms of|according to|(?:ranked|sorted) by)\s", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow many\b", re.IGNORECASE)
_NUMBER_OF = re.compile(r"\bnumber of\b", re.IGNORECASE)


def value_in(question: str) -> Aggregation | None:
    """The value that a question asks for by an adjective or a verb: *how high is*, *how many people live in*.

    Example:
        >>> value_in("How high is Guadalupe Peak?").nouns
        ('height', 'elevation', 'altitude')
        >>> value_in("How many films are there?")
    """
    for words, nouns in _VALUES:
        if match := words.match(question):
            return Aggregation("value", figure=True, nouns=nouns, phrase=match.end(), cues=(match.span(),))
    return None


def aggregation_of(type: str, words: Sequence[str]) -> Aggregation | None:
    """The order that the name of a relationship type implies; None if nothing says what its superlative measures.

    Example:
        >>> aggregation_of("HIGHEST_POINT", ("highest", "point")).nouns
        ('height', 'elevation', 'altitude')
        >>> aggregation_of("BEST_FRIEND", ("best", "friend"))
    """
    ranking = _ranking(" ".join(words))
    nouns = ranking and (ranking.nouns or next((_MEASURES[word] for word in words if word in _MEASURES), ()))
    return Aggregation(order=ranking.order, nouns=nouns, loose=True, type=type) if ranking and nouns else None


def _superlatives_in(question: str) -> int:
    """How many superlatives a question has; patterns compute one."""
    patterns = (*(words for _, _, words in _ADJECTIVES), _COUNTED, _SUPERLATIVE)
    spans = sorted({match.span() for words in patterns for match in words.finditer(question)})
    return sum(1 for index, span in enumerate(spans) if not index or span[0] >= spans[index - 1][1])


def aggregation_in(question: str) -> Aggregation | None:
    """The aggregation in a question; None if it only asks for nodes.

    Example:
        >>> aggregation_in("Who directed Heat?")
        >>> wanted = aggregation_in("Which 3 suppliers have the highest average units in stock?")
        >>> wanted.function, wanted.order, wanted.limit, wanted.figure
        ('average', 'descending', 3, False)
        >>> aggregation_in("How many films has she directed?").figure
        True
        >>> aggregation_in("Which is the cheapest product?").nouns
        ('price', 'cost')
    """
    function = _function(question)
    ranking = _ranking(question)
    limit = _limit(question)
    if _SHARES.search(question):
        return Aggregation(supported=False)
    if ranking and ranking.loose and (function or limit):
        # The number of the last call, the first three.
        ranking = None
    if not (function or ranking or limit):
        return None
    if limit and limit.loose and (function or ranking):
        limit = replace(limit, order=None, nouns=(), loose=False)
    parts = [part for part in (function, ranking, limit) if part]
    merged = Aggregation(
        function=next((part.function for part in parts if part.function), None),
        order=next((part.order for part in parts if part.order), None),
        limit=limit.limit if limit else None,
        phrase=next((part.phrase for part in parts if part.phrase is not None), None),
        nouns=next((part.nouns for part in parts if part.nouns), ()),
        sized=bool(ranking and ranking.sized),
        countable=(function or ranking or LISTED).countable,
        loose=bool((limit and limit.loose) or (ranking and ranking.loose)),
        cues=tuple(span for part in parts for span in part.cues),
    )
    return _framed(question, merged)


def _framed(question: str, wanted: Aggregation) -> Aggregation | None:
    """The aggregation adjusted to the whole question: a figure, one node, or a measure for each node."""
    nested = wanted.function == "average" and _NUMBER_OF.search(question)
    few_of_each = wanted.limit is not None and _EACH.search(question)
    several = _superlatives_in(question) > 1
    # How many films has the director with the most films.
    of_most = wanted.order and wanted.countable and not wanted.nouns and _HOW_MANY.search(question)
    supported = not (nested or few_of_each or several or of_most or _UNSUPPORTED.search(question))
    wanted = replace(wanted, supported=supported)
    grouped = bool(_GROUPED.search(question))
    if wanted.limit is None and not grouped and _is_figure(question, wanted):
        return replace(wanted, figure=True)
    if wanted.order:
        return wanted
    before = question[: wanted.cues[0][0]]
    each = grouped or _AND_ITS.search(before)
    return wanted if wanted.limit or (wanted.function and each) else None


def _function(question: str) -> Aggregation | None:
    """The function that the question names."""
    for function, words in _FUNCTIONS:
        if match := words.search(question):
            return Aggregation(function, phrase=match.end(), cues=(match.span(),))
    return None


def _ranking(question: str) -> Aggregation | None:
    """The order that a superlative expresses."""
    for order, nouns, words in _ADJECTIVES:
        if match := words.search(question):
            return Aggregation(order=order, nouns=nouns, phrase=match.end(), cues=(match.span(),))
    if match := _COUNTED.search(question):
        often = _OFTEN.match(question, match.end())
        end = often.end() if often else match.end()
        return Aggregation("count" if often else None, _direction(match), phrase=end, cues=((match.start(), end),))
    if match := _SUPERLATIVE.search(question):
        sized = bool(_SIZE.fullmatch(match[0]))
        return Aggregation(
            order=_direction(match), phrase=match.end(), countable=False, sized=sized, cues=(match.span(),)
        )
    for order, words in _ORDINALS:
        if match := words.search(question):
            return Aggregation(order=order, nouns=TIMES, phrase=match.end(), loose=True, cues=(match.span("cue"),))
    return None


def _direction(match: re.Match[str]) -> Order:
    return "descending" if match["descending"] else "ascending"


def _limit(question: str) -> Aggregation | None:
    """The number of nodes that the question asks for, and from which end."""
    match = next((hit for words in _LIMITS if (hit := words.search(question))), None)
    if match is None:
        return None
    end = (match.groupdict().get("end") or "").casefold()
    cues = (match.span("count"), *((match.span("end"),) if end else ()))
    count = match["count"].casefold()
    limit = int(count) if count.isdigit() else NUMBER_WORDS[count]
    if end in _LOOSE:
        return Aggregation(order=_LOOSE[end], limit=limit, nouns=TIMES, loose=True, cues=cues)
    based_on = _BASED_ON.search(question)
    phrase = based_on.end() if based_on else match.end()
    return Aggregation(order=_ENDS.get(end), limit=limit, phrase=phrase if end in _ENDS else None, cues=cues)


def _is_figure(question: str, wanted: Aggregation) -> bool:
    """Whether the question asks for one number: how many films, the average price, the highest price of any."""
    start = min(start for start, _ in wanted.cues)
    stands_first = bool(_FIGURE.match(question[:start]))
    if wanted.function == "count":
        how_many = question[start:].casefold().startswith("how many") and not _AND_ITS.search(question[:start])
        return wanted.order is None and (start == 0 or how_many or stands_first)
    measured = wanted.function is not None or (wanted.order is not None and not wanted.countable)
    return stands_first and measured and not wanted.nouns
