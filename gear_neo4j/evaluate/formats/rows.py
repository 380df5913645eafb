"""Rows of JSON files with their positions: a list, a single object, or one object per line."""

import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.lines import Line, Problem, parsed, read_lines


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON value and its position: file and line, or file and item number."""

    location: str
    value: Any


def read_rows(path: Path) -> Iterator[Row]:
    """The items of a JSON list, the objects of JSON lines, or a single object, detected by the first line.

    Raises:
        InputError: the file cannot be read, or is not JSON from some line on.
    """
    lines = read_lines(path)
    first = next(lines, None)
    if first is None:
        raise InputError(f"{path} is empty: JSON is expected")
    if _begins_list(first) or isinstance(parsed(first, dict), Problem):
        yield from _whole(path)
    else:
        yield from _objects(chain([first], lines))


def usable(line: Line) -> dict[str, Any]:
    """The JSON object of a line.

    Raises:
        InputError: not an object.
    """
    row = parsed(line, dict)
    if isinstance(row, Problem):
        raise InputError(str(row))
    return row


def _begins_list(line: Line) -> bool:
    return line.text is None or line.text.removeprefix(BOM_UTF8).lstrip().startswith(b"[")


def _objects(lines: Iterator[Line]) -> Iterator[Row]:
    for line in lines:
        yield Row(f"{line.file}:{line.number}", usable(line))


def _whole(path: Path) -> Iterator[Row]:
    value = _loaded(path)
    if isinstance(value, list):
        yield from (Row(f"{path}: item {number}", item) for number, item in enumerate(value, start=1))
    else:
        yield Row(str(path), value)


def _loaded(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start + 1})") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON: {error.msg} at character {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not usable JSON: {error}") from error
