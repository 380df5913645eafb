"""The layout of a CSV file: what separates its cells, where its header is, and a name of its own for each column."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, islice, pairwise

DELIMITERS = (",", ";", "\t", "|")
# A column without a name is called this, with its number.
NAMELESS = "column"
# As many lines tell what the layout is, and above the header there are at most so many rows.
MOST_LINES = 200
MOST_ABOVE = 10
# Numbers and addresses are values, not names of columns.
_VALUE = re.compile(r"[-+]?\d[\d.,\s]*%?|\S+@\S+\.\S+|\w+://\S+")
LONGEST_VALUE = 200
_YEAR = re.compile(r"(?:18|19|20|21)\d\d")
# How Excel writes the delimiter above a table.
_SEPARATOR = re.compile(r"sep=.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a CSV file; ``above`` is the number of rows before the first one with values.

    ``title`` is what is written above the header, if anything.
    """

    delimiter: str
    names: list[str]
    above: int = 1
    title: str = ""


def columns(lines: Iterable[str], *, delimiter: str = "") -> Columns:
    """The layout of a file, by its first lines; equal names get a number, see :func:`distinct`.

    Without a ``delimiter``, it is the one by which most rows have the same number of cells. A row of one cell above the
    header is a title or a remark. There is no header if the first row has a number or an address in a column of such.

    Example:
        >>> columns(["name;city;city", "Ada;Bath;Wells"])
        Columns(delimiter=';', names=['name', 'city', 'city 2'], above=1, title='')
        >>> columns(["# Rivers of 2024", "river,km", "Elbe,1094"])
        Columns(delimiter=',', names=['river', 'km'], above=2, title='Rivers of 2024')
        >>> columns(["Elbe,1094", "Oder,866"])
        Columns(delimiter=',', names=['column 1', 'column 2'], above=0, title='')
    """
    first = list(islice(lines, MOST_LINES))
    delimiter = delimiter or max(DELIMITERS, key=lambda one: _regularity(_read(first, one)))
    rows = _read(first, delimiter)
    above = _above(rows)
    texts = (cell.strip("# \t") for row in rows[:above] for cell in row)
    title = " ".join(text for text in texts if text and not _SEPARATOR.fullmatch(text))
    rows = rows[above:]
    if not rows or is_header(rows[0], rows[1:]):
        names = [name.strip() for name in rows[0]] if rows else []
        # A header can be commented out.
        names[:1] = [name.lstrip("# ") for name in names[:1]]
        return Columns(delimiter, distinct(names), above + 1, title)
    width = max(map(len, rows))
    return Columns(delimiter, [f"{NAMELESS} {number}" for number in range(1, width + 1)], above, title)


def nameless(names: Sequence[str]) -> str:
    """What the next column behind some others is called.

    Example:
        >>> nameless(["river", "column 3"])
        'column 4'
    """
    return next(name for number in count(len(names) + 1) if (name := f"{NAMELESS} {number}") not in names)


def _regularity(rows: Sequence[Sequence[str]]) -> tuple[float, int]:
    """The share of rows with the most frequent number of cells above one, and this number."""
    widths = Counter(width for row in rows if (width := len(row)) > 1)
    width, most = max(widths.items(), key=lambda pair: (pair[1], pair[0]), default=(1, 0))
    return most / max(len(rows), 1), width


def _read(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """The rows that are not blank, up to the first error."""
    rows: list[list[str]] = []
    # With a delimiter that is not the file's, a row may be one long cell.
    with suppress(csv.Error):
        rows.extend(row for row in csv.reader(lines, delimiter=delimiter) if row)
    return rows


def _above(rows: Sequence[Sequence[str]]) -> int:
    """The number of rows above the header: those of one cell, if the rows below them have more."""
    wide = next((index for index, row in enumerate(rows) if sum(map(bool, map(str.strip, row))) > 1), 0)
    return wide if wide <= MOST_ABOVE else 0


def is_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row of a table has the names of its columns."""
    values = [index for index, cell in enumerate(first) if _is(_VALUE, cell.strip())]
    # Years, or the numbers of questions.
    if len(values) > 1 and all(_whole(first[other]) == _whole(first[one]) + 1 for one, other in pairwise(values)):
        return True
    return not any(_continues(first[index].strip(), list(_column(rows, index))) for index in values)


def is_value(cell: str) -> bool:
    """Whether a cell holds a number or an address."""
    return _is(_VALUE, cell)


def _continues(value: str, below: Sequence[str]) -> bool:
    """Whether a value is of the same kind as all those below it; a year above other numbers is a head."""
    kind = _YEAR if _YEAR.fullmatch(value) else _VALUE
    return bool(below) and all(_is(kind, cell) for cell in below)


def _is(kind: re.Pattern[str], cell: str) -> bool:
    # A long cell is no value, and would take the pattern long.
    return len(cell) <= LONGEST_VALUE and kind.fullmatch(cell) is not None


def _column(rows: Sequence[Sequence[str]], index: int) -> Iterator[str]:
    return (cell for row in rows if len(row) > index and (cell := row[index].strip()))


def _whole(number: str) -> float:
    return float(number) if number.strip().isdecimal() else float("nan")


def distinct(names: Sequence[str]) -> list[str]:
    """The names of columns, equal ones with a number; what has no name is called by the number of its column.

    Example:
        >>> distinct(["city", "mayor", "mayor", ""])
        ['city', 'mayor', 'mayor 2', 'column 4']
    """
    counts, taken = Counter[str](), set(names)
    distinct: list[str] = []
    for number, name in enumerate(names, start=1):
        name = name or f"{NAMELESS} {number}"
        counts[name] += 1
        found = name
        while counts[name] > 1 and found in taken | set(distinct):
            found = f"{name} {counts[name]}"
            counts[name] += found in taken | set(distinct)
        distinct.append(found)
    return distinct
