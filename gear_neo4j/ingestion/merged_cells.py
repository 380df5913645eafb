"""The merged cells of an Excel sheet: openpyxl leaves them out of a sheet that it streams."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from zipfile import ZipFile

from gear_neo4j.ingestion.spans import LONGEST_REPEATED, MOST_COLUMNS

# They follow the cells of a sheet; more bytes than these hold a hundred thousand of them.
MOST_BYTES = 8 << 20
MOST_RANGES = 100_000
# Of the ranges that one row is in.
MOST_AT_ONCE = 200
CHUNK = 1 << 20
_END_OF_CELLS = re.compile(rb"</(?:\w+:)?sheetData>|<(?:\w+:)?sheetData\s*/>")
_RANGE = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
# Left, top, right and bottom, from 1.
Range = tuple[int, int, int, int]


def merged_ranges(archive: ZipFile, part: str) -> list[Range]:
    """The merged ranges of a sheet, by the name of its part in the package, from top to bottom."""
    found = (
        (_column(left), int(top), _column(right), int(bottom))
        for left, top, right, bottom in _RANGE.findall(_after_cells(archive, part))
    )
    return sorted(islice(found, MOST_RANGES), key=lambda cells: cells[1])


def with_merged(rows: Iterable[Sequence[object]], ranges: Sequence[Range]) -> Iterator[Sequence[object]]:
    """The rows of a sheet, with the value of each merged cell in all of its rows and columns.

    A row with no other cell, such as a title over all columns, stays as it is, and so does a long text.

    Example:
        >>> list(with_merged([("North", "Ada"), (None, "Bob"), ("Sum", None)], [(1, 1, 1, 2), (1, 3, 2, 3)]))
        [('North', 'Ada'), ('North', 'Bob'), ('Sum', None)]
    """
    waiting = list(reversed(ranges))
    open_ranges: list[tuple[Range, object]] = []
    for number, row in enumerate(rows, start=1):
        open_ranges = [held for held in open_ranges if held[0][3] >= number][-MOST_AT_ONCE:]
        while waiting and waiting[-1][1] <= number:
            cells = waiting.pop()
            value = row[cells[0] - 1] if cells[1] == number and cells[0] <= len(row) else None
            if value is not None and not (isinstance(value, str) and len(value) > LONGEST_REPEATED):
                open_ranges.append((cells, value))
        yield _filled(row, number, open_ranges) if open_ranges else row


def _filled(row: Sequence[object], number: int, open_ranges: Sequence[tuple[Range, object]]) -> Sequence[object]:
    own = sum(value is not None for value in row)
    filled = list(row)
    for (left, top, right, _), value in open_ranges:
        # The merged cell is one of the row's own in its first row.
        if own > (number == top):
            last = min(right, left + MOST_COLUMNS)
            filled += [None] * (last - len(filled))
            filled[left - 1 : last] = [value if cell is None else cell for cell in filled[left - 1 : last]]
    return tuple(filled)


def _after_cells(archive: ZipFile, part: str) -> bytes:
    """What follows the cells of a sheet."""
    before = b""
    with archive.open(part) as file:
        while chunk := file.read(CHUNK):
            if end := _END_OF_CELLS.search(before + chunk):
                return (before + chunk)[end.end() :] + file.read(MOST_BYTES)
            before = chunk[-64:]
    return b""


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number
