"""Reads the headers and rows of the CSV files of ``neo4j-admin database import``.

The format: https://neo4j.com/docs/operations-manual/current/import/ (header format, property types).
"""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from gear_neo4j.adoption.admin_values import PLAIN, SERVER_TYPES, Value
from gear_neo4j.errors import InputError

_COLUMN = re.compile(r"(?P<name>.*?)(?::(?P<type>[A-Za-z_]+)(?P<array>\[\])?(?:\((?P<group>[^)]*)\))?(?:\{.*\})?)?")
ROLES = {"ID", "LABEL", "START_ID", "END_ID", "TYPE", "IGNORE"}
LONGEST_FIELD = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its property, if any, its type, and its role (``ID``, ``LABEL`` ...), if any."""

    name: str
    type: str = "string"
    array: bool = False
    role: str | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class ServerValue:
    """A property that the server converts from text: its name, its type, and a text or a list of texts."""

    name: str
    type: str
    value: Value


@dataclass(slots=True)
class Row:
    """A row: ids with their groups, labels or type, and properties; ``line`` is its last line in the file."""

    line: int
    ids: dict[str, tuple[str, str]] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    properties: dict[str, Value] = field(default_factory=dict)
    server_values: list[ServerValue] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a file."""

    columns: tuple[Column, ...]

    @property
    def relationships(self) -> bool:
        """Whether the file holds relationships, not nodes."""
        return any(column.role == "START_ID" for column in self.columns)


@dataclass(frozen=True, slots=True)
class Dialect:
    """The delimiters of fields and of list items."""

    delimiter: str = ","
    array_delimiter: str = ";"


def parse_header(fields: Sequence[str], *, file: str) -> Header:
    """The columns in the first line of a file.

    Raises:
        InputError: it is not a header of nodes or relationships, or has an unknown type.

    Example:
        >>> header = parse_header(["cid:ID(Person)", "born:int", ":LABEL"], file="people.csv")
        >>> [(column.name, column.type, column.role, column.group) for column in header.columns]
        [('cid', 'string', 'ID', 'Person'), ('born', 'int', None, ''), ('', 'string', 'LABEL', '')]
    """
    header = Header(tuple(_column(text, file=file) for text in fields))
    roles = [column.role for column in header.columns]
    needed = ("START_ID", "END_ID") if header.relationships else ("ID",)
    for role in needed:
        if roles.count(role) != 1:
            raise InputError(
                f"{file}: its header has {roles.count(role)} columns :{role}, not 1: nodes need a column :ID, "
                "relationships :START_ID and :END_ID"
            )
    names = [column.name for column in header.columns if column.name]
    for name in names:
        if "\0" in name:
            raise InputError(f"{file}: its header has the column {name!r}: no property can have that name")
        if names.count(name) > 1:
            raise InputError(f"{file}: its header has the column {name!r} twice")
    return header


def _column(text: str, *, file: str) -> Column:
    match = _COLUMN.fullmatch(text.strip())
    if match is None:
        return Column(text.strip())
    name, kind = match["name"], match["type"] or "string"
    if kind.upper() in ROLES and kind.isupper():
        return Column(name, role=kind, group=match["group"] or "")
    if kind.lower() not in PLAIN | SERVER_TYPES:
        raise InputError(f"{file}: the column {text!r} has a type that does not exist: {kind}")
    return Column(name, kind.lower(), bool(match["array"]))


def parse_row(fields: Sequence[str], header: Header, dialect: Dialect, *, line: int) -> Row:
    """The content of a row.

    Raises:
        ValueError: names the invalid value.
    """
    if len(fields) != len(header.columns):
        raise ValueError(f"it has {len(fields)} fields, the header {len(header.columns)}")
    row = Row(line)
    for column, text in zip(header.columns, fields, strict=True):
        if column.role:
            _role(row, column, text, dialect)
        elif text and column.name:
            _property(row, column, text, dialect)
    return row


def _role(row: Row, column: Column, text: str, dialect: Dialect) -> None:
    if column.role in ("LABEL", "TYPE") and "\0" in text:
        raise ValueError(f"its :{column.role} has a null character")
    match column.role:
        case "ID" | "START_ID" | "END_ID":
            if not text:
                raise ValueError(f"its :{column.role} is empty")
            row.ids[column.role] = (column.group, text)
            if column.name and column.role == "ID":
                row.properties[column.name] = text
        case "LABEL":
            row.labels += [label for label in text.split(dialect.array_delimiter) if label]
        case "TYPE":
            row.labels = [text] if text else []


def _property(row: Row, column: Column, text: str, dialect: Dialect) -> None:
    read = (PLAIN | SERVER_TYPES)[column.type]
    try:
        value = [read(part) for part in text.split(dialect.array_delimiter)] if column.array else read(text)
    except ValueError as error:
        raise ValueError(f"{column.name} is {json.dumps(text[:40], ensure_ascii=False)}: no {column.type}") from error
    if column.type in SERVER_TYPES:
        row.server_values.append(ServerValue(column.name, column.type, value))
    else:
        row.properties[column.name] = value


@contextmanager
def open_csv(path: Path, dialect: Dialect) -> Iterator[tuple[Header, Iterator[tuple[int, list[str]]], TextIO]]:
    """A file's header, its rows as a stream with the numbers of their last lines, and the open file.

    Raises:
        InputError: the file is missing, is not text, has no header, or ends inside quotes.
    """
    # The limit is global to the process, so it is restored for other readers of CSV.
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=dialect.delimiter, strict=True)
            first = next(reader, None)
            if not first:
                raise InputError(f"{path} is empty: its first line must be a header")
            yield parse_header(first, file=str(path)), ((reader.line_num, row) for row in reader if row), file
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: not CSV: {error}") from error
    finally:
        csv.field_size_limit(before)
