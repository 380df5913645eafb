"""Domain values read from their JSON; anything else in a file or a row gives an error of one line."""

import json
from collections.abc import Callable
from pathlib import Path as File
from typing import Annotated, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from gear_neo4j import errors
from gear_neo4j.agents.answer import Answer, Trace
from gear_neo4j.domain import Hits
from gear_neo4j.errors import GearError, InputError
from gear_neo4j.wire import documents
from gear_neo4j.wire.documents import SHAPES

Value = TypeVar("Value")
Checked = TypeVar("Checked")
Run = Hits | Answer | Trace
_RUNS = TypeAdapter[documents.Search | documents.Answer | documents.Trace](
    Annotated[documents.Search | documents.Answer | documents.Trace, Field(discriminator="kind")]
)
_TRACE_ADVICE = "write one with 'gear ask --trace FILE'"
_RUN_ADVICE = "write one with 'gear search --json > FILE', 'gear ask --json > FILE' or 'gear ask --trace FILE'"


def read_run(file: File) -> Run:
    """Read what ``gear search --json``, ``gear ask --json`` or ``gear ask --trace`` wrote.

    Raises:
        InputError: the file cannot be read, holds something else, or was written by a newer version.
    """
    return run_from(_load(file, advice=_RUN_ADVICE), name=str(file))


def read_trace(file: File) -> Trace:
    """Read what ``gear ask --trace`` wrote.

    Raises:
        InputError: the file cannot be read, holds something else, or was written by a newer version.
    """
    return from_json(Trace, _load(file, advice=_TRACE_ADVICE), name=str(file))


def run_from(row: object, *, name: str = "this") -> Run:
    """A search, an answer or a trace from its document, as its ``kind`` says; ``name`` is what an error calls it.

    Raises:
        InputError: it is something else, or was written by a newer version.
    """
    run = _checked(row, _RUNS.validate_python, name=name, noun="a saved search or answer", advice=_RUN_ADVICE)
    value: Run = run.decode()
    return value


def from_json(kind: type[Value], row: object, *, name: str = "this") -> Value:
    """A value of a kind from its JSON; ``name`` is what an error calls it.

    Raises:
        InputError: it is something else, or was written by a newer version.

    Example:
        >>> from_json(Hits, {"wire": 2})
        Traceback (most recent call last):
        gear_neo4j.errors.InputError: this was written by a newer gear-neo4j: upgrade this one
    """
    shape = SHAPES[kind]
    advice = _TRACE_ADVICE if kind is Trace else ""
    value = _checked(row, shape.model_validate, name=name, noun=shape.noun, advice=advice).decode()
    assert isinstance(value, kind)
    return value


def error_from(row: object, *, name: str = "this") -> GearError:
    """The error of a problem, a plain GearError where its class is unknown; raises as :func:`from_json` does."""
    document = _checked(row, documents.Problem.model_validate, name=name, noun=documents.Problem.noun)
    kind = getattr(errors, document.code, None)
    if isinstance(kind, type) and issubclass(kind, GearError):
        return kind(document.detail)
    return GearError(document.detail)


def _load(file: File, *, advice: str) -> object:
    try:
        return json.loads(file.read_bytes())
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is not JSON{_position(error)}: {advice}") from error


def _position(error: Exception) -> str:
    """Where a text stops being JSON."""
    match error:
        case json.JSONDecodeError():
            return f" at line {error.lineno}, column {error.colno}"
        case UnicodeDecodeError():
            return f" at byte {error.start + 1}"
    return ""


def _checked(row: object, validate: Callable[[object], Checked], *, name: str, noun: str, advice: str = "") -> Checked:
    """A row as a shape; ``name`` and ``noun`` are for the message.

    Raises:
        InputError: the row is something else, or a newer version wrote it.
    """
    if isinstance(row, dict) and isinstance(version := row.get("wire"), int) and version > documents.VERSION:
        raise InputError(f"{name} was written by a newer gear-neo4j: upgrade this one")
    try:
        return validate(row)
    except (ValueError, RecursionError) as error:
        reason = _reason(error)
        parts = f"{name} is not {noun}{reason and f': {reason}'}", advice
        raise InputError("; ".join(filter(None, parts))) from error


def _reason(error: Exception) -> str:
    """The first field that is missing or cannot be used, and its location in the document."""
    if not isinstance(error, ValidationError):
        return ""
    first = error.errors(include_url=False, include_input=False)[0]
    location = [str(part) for part in first["loc"]]
    if first["type"] == "missing":
        return f"it lacks {location[-1]!r}" + (f" in {'.'.join(location[:-1])}" if location[:-1] else "")
    return f"its {'.'.join(location)} cannot be used" if location else ""
