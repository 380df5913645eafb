"""The metadata columns of a bulk import; fields and types become known as passages are read."""

from collections.abc import Mapping, Sequence
from typing import Any

from gear_neo4j.scope import metadata_key

# Separates the items of a list.
SEPARATOR = ";"
# Characters that the name of a column may have besides letters and digits: a colon would begin its type.
_IN_NAMES = frozenset(" _.-/")
_TYPES = {str: "string", bool: "boolean", int: "long", float: "double"}


class MetadataColumns:
    """The columns so far; the first value of a field decides the type of its column.

    Example:
        >>> columns = MetadataColumns()
        >>> columns.cells({"year": 2020, "tags": ["a", "b"]})
        (['2020', 'a;b'], [])
        >>> columns.cells({"year": "unknown", "draft": True})
        ([None, None, 'true'], ["the metadata field 'year' is a string, but a long in an earlier passage"])
        >>> columns.cells({"year": 1999})
        (['1999'], [])
        >>> columns.header()
        ['meta_year:long', 'meta_tags:string[]', 'meta_draft:boolean']
    """

    def __init__(self) -> None:
        self._types: dict[str, str] = {}

    def cells(self, metadata: Mapping[str, Any]) -> tuple[list[str | None], list[str]]:
        """The cells of a passage up to the last non-empty one, and the reasons why fields are left out."""
        texts: dict[str, str] = {}
        reasons = []
        for field, value in metadata.items():
            try:
                texts[field] = self._cell(field, value)
            except ValueError as error:
                reasons.append(f"the metadata field {field!r} {error}")
        # No row may end with an empty cell: if columns are added later, the import would continue into the next line.
        last = max((number for number, field in enumerate(self._types, start=1) if field in texts), default=0)
        return [texts.get(field) for field in self._types][:last], reasons

    def header(self) -> list[str]:
        """The names of all columns, with their types."""
        return [f"{metadata_key(field)}:{type}" for field, type in self._types.items()]

    def _cell(self, field: str, value: Any) -> str:
        if field != field.strip() or not all(letter.isalnum() or letter in _IN_NAMES for letter in field):
            raise ValueError("has a name that no column can have")
        if isinstance(value, list):
            return self._list(field, value)
        return self._text(value, self._types.setdefault(field, _TYPES[type(value)]))

    def _list(self, field: str, items: Sequence[Any]) -> str:
        if not items or any(isinstance(item, str) and (not item or SEPARATOR in item) for item in items):
            raise ValueError(f"is a list that is empty, or has a text that is empty or holds {SEPARATOR!r}")
        kind = self._types.setdefault(field, f"{_TYPES[type(items[0])]}[]")
        if not kind.endswith("[]"):
            raise ValueError(f"is a list, but a {kind} in an earlier passage")
        return SEPARATOR.join(self._text(item, kind.removesuffix("[]")) for item in items)

    @staticmethod
    def _text(value: Any, kind: str) -> str:
        own = _TYPES[type(value)]
        if own == "long" and kind == "double" and int(float(value)) == value:
            return repr(float(value))
        if own == "double" and kind == "long" and value.is_integer():
            return str(int(value))
        if own != kind:
            raise ValueError(f"is a {own}, but a {kind} in an earlier passage")
        return str(value).lower() if own == "boolean" else str(value)
