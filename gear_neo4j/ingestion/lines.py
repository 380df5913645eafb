"""Reads JSONL files as a stream: each line becomes a passage, the triples of a passage, or a problem."""

import json
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

from gear_neo4j.domain import LONGEST_KEY, Passage, Triple, make_triple, passage_id
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.filters import LONGEST_FIELD
from gear_neo4j.scope import reader_names
from gear_neo4j.text.paths import composed
from gear_neo4j.text.printable import is_storable

# An index entry of Neo4j holds at most 8,167 bytes, and a character takes up to four.
LONGEST_SOURCE = 2_000
LONGEST_VALUE = 10_000
MOST_FIELDS = 200
LONGEST_LINE = 64 * 1024 * 1024
# A line of 64 MiB can have twenty million malformed triples.
SHOWN_MALFORMED = 20
Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Problem:
    """The reason why a line or file, or a part of it, could not be used; line 0 means the whole file."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        location = f"{self.file}:{self.line}" if self.line else self.file
        return f"{location}: {self.reason}"


@dataclass(frozen=True, slots=True)
class PassageTriples:
    """The triples of one passage, and the malformed parts of its line."""

    passage: str
    triples: tuple[Triple, ...]
    malformed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file: its number, the offset of its end in bytes, and its text."""

    file: str
    number: int
    end: int
    text: bytes | None


def read_lines(path: Path) -> Iterator[Line]:
    """The lines of a file, except blank ones; the text of a line over 64 MiB is None, to limit memory.

    Raises:
        InputError: the file is missing, not a file, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            end = number = 0
            while chunk := file.readline(LONGEST_LINE):
                number, end = number + 1, end + len(chunk)
                text: bytes | None = chunk
                while len(chunk) == LONGEST_LINE and not chunk.endswith(b"\n"):
                    text, chunk = None, file.readline(LONGEST_LINE)
                    end += len(chunk)
                if text is None or text.strip():
                    yield Line(str(path), number, end, text)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def parsed(line: Line, parse: Callable[[dict[str, Any]], Record]) -> Record | Problem:
    """The result of ``parse`` for a line's JSON object, or the problem with it."""
    try:
        return parse(_json_object(line.text))
    except ValueError as error:
        return Problem(line.file, line.number, str(error))
    except RecursionError:
        return Problem(line.file, line.number, "not usable JSON: nested too deeply")


def to_passage(row: dict[str, Any], *, source: str | None = None, prefix: str = "") -> Passage:
    """A passage from ``{"id"?, "title"?, "text", "source"?, "metadata"?, "readers"?}``; the default id is a hash.

    Args:
        source: that of a row which names none.
        prefix: begins the name of a source that a row names.

    Raises:
        ValueError: says what is wrong with the row.

    Example:
        >>> to_passage({"id": "p1", "title": "Curie", "text": "Born in Warsaw."}).content
        'Curie\\nBorn in Warsaw.'
    """
    title, text = _text(row, "title", default=""), _text(row, "text")
    if not (title.strip() or text.strip()):
        raise ValueError('both "title" and "text" are blank')
    id = _identifier(row) if row.get("id") is not None else passage_id(title, text)
    if row.get("source") is not None:
        named = composed(_text(row, "source"))
        source = f"{prefix}{named}" if named else None
    if source and len(source) > LONGEST_SOURCE:
        raise ValueError(f'"source" is longer than {LONGEST_SOURCE:,} characters')
    readers = row.get("readers")
    return Passage(
        id,
        title,
        text,
        source,
        metadata=to_metadata(row.get("metadata")),
        readers=None if readers is None else _readers(readers),
    )


def to_metadata(value: object) -> dict[str, Any]:
    """The metadata of a passage: texts, numbers, booleans, and lists of one of these kinds, without nulls.

    Raises:
        ValueError: says what is wrong with it.

    Example:
        >>> to_metadata({"year": 2020, "tags": ["a", "b"], "editor": None, "sizes": [1, 2.5]})
        {'year': 2020, 'tags': ['a', 'b'], 'sizes': [1.0, 2.5]}
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f'"metadata" is not an object but {_shorten(value)}')
    if len(value) > MOST_FIELDS:
        raise ValueError(f'"metadata" has more than {MOST_FIELDS} fields')
    return {_field(name): _metadata_value(name, item) for name, item in value.items() if item is not None}


def _field(name: str) -> str:
    if not name.strip() or len(name) > LONGEST_FIELD or not name.isprintable():
        raise ValueError(f'"metadata" has a field whose name is blank, too long or not printable: {_shorten(name)}')
    return name


def _metadata_value(name: str, item: object) -> Any:
    if not isinstance(item, list):
        return _single(name, item)
    values = [_single(name, part) for part in item]
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        return [float(value) for value in values]
    if len(kinds) > 1:
        raise ValueError(f'"metadata" field {name!r} is a list of different kinds: give texts, or numbers')
    return values


def _single(name: str, value: object) -> str | int | float | bool:
    if isinstance(value, str):
        if not is_storable(value) or len(value) > LONGEST_VALUE:
            raise ValueError(f'"metadata" field {name!r} is a text that is too long, or that no database can store')
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    raise ValueError(f'"metadata" field {name!r} is {_shorten(value)}: give a text, a number, true, false, or a list')


def _readers(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError('"readers" is not a list of names')
    try:
        return reader_names(value)
    except SettingsError as error:
        raise ValueError(str(error)) from error


def to_triples(row: dict[str, Any]) -> PassageTriples:
    """The triples of a passage from ``{"id", "triples": [[s, p, o], ...]}``, without duplicates.

    Raises:
        ValueError: says what is wrong with the row as a whole.

    Example:
        >>> record = to_triples({"id": "p1", "triples": [["Curie", "born in", "Warsaw"], ["Curie"]]})
        >>> record.triples[0].text, record.malformed
        ('Curie born in Warsaw', ('["Curie"] is not a triple of three texts',))
    """
    passage, items = _identifier(row), row.get("triples")
    if not isinstance(items, list):
        raise ValueError('"triples" is not a list')
    good: dict[str, Triple] = {}
    malformed: list[str] = []
    more = 0
    for item in items:
        if is_triple(item):
            triple = make_triple(passage, *item)
            good.setdefault(triple.id, triple)
        elif len(malformed) < SHOWN_MALFORMED:
            malformed.append(f"{_shorten(item)} is not a triple of three texts")
        else:
            more += 1
    rest = [f"{more:,} more are not triples of three texts"] if more else []
    return PassageTriples(passage, tuple(good.values()), (*malformed, *rest))


def _json_object(text: bytes | None) -> dict[str, Any]:
    if text is None:
        raise ValueError("the line is longer than 64 MiB")
    body = text.removeprefix(BOM_UTF8)
    try:
        row = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        byte = error.start + 1 + len(text) - len(body)
        raise ValueError(f"not UTF-8 (byte {byte} of the line)") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    if not isinstance(row, dict):
        raise ValueError(f"not a JSON object but {_shorten(row)}")
    return row


def _identifier(row: dict[str, Any]) -> str:
    value = row.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise ValueError('"id" is missing or not a text')
    if len(value) > LONGEST_KEY:
        raise ValueError(f'"id" is longer than {LONGEST_KEY} characters')
    return _encodable(value, "id")


def _text(row: dict[str, Any], key: str, *, default: str | None = None) -> str:
    value = row.get(key)
    value = default if value is None else value
    if not isinstance(value, str):
        raise ValueError(f'"{key}" is missing or not a text')
    return _encodable(value, key)


def _encodable(value: str, key: str) -> str:
    if not is_storable(value):
        raise ValueError(f'"{key}" holds half of a surrogate pair, which no database can store')
    return value


def is_triple(item: object) -> bool:
    """Whether an item consists of three texts that a database can store."""
    return (
        isinstance(item, list)
        and len(item) == 3
        and all(isinstance(part, str) and part.strip() and is_storable(part) for part in item)
    )


def _shorten(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
