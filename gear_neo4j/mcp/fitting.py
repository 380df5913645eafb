"""Cuts results to a maximum length: fewer items and shorter texts, never broken JSON."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from gear_neo4j.errors import SettingsError
from gear_neo4j.mcp.results import Limited
from gear_neo4j.text.printable import escaped

Fitted = TypeVar("Fitted", bound=Limited)
Model = TypeVar("Model", bound=BaseModel)


def compact(result: BaseModel) -> str:
    """The JSON of a result on one line, without spaces.

    Example:
        >>> from gear_neo4j.mcp.results import Triple
        >>> compact(Triple(subject="Curie", predicate="born in", object="Warsaw"))
        '{"subject":"Curie","predicate":"born in","object":"Warsaw"}'
    """
    return escaped(json.dumps(result.model_dump(mode="json"), ensure_ascii=False, separators=(",", ":")))


def fitted(result: Fitted, *, parts: Sequence[str], most: int) -> Fitted:
    """A result whose JSON has at most ``most`` characters.

    Args:
        parts: the lists and texts that may be cut, in this order; ``metadata.triples`` is nested.

    Raises:
        SettingsError: it is too long even without all of them.
    """
    for part in parts:
        if len(compact(result)) <= most:
            return result
        result = _longest(result, part.split("."), most)
    if len(compact(result)) > most:
        raise SettingsError(f"the result does not fit into {most:,} characters: raise --max-chars of the server")
    return result


def _longest(result: Fitted, path: Sequence[str], most: int) -> Fitted:
    """The result with as much of one part as fits; possibly nothing of it."""
    value: Any = result
    for name in path:
        value = getattr(value, name)

    def cut(length: int) -> Fitted:
        return _with(result, path, value[:length]).model_copy(update={"truncated": True})

    length = _largest(len(value), lambda length: len(compact(cut(length))) <= most)
    return cut(length)


def _largest(upper: int, fits: Callable[[int], bool]) -> int:
    """The largest number below ``upper`` that fits, by bisection; 0 if none does."""
    lower = 0
    while upper - lower > 1:
        middle = (lower + upper) // 2
        lower, upper = (middle, upper) if fits(middle) else (lower, middle)
    return lower


def _with(model: Model, path: Sequence[str], value: object) -> Model:
    """A copy of a model with another value at a path of fields."""
    name, *rest = path
    return model.model_copy(update={name: _with(getattr(model, name), rest, value) if rest else value})
