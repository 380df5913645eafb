"""What is sent to the server and what comes back from it, as plain data."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

LONGEST_TEXT = 2_000
LONGEST_LIST = 50
LONGEST_VALUE = 4_000
# A list of so many numbers is an embedding: nobody reads it.
VECTOR = 16


class _Quiet(list[Any]):
    """A list with a short ``repr``: the driver writes all parameters out for its debug log, even where nobody logs.

    For 1,000 embeddings that took 0.18 s, more than packing and sending them; and it kept vectors in the log.
    """

    def __repr__(self) -> str:
        return f"<{len(self)} items>"


def quiet(parameters: Mapping[str, object]) -> dict[str, object]:
    """Parameters whose lists have a short ``repr``."""
    return {key: _Quiet(value) if isinstance(value, list) else value for key, value in parameters.items()}


def plain(value: Any) -> Any:
    """A value of a row as JSON's own types, cut where it is long; nodes as their labels and properties.

    Example:
        >>> plain([0.25] * 384)
        '<384 numbers>'
        >>> plain({"name": "a" * 3000})["name"][-2:]
        'a…'
    """
    found = _plain(value)
    text = json.dumps(found, ensure_ascii=False)
    return found if len(text) <= LONGEST_VALUE else _cut(text, LONGEST_VALUE)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return _cut(value, LONGEST_TEXT)
    if isinstance(value, bytes | bytearray):
        return f"<{len(value)} bytes>"
    graph = _graph(value)
    if graph is not None:
        return graph
    if isinstance(value, Mapping):
        return {str(key): _plain(value[key]) for key in list(value)[:LONGEST_LIST]}
    if isinstance(value, Sequence | set | frozenset):
        return _list(list(value))
    return _cut(str(value), LONGEST_TEXT)


def _graph(value: Any) -> Any:
    """The driver's own types, told by what they have: points and durations are tuples, too."""
    if hasattr(value, "iso_format"):
        return value.iso_format()
    if hasattr(value, "srid"):
        return {"srid": value.srid, "coordinates": [_plain(float(number)) for number in value]}
    if hasattr(value, "relationships") and hasattr(value, "nodes"):
        return {"nodes": [_plain(node) for node in value.nodes], "types": [one.type for one in value.relationships]}
    if hasattr(value, "labels"):
        return {"labels": sorted(value.labels), "properties": _plain(dict(value.items()))}
    if hasattr(value, "start_node"):
        return {"type": value.type, "properties": _plain(dict(value.items()))}
    return None


def _list(values: list[Any]) -> Any:
    if len(values) > VECTOR and all(isinstance(one, float) for one in values):
        return f"<{len(values)} numbers>"
    shown = [_plain(one) for one in values[:LONGEST_LIST]]
    return shown if len(values) <= LONGEST_LIST else [*shown, f"… and {len(values) - LONGEST_LIST} more"]


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
