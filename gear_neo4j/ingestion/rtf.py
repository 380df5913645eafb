"""Reads RTF with striprtf: headings, paragraphs, lists and tables, which it turns into HTML for the reader of HTML.

Hidden text, headers, footers, notes, pictures and embedded files are left out.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby, takewhile, zip_longest
from pathlib import Path

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.html import to_markdown
from gear_neo4j.ingestion.parts import Part, explained, parts_of_page

SUFFIX = ".rtf"
# Characters for private use come through striprtf: for each level of headings, and for a bar of the text. A cell begins
# with its right edge between two, after signs that it is a head, or goes on from the cell above or before it.
_LEVELS, _BAR, _EDGE = "\ue000\ue001\ue002\ue003\ue004\ue005", "\ue006", "\ue007"
_HEADS, _ABOVE, _BEFORE = "\ue008", "\ue009", "\ue00a"
_CELL = re.compile(rf"([{_HEADS}{_ABOVE}{_BEFORE}]*){_EDGE}(-?\d+){_EDGE}(.*)", re.DOTALL)
_LEVEL = re.compile(r"\\(?:outlinelevel([0-5])|s(\d{1,4}))(?!\d)")
_STYLE = re.compile(
    r"\{\\s(\d{1,4})\b[^{}]{0,999}(?:\{[^{}]{0,99}\}[^{}]{0,999}){0,9}?heading ([1-6]);\}", re.IGNORECASE
)
_TITLE = re.compile(r"\{\\title ([^{}\\]{1,300})\}")
_ROW = re.compile(r"\\trowd.*?\\row(?![a-z])", re.DOTALL)
_BREAK = re.compile(r"\\(?:par|line|nestcell|nestrow)(?![a-z])")
_CELL_END = re.compile(r"\\cell(?![a-z])")
_DEFINED = re.compile(r"\\cellx(-?\d+)|\\(?:intbl|pard|cell)(?![a-z])")
_HIDDEN = re.compile(r"\\v(?:1|(?![a-z0-9-]))")
_SHOWN_AGAIN = re.compile(r"\\v0(?!\d)")
_ITEM = re.compile(r"[•·\uf0b7o-]\t")


@dataclass
class _Cell:
    text: str
    tag: str
    across: int
    down: int = 1

    def __str__(self) -> str:
        return f"<{self.tag} colspan={self.across} rowspan={self.down}>{self.text}</{self.tag}>"


def parts(path: Path, stem: str) -> Iterator[Part]:
    """The sections of an RTF file.

    Raises:
        InputError: it is no RTF.
    """
    # Slow to import for what is rare.
    from striprtf.striprtf import rtf_to_text

    with explained("RTF"):
        source = _source(path.read_bytes())
        text: str = rtf_to_text(_marked(source), errors="replace")  # type: ignore[no-untyped-call]
        text = text.replace("\n|", "|")
    title = _TITLE.search(source)
    html = _html(text, title[1] if title else "")
    page = to_markdown(html.encode("utf-8", "replace"), is_data=True)
    yield from parts_of_page(page, stem)


def _source(content: bytes) -> str:
    if not content.lstrip().startswith(b"{\\rtf"):
        raise InputError("is no RTF, despite its name")
    # A byte of its code page, which striprtf reads only if it is escaped.
    return re.sub(rb"[\x80-\xff]", lambda byte: b"\\'%02x" % byte[0][0], content).decode("ascii")


def _marked(source: str) -> str:
    """RTF with marks for what striprtf loses: levels of headings, and which bars are not those of cells."""
    marked = re.sub(r"(?<!\\)\|", rf"\\u{ord(_BAR)}?", source)
    levels = {style: int(level) - 1 for style, level in _STYLE.findall(marked)}

    def with_level(match: re.Match[str]) -> str:
        level = int(match[1]) if match[1] else levels.get(match[2])
        return match[0] if level is None else rf"{match[0]}\u{ord(_LEVELS[level])}?"

    marked = _LEVEL.sub(with_level, marked)
    marked = _ROW.sub(_marked_row, marked)
    # Where hidden text ends within its group, striprtf would hide the rest of that, too.
    return marked if _SHOWN_AGAIN.search(marked) else _HIDDEN.sub(r"\\*", marked)


def _marked_row(row: re.Match[str]) -> str:
    """A row whose breaks do not end it, and whose cells say where they end and what they continue."""
    heads = _HEADS if r"\trhdr" in row[0] else ""
    signs, begin = [], 0
    for edge in takewhile(lambda match: match[1], _DEFINED.finditer(row[0])):
        definition = row[0][begin : edge.start()]
        sign = heads + _ABOVE * (r"\clvmrg" in definition) + _BEFORE * (r"\clmrg" in definition)
        escaped = "".join(rf"\u{ord(letter)}?" for letter in (*sign, _EDGE))
        signs.append(rf"{escaped}{edge[1]}\u{ord(_EDGE)}?")
        begin = edge.end()
    # What follows the last cell is the row's definition once more.
    cells = _CELL_END.split(_BREAK.sub(r"\\tab", row[0][begin:]))[:-1]
    marked = (rf"{sign}{cell}\cell " for sign, cell in zip_longest(signs[: len(cells)], cells, fillvalue=""))
    return rf"{row[0][:begin]}{''.join(marked)}\row"


def _html(text: str, title: str) -> str:
    lines = [line for line in text.split("\n") if line.strip(f" \t{_LEVELS}")]
    blocks = groupby(lines, key=lambda line: "table" if line.endswith("|") else "ul" if _ITEM.match(line) else "")
    body = "".join(_block(kind, list(block)) for kind, block in blocks)
    return f"<html><head><title>{escape(title)}</title></head><body>{body}</body></html>"


def _block(kind: str, lines: list[str]) -> str:
    if kind == "table":
        rows: list[list[tuple[str, int, str]]] = []
        for line in lines:
            rows.append([*_cells(line, [edge for _, edge, _ in rows[-1]] if rows else [])])
        return _table(rows)
    if kind == "ul":
        items = (_escaped(_ITEM.sub("", line, count=1)) for line in lines)
        return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
    return "".join(map(_paragraph, lines))


def _cells(line: str, before: Sequence[int]) -> Iterator[tuple[str, int, str]]:
    """The signs, right edges and texts of a row; one without a definition has the edges of the row before it."""
    edge = 0
    for index, cell in enumerate(line[:-1].split("|")):
        match = _CELL.search(cell)
        edge = int(match[2]) if match else before[index] if index < len(before) else edge + 1
        yield (match[1], edge, _escaped(match[3])) if match else ("", edge, _escaped(cell))


def _table(rows: list[list[tuple[str, int, str]]]) -> str:
    """A table with merged cells: its columns end where any cell does."""
    edges = sorted({edge for row in rows for _, edge, _ in row})
    begun: dict[int, _Cell] = {}
    made = []
    for row in rows:
        cells: list[_Cell] = []
        column = 0
        for signs, edge, text in row:
            span = max(1, bisect_right(edges, edge) - column)
            if _BEFORE in signs and cells:
                cells[-1].across += span
            elif _ABOVE in signs and column in begun:
                begun[column].down += 1
            else:
                cells.append(_Cell(text, "th" if _HEADS in signs else "td", span))
                begun[column] = cells[-1]
            column += span
        made.append(cells)
    body = "".join(f"<tr>{''.join(map(str, cells))}</tr>" for cells in made)
    return f"<table>{body}</table>"


def _paragraph(line: str) -> str:
    level = max(map(_LEVELS.find, line))
    tag = "p" if level < 0 else f"h{level + 1}"
    return f"<{tag}>{_escaped(line)}</{tag}>"


def _escaped(text: str) -> str:
    return escape(" ".join(text.translate(dict.fromkeys(map(ord, _LEVELS))).replace(_BAR, "|").split()))
