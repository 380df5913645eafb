"""Reads the tables of PDFs that are drawn with lines: values stay below their heads, also across pages."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from gear_neo4j.ingestion.html import to_markdown
from gear_neo4j.ingestion.pdf_rules import NEAR, SAME_LINE, Ruled, ruled_tables
from gear_neo4j.ingestion.table_heads import count_heads

if TYPE_CHECKING:
    from pdfplumber.page import Page
    from pdfplumber.table import Table
    from pypdf import PageObject

# The operators of lines and rectangles; a row of a table that goes on has two rectangles at least.
_DRAWN = re.compile(rb"\s(?:re|l)\s")
FEWEST_DRAWN = 2
_DIGITS = re.compile(r"\d+")
# Of the cells of a table; a chart with lines behind it has fewer texts.
LEAST_FILLED = 1 / 3


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell: how many rows and columns it spans, and its text."""

    height: int
    width: int
    text: str


@dataclass(frozen=True, slots=True)
class _Grid:
    """A table: the left sides of its columns, in points, its cells by rows, and the number of rows that are heads."""

    columns: tuple[float, ...]
    rows: tuple[tuple[_Cell, ...], ...]
    heads: int

    def has_columns_of(self, other: Self) -> bool:
        """Whether both have the same number of columns, at the same positions."""
        return len(self.columns) == len(other.columns) and all(
            abs(one - two) <= NEAR for one, two in zip(self.columns, other.columns, strict=True)
        )


@dataclass(frozen=True, slots=True)
class _Ended:
    """The last table of a page, with the lines of the page and those below the table; digits are masked."""

    page: int
    grid: _Grid
    lines: frozenset[str]
    below: frozenset[str]

    def goes_on(self, page: int, lines: frozenset[str], *, above: frozenset[str]) -> bool:
        """Whether between it and the first table of a page are only lines that both pages have, as page numbers."""
        return page == self.page + 1 and self.below <= lines and above <= self.lines


class Tables:
    """The pages of a PDF that have tables, in order; a context manager."""

    def __init__(self, path: Path) -> None:
        import pdfplumber

        self._document = pdfplumber.open(path)
        self._last: _Ended | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._document.close()

    def text(self, number: int) -> str:
        """The text of a page with its tables in Markdown; empty for a page without tables."""
        page = self._document.pages[number - 1]
        try:
            return "\n".join(self._blocks(page)).strip()
        finally:
            page.close()

    def _blocks(self, page: "Page") -> Iterator[str]:
        """The lines and tables of a page, in the order in which it holds them."""
        last, self._last = self._last, None
        found = [(table.bbox, grid) for table in page.find_tables() if (grid := _grid(page, table))]
        found += [(ruled.box, _of_rows(ruled)) for ruled in ruled_tables(page, [box for box, _ in found])]
        grids = [grid for _, grid in found]
        blocks = list(_flow(page, [box for box, _ in found])) if found else []
        tables = [position for position, block in enumerate(blocks) if isinstance(block, int)]
        if not tables:
            return
        lines, above, below = (_masked(part) for part in (blocks, blocks[: tables[0]], blocks[tables[-1] + 1 :]))
        first, end = (cast("int", blocks[tables[place]]) for place in (0, -1))
        if last and last.goes_on(page.page_number, lines, above=above):
            grids[first] = _continued(grids[first], last.grid)
        self._last = _Ended(page.page_number, grids[end], lines, below)
        for block in blocks:
            yield block if isinstance(block, str) else f"\n{to_markdown(_html(grids[block]).encode()).text}\n"


def may_have(page: "PageObject") -> bool:
    """Whether enough lines are drawn on a page; what it shows as a drawing of its own may hold them, too."""
    with suppress(Exception):
        content = page.get_contents()
        if content is not None and len(_DRAWN.findall(content.get_data())) >= FEWEST_DRAWN:
            return True
        objects = page["/Resources"]["/XObject"].values()  # type: ignore[index]
        return any(one.get_object().get("/Subtype") == "/Form" for one in objects)
    return False


def _masked(blocks: Sequence[str | int]) -> frozenset[str]:
    return frozenset(_DIGITS.sub("0", block) for block in blocks if isinstance(block, str))


def _flow(page: "Page", boxes: Sequence[tuple[float, ...]]) -> Iterator[str | int]:
    """The lines of a page, and the number of each table where its first word comes."""
    seen: set[int] = set()
    line: list[dict[str, Any]] = []
    for word in page.extract_words(use_text_flow=True):
        inside = next((number for number, box in enumerate(boxes) if _is_inside(word, box)), None)
        starts = line and (abs(word["top"] - line[-1]["top"]) > SAME_LINE or word["x0"] < line[-1]["x1"] - SAME_LINE)
        if line and (starts or inside is not None):
            yield " ".join(one["text"] for one in line)
            line = []
        if inside is None:
            line.append(word)
        elif inside not in seen:
            seen.add(inside)
            yield inside
    if line:
        yield " ".join(one["text"] for one in line)


def _is_inside(word: dict[str, Any], box: tuple[float, ...]) -> bool:
    left, top, right, bottom = box
    across, down = float(word["x0"] + word["x1"]) / 2, float(word["top"] + word["bottom"]) / 2
    return left <= across <= right and top <= down <= bottom


def _grid(page: "Page", table: "Table") -> _Grid | None:
    """The cells of a table with what they span; None if it is a frame around texts."""
    texts = [
        (box, " ".join((text or "").split()))
        for row, cells in zip(table.rows, table.extract(), strict=True)
        for box, text in zip(row.cells, cells, strict=True)
        if box is not None
    ]
    lefts, tops = _sides(box[0] for box, _ in texts), _sides(box[1] for box, _ in texts)
    if len(lefts) < 2 or sum(bool(text) for _, text in texts) < LEAST_FILLED * len(texts):
        return None
    rows: list[list[_Cell]] = [[] for _ in tops]
    for (left, top, right, bottom), text in sorted(texts):
        row, column = _first(tops, top), _first(lefts, left)
        rows[row].append(_Cell(_first(tops, bottom) - row, _first(lefts, right) - column, text))
    first = (_is_bold(page, box) for box, text in texts if text and _first(tops, box[1]) == 0)
    others = (_is_bold(page, box) for box, text in texts if text and _first(tops, box[1]) > 0)
    height = max((cell.height for cell in rows[0]), default=1)
    heads = count_heads(_texts(rows), height=height, is_bold=all(first) and not all(others), is_data=True)
    # A page may end with the heads of a table.
    alone = int(len(rows) == 1 and len(lefts) > 2)
    return _Grid(tuple(lefts), tuple(map(tuple, rows)), heads or alone)


def _of_rows(ruled: Ruled) -> _Grid:
    heads = 1 if ruled.has_heads else count_heads(ruled.rows, is_bold=False, is_data=True)
    return _Grid(ruled.columns, tuple(tuple(_Cell(1, 1, text) for text in row) for row in ruled.rows), heads)


def _sides(sides: Any) -> list[float]:
    """Different sides, in order."""
    found: list[float] = []
    for side in sorted(sides):
        if not found or side - found[-1] > NEAR:
            found.append(side)
    return found


def _is_bold(page: "Page", box: tuple[float, float, float, float]) -> bool:
    characters = page.within_bbox(box, strict=False).chars
    return all("bold" in str(one["fontname"]).lower() for one in characters if one["text"].strip())


def _first(sides: Sequence[float], least: float) -> int:
    """The number of the first side from there on."""
    return next((number for number, side in enumerate(sides) if side >= least - NEAR), len(sides))


def _continued(grid: _Grid, above: _Grid) -> _Grid:
    """The first table of a page, with the heads of the last one of the page before if it continues that one."""
    if not (above.heads and grid.has_columns_of(above)):
        return grid
    heads = above.rows[: above.heads]
    if _texts(grid.rows[: above.heads]) == _texts(heads):
        return _Grid(grid.columns, grid.rows, above.heads)
    return _Grid(grid.columns, (*heads, *grid.rows), above.heads)


def _texts(rows: Sequence[Sequence[_Cell]]) -> list[list[str]]:
    return [[cell.text for cell in row] for row in rows]


def _html(grid: _Grid) -> str:
    """The table for the reader of HTML, which knows of spans and heads."""
    kinds = chain(repeat("th", grid.heads), repeat("td"))
    rows = ("".join(_element(kind, cell) for cell in row) for kind, row in zip(kinds, grid.rows, strict=False))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _element(kind: str, cell: _Cell) -> str:
    return f"<{kind} rowspan={cell.height} colspan={cell.width}>{escape(cell.text)}</{kind}>"
