"""Filters: conditions on the metadata of passages, from a line of text or from JSON.

As text: ``year >= 2020 and department in ["legal", "hr"] and not draft exists``. As JSON, the same is
``{"year": {"gte": 2020}, "department": ["legal", "hr"], "not": {"draft": {"exists": true}}}``.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as data_field
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from gear_neo4j.errors import SettingsError
from gear_neo4j.text.printable import is_storable

if TYPE_CHECKING:
    from lark import Lark, Token

Scalar = str | int | float | bool
Operator = Literal["in", "gt", "gte", "lt", "lte", "exists"]
LONGEST_TEXT = 10_000
LONGEST_FIELD = 200
# Alternatives multiply; at most this many conditions are compared with each passage.
MOST_CONDITIONS = 500
_SIGNS: Mapping[str, Operator] = {"=": "in", "==": "in", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
# Keys of JSON that are not fields.
_WORDS = ("and", "or", "not")
_GRAMMAR = r"""
    ?start: either
    ?either: both ("or"i both)*
    ?both: single ("and"i single)*
    ?single: "not"i single -> negated
        | "(" either ")"
        | field SIGN value -> compared
        | field "!=" value -> differs
        | field "in"i list -> among
        | field "not"i "in"i list -> not_among
        | field "exists"i -> exists
    field: NAME | QUOTED_NAME
    list: "[" value ("," value)* "]"
    value: TEXT | NUMBER | TRUTH
    SIGN: "==" | "=" | ">=" | "<=" | ">" | "<"
    TRUTH.2: /(true|false)\b/i
    NAME: /[^\W\d][\w-]*/i
    QUOTED_NAME: /`[^`]+`/
    TEXT: /"(\\.|[^"\\])*"|'(\\.|[^'\\])*'/
    NUMBER: /[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?/i
    %ignore /\s+/
"""
# Terminals of the grammar as a message names them.
_EXPECTED = {
    "NAME": "a field",
    "QUOTED_NAME": "a field",
    "SIGN": "=, >=, >, <= or <",
    "TEXT": "a quoted text",
    "NUMBER": "a number",
    "TRUTH": "true or false",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "COMMA": ",",
    "$END": "the end",
    "__ANON_0": "!=",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a field of a passage with values.

    If the field holds a list, one item must match. A passage without the field does not match, and values of different
    kinds, such as a number and a text, are neither equal nor ordered; so are conditions whose values differ in kind.

    Example:
        >>> Condition("public", "in", (True,)) == Condition("public", "in", (1,))
        False
    """

    field: str
    operator: Operator
    values: tuple[Scalar, ...] = ()
    # To Python, True equals 1 and 1.0; scopes are compared, and views are looked up, by their conditions.
    kinds: tuple[type, ...] = data_field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", tuple(map(type, self.values)))


@dataclass(frozen=True, slots=True)
class Not:
    """Matches the passages that a filter does not match, including those without its field."""

    part: "Filter"


@dataclass(frozen=True, slots=True)
class All:
    """Matches the passages that every part matches."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Matches the passages that at least one part matches."""

    parts: tuple["Filter", ...]


Filter = Condition | Not | All | AnyOf
Literals = tuple[tuple[tuple[Condition, bool], ...], ...]


def parse_filter(value: object) -> Filter:
    """A filter from a line of text, from JSON as text or as an object, or a filter unchanged.

    Raises:
        SettingsError: it is not a filter; the message says where, and what was expected.

    Example:
        >>> parse_filter("year >= 2020") == parse_filter({"year": {"gte": 2020}})
        True
        >>> parse_filter("year >= and")
        Traceback (most recent call last):
        gear_neo4j.errors.SettingsError: the filter 'year >= and' is wrong at character 9, 'and': expected a number, ...
    """
    if isinstance(value, Condition | Not | All | AnyOf):
        return value
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value, parse_int=_whole)
        except json.JSONDecodeError as error:
            raise SettingsError(f"the filter is not JSON: {error.msg} at character {error.pos + 1}") from error
        except RecursionError:
            raise _too_deep() from None
    try:
        made = _from_text(value) if isinstance(value, str) else _from_json(value, "the filter")
        conjunction_of(made)
    except RecursionError:
        raise _too_deep() from None
    return made


def conjunction_of(filter: Filter) -> Literals:
    """The filter in conjunctive normal form: every clause must hold; a clause has alternatives, which may be negated.

    Raises:
        SettingsError: it has more than 500 conditions.

    Example:
        >>> conjunction_of(parse_filter("not (draft = true or year < 2000)"))
        (((Condition(field='draft', operator='in', values=(True,)), True),), ((Condition(field='year', ...), True),))
    """
    return _normal(filter, negated=False)


def filter_json(filter: Filter) -> dict[str, Any]:
    """The filter as JSON, for :func:`parse_filter`.

    Example:
        >>> filter_json(parse_filter('year >= 2020 and team in ["a", "b"]'))
        {'and': [{'year': {'gte': 2020}}, {'team': ['a', 'b']}]}
    """
    match filter:
        case Condition(field, "in", values):
            return {field: list(values)}
        case Condition(field, "exists", _):
            return {field: {"exists": True}}
        case Condition(field, operator, values):
            return {field: {operator: values[0]}}
        case Not(part):
            return {"not": filter_json(part)}
        case All(parts):
            return {"and": [filter_json(part) for part in parts]}
        case AnyOf(parts):
            return {"or": [filter_json(part) for part in parts]}


def both(first: Filter | None, second: Filter | None) -> Filter | None:
    """A filter for the passages that both filters match; None means no condition."""
    if first is None or second is None or first == second:
        return first or second
    return All((first, second))


def _normal(filter: Filter, *, negated: bool) -> Literals:
    match filter:
        case Condition():
            return (((filter, negated),),)
        case Not(part):
            return _normal(part, negated=not negated)
        case All(parts) | AnyOf(parts):
            normal = [_normal(part, negated=negated) for part in parts]
            clauses = _alternatives(normal) if isinstance(filter, All) == negated else sum(normal, ())
            if sum(map(len, clauses)) > MOST_CONDITIONS:
                raise _too_large()
            return clauses


def _alternatives(parts: Iterable[Literals]) -> Literals:
    parts = list(parts)
    if math.prod(map(len, parts)) > MOST_CONDITIONS:
        raise _too_large()
    return tuple(sum(chosen, ()) for chosen in product(*parts))


def _too_large() -> SettingsError:
    return SettingsError(f"the filter compares more than {MOST_CONDITIONS} conditions with each passage: simplify it")


def _too_deep() -> SettingsError:
    return SettingsError("the filter is nested too deeply: simplify it")


# Text


def _from_text(text: str) -> Filter:
    from lark.exceptions import UnexpectedInput, VisitError

    if len(text) > LONGEST_TEXT:
        raise SettingsError(f"the filter is longer than {LONGEST_TEXT:,} characters: give a shorter one")
    try:
        return cast(Filter, _parser().parse(text))
    except UnexpectedInput as error:
        raise SettingsError(_explain(text, error)) from None
    except VisitError as error:
        raise error.orig_exc from None


@cache
def _parser() -> "Lark":
    from lark import Lark, Transformer, v_args

    @v_args(inline=True)
    class Builder(Transformer[Any, Filter]):
        def either(self, *parts: Filter) -> Filter:
            return AnyOf(parts)

        def both(self, *parts: Filter) -> Filter:
            return All(parts)

        def negated(self, part: Filter) -> Filter:
            return Not(part)

        def compared(self, field: str, sign: "Token", value: Scalar) -> Filter:
            return _condition(field, _SIGNS[sign], (value,))

        def differs(self, field: str, value: Scalar) -> Filter:
            return Not(_condition(field, "in", (value,)))

        def among(self, field: str, values: tuple[Scalar, ...]) -> Filter:
            return _condition(field, "in", values)

        def not_among(self, field: str, values: tuple[Scalar, ...]) -> Filter:
            return Not(_condition(field, "in", values))

        def exists(self, field: str) -> Filter:
            return _condition(field, "exists", ())

        def field(self, name: "Token") -> str:
            return str(name).strip("`")

        def list(self, *values: Scalar) -> tuple[Scalar, ...]:
            return values

        def value(self, token: "Token") -> Scalar:
            return _value(token)

    return Lark(_GRAMMAR, parser="lalr", transformer=Builder(), maybe_placeholders=False)


def _value(token: "Token") -> Scalar:
    match token.type:
        case "TEXT":
            return _unescaped(token[1:-1])
        case "TRUTH":
            return token.lower() == "true"
        case _:
            return _whole(token) if token.lstrip("+-").isdecimal() else float(token)


def _whole(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        # Python reads at most 4,300 digits.
        raise SettingsError("the filter has a number of more than 64 bits: give a smaller one") from None


def _unescaped(text: str) -> str:
    # A backslash makes the next character literal; there are no other escapes.
    pieces = iter(text)
    return "".join(next(pieces) if piece == "\\" else piece for piece in pieces)


def _explain(text: str, error: Any) -> str:
    expected = getattr(error, "accepts", None) or getattr(error, "allowed", None) or set()
    names = dict.fromkeys(_EXPECTED.get(name, name.lower()) for name in sorted(expected))
    offset = error.pos_in_stream if error.pos_in_stream is not None and error.pos_in_stream >= 0 else len(text)
    token = getattr(error, "token", None)
    at_end = offset >= len(text) or (token is not None and token.type == "$END")
    met = "its end" if at_end else f"character {offset + 1}, {str(token or text[offset])!r}"
    shown = text if len(text) <= 100 else f"{text[:99]}…"
    return f"the filter {shown!r} is wrong at {met}: expected {_choice(list(names))}"


def _choice(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


# JSON


def _from_json(value: object, location: str) -> Filter:
    if not isinstance(value, Mapping) or not value:
        raise SettingsError(f'{location} is {_shown(value)}: give an object such as {{"year": {{"gte": 2020}}}}')
    parts = [_from_item(key, item, location) for key, item in value.items()]
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _from_item(key: object, item: object, location: str) -> Filter:
    if key == "not":
        return Not(_from_json(item, f"{location}'s not"))
    if key in ("and", "or"):
        if not isinstance(item, list) or not item:
            raise SettingsError(f"{location}'s {key} is {_shown(item)}: give a list of objects")
        parts = tuple(_from_json(part, f"{location}'s {key}") for part in item)
        return All(parts) if key == "and" else AnyOf(parts)
    if not isinstance(key, str):
        raise SettingsError(f"{location} has the field {key!r}: fields are texts")
    if isinstance(item, Mapping):
        return _from_operators(key, item, location)
    values: list[Any] = item if isinstance(item, list) else [item]
    return _condition(key, "in", tuple(values))


def _from_operators(field: str, operators: Mapping[str, object], location: str) -> Filter:
    parts = [_from_operator(field, operator, value, location) for operator, value in operators.items()]
    if not parts:
        raise SettingsError(f"{location} says nothing about {field!r}: give a value, a list, or an object of operators")
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _from_operator(field: str, operator: str, value: object, location: str) -> Filter:
    match operator:
        case "exists":
            if not isinstance(value, bool):
                raise SettingsError(f"{location}'s {field}.exists is {_shown(value)}: give true or false")
            condition = _condition(field, "exists", ())
            return condition if value else Not(condition)
        case "eq":
            return _condition(field, "in", (cast(Scalar, value),))
        case "ne":
            return Not(_condition(field, "in", (cast(Scalar, value),)))
        case "in":
            if not isinstance(value, list):
                raise SettingsError(f"{location}'s {field}.in is {_shown(value)}: give a list")
            return _condition(field, "in", tuple(value))
        case "gt" | "gte" | "lt" | "lte":
            return _condition(field, operator, (cast(Scalar, value),))
    known = ", ".join((*get_args(Operator), "eq", "ne"))
    raise SettingsError(f"{location} has the operator {operator!r} for {field!r}: choose one of {known}")


def _condition(field: str, operator: Operator, values: tuple[Scalar, ...]) -> Condition:
    """A checked condition; all of it reaches the database as parameters."""
    if not field.strip() or len(field) > LONGEST_FIELD:
        raise SettingsError(f"a field of the filter is blank or longer than {LONGEST_FIELD} characters: {field[:50]!r}")
    if field in _WORDS:
        raise SettingsError(f"a field of the filter is named {field!r}: that is a word of filters")
    if operator == "in" and not values:
        raise SettingsError(f"the filter compares {field!r} with an empty list: give at least one value")
    if len(values) > MOST_CONDITIONS:
        raise _too_large()
    for value in values:
        _check(field, value)
    return Condition(field, operator, values)


def _check(field: str, value: object) -> None:
    if not isinstance(value, str | int | float):
        raise SettingsError(f"the filter compares {field!r} with {_shown(value)}: give a text, a number, true or false")
    if isinstance(value, float) and not math.isfinite(value):
        raise SettingsError(f"the filter compares {field!r} with {value}: give a finite number")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise SettingsError(f"the filter compares {field!r} with a number of more than 64 bits: give a smaller one")
    if isinstance(value, str) and (len(value) > LONGEST_TEXT or not is_storable(value)):
        raise SettingsError(f"the filter compares {field!r} with a text that no database can hold: give another one")


def _shown(value: object) -> str:
    try:
        text = json.dumps(value, default=repr)
    except ValueError:
        return "no value of JSON"
    return text if len(text) <= 60 else f"{text[:57]}..."
