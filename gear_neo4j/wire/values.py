"""The scalars of the JSON: text that every file can hold, and values of JSON's own types."""

from math import isfinite
from typing import Annotated, Any

from pydantic import BeforeValidator, JsonValue


def _whole(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {_whole(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        raise ValueError("JSON has no such number")
    return _whole(value)


# Models write half of a surrogate pair in JSON, which no file or terminal can hold: a question mark takes its place.
Text = Annotated[str, BeforeValidator(_whole)]
Json = Annotated[JsonValue, BeforeValidator(_plain)]
