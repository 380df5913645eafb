"""Usage errors, each as one plain line; click's own messages speak of ranges and of Python's types."""

import re
from typing import Any

import click
from click.exceptions import BadOptionUsage, MissingParameter, NoSuchCommand, NoSuchOption

from gear_neo4j.text.wording import did_you_mean

_VALUE = re.compile(r"'?(.*?)'? is not ", re.DOTALL)


def usage_message(error: click.ClickException) -> str:
    """What is wrong, and what to give instead.

    Example:
        >>> k = click.Option(["-k"], type=click.IntRange(1, 100))
        >>> usage_message(click.BadParameter("0 is not in the range 1<=x<=100.", param=k))
        '-k 0: give a whole number from 1 to 100'
        >>> usage_message(NoSuchOption("--retriver", possibilities=["--retriever"]))
        'there is no option --retriver: did you mean --retriever?'
    """
    match error:
        case NoSuchOption():
            return _unknown("option", error.option_name, error.possibilities or ())
        case NoSuchCommand():
            return _unknown("command", error.command_name, error.possibilities or ())
        case BadOptionUsage() if error.message.endswith("requires an argument."):
            return f"{error.option_name} needs a value"
        case MissingParameter(param=click.Parameter() as parameter):
            return f"{_name(parameter)} is missing"
        case click.BadParameter(param=click.Parameter() as parameter):
            return _bad(parameter, error.message)
    return error.format_message()


def _unknown(kind: str, name: str, names: Any) -> str:
    hint = did_you_mean(name, names).strip()
    return f"there is no {kind} {name}" + (f": {hint}" if hint else "")


def _bad(parameter: click.Parameter, message: str) -> str:
    wanted, found = _wanted(parameter.type), _VALUE.match(message)
    if wanted and found:
        return f"{_name(parameter)} {found[1]}: give {wanted}"
    return f"{_name(parameter)}: {message}"


def _wanted(kind: click.ParamType[Any]) -> str:
    """What a type takes, in words; empty for a type whose own messages are plain."""
    match kind:
        case click.Choice():
            return " or ".join(map(str, kind.choices))
        case click.IntRange():
            return f"a whole number{_range(kind)}"
        case click.FloatRange():
            return f"a number{_range(kind)}"
    return {"integer": "a whole number", "float": "a number"}.get(kind.name, "")


def _range(kind: click.IntRange | click.FloatRange) -> str:
    if kind.min is not None and kind.max is not None:
        return f" from {kind.min:g} to {kind.max:g}"
    if kind.min is not None:
        return f" above {kind.min:g}" if kind.min_open else f", {kind.min:g} or more"
    return "" if kind.max is None else f", {kind.max:g} or less"


def _name(parameter: click.Parameter) -> str:
    """An option as it is typed in full, or an argument as the help names it."""
    return max(parameter.opts, key=len) if isinstance(parameter, click.Option) else (parameter.name or "").upper()
