"""Finds the tables of PDFs that have lines between rows only, as books and papers print them.

Their columns are where no word of the table stands between. A table whose rows cannot be told apart for sure is left
to be read as text.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pdfplumber.page import Page

# Points, of 1/72 inch: what rounding moves, and how far apart the words of one line can be in height.
NEAR = 2.0
SAME_LINE = 3.0
# The least space between two columns, in heights of a line; between two words it is a quarter.
GUTTER = 0.4
# Above the heads, below them, and below the last row.
FEWEST_RULES = 3
FEWEST_ROWS = 2
LONGEST_HEAD = 60
LONGEST_CELL = 300
# Half of the cells at least are as short: the lines of two columns of prose are longer.
SHORT_CELL = 30
# As large a part of the cells has a text.
LEAST_FILLED = 0.5

Box = tuple[float, float, float, float]
Word = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ruled:
    """A table: its box and the left sides of its columns, in points, and the texts of its rows.

    ``has_heads`` is whether only its first row has a line below it, besides the last one.
    """

    box: Box
    columns: tuple[float, ...]
    rows: tuple[tuple[str, ...], ...]
    has_heads: bool


def ruled_tables(page: "Page", taken: Sequence[Box]) -> Iterator[Ruled]:
    """The tables of a page, except where another table is."""
    groups = [rules for rules in _rules(page) if len(rules[1]) >= FEWEST_RULES]
    words = page.extract_words() if groups else []
    for (left, right), heights in groups:
        # Several tables of three lines each, or one.
        for size in dict.fromkeys((FEWEST_RULES, len(heights))):
            parts = [heights[start : start + size] for start in range(0, len(heights), size)]
            boxes = [(left, part[0], right, part[-1]) for part in parts]
            if len(parts[-1]) < size or any(_overlap(one, other) for one in boxes for other in taken):
                continue
            found = [_table(box, part, words) for box, part in zip(boxes, parts, strict=True)]
            if all(found):
                yield from filter(None, found)
                break


def _rules(page: "Page") -> list[tuple[tuple[float, float], list[float]]]:
    """Horizontal lines of one extent: it, and their heights from top to bottom."""
    from pdfplumber.table import merge_edges

    edges = [edge for edge in page.edges if edge["orientation"] == "h"]
    merged = merge_edges(edges, SAME_LINE, SAME_LINE, SAME_LINE, SAME_LINE)
    groups: dict[tuple[float, float], list[float]] = defaultdict(list)
    for edge in sorted(merged, key=lambda edge: edge["top"]):
        extent = next((one for one in groups if _is_near(one, (edge["x0"], edge["x1"]))), (edge["x0"], edge["x1"]))
        if not groups[extent] or edge["top"] - groups[extent][-1] > NEAR:
            groups[extent].append(float(edge["top"]))
    return list(groups.items())


def _is_near(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return abs(one[0] - other[0]) <= NEAR and abs(one[1] - other[1]) <= NEAR


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _table(box: Box, heights: Sequence[float], words: Sequence[Word]) -> Ruled | None:
    left, top, right, bottom = box
    inside = [word for word in words if left - NEAR <= word["x0"] and word["x1"] <= right + NEAR]
    inside = [word for word in inside if top <= _middle(word) <= bottom]
    columns = _columns(inside)
    if len(columns) < 2:
        return None
    bands = [[word for word in inside if upper <= _middle(word) < lower] for upper, lower in pairwise(heights)]
    has_heads = len(bands) == 2
    parts = [_rows_of_band(band, columns, is_body=has_heads and number > 0) for number, band in enumerate(bands)]
    if not all(parts) or len(parts[0]) > 1:
        return None
    rows = tuple(row for part in parts for row in part)
    return Ruled(box, tuple(columns), rows, has_heads) if _is_sound(rows) else None


def _columns(words: Sequence[Word]) -> list[float]:
    """The left sides of the columns: a word begins one if none before it reaches as far."""
    columns: list[float] = []
    gutter = GUTTER * median(word["bottom"] - word["top"] for word in words) if words else 0
    reached = float("-inf")
    for word in sorted(words, key=lambda word: word["x0"]):
        if word["x0"] - reached >= gutter:
            columns.append(float(word["x0"]))
        reached = max(reached, word["x1"])
    return columns


def _rows_of_band(words: Sequence[Word], columns: Sequence[float], *, is_body: bool) -> list[tuple[str, ...]]:
    """The rows between two lines; none if they cannot be told apart."""
    lines = [_cells(line, columns) for line in _lines(words)]
    begun = sum(bool(line[0]) for line in lines)
    if begun == 0:
        return []
    if begun == 1 and not is_body:
        return [_joined(lines)]
    # Each line with a text in the first column begins a row; one with nothing else may be a part of another cell.
    if not lines[0][0] or any(line[0] and not any(line[1:]) for line in lines):
        return []
    if not is_body and begun < len(lines):
        return []
    starts = [number for number, line in enumerate(lines) if line[0]]
    return [_joined(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]


def _lines(words: Sequence[Word]) -> Iterator[list[Word]]:
    line: list[Word] = []
    for word in sorted(words, key=lambda word: (word["top"], word["x0"])):
        if line and word["top"] - line[0]["top"] > SAME_LINE:
            yield line
            line = []
        line.append(word)
    if line:
        yield line


def _cells(line: Sequence[Word], columns: Sequence[float]) -> tuple[str, ...]:
    def column(word: Word) -> int:
        return sum(left <= float(word["x0"]) + NEAR for left in columns) - 1

    found = {
        number: " ".join(word["text"] for word in words)
        for number, words in groupby(sorted(line, key=lambda word: word["x0"]), key=column)
    }
    return tuple(found.get(number, "") for number in range(len(columns)))


def _joined(lines: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(" ".join(filter(None, cells)) for cells in zip(*lines, strict=True))


def _is_sound(rows: Sequence[Sequence[str]]) -> bool:
    heads, *below = rows
    lengths = [len(cell) for row in below for cell in row]
    filled = [length for length in lengths if length]
    return (
        len(below) >= FEWEST_ROWS
        and all(0 < len(head) <= LONGEST_HEAD for head in heads)
        and len(filled) >= LEAST_FILLED * len(lengths)
        and max(filled) <= LONGEST_CELL
        and median(filled) <= SHORT_CELL
    )


def _middle(word: Word) -> float:
    return float(word["top"] + word["bottom"]) / 2
