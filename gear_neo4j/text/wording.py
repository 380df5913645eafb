"""Numbers and nouns in messages."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

# A name less similar than this, of 1, is hardly the one that was meant.
NEAR = 0.7


def pluralize(number: int, noun: str, many: str = "") -> str:
    """A number with its noun; ``many`` is an irregular plural.

    Example:
        >>> pluralize(1, "passage"), pluralize(2_500, "passage"), pluralize(0, "entity"), pluralize(3, "index")
        ('1 passage', '2,500 passages', '0 entities', '3 indexes')
        >>> pluralize(2, "class"), pluralize(2, "movies")
        ('2 classes', '2 movies')
    """
    return f"{number:,} {noun if number == 1 else many or _plural(noun)}"


def by_collection(counts: Mapping[str, int]) -> str:
    """The numbers of something in each collection.

    Example:
        >>> by_collection({"default": 3, "legal": 2_000})
        '3 in default, 2,000 in legal'
    """
    return ", ".join(f"{count:,} in {name}" for name, count in counts.items())


def contents(passages: int, triples: int, entities: int) -> str:
    """The contents of a graph, in words.

    Example:
        >>> contents(1, 2, 3)
        '1 passage, 2 triples, 3 entities'
    """
    return ", ".join((pluralize(passages, "passage"), pluralize(triples, "triple"), pluralize(entities, "entity")))


def format_value(value: float | str | None) -> str:
    """A number with thousands separators and few decimals; a date unchanged.

    Example:
        >>> format_value(1234567), format_value(54.00666666), format_value(None)
        ('1,234,567', '54.0067', 'none')
    """
    if isinstance(value, float):
        return f"{value:,.4f}".rstrip("0").rstrip(".")
    return "none" if value is None else f"{value:,}" if isinstance(value, int) else value


def format_figure(value: float | str | None, counted: str) -> str:
    """A number that answers a question, with the noun of what it counts, if it counts anything.

    Example:
        >>> format_figure(12, "movie"), format_figure(33.5, "")
        ('12 movies', '33.5')
    """
    return pluralize(value, counted) if counted and isinstance(value, int) else format_value(value)


def certainty(confidence: float, *, unused: Iterable[str] = (), understood: bool = True) -> str:
    """How sure a pattern is, and what of the question it does not use.

    Example:
        >>> certainty(0.96), certainty(0.89, unused=["cup"])
        ('96% sure', "89% sure; not used: 'cup'")
        >>> certainty(0.89, unused=["Keanu Reevs"], understood=False)
        "only partly understood; not used: 'Keanu Reevs'"
    """
    sure = f"{confidence:.0%} sure" if understood else "only partly understood"
    return "; not used: ".join(filter(None, (sure, ", ".join(f"'{phrase}'" for phrase in unused))))


def ordinal(number: int) -> str:
    """A rank, written as a number with its ending.

    Example:
        >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 112)]
        ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '112th']
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A hint for a message: the name that is close to a mistyped one; empty if there is none.

    Example:
        >>> did_you_mean("scuot", ["naive", "scout"])
        'did you mean scout? '
    """
    near = get_close_matches(name, list(names), n=1, cutoff=NEAR)
    return f"did you mean {near[0]}? " if near else ""


def _plural(noun: str) -> str:
    if noun.endswith("y"):
        return noun[:-1] + "ies"
    if noun.endswith(("x", "ss", "us", "ch", "sh")):
        return noun + "es"
    # Labels may be in the plural.
    return noun if noun.endswith("s") else noun + "s"
