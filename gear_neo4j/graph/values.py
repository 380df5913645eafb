"""Parameters and results as plain data."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

LONGEST_TEXT = 2_000
LONGEST_LIST = 50
LONGEST_VALUE = 4_000
# A longer list of numbers is an embedding, which nobody reads.
VECTOR = 16


class _Quiet(list[Any]):
    """A list with a short ``repr``: the driver formats all parameters for its debug log, even if logging is off.

    For 1,000 embeddings that took 0.18 s, more than packing and sending them, and it put vectors into the log.
    """

    def __repr__(self) -> str:
        return f"<{len(self)} items>"


def quiet(parameters: Mapping[str, object]) -> dict[str, object]:
    """Parameters whose lists have a short ``repr``."""
    return {key: _Quiet(value) if isinstance(value, list) else value for key, value in parameters.items()}


def plain(value: Any) -> Any:
    """A value of a row as JSON types, truncated if long; nodes as labels and properties.

    Example:
        >>> plain([0.25] * 384)
        '<384 numbers>'
        >>> plain({"name": "a" * 3000})["name"][-2:]
        'a…'
    """
    data = _plain(value)
    text = json.dumps(data, ensure_ascii=False)
    return data if len(text) <= LONGEST_VALUE else _cut(text, LONGEST_VALUE)


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
    """The driver's types, recognised by their attributes: points and durations are tuples, too."""
    if hasattr(value, "iso_format"):
        return value.iso_format()
    if hasattr(value, "srid"):
        return {"srid": value.srid, "coordinates": [_plain(float(number)) for number in value]}
    if hasattr(value, "relationships") and hasattr(value, "nodes"):
        return {
            "nodes": [_plain(node) for node in value.nodes],
            "types": [relationship.type for relationship in value.relationships],
        }
    if hasattr(value, "labels"):
        return {"labels": sorted(value.labels), "properties": _plain(dict(value.items()))}
    if hasattr(value, "start_node"):
        return {"type": value.type, "properties": _plain(dict(value.items()))}
    return None


def _list(values: list[Any]) -> Any:
    if len(values) > VECTOR and all(isinstance(value, float) for value in values):
        return f"<{len(values)} numbers>"
    items = [_plain(value) for value in values[:LONGEST_LIST]]
    return items if len(values) <= LONGEST_LIST else [*items, f"… and {len(values) - LONGEST_LIST} more"]


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
