"""Reads PDF files: the text of each page, its tables, and what has been entered into its form."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion import heads
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS
from gear_neo4j.ingestion.parts import Part, encodable, explained, shorten
from gear_neo4j.ingestion.pdf_tables import Tables, may_have

if TYPE_CHECKING:
    from pypdf import PageObject

# The state of a box that is not ticked.
OFF = "/Off"


def parts(path: Path, stem: str, *, most: int = DEFAULT_LIMITS.pages) -> Iterator[Part]:
    """A part for each page.

    Raises:
        InputError: it cannot be read, or has more than ``most`` pages.
    """
    # Not by langchain-community: its loader computes the labels of all pages for each page.
    from pypdf import PdfReader

    with path.open("rb") as file, explained("PDF"), ExitStack() as opened:
        # Opened for the first page that needs it.
        tables = cache(lambda: opened.enter_context(Tables(path)))
        reader = PdfReader(file)
        if len(reader.pages) > most:
            raise InputError(f"has more than {most:,} pages: split it")
        information = reader.metadata
        title = shorten(str(information.get("/Title") or "")) if information else ""
        head = heads.from_pdf(information) if information else {}
        for number, page in enumerate(reader.pages, start=1):
            content = (may_have(page) and _with_tables(tables, number)) or page.extract_text().strip()
            text = "\n\n".join(filter(None, (content, "\n".join(_entries(page)))))
            yield Part(title or stem, encodable(text), "page", number, head)


def _with_tables(tables: Callable[[], Tables], number: int) -> str:
    try:
        return tables().text(number)
    except MemoryError:
        raise
    except Exception:
        # Another library; it may refuse what pypdf reads. The page is read without its tables.
        return ""


def _entries(page: "PageObject") -> Iterator[str]:
    """The filled fields of a form on a page, as lines of ``name: value``; a ticked box has the value yes."""
    for annotation in page.get("/Annots") or ():
        field = annotation.get_object()
        if field.get("/Subtype") == "/Widget" and not _is_hidden(field):
            name = _inherited(field, "/TU") or _inherited(field, "/T")
            value = _shown(_inherited(field, "/V"), is_box=_inherited(field, "/FT") == "/Btn")
            if name and value:
                yield f"{' '.join(str(name).split())}: {value}"


def _inherited(field: Any, key: str) -> Any:
    """A property of a field, or of the field that it is a part of."""
    parent = field.get("/Parent")
    value = field.get(key)
    return value if value is not None or parent is None else parent.get_object().get(key)


def _shown(value: Any, *, is_box: bool) -> str:
    if is_box:
        return "yes" if value is not None and str(value) != OFF else ""
    values = value if isinstance(value, list) else [value]
    return ", ".join(" ".join(str(one).split()) for one in values if one is not None)


def _is_hidden(field: Any) -> bool:
    # The second bit of the flags; passwords have the fourteenth of their own.
    return bool(int(field.get("/F", 0)) & 2) or bool(int(_inherited(field, "/Ff") or 0) & 1 << 13)
