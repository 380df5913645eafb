"""Templates: Cypher queries with parameters that the owner of a graph wrote for common questions.

The lines of comments before the query may describe its parameters: ``// $day (date): the day of the crime``. Values are
always sent as parameters; no text of a query is made from them.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import takewhile
from typing import Any

from gear_neo4j.errors import InputError
from gear_neo4j.graph.guard.guard import check, parameters_in
from gear_neo4j.graph.guard.tokens import tokens
from gear_neo4j.text.printable import is_storable, single_line
from gear_neo4j.text.wording import did_you_mean

ROWS = 100
LONGEST_DESCRIPTION = 300
LONGEST_VALUE = 1_000
TEXT = "text"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_DECLARED = re.compile(r"//\s*\$(?P<name>\w+)\s*(?:\((?P<kind>[^)]*)\))?\s*(?::\s*(?P<description>.*))?")
_INTEGER = re.compile(r"[-+]?\d{1,18}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a template.

    ``kind`` is ``text``, ``integer``, ``number``, ``date``, or a property whose values it has, such as
    ``Person.surname``.

    Example:
        >>> Parameter("day", "date").value("2017-08-01")
        datetime.date(2017, 8, 1)
        >>> Parameter("most", "integer").value("many")
        Traceback (most recent call last):
        gear_neo4j.errors.InputError: most is 'many': it must be an integer
    """

    name: str
    kind: str = TEXT
    description: str = ""

    @property
    def property(self) -> tuple[str, str] | None:
        """The label and the property whose values it has; None for a plain kind."""
        label, dot, property = self.kind.rpartition(".")
        return (label, property) if dot else None

    def value(self, given: object) -> object:
        """A value as the driver sends it.

        Raises:
            InputError: it is not of the parameter's kind.
        """
        try:
            value = KINDS.get(self.kind, _text)(given)
        except (ValueError, OverflowError):
            shown = single_line(str(given))[:40]
            raise InputError(f"{self.name} is {shown!r}: it must be {_ARTICLES.get(self.kind, 'a text')}") from None
        return value

    def __str__(self) -> str:
        """The line that declares it."""
        kind = "" if self.kind == TEXT else f" ({self.kind})"
        return f"${self.name}{kind}" + (f": {self.description}" if self.description else "")


@dataclass(frozen=True, slots=True)
class Template:
    """A query of the graph's owner: its name, the questions that it answers, its text, and its parameters.

    ``statement`` is the checked text that is sent, without comments.
    """

    name: str
    description: str
    text: str
    statement: str
    parameters: tuple[Parameter, ...] = ()

    @classmethod
    def parse(cls, name: str, description: str, text: str) -> "Template":
        """A template from what its owner wrote.

        Raises:
            InputError: the name, the description or the declaration of a parameter cannot be used.
            GuardError: the query may do more than read the graph.

        Example:
            >>> made = Template.parse("aged", "people of an age", "// $age (integer)\\nMATCH (p {age: $age}) RETURN p")
            >>> made.statement, made.parameters
            ('MATCH (p {age: $age}) RETURN p LIMIT 101', (Parameter(name='age', kind='integer', description=''),))
        """
        if not _NAME.fullmatch(name):
            raise InputError(
                f"{single_line(name)[:70]!r} is no name of a template: begin with a letter, and use "
                "letters, digits, - and _, 64 at most"
            )
        description = " ".join(description.split())
        if not description or len(description) > LONGEST_DESCRIPTION or not is_storable(description):
            raise InputError(f"describe in 1 to {LONGEST_DESCRIPTION} characters which questions {name} answers")
        parameters = _parameters(text)
        statement = check(text, limit=ROWS, parameters=[parameter.name for parameter in parameters])
        return cls(name, description, text.strip(), statement, parameters)

    def bind(self, given: Mapping[str, object]) -> dict[str, object]:
        """The value of each parameter, as the driver sends it.

        Raises:
            InputError: a parameter is missing or unknown, or a value is not of its kind.

        Example:
            >>> Template("all", "everything", "", "").bind({"limit": 3})
            Traceback (most recent call last):
            gear_neo4j.errors.InputError: the template all has no parameter 'limit': it has none
        """
        names = [parameter.name for parameter in self.parameters]
        if unknown := next((name for name in given if name not in names), None):
            raise InputError(
                f"the template {self.name} has no parameter {single_line(unknown)[:40]!r}: "
                f"{did_you_mean(unknown, names)}it has {', '.join(names) or 'none'}"
            )
        if missing := [name for name in names if name not in given]:
            raise InputError(f"the template {self.name} needs a value for {', '.join(missing)}")
        return {parameter.name: parameter.value(given[parameter.name]) for parameter in self.parameters}


def _parameters(text: str) -> tuple[Parameter, ...]:
    """The parameters that a query uses, as its first comments declare them."""
    used = list(parameters_in([token for token in tokens(text) if token.kind != "space"]))
    if odd := next((token.text for token in used if token.kind != "word"), None):
        raise InputError(f"the parameter ${odd} cannot be used: name it with letters, digits and _")
    names = dict.fromkeys(token.text for token in used)
    lines = takewhile(lambda line: not line or line.startswith("//"), map(str.strip, text.strip().splitlines()))
    declared = [_declared(match) for line in lines if (match := _DECLARED.fullmatch(line))]
    if unused := next((parameter.name for parameter in declared if parameter.name not in names), None):
        raise InputError(f"a comment declares ${unused}, but the query does not use it")
    by_name = {parameter.name: parameter for parameter in declared}
    return tuple(by_name.get(name, Parameter(name)) for name in names)


def _declared(match: re.Match[str]) -> Parameter:
    kind = (match["kind"] or TEXT).strip()
    parameter = Parameter(match["name"], kind, " ".join((match["description"] or "").split()))
    if kind not in KINDS and not parameter.property:
        raise InputError(
            f"${parameter.name} is of the kind {kind!r}: {did_you_mean(kind, KINDS)}"
            f"use {', '.join(KINDS)}, or a property such as Person.name"
        )
    return parameter


def _text(given: object) -> str:
    if not isinstance(given, str) or len(given) > LONGEST_VALUE or not is_storable(given):
        raise ValueError
    return given


def _integer(given: object) -> int:
    # True is an int, too.
    if isinstance(given, bool) or not _INTEGER.fullmatch(str(given)):
        raise ValueError
    return int(str(given))


def _number(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise ValueError
    value = float(given)
    if value in (float("inf"), float("-inf")) or value != value:
        raise ValueError
    return value


def _date(given: object) -> date:
    return given if isinstance(given, date) else date.fromisoformat(str(given))


KINDS: Mapping[str, Callable[[Any], object]] = {TEXT: _text, "integer": _integer, "number": _number, "date": _date}
_ARTICLES = {"integer": "an integer", "number": "a number", "date": "a date such as 2024-05-31"}


def shown(parameters: Mapping[str, object]) -> dict[str, object]:
    """Values as JSON types.

    Example:
        >>> shown({"day": date(2017, 8, 1), "most": 3})
        {'day': '2017-08-01', 'most': 3}
    """
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in parameters.items()}
