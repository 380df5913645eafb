"""Reads Word, PowerPoint and Excel files with mammoth, python-pptx and openpyxl: the extra ``[office]``.

Hidden slides and sheets, comments, and deleted text in tracked changes are left out. Macros, links and embedded files
are never opened.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, time
from functools import cache, cached_property
from html import escape
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion import heads, package, word
from gear_neo4j.ingestion.columns import NAMELESS, distinct
from gear_neo4j.ingestion.html import to_markdown
from gear_neo4j.ingestion.limits import Limits
from gear_neo4j.ingestion.markdown import HEADINGS
from gear_neo4j.ingestion.merged_cells import merged_ranges, with_merged
from gear_neo4j.ingestion.parts import Part, encodable, explained, parts_of_page, shorten
from gear_neo4j.ingestion.spans import LONGEST_REPEATED

if TYPE_CHECKING:
    from pptx.slide import Slide

NEEDS_EXTRA = "Word, PowerPoint and Excel files need the extra: pip install 'gear-neo4j[office]'"
LIBRARIES = ("mammoth", "pptx", "openpyxl", "defusedxml")
# Word's headings are below the title of the document.
STYLES = "\n".join(
    [
        "p[style-name='Title'] => h1:fresh",
        *(f"p[style-name='Heading {level}'] => h{min(level + 1, 6)}:fresh" for level in range(1, 7)),
    ]
)
# PowerPoint's default title.
UNTITLED = "PowerPoint Presentation"
# The maximum number of rows in an Excel sheet.
MOST_ROWS = 1_048_576
# Numbers that may be the heads of columns.
YEARS = range(1800, 2200)
ERRORS = frozenset({"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#SPILL!", "#CALC!"})


@dataclass(frozen=True, slots=True)
class Office:
    """An office file: its name without suffix, its title and metadata, and its limits."""

    path: Path
    stem: str
    title: str
    metadata: Mapping[str, Any]
    limits: Limits


@cache
def is_installed() -> bool:
    """Whether the extra is installed."""
    return all(map(find_spec, LIBRARIES))


def parts(path: Path, stem: str, *, limits: Limits) -> Iterator[Part]:
    """The parts of an office file.

    Raises:
        InputError: it cannot be read, or exceeds the limits.
    """
    kind, read = _READERS[path.suffix.lower()]
    with explained(kind):
        package.check(path, limits=limits)
        core = package.core_properties(path)
        title = shorten(core.get("title", ""))
        yield from read(Office(path, stem, "" if title == UNTITLED else title, heads.from_office(core), limits))


def _word(document: Office) -> Iterator[Part]:
    from mammoth import convert_to_html
    from mammoth.documents import Table
    from mammoth.transforms import element_of_type

    with word.prepared(document.path) as file:
        html = convert_to_html(
            file,
            style_map=STYLES,
            # A document can contain its own rules.
            include_embedded_style_map=False,
            external_file_access=False,
            convert_image=lambda _: [],
            transform_document=element_of_type(Table, _with_heads),
        ).value
    # The arrow links a footnote back to its reference.
    html = f"<title>{escape(document.title)}</title>{html.replace('↑</a>', '</a>')}"
    for part in parts_of_page(to_markdown(html.encode("utf-8", "replace")), document.stem):
        yield replace(part, metadata=document.metadata)


def _with_heads(table: Any) -> Any:
    """A Word table with its first row as the header, unless it has two columns: these are names and values.

    A cell of the header that spans several rows makes all of them the header.
    """
    rows = list(table.children)
    first = rows[0].children if rows else []
    if sum(cell.colspan for cell in first) > 2:
        height = max(cell.rowspan for cell in first)
        heads = rows[: height if height < len(rows) else 1]
        rows[: len(heads)] = [row.copy(is_header=True) for row in heads]
    return table.copy(children=rows)


def _presentation(document: Office) -> Iterator[Part]:
    from pptx import Presentation

    with document.path.open("rb") as file:
        slides = Presentation(file).slides
        if len(slides) > document.limits.pages:
            raise InputError(f"has more than {document.limits.pages:,} slides: split it")
        for number, slide in enumerate(slides, start=1):
            if slide.element.get("show") not in ("0", "false"):
                name = shorten(slide.shapes.title.text) if slide.shapes.title else ""
                title = shorten(HEADINGS.join(filter(None, (document.title, name)))) or document.stem
                text = "\n\n".join(filter(None, (f"# {name}" if name else "", *_texts(slide.shapes), _notes(slide))))
                yield Part(title, encodable(text), "slide", number, document.metadata)


def _texts(shapes: Iterable[Any]) -> Iterator[str]:
    """The texts and tables of a slide without its title, from top to bottom and left to right."""
    from pptx.enum.shapes import PP_PLACEHOLDER
    from pptx.shapes.group import GroupShape

    repeated = (PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER)
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        if isinstance(shape, GroupShape):
            yield from _texts(shape.shapes)
        elif shape.has_table:
            yield _table(_grid(shape.table))
        elif shape.has_text_frame:
            placeholder = shape.placeholder_format if shape.is_placeholder else None
            # The first placeholder of a layout is the title.
            if placeholder is None or not (placeholder.idx == 0 or placeholder.type in repeated):
                yield _lines(shape.text_frame.text)


def _grid(table: Any) -> list[list[str]]:
    """The texts of a slide's table; a merged cell counts in each of its rows and columns."""
    cells = [list(row.cells) for row in table.rows]
    grid = [[cell.text for cell in row] for row in cells]
    for top, row in enumerate(cells):
        for left, cell in enumerate(row):
            if cell.is_merge_origin and len(cell.text) <= LONGEST_REPEATED:
                for below in grid[top : top + cell.span_height]:
                    width = len(below[left : left + cell.span_width])
                    below[left : left + width] = [cell.text] * width
    return grid


def _notes(slide: "Slide") -> str:
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    return _lines(frame.text) if frame else ""


def _lines(text: str) -> str:
    # A vertical tab is a line break within a paragraph.
    return "\n".join(line.rstrip() for line in text.replace("\v", "\n").split("\n") if line.strip())


def _table(rows: Sequence[Sequence[str]]) -> str:
    plain = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in plain]
    return "\n".join([lines[0], f"|{' --- |' * len(rows[0])}", *lines[1:]]) if lines else ""


def _workbook(document: Office) -> Iterator[Part]:
    from openpyxl import load_workbook

    with (
        document.path.open("rb") as file,
        closing(load_workbook(file, read_only=True, data_only=True, keep_links=False)) as book,
        ZipFile(document.path) as archive,
    ):
        for sheet in book.worksheets:
            if sheet.sheet_state == "visible":
                title = shorten(f"{document.title or document.stem}{HEADINGS}{sheet.title}")
                # The size stored in a sheet may be wrong.
                sheet.reset_dimensions()
                rows = islice(sheet.iter_rows(values_only=True), MOST_ROWS)
                merged = with_merged(rows, merged_ranges(archive, sheet._worksheet_path.lstrip("/")))
                for number, text in _rows(merged, most=document.limits.characters):
                    yield Part(title, encodable(text), "row", number, document.metadata)


def _rows(rows: Iterable[Sequence[object]], *, most: int) -> Iterator[tuple[int, str]]:
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


def _cell(value: object) -> str:
    """The text of a cell, as a spreadsheet shows it in the plainest format; empty for errors."""
    match value:
        case None:
            return ""
        case float():
            return f"{value:.15g}"
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime():
            return value.isoformat(" ", "seconds")
        case str() if value in ERRORS:
            return ""
    return str(value).strip()


_READERS: dict[str, tuple[str, Callable[[Office], Iterator[Part]]]] = {
    ".docx": ("DOCX", _word),
    ".docm": ("DOCX", _word),
    ".pptx": ("PPTX", _presentation),
    ".pptm": ("PPTX", _presentation),
    ".xlsx": ("XLSX", _workbook),
    ".xlsm": ("XLSX", _workbook),
}
SUFFIXES = frozenset(_READERS)
