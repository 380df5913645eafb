"""Changes the tree of a page where its Markdown would say something else than the page."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from gear_neo4j.ingestion.spans import cells_of, repeat_spans, rows_of, span_of
from gear_neo4j.ingestion.table_heads import count_heads

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

# A longer link that is raised is no mark of a footnote.
LONGEST_MARK = 4
_REFERENCE = re.compile(r"\[\s*(?:\w{1,3}|note \d+|citation needed)\s*\]")
_POWER = re.compile(r"[-+\u2212]?\d+")
_TEX = "application/x-tex"
# In MathML, what stands between the base and what is above or below it.
_SCRIPTS = {"msup": "^", "msub": "_", "mfrac": "/"}


def tidy(page: "BeautifulSoup", *, is_data: bool = False) -> None:
    """Make the tables, formulas and marks of a page readable as Markdown.

    Tables within tables stay, and what is around them becomes text. Captions come before their tables. Cells that span
    several rows or columns are in each of them. Heads that are not marked are found
    (:func:`~gear_neo4j.ingestion.table_heads.count_heads`), and several rows of heads become one. Marks of references
    go; powers and formulas stay.

    Example:
        >>> from bs4 import BeautifulSoup
        >>> page = BeautifulSoup("<p>1.3 &times; 10<sup>6</sup> m<sup>2</sup><sup>[1]</sup>", "lxml")
        >>> tidy(page)
        >>> page.get_text()
        '1.3 × 10^6 m^2'
    """
    for element in page([*_CHANGES]):
        if not element.decomposed:
            _CHANGES[element.name](page, element)
    tables = page("table")
    heights = [_height(table) for table in tables]
    repeat_spans(tables)
    for table, height in zip(tables, heights, strict=True):
        _mark_heads(table, height, is_data=is_data)
        _one_head(page, table)


def _formula(page: "BeautifulSoup", math: "Tag") -> None:
    source = math.find("annotation", encoding=_TEX)
    text = source.get_text() if source else str(math.get("alttext") or "") or _linear(math)
    math.replace_with(page.new_string(" ".join(text.split())))


def _linear(math: "Tag") -> str:
    """A formula on one line."""
    parts = [_linear(part) for part in math.find_all(True, recursive=False)]
    if not parts:
        return math.get_text(strip=True)
    return _SCRIPTS.get(math.name, "").join(parts) if len(parts) == 2 else "".join(parts)


def _raised(page: "BeautifulSoup", sup: "Tag") -> None:
    """Without its mark, ten to the sixth would be 106."""
    text = sup.get_text(strip=True)
    if _REFERENCE.fullmatch(text) or (sup.find("a") and len(text) <= LONGEST_MARK):
        sup.decompose()
    elif _POWER.fullmatch(text):
        sup.replace_with(page.new_string(f"^{text}"))


def _paragraph(_: "BeautifulSoup", summary: "Tag") -> None:
    summary.name = "p"


def _around_tables(_: "BeautifulSoup", table: "Tag") -> None:
    if table.find("table"):
        for part in [*rows_of(table), *(cell for row in rows_of(table) for cell in cells_of(row)), table]:
            part.name = "div"


def _caption(_: "BeautifulSoup", caption: "Tag") -> None:
    if table := caption.find_parent("table"):
        caption.name = "p"
        table.insert_before(caption.extract())


def _height(table: "Tag") -> int:
    """The number of rows that the tallest cell of the first row spans."""
    first = cells_of(rows[0]) if (rows := rows_of(table)) else []
    return max((span_of(cell, "rowspan") for cell in first), default=1)


def _mark_heads(table: "Tag", height: int, *, is_data: bool) -> None:
    """Mark the heads of a table that has none."""
    rows = [cells_of(row) for row in rows_of(table)]
    if table.thead is not None or any(cell.name == "th" for row in rows for cell in row):
        return
    texts = [[" ".join(cell.get_text(" ").split()) for cell in row] for row in rows]
    bold = [all(map(_is_bold, row)) for row in rows if row]
    is_bold = any(texts[0] if texts else ()) and bold[0] and not all(bold)
    for row in rows[: count_heads(texts, height=height, is_bold=is_bold, is_data=is_data)]:
        for cell in row:
            cell.name = "th"


def _is_bold(cell: "Tag") -> bool:
    text = cell.get_text(strip=True)
    return not text or any(part.get_text(strip=True) == text for part in cell(["b", "strong"]))


def _one_head(page: "BeautifulSoup", table: "Tag") -> None:
    """Several rows of heads as one row; one that is the same in all columns is a title."""
    rows = rows_of(table)
    heads = list(_heads(rows))
    if len(heads) < 2 or len(heads) == len(rows):
        return
    texts = [[" ".join(cell.get_text(" ").split()) for cell in cells_of(row)] for row in heads]
    columns = max(map(len, texts))
    for row, title in zip(heads, texts, strict=True):
        if len(title) == columns > 1 and len(set(title)) == 1 and row is not heads[-1]:
            paragraph = page.new_tag("p")
            paragraph.string = title[0]
            table.insert_before(paragraph)
            title.clear()
    for column, cell in enumerate(cells_of(heads[-1])):
        names = dict.fromkeys(row[column] for row in texts if column < len(row) and row[column])
        cell.string = " ".join(names)
    for row in heads[:-1]:
        row.decompose()


def _heads(rows: Sequence["Tag"]) -> Iterator["Tag"]:
    """The first rows that are in the head of a table, or have only cells of heads."""
    for row in rows:
        cells = cells_of(row)
        if row.find_parent("thead") is None and not (cells and all(cell.name == "th" for cell in cells)):
            return
        yield row


# What is changed, in one walk through the page: a table comes before its caption.
_CHANGES: dict[str, Callable[["BeautifulSoup", "Tag"], None]] = {
    "math": _formula,
    "sup": _raised,
    "summary": _paragraph,
    "table": _around_tables,
    "caption": _caption,
}
