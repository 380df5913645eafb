"""Reads OpenDocument texts, sheets and presentations, those of LibreOffice, as pages of HTML and as rows."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion import heads, package, xml
from gear_neo4j.ingestion.html import to_markdown
from gear_neo4j.ingestion.limits import Limits
from gear_neo4j.ingestion.markdown import HEADINGS
from gear_neo4j.ingestion.merged_cells import Range, with_merged
from gear_neo4j.ingestion.parts import Part, encodable, explained, parts_of_page, shorten, slide_part
from gear_neo4j.ingestion.rows import records, share

CONTENT = "content.xml"
META = "meta.xml"
# A row or cell that is repeated to the end of a sheet is an empty one.
MOST_REPEATED = 1_000
MOST_ROWS = 1_100_000
# What no reader sees in the text, or what belongs to the program.
_LEFT_OUT = ("annotation", "tracked-changes", "hidden-text", "note-citation", "forms")
_SPACES = ("s", "tab", "line-break")


def parts(path: Path, stem: str, *, limits: Limits) -> Iterator[Part]:
    """The parts of an OpenDocument file.

    Raises:
        InputError: it cannot be read, is encrypted, or exceeds the limits.
    """
    with explained("OpenDocument"), ZipFile(path) as archive:
        package.check_size(archive, limits)
        names = archive.namelist()
        if b"encryption-data" in archive.read("META-INF/manifest.xml"):
            raise InputError("is encrypted: save it without a password")
        core = xml.texts(xml.parsed(archive.read(META))) if META in names else {}
        # The creator is who saved it last.
        names_here = {"creator": "initial-creator", "created": "creation-date", "keywords": "keyword"}
        core |= {name: core.get(here, "") for name, here in names_here.items()}
        content = xml.parsed(archive.read(CONTENT))
        _remove_hidden(content)
        for part in _READERS[path.suffix.lower()](content, shorten(core.get("title", "")), stem, limits):
            yield replace(part, text=encodable(part.text), metadata=heads.from_office(core))


def _text(content: Any, title: str, stem: str, _: Limits) -> Iterator[Part]:
    html = f"<title>{escape(title)}</title>{_html(xml.first(content, 'text'))}"
    yield from parts_of_page(to_markdown(html.encode("utf-8", "replace"), is_data=True), stem)


def _presentation(content: Any, title: str, stem: str, limits: Limits) -> Iterator[Part]:
    pages = list(content.iter("{*}page"))
    if len(pages) > limits.pages:
        raise InputError(f"has more than {limits.pages:,} slides: split it")
    for number, page in enumerate(pages, start=1):
        frames = [frame for frame in page.iter("{*}frame") if _get(frame, "class") not in ("page", "page-number")]
        names = [_plain(frame) for frame in frames if _get(frame, "class") == "title"]
        name = shorten(names[0]) if names else ""
        body = "".join(_html(frame) for frame in frames if _get(frame, "class") != "title")
        text = to_markdown(body.encode("utf-8", "replace"), is_data=True).text
        yield slide_part(number, name, [text], title=title, stem=stem)


def _workbook(content: Any, title: str, stem: str, limits: Limits) -> Iterator[Part]:
    for sheet in xml.first(content, "spreadsheet").iterchildren("{*}table"):
        name = shorten(f"{title or stem}{HEADINGS}{_get(sheet, 'name')}")
        for number, text in records(with_merged(*_grid(sheet)), most=limits.characters):
            yield Part(name, text, "row", number)


def _grid(sheet: Any) -> tuple[list[list[object]], list[Range]]:
    """The rows of a sheet, and its merged ranges."""
    rows: list[list[object]] = []
    merged: list[Range] = []
    for row in sheet.iter("{*}table-row"):
        values: list[object] = []
        for cell in row.iterchildren("{*}table-cell", "{*}covered-table-cell"):
            left, top = len(values) + 1, len(rows) + 1
            width, height = (_number(cell, f"number-{what}-spanned") for what in ("columns", "rows"))
            if width * height > 1:
                merged.append((left, top, left + width - 1, top + height - 1))
            is_covered = xml.name(cell) == "covered-table-cell"
            values += [None if is_covered else _value(cell)] * _number(cell, "number-columns-repeated")
        while values and values[-1] is None:
            values.pop()
        rows += [values] * _number(row, "number-rows-repeated")
        if len(rows) > MOST_ROWS:
            raise InputError(f"has a sheet of more than {MOST_ROWS:,} rows: split it")
    return rows, merged


def _value(cell: Any) -> object:
    kind = _get(cell, "value-type")
    if kind in ("float", "currency"):
        number = float(_get(cell, "value"))
        return int(number) if number.is_integer() else number
    if kind == "percentage":
        return share(float(_get(cell, "value")))
    if kind == "date":
        return _get(cell, "date-value").replace("T", " ").removesuffix(" 00:00:00")
    # A time as it is shown.
    return _plain(cell) or None


def _plain(element: Any) -> str:
    return " ".join(" ".join(_words(paragraph) for paragraph in element.iter("{*}p", "{*}h")).split())


def _words(element: Any) -> str:
    """The text of an element, with spaces for what separates words."""
    if xml.name(element) in _SPACES:
        return " "
    return (element.text or "") + "".join(_words(one) + (one.tail or "") for one in element)


def _html(element: Any) -> str:
    """An element as HTML, without the text that follows it."""
    inner = escape(element.text or "") + "".join(_html(one) + escape(one.tail or "") for one in element)
    match xml.name(element):
        case "s" | "tab":
            return " "
        case "line-break":
            return "<br>"
        case "h":
            level = min(_number(element, "outline-level") + 1, 6)
            return f"<h{level}>{inner}</h{level}>"
        case "p":
            return f"<h1>{inner}</h1>" if _get(element, "style-name") == "Title" else f"<p>{inner}</p>"
        case "list":
            return f"<ul>{inner}</ul>"
        case "list-item":
            return f"<li>{inner}</li>"
        case "note":
            return f" ({inner})"
        case "note-body":
            return escape(_plain(element))
        case "table":
            return f"<table>{_table(element)}</table>"
    return inner


def _table(table: Any) -> str:
    rows = [row for row in table.iter("{*}table-row") if next(row.iterancestors("{*}table")) is table]
    return "".join(f"<tr>{''.join(map(_cell, row.iterchildren('{*}table-cell')))}</tr>" for row in rows)


def _cell(cell: Any) -> str:
    across, down = (_number(cell, f"number-{what}-spanned") for what in ("columns", "rows"))
    made = f"<td colspan={across} rowspan={down}>{''.join(map(_html, cell))}</td>"
    return made * _number(cell, "number-columns-repeated")


def _remove_hidden(content: Any) -> None:
    """Remove comments, deleted text, and what its style hides."""
    hidden = {
        _get(style, "name")
        for style in content.iter("{*}style")
        for one in style
        if _get(one, "display") in ("none", "false") or _get(one, "visibility") == "hidden"
    }
    styled = content.iter("{*}span", "{*}p", "{*}h", "{*}table", "{*}page", "{*}section")
    unseen = [one for one in styled if _get(one, "style-name") in hidden or _get(one, "display") == "none"]
    for element in [*content.iter(*(f"{{*}}{name}" for name in _LEFT_OUT)), *unseen]:
        _remove(element)


def _remove(element: Any) -> None:
    """Remove an element, but not what follows it."""
    before, parent = element.getprevious(), element.getparent()
    if before is None:
        parent.text = (parent.text or "") + (element.tail or "")
    else:
        before.tail = (before.tail or "") + (element.tail or "")
    parent.remove(element)


def _number(element: Any, name: str) -> int:
    """How often an element is repeated, or what it spans; a file can say anything."""
    text = _get(element, name)
    return max(1, min(int(text), MOST_REPEATED)) if text.isascii() and text.isdigit() and len(text) < 9 else 1


def _get(element: Any, name: str) -> str:
    """An attribute of any namespace; most are in the one of their element."""
    return next((str(value) for key, value in element.items() if key.rpartition("}")[2] == name), "")


_READERS: dict[str, Callable[[Any, str, str, Limits], Iterator[Part]]] = {
    ".odt": _text,
    ".ods": _workbook,
    ".odp": _presentation,
}
SUFFIXES = frozenset(_READERS)
