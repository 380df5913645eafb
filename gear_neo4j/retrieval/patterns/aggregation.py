"""What a question wants done with its answer: count it, add it up, put it in order, or cut it short. English."""

import re
from dataclasses import dataclass
from typing import Literal

from gear_neo4j.retrieval.patterns.conditions import NUMBER_WORDS

# ``extreme`` is the greatest value where the order is descending, else the least.
Function = Literal["count", "sum", "average", "extreme"]
Order = Literal["ascending", "descending"]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Aggregation:
    """What is done with the nodes of an answer.

    Attributes:
        function: how the values that belong to one node become its measure; None leaves it to what is measured.
        order: of the nodes, by their measure; None if none is asked for.
        limit: so many nodes at most.
        figure: one number over all nodes is asked for, such as how many there are.
        grouped: the measure of each node is asked for, in any order.
        phrase: where in the text the words begin that name the measure; None if nothing is measured.
        nouns: what an adjective such as *expensive* measures, in words that a schema may have.
        cues: the words that ask for all this; they name nothing of the graph.
        supported: False for what patterns cannot do, such as differences and shares.
    """

    function: Function | None = None
    order: Order | None = None
    limit: int | None = None
    figure: bool = False
    grouped: bool = False
    phrase: int | None = None
    nouns: tuple[str, ...] = ()
    cues: tuple[Span, ...] = ()
    supported: bool = True


LISTED = Aggregation()
_COUNTS = "|".join(word for word, number in NUMBER_WORDS.items() if number)
_COUNT = rf"(?P<count>\d{{1,3}}|{_COUNTS})"
_RANKED = re.compile(rf"\b(?P<end>top|best|bottom|first|last|earliest|latest)\s+{_COUNT}\b", re.IGNORECASE)
_LISTED = re.compile(
    r"^(?:(?:which|what|who)(?:\s+are)?|list|name|show(?:\s+me)?|find|identify|give(?:\s+me)?|return|get)"
    rf"\s+(?:the\s+|any\s+)?{_COUNT}\s",
    re.IGNORECASE,
)
_SUPERLATIVES: tuple[tuple[Order, re.Pattern[str]], ...] = (
    ("descending", re.compile(r"(?<!at )\b(?:most|highest|largest|greatest|biggest|maximum|max)\b", re.IGNORECASE)),
    ("ascending", re.compile(r"(?<!at )\b(?:least|lowest|fewest|smallest|minimum|min)\b", re.IGNORECASE)),
)
_ENDS: dict[str, Order] = {"top": "descending", "best": "descending", "bottom": "ascending"}
_TIMES = ("date", "year", "time", "released", "created")
_AGES = ("born", "birth", "birthday")
# Adjectives with what they measure, and the order of their superlative.
_ADJECTIVE_WORDS: tuple[tuple[Order, tuple[str, ...], str], ...] = (
    ("descending", ("price", "cost"), r"most\s+expensive|costliest|priciest"),
    ("ascending", ("price", "cost"), r"least\s+expensive|cheapest"),
    ("descending", _AGES, r"youngest"),
    ("ascending", (*_AGES, *_TIMES), r"oldest"),
    ("descending", _TIMES, rf"most\s+recent(?:ly)?|newest|latest|last(?=\s+(?:\d+|{_COUNTS})\b)"),
    ("ascending", _TIMES, rf"least\s+recent(?:ly)?|earliest|first(?=\s+(?:\d+|{_COUNTS})\b)"),
    ("descending", ("length", "duration", "runtime"), r"longest"),
    ("ascending", ("length", "duration", "runtime"), r"shortest"),
    ("descending", ("weight",), r"heaviest"),
    ("ascending", ("weight",), r"lightest"),
    ("descending", ("height",), r"tallest"),
)
_ADJECTIVES = tuple(
    (order, nouns, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for order, nouns, words in _ADJECTIVE_WORDS
)
_OFTEN = re.compile(r"\s+(?:frequent(?:ly)?|often|common(?:ly)?|popular|active|prolific)\b", re.IGNORECASE)
_FUNCTIONS: tuple[tuple[Function, re.Pattern[str]], ...] = (
    ("count", re.compile(r"\bhow many\b|\b(?:total\s+)?(?:number|count)\s+of(?:\s+distinct)?\b", re.IGNORECASE)),
    ("average", re.compile(r"\b(?:average|mean|avg)\b", re.IGNORECASE)),
    ("sum", re.compile(r"\b(?:total|sum(?:\s+of)?|combined)\b", re.IGNORECASE)),
)
_GROUPED = re.compile(r"\b(?:per|(?:for|of|in|by)\s+each|for\s+every)\b", re.IGNORECASE)
_FIGURE = re.compile(
    r"^(?:what(?:\s+(?:is|are|was|were)|['’]s)|find|calculate|compute|show(?:\s+me)?|give(?:\s+me)?|tell\s+me)"
    r"\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_FIGURE_OF = re.compile(r"\s+(?:\w+\s+){1,3}(?:of|for|among|across)\b")
_UNSUPPORTED = re.compile(
    r"\b(?:together|differ(?:s|ence)?|ratio|percent(?:age)?|proportion|share of|distribution|median|variance|"
    r"correlation|(?:than|above|below) (?:the )?average)\b",
    re.IGNORECASE,
)


def aggregation_in(question: str) -> Aggregation | None:
    """What a question wants done with its answer; None for one that only wants the nodes.

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
    cues: list[Span] = []
    function, phrase = _function(question, cues)
    order, nouns, often, after = _order(question, cues)
    limit, end, after_limit = _limit(question, cues)
    grouped = bool(_GROUPED.search(question))
    figure = limit is None and _is_figure(question, cues, function, order, nouns)
    if phrase is None and after is not None:
        phrase, function = after, "count" if often else "extreme" if figure else None
    if order is None and end in _ENDS:
        order, phrase = _ENDS[end], phrase if phrase is not None else after_limit
    if figure and grouped:
        figure = False
    if not (figure or order or limit or (grouped and function)):
        return None
    if order and limit is None and not figure:
        limit = 1
    nested = function == "average" and bool(re.search(r"\bnumber of\b", question, re.IGNORECASE))
    supported = not nested and not _UNSUPPORTED.search(question)
    return Aggregation(function, order, limit, figure, grouped, phrase, nouns, tuple(cues), supported)


def _function(question: str, cues: list[Span]) -> tuple[Function | None, int | None]:
    """The function that is named, and where its measure begins."""
    for function, words in _FUNCTIONS:
        if match := words.search(question):
            cues.append(match.span())
            return function, match.end()
    return None, None


def _order(question: str, cues: list[Span]) -> tuple[Order | None, tuple[str, ...], bool, int | None]:
    """The order, what an adjective measures, whether *often* is measured, and where the measure begins."""
    for superlative, words in _SUPERLATIVES:
        if (match := words.search(question)) and not _is_adjective(question, match.start()):
            often = _OFTEN.match(question, match.end())
            cues.append((match.start(), often.end() if often else match.end()))
            return superlative, (), often is not None, cues[-1][1]
    for order, nouns, words in _ADJECTIVES:
        if match := words.search(question):
            cues.append(match.span())
            return order, nouns, False, match.end()
    return None, (), False, None


def _is_adjective(question: str, place: int) -> bool:
    return any(words.match(question, place) for _, _, words in _ADJECTIVES)


def _limit(question: str, cues: list[Span]) -> tuple[int | None, str, int | None]:
    """How many nodes are asked for, from which end, and where the words after begin."""
    match = _RANKED.search(question) or _LISTED.search(question)
    if match is None:
        return None, "", None
    cues.append(match.span("count"))
    end = match.groupdict().get("end") or ""
    if end:
        cues.append(match.span("end"))
    count = match["count"].casefold()
    return int(count) if count.isdigit() else NUMBER_WORDS[count], end.casefold(), match.end()


def _is_figure(
    question: str, cues: list[Span], function: Function | None, order: Order | None, nouns: tuple[str, ...]
) -> bool:
    """Whether one number is asked for: how many films, the average price of products, the highest price of any."""
    if function == "count" and order is None:
        start = cues[0][0]
        return start == 0 or question[start:].casefold().startswith("how many") or bool(_FIGURE.match(question[:start]))
    if not cues or nouns:
        return False
    start = min(cue[0] for cue in cues)
    stands_first = bool(_FIGURE.match(question[:start]))
    return stands_first and (order is None or bool(_FIGURE_OF.match(question, cues[-1][1])))
