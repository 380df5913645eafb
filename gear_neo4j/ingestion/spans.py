"""Cells of HTML tables that span rows or columns: they belong to each of them."""

from collections.abc import Iterable, Iterator
from copy import copy
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bs4 import Tag

# A longer cell is no label, and a page could repeat it to any size.
LONGEST_REPEATED = 200
MOST_COLUMNS = 200
MOST_REPEATED = 50_000
_SPANS = ("rowspan", "colspan")


def repeat_spans(tables: Iterable["Tag"]) -> None:
    """Put each cell that spans rows or columns into all of them; a long one only into the first.

    At most 50,000 cells are repeated, and 200 columns of a table.

    Args:
        tables: tables of a page, which are changed.

    Example:
        >>> from bs4 import BeautifulSoup
        >>> rows = "<tr><td rowspan=2>A</td><td>B</td></tr><tr><td>C</td></tr>"
        >>> page = BeautifulSoup(f"<table>{rows}</table>", "lxml")
        >>> repeat_spans(page("table"))
        >>> [[cell.text for cell in row("td")] for row in page("tr")]
        [['A', 'B'], ['A', 'C']]
    """
    repeated = count()
    for table in tables:
        rows = rows_of(table)
        if any(cell.get(span) for row in rows for cell in cells_of(row) for span in _SPANS):
            _repeat(rows, repeated)


def _repeat(rows: Iterable["Tag"], repeated: Iterator[int]) -> None:
    # By column, the cell from a row above and the number of rows that it still spans.
    above: dict[int, tuple[Any, int]] = {}
    for row in rows:
        own = iter(cells_of(row))
        placed: list[Any] = []
        for column in range(MOST_COLUMNS):
            if len(placed) > column:
                continue
            if column in above:
                cell, left = above.pop(column)
                placed.append(_copy(cell, repeated))
                if left > 1:
                    above[column] = cell, left - 1
            elif cell := next(own, None):
                width, height = (span_of(cell, name) for name in ("colspan", "rowspan"))
                for offset in range(min(width, MOST_COLUMNS - column)):
                    placed.append(_copy(cell, repeated) if offset else cell)
                    if height > 1:
                        above[column + offset] = cell, height - 1
            elif any(other > column for other in above):
                placed.append(_copy(None, repeated))
            else:
                break
        for cell in cells_of(row):
            cell.extract()
        row.extend(cell for cell in (*placed, *own) if cell is not None)
    for row in rows:
        for cell in cells_of(row):
            for name in _SPANS:
                del cell[name]


def rows_of(table: "Tag") -> list["Tag"]:
    """The rows of a table, without those of tables within it."""
    return [row for row in table("tr") if row.find_parent("table") is table]


def cells_of(row: "Tag") -> list["Tag"]:
    """The cells of a row."""
    return row(["td", "th"], recursive=False)


def span_of(cell: "Tag", name: str) -> int:
    """How many rows or columns a cell spans; a page can say anything."""
    text = str(cell.get(name, ""))
    return max(1, min(int(text), MOST_REPEATED)) if text.isascii() and text.isdigit() and len(text) < 6 else 1


def _copy(cell: Any, repeated: Iterator[int]) -> Any:
    """The cell again, without its text if that is long; None once too many have been repeated."""
    if next(repeated) >= MOST_REPEATED:
        return None
    from bs4 import BeautifulSoup

    if cell is None or len(cell.get_text()) > LONGEST_REPEATED:
        return BeautifulSoup("", "lxml").new_tag(cell.name if cell is not None else "td")
    return copy(cell)
