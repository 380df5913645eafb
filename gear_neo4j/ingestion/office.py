"""Reads Word, PowerPoint and Excel files with mammoth, python-pptx and openpyxl: the extra ``[office]``.

Hidden slides and sheets, comments, and deleted text in tracked changes are left out. Macros, links and embedded files
are never opened.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion import heads, package, word
from gear_neo4j.ingestion.html import to_markdown
from gear_neo4j.ingestion.limits import Limits
from gear_neo4j.ingestion.markdown import HEADINGS
from gear_neo4j.ingestion.merged_cells import merged_ranges, with_merged
from gear_neo4j.ingestion.parts import Part, encodable, explained, parts_of_page, shorten, slide_part
from gear_neo4j.ingestion.rows import Shown, plain, records, share
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
# The maximum number of rows in an Excel sheet, and of characters in a formula, in bytes.
MOST_ROWS = 1_048_576
LONGEST_FORMULA = 4 * 8_192
# A cell that ends with its formula.
_NO_VALUE = re.compile(rb"(?:</f>|<f(?:\s[^<>]*)?/>)(?:<v/>|<v></v>)?</c>")
CHUNK = 1 << 20
# What a format says besides how many digits are shown.
_TELLING = re.compile(r"%|[€$£¥₹\"]|^0{2,20}$")
_CODE = re.compile(r"0{2,20}")
# A sign of a currency, one with its country as in [$€-407], or a word such as "kg".
_UNIT = re.compile(r"\[\$([^\]-]{1,9})[^\]]{0,20}\]|\"([^\"]{1,12})\"|([€$£¥₹])")


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

    with word.prepared(document.path) as file:
        html = convert_to_html(
            file,
            style_map=STYLES,
            # A document can contain its own rules.
            include_embedded_style_map=False,
            external_file_access=False,
            convert_image=lambda _: [],
        ).value
    # The arrow links a footnote back to its reference.
    html = f"<title>{escape(document.title)}</title>{html.replace('↑</a>', '</a>')}"
    for part in parts_of_page(to_markdown(html.encode("utf-8", "replace"), is_data=True), document.stem):
        yield replace(part, metadata=document.metadata)


def _presentation(document: Office) -> Iterator[Part]:
    from pptx import Presentation

    with document.path.open("rb") as file:
        slides = Presentation(file).slides
        if len(slides) > document.limits.pages:
            raise InputError(f"has more than {document.limits.pages:,} slides: split it")
        for number, slide in enumerate(slides, start=1):
            if slide.element.get("show") not in ("0", "false"):
                name = shorten(slide.shapes.title.text) if slide.shapes.title else ""
                texts = (*_texts(slide.shapes), _notes(slide))
                part = slide_part(number, name, texts, title=document.title, stem=document.stem)
                yield replace(part, metadata=document.metadata)


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
                part = sheet._worksheet_path.lstrip("/")
                # The size stored in a sheet may be wrong.
                sheet.reset_dimensions()
                rows = with_merged(islice(_values(book, sheet), MOST_ROWS), merged_ranges(archive, part))
                remark = _without_values(archive, part, sheet.title)
                for number, text in records(rows, most=document.limits.characters):
                    yield Part(title, encodable(text), "row", number, document.metadata, remark=remark)


def _values(book: Any, sheet: Any) -> Iterator[Sequence[object]]:
    """The rows of a sheet; looking at the formats of cells takes twice as long."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE

    own = enumerate(book._number_formats, start=BUILTIN_FORMATS_MAX_SIZE)
    telling = {number for number, text in chain(BUILTIN_FORMATS.items(), own) if _TELLING.search(text)}
    if any(style.numFmtId in telling for style in book._cell_styles):
        yield from (
            [_shown(cell.value, cell.number_format) if cell.value is not None else None for cell in row]
            for row in sheet.iter_rows()
        )
    else:
        yield from sheet.iter_rows(values_only=True)


def _shown(value: Any, form: str) -> object:
    """A number as its format shows it: a share, a code with zeros before it, or with a unit."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if "%" in form:
        return share(value)
    if _CODE.fullmatch(form) and value == int(value):
        return Shown(value, str(int(value)).zfill(len(form)))
    if found := _UNIT.search(form):
        unit, number = next(filter(None, found.groups())).strip(), plain(value)
        is_before = not set(form[: found.start()]) & set("0#?")
        return Shown(value, f"{unit}{number}" if is_before else f"{number} {unit}") if unit else value
    return value


def _without_values(archive: ZipFile, part: str, sheet: str) -> str:
    """How many formulas have no value: the program that wrote them did not compute them."""
    count, before = 0, b""
    with archive.open(part) as file:
        while chunk := file.read(CHUNK):
            text = before + chunk
            ends = [found.end() for found in _NO_VALUE.finditer(text)]
            count += len(ends)
            before = text[max(len(text) - LONGEST_FORMULA, ends[-1] if ends else 0) :]
    formulas = "1 formula has" if count == 1 else f"{count:,} formulas have"
    return f"{formulas} no value in the sheet {sheet}: open it in a spreadsheet program, and save it" if count else ""


_READERS: dict[str, tuple[str, Callable[[Office], Iterator[Part]]]] = {
    ".docx": ("DOCX", _word),
    ".docm": ("DOCX", _word),
    ".pptx": ("PPTX", _presentation),
    ".pptm": ("PPTX", _presentation),
    ".xlsx": ("XLSX", _workbook),
    ".xlsm": ("XLSX", _workbook),
}
SUFFIXES = frozenset(_READERS)
