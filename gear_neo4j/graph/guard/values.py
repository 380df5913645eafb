"""Parameters and results as plain data."""

import json
import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

LONGEST_TEXT = 2_000
LONGEST_LIST = 50
LONGEST_VALUE = 4_000
# A longer list of numbers is an embedding, of no use to a reader.
VECTOR = 16
EMBEDDING = "embedding"
DEEPEST = 20


class _Quiet(list[Any]):
    """A list with a short ``repr``: the driver formats all parameters for its debug log, even if logging is off.

    For 1,000 embeddings, that took 0.18 s, more than packing and sending them, and it wrote vectors to the log.
    """

    def __repr__(self) -> str:
        return f"<{len(self)} items>"


def quiet(parameters: Mapping[str, object]) -> dict[str, object]:
    """Parameters whose lists have a short ``repr``."""
    return {key: _Quiet(value) if isinstance(value, list) else value for key, value in parameters.items()}


def plain(value: Any, *, name: str = "") -> Any:
    """A value of a row as JSON types, truncated if long or deep; nodes as labels and properties, without embeddings.

    Args:
        name: the name of its column.

    Example:
        >>> plain([0.25] * 384)
        '<384 numbers>'
        >>> plain({"name": "Ana", "embedding": [1.0, 0.0]})
        {'name': 'Ana', 'embedding': '<2 numbers>'}
        >>> plain("a" * 3000)[-2:]
        'a…'
    """
    data = _Reducer().named(name, value)
    text = json.dumps(data, ensure_ascii=False)
    return data if len(text) <= LONGEST_VALUE else _cut(text, LONGEST_VALUE)


class _Reducer:
    """Reduces one value; reads at most as many items as the longest text can show, and to a limited depth."""

    def __init__(self) -> None:
        self._items = LONGEST_VALUE
        self._depth = 0

    def named(self, name: str, value: Any) -> Any:
        """The value of a column or property; an embedding is also recognised by its name."""
        if name.rpartition(".")[2] == EMBEDDING and isinstance(value, list):
            return f"<{len(value)} numbers>"
        return self.reduce(value)

    def reduce(self, value: Any) -> Any:
        self._items -= 1
        if self._items < 0 or self._depth > DEEPEST:
            return "…"
        self._depth += 1
        try:
            return self._plain(value)
        finally:
            self._depth -= 1

    def _plain(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, str):
            return _cut(value, LONGEST_TEXT)
        if isinstance(value, bytes | bytearray):
            return f"<{len(value)} bytes>"
        graph = self._graph(value)
        if graph is not None:
            return graph
        if isinstance(value, Mapping):
            return self._map(value)
        if isinstance(value, Sequence | set | frozenset):
            return self._list(list(value))
        return _cut(str(value), LONGEST_TEXT)

    def _graph(self, value: Any) -> Any:
        """The driver's types, recognised by their attributes: points and durations are tuples, too."""
        if hasattr(value, "iso_format"):
            return value.iso_format()
        if hasattr(value, "srid"):
            return {"srid": value.srid, "coordinates": [self.reduce(float(number)) for number in value]}
        if hasattr(value, "to_native") and hasattr(value, "dtype"):
            return f"<{len(value)} numbers>"
        if hasattr(value, "relationships") and hasattr(value, "nodes"):
            types = [relationship.type for relationship in value.relationships]
            return {"nodes": self._list(list(value.nodes)), "types": self._list(types)}
        if hasattr(value, "labels"):
            return {"labels": sorted(value.labels), "properties": self._map(dict(value.items()))}
        if hasattr(value, "start_node"):
            return {"type": value.type, "properties": self._map(dict(value.items()))}
        return None

    def _map(self, values: Mapping[Any, Any]) -> dict[str, Any]:
        return {str(key): self.named(str(key), values[key]) for key in islice(values, LONGEST_LIST)}

    def _list(self, values: list[Any]) -> Any:
        if len(values) > VECTOR and _is_vector(values):
            return f"<{len(values)} numbers>"
        items = [self.reduce(value) for value in values[:LONGEST_LIST]]
        return items if len(values) <= LONGEST_LIST else [*items, f"… and {len(values) - LONGEST_LIST} more"]


def _is_vector(values: list[Any]) -> bool:
    """Whether all are numbers and not all integers: an embedding may have whole numbers, too."""
    return all(isinstance(value, int | float) for value in values) and any(isinstance(value, float) for value in values)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
