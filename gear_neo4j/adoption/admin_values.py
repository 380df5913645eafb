"""The values in neo4j-admin's CSV files, by the grammars of Neo4j: what Python reads besides is not what is meant.

The types: https://neo4j.com/docs/operations-manual/current/import/. The texts of dates, times, durations and points are
converted by the server, whose functions accept them as Cypher's manual says. A text of the right form can still name no
day or no place; of that the server has the last word.
"""

import re
from collections.abc import Callable

Value = object
_DATE = (
    r"(?:\d{4}(?:\d\d(?:\d\d)?|W\d\d\d?|Q\d(?:\d\d)?|\d{3})"
    r"|(?:\d{4}|[+-]\d{1,9})(?:-\d{1,2}(?:-\d{1,2})?|-W\d{1,2}(?:-\d)?|-Q\d(?:-\d{1,2})?|-\d{3})?)"
)
_TIME = r"(?:\d{1,2}(?::\d{1,2}(?::\d{1,2}(?:[.,]\d{1,9})?)?)?|\d\d(?:\d\d(?:\d\d(?:[.,]\d{1,9})?)?)?)"
_OFFSET = r"(?:Z|[+-]\d\d(?::?\d\d)?)?"
_ZONE = rf"{_OFFSET}(?:\[[a-z0-9~._ /+-]+\])?"
_AMOUNT = r"[+-]?\d{1,18}(?:[.,]\d{1,9})?"
_UNITS = (
    rf"(?:{_AMOUNT}Y)?(?:{_AMOUNT}M)?(?:{_AMOUNT}W)?(?:{_AMOUNT}D)?"
    rf"(?:T(?=.)(?:{_AMOUNT}H)?(?:{_AMOUNT}M)?(?:{_AMOUNT}S)?)?"
)
_FORMS = {
    "date": _DATE,
    "localtime": rf"T?{_TIME}",
    "time": rf"T?{_TIME}{_OFFSET}",
    "localdatetime": rf"{_DATE}(?:T{_TIME})?",
    "datetime": rf"{_DATE}(?:T{_TIME}{_ZONE})?",
    "duration": rf"[+-]?P(?=.)(?:{_UNITS}|(?:\d{{4}}-\d\d-\d\d|\d{{8}})?(?:T{_TIME})?)",
}
_WHOLE = re.compile(r"\s*([+-]?\d+)\s*", re.ASCII)
_NUMBER = re.compile(r"\s*([+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|NaN|Infinity))\s*", re.ASCII | re.IGNORECASE)
_PART_OF_POINT = re.compile(r"\s*['\"]?(\w+)['\"]?\s*:\s*['\"]?([\w.+-]+)['\"]?\s*")
_AXES = {"x", "y", "latitude", "longitude"}


def whole_number(text: str) -> int:
    """A whole number of 64 bits.

    Raises:
        ValueError: it is none.

    Example:
        >>> whole_number(" +12 ")
        12
        >>> whole_number("1_000")
        Traceback (most recent call last):
        ValueError: not of that form
    """
    digits = _matched(_WHOLE, text)
    # Python reads at most 4,300 digits, and the database holds 19.
    if len(digits.lstrip("+-0")) > 19 or not -(2**63) <= (number := int(digits)) < 2**63:
        raise ValueError("beyond 64 bits")
    return number


def number(text: str) -> float:
    """A number with or without a fraction.

    Raises:
        ValueError: it is none.

    Example:
        >>> number("1.5e3"), number("-.5"), number("Infinity")
        (1500.0, -0.5, inf)
        >>> number("1_0.5")
        Traceback (most recent call last):
        ValueError: not of that form
    """
    return float(_matched(_NUMBER, text))


def point(text: str) -> dict[str, float | int | str]:
    """The map of a point, for the function of that name.

    Raises:
        ValueError: it is none.

    Example:
        >>> point("{latitude: 42.5, longitude: 23, crs: WGS-84}")
        {'latitude': 42.5, 'longitude': 23.0, 'crs': 'WGS-84'}
    """
    inner = text.strip()
    if not (inner.startswith("{") and inner.endswith("}")):
        raise ValueError("not of the form {x: 1, y: 2}")
    matches = [_PART_OF_POINT.fullmatch(part) for part in inner[1:-1].split(",")]
    pairs = {match[1]: match[2] for match in matches if match}
    if len(pairs) < len(matches) or len(pairs.keys() & _AXES) != 2:
        raise ValueError("not of the form {x: 1, y: 2}")
    return {key: _READ_BY_KEY.get(key, number)(value) for key, value in pairs.items()}


def _matched(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.fullmatch(text)
    if match is None:
        raise ValueError("not of that form")
    return match[1]


def _of_form(form: str) -> Callable[[str], str]:
    pattern = re.compile(f"({form})", re.ASCII | re.IGNORECASE)
    return lambda text: _matched(pattern, text)


_READ_BY_KEY: dict[str, Callable[[str], float | int | str]] = {"crs": str, "srid": whole_number}
PLAIN: dict[str, Callable[[str], Value]] = {
    **dict.fromkeys(("string", "char"), str),
    **dict.fromkeys(("int", "long", "short", "byte"), whole_number),
    **dict.fromkeys(("float", "double"), number),
    "boolean": lambda text: text.strip().casefold() == "true",
}
# The server converts these to its own types, from a text, or from a map for a point.
SERVER_TYPES: dict[str, Callable[[str], Value]] = {
    **{kind: _of_form(form) for kind, form in _FORMS.items()},
    "point": point,
}
