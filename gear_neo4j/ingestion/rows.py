"""The rows of a sheet below the heads of its tables, as lines of ``head: cell``."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time
from functools import cached_property
from typing import Self

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.columns import NAMELESS, distinct

# Numbers that may be the heads of columns.
YEARS = range(1800, 2200)
ERRORS = frozenset({"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#SPILL!", "#CALC!"})


class Shown(float):
    """A number with the text that a sheet shows for it.

    Example:
        >>> Shown(0.12, "12%"), Shown(0.12, "12%").text
        (0.12, '12%')
    """

    text: str

    def __new__(cls, number: float, text: str) -> Self:
        """The number ``number``, shown as ``text``."""
        made = super().__new__(cls, number)
        made.text = text
        return made


def share(number: float) -> Shown:
    """A number that is shown in percent.

    Example:
        >>> share(0.045).text
        '4.5%'
    """
    return Shown(number, f"{100 * number:.10g}%")


def records(rows: Iterable[Sequence[object]], *, most: int) -> Iterator[tuple[int, str]]:
    """The rows below the headers of a sheet, with their numbers, each as lines of ``head: cell``.

    A header is the first row with two cells or more, if all of these are texts, or texts and several years. Behind a
    blank row, texts where numbers were are another header. A second row of texts below equal heads belongs to the
    header. Without a header, a row is its cells.
    """
    table: _Table | None = None
    width, gap = 0, False
    for number, row in enumerate(rows, start=1):
        # A few cells can be far apart, with empty ones between them.
        width += len(row)
        if width > most:
            raise InputError(f"holds more than {most:,} cells: split it")
        cells = {column: text for column, value in enumerate(row) if (text := _cell(value))}
        values = {column: row[column] for column in cells}
        if len(cells) > 1 and (table is None or (gap and table.ends_before(values))):
            are_heads = _are_heads([*values.values()])
            table = _Table(cells if are_heads else {})
            if not are_heads:
                yield number, _record(cells, table)
        elif table and table.continues_header(values):
            table.join(cells)
        elif cells:
            if table:
                table.see(values)
            yield number, _record(cells, table)
        gap = not cells


class _Table:
    """A table of a sheet, as far as it was read: its heads, and the columns that have numbers."""

    def __init__(self, heads: Mapping[int, str]) -> None:
        self._heads = [heads]
        self._numbers: set[int] = set()
        self._has_rows = False

    @cached_property
    def names(self) -> dict[int, str]:
        """The heads of the columns, of several rows joined, with a name of its own for each; once all were read."""
        columns = sorted({column for heads in self._heads for column in heads})
        texts = (dict.fromkeys(heads[column] for heads in self._heads if column in heads) for column in columns)
        return dict(zip(columns, distinct([" ".join(parts) for parts in texts]), strict=True))

    def ends_before(self, values: Mapping[int, object]) -> bool:
        """Whether a row of texts, behind a blank one, is the header of another table."""
        return all(isinstance(value, str) for value in values.values()) and bool(self._numbers & values.keys())

    def continues_header(self, values: Mapping[int, object]) -> bool:
        """Whether the row below the heads only tells equal heads apart."""
        if self._has_rows or len(self._heads) > 1:
            return False
        (heads,) = self._heads
        counts = Counter(heads.values())
        equal = {column for column, head in heads.items() if counts[head] > 1}
        if not equal:
            return False
        below = [values.get(column) for column in equal]
        others = {column: value for column, value in values.items() if column not in equal}
        # A head that spans both rows is in both.
        is_apart = len(set(below)) == len(below) and all(heads.get(column) == other for column, other in others.items())
        return is_apart and all(isinstance(value, str) for value in below if value is not None)

    def join(self, heads: Mapping[int, str]) -> None:
        """Add another row of heads."""
        self._heads.append(heads)

    def see(self, values: Mapping[int, object]) -> None:
        """Note a row of values."""
        self._has_rows = True
        self._numbers |= {column for column, value in values.items() if not isinstance(value, str)}


def _are_heads(values: Sequence[object]) -> bool:
    others = [value for value in values if not isinstance(value, str)]
    years = {value for value in others if value in YEARS}
    return not others or len(values) > len(others) == len(years) > 1


def _record(cells: Mapping[int, str], table: _Table | None) -> str:
    if not table or not (names := table.names):
        return ", ".join(cells.values())
    return "\n".join(f"{names.get(column) or f'{NAMELESS} {column + 1}'}: {text}" for column, text in cells.items())


def plain(number: float) -> str:
    """A number in the plainest form.

    Example:
        >>> plain(3.0), plain(1200.5)
        ('3', '1200.5')
    """
    return f"{number:.15g}"


def _cell(value: object) -> str:
    """The text of a cell, as a spreadsheet shows it in the plainest format; empty for errors."""
    match value:
        case None:
            return ""
        case Shown():
            return value.text
        case float():
            return plain(value)
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime():
            return value.isoformat(" ", "seconds")
        case str() if value in ERRORS:
            return ""
    return str(value).strip()
