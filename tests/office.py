"""Office files for tests: written by the usual libraries, and with parts replaced by hand."""

import io
from datetime import UTC, date, datetime
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import openpyxl
import pptx
from openpyxl.comments import Comment

CREATED = datetime(2024, 5, 31, 10, tzinfo=UTC)


def word(*paragraphs, **core):
    """A document of paragraphs, each a text or a pair of style and text; a list of lists is a table."""
    document = docx.Document()
    for one in paragraphs:
        if isinstance(one, list):
            table = document.add_table(len(one), len(one[0]))
            for row, cells in zip(table.rows, one, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
        else:
            style, text = one if isinstance(one, tuple) else ("Normal", one)
            document.add_paragraph(text, style=style)
    return _saved(document, document.core_properties, core)


def slides(*pages, hidden=(), notes=None, **core):
    """A presentation of pairs of a title and a text; ``hidden`` are numbers of slides, ``notes`` those of the first."""
    presentation = pptx.Presentation()
    for number, (title, text) in enumerate(pages, start=1):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
        if number in hidden:
            slide.element.set("show", "0")
        if notes and number == 1:
            slide.notes_slide.notes_text_frame.text = notes
    return _saved(presentation, presentation.core_properties, core)


def sheets(hidden=(), comment=None, **rows):
    """A workbook of sheets by name, each a list of rows; ``hidden`` are names of sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, values in rows.items():
        sheet = book.create_sheet(name)
        for row in values:
            sheet.append(row)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
        if comment:
            sheet["A1"].comment = Comment(comment, "Bob")
    book.properties.creator, book.properties.created = "Ada", CREATED.replace(tzinfo=None)
    return _saved(book)


def changed(content, parts):
    """An office file with replaced or added parts, by their names."""
    out = io.BytesIO()
    with ZipFile(io.BytesIO(content)) as old, ZipFile(out, "w", ZIP_DEFLATED) as new:
        for name, text in {**{name: old.read(name) for name in old.namelist()}, **parts}.items():
            new.writestr(name, text)
    return out.getvalue()


def part(content, name):
    """A part of an office file."""
    with ZipFile(io.BytesIO(content)) as archive:
        return archive.read(name)


def _saved(document, properties=None, core=None):
    for name, value in {"created": CREATED, **(core or {})}.items() if properties is not None else ():
        setattr(properties, name, value)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


TABLE = [["City", "Sold", "Since"], ["Paris", 3, date(2024, 5, 1)], ["Rome", None, None]]
