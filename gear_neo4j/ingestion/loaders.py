"""Documents as text: each file becomes parts, a part being a stretch under one title that knows where it begins.

Texts and tables are read by the loaders of langchain-community, which are imported when the first document comes.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion import heads
from gear_neo4j.ingestion.html import to_markdown
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, MIB, Limits
from gear_neo4j.ingestion.markdown import front_matter, sections

if TYPE_CHECKING:
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document

LONGEST_TITLE = 200
LONGEST_FIRST_LINE = 80
TOO_MUCH_MEMORY = "takes too much memory to convert: split it"


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a document under one title, which begins at a ``line``, ``page``, ``row`` or ``character``.

    ``metadata`` is that of the document.
    """

    title: str
    text: str
    unit: str
    number: int = 1
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)


def load(path: Path, *, limits: Limits = DEFAULT_LIMITS, name: str | None = None) -> list[Part]:
    """The parts of a document that hold text, in its order; ``limits`` of time and memory are not applied here.

    A file that is known by a ``name`` is titled by that, and its own says nothing.

    Raises:
        InputError: says why the file cannot be used, without its name.
    """
    try:
        size = path.stat().st_size
        if not size:
            raise InputError("is empty")
        if size > limits.bytes:
            raise InputError(f"is larger than {limits.bytes // MIB:,} MiB: split it")
        suffix = path.suffix.lower()
        stem = Path(name or path).stem
        parts = _pdf(path, stem, most=limits.pages) if suffix == ".pdf" else _LOADERS[suffix](path, stem)
        file = heads.fields({"file": name}) if name else heads.from_file(path)
        kept = [
            replace(part, metadata={**file, **part.metadata}) for part in _bounded(parts, limits) if part.text.strip()
        ]
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}") from error
    if not kept:
        hint = " (scanned pages need OCR first)" if suffix == ".pdf" else ""
        raise InputError(f"holds no text{hint}")
    return kept


def _bounded(parts: Iterator[Part], limits: Limits) -> Iterator[Part]:
    """The parts as they come, until they are too long: a small file can hold a text without end."""
    characters = 0
    for part in parts:
        characters += len(part.text)
        if characters > limits.characters:
            raise InputError(f"holds more than {limits.characters:,} characters of text: split it")
        yield part


def is_document(path: Path) -> bool:
    """Whether a file is of a kind that :func:`load` reads, by its suffix.

    Example:
        >>> is_document(Path("Manual.PDF")), is_document(Path("photo.png"))
        (True, False)
    """
    return path.suffix.lower() in _LOADERS


def suffixes() -> tuple[str, ...]:
    """The kinds of documents, sorted."""
    return tuple(sorted(_LOADERS))


def _text(path: Path, stem: str) -> Iterator[Part]:
    text = _plain(path)
    yield Part(_first_line(text) or stem, text, "line")


def _first_line(text: str) -> str:
    """The first line if it is a title: short, not a sentence, and set apart from the text below it."""
    first, _, rest = text.lstrip().partition("\n")
    title = " ".join(first.split())
    apart = rest.split("\n", 1)[0].strip(" \t=-~*#") == ""
    is_title = len(title) <= LONGEST_FIRST_LINE and title[-1:].isalnum() and any(map(str.isalpha, title))
    return title if is_title and apart and rest.strip() else ""


def _markdown(path: Path, stem: str) -> Iterator[Part]:
    content = _plain(path)
    settings = front_matter(content)
    head = heads.from_front_matter(settings)
    document = str(head.pop("title", stem))
    # What is metadata need not be text, too.
    for title, text, line in sections(content, settings=not heads.keeps_all(settings)):
        yield Part(_shorten(title or document) or stem, text, "line", line, head)


def _html(path: Path, stem: str) -> Iterator[Part]:
    try:
        with catch_warnings():
            # Beautiful Soup warns of XHTML, and of a page that looks like an address; both are read as they should be.
            simplefilter("ignore", UserWarning)
            page = to_markdown(path.read_bytes())
    except Exception as error:
        raise InputError(_reason(error, "HTML")) from error
    text = _encodable(page.text)
    begins = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=1))
    for heading, section, line in sections(text):
        title = _shorten(heading or page.title) or stem
        yield Part(title, section, "character", begins[line - 1], page.metadata)


def _pdf(path: Path, stem: str, *, most: int = DEFAULT_LIMITS.pages) -> Iterator[Part]:
    # Not by langchain-community: its loader works out the labels of all pages for each page.
    from pypdf import PdfReader

    with path.open("rb") as file, _explained("PDF"):
        reader = PdfReader(file)
        if len(reader.pages) > most:
            raise InputError(f"has more than {most:,} pages: split it")
        information = reader.metadata
        title = _shorten(str(information.get("/Title") or "")) if information else ""
        head = heads.from_pdf(information) if information else {}
        for number, page in enumerate(reader.pages, start=1):
            yield Part(title or stem, _encodable(page.extract_text().strip()), "page", number, head)


def _csv(path: Path, stem: str) -> Iterator[Part]:
    from langchain_community.document_loaders import CSVLoader

    loader = CSVLoader(path, encoding="utf-8-sig", csv_args={"restkey": "more", "restval": ""})
    for document in _documents(loader, "CSV"):
        # As a spreadsheet counts: row 1 holds the names of the columns.
        yield Part(stem, document.page_content, "row", document.metadata["row"] + 2)


_LOADERS: dict[str, Callable[[Path, str], Iterator[Part]]] = {
    ".txt": _text,
    ".text": _text,
    ".rst": _text,
    ".md": _markdown,
    ".markdown": _markdown,
    ".html": _html,
    ".htm": _html,
    ".pdf": _pdf,
    ".csv": _csv,
}


def _plain(path: Path) -> str:
    from langchain_community.document_loaders import TextLoader

    (document,) = _documents(TextLoader(path, encoding="utf-8-sig"), "text")
    return document.page_content


def _documents(loader: "BaseLoader", kind: str) -> "Iterator[Document]":
    with _explained(kind):
        for document in loader.lazy_load():
            document.page_content = _encodable(document.page_content)
            yield document


@contextmanager
def _explained(kind: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        # A broken file can lead pypdf into any exception, and the other loaders hide theirs behind a RuntimeError.
        raise InputError(_reason(error, kind)) from error


def _reason(error: Exception, kind: str) -> str:
    cause = error.__cause__ if type(error) is RuntimeError and error.__cause__ else error
    if isinstance(cause, UnicodeDecodeError):
        return f"is not UTF-8 (byte {cause.start + 1}): save it as UTF-8"
    if isinstance(cause, OSError):
        return f"cannot be read: {cause.strerror or cause}"
    if type(cause).__name__ in ("FileNotDecryptedError", "WrongPasswordError", "DependencyError"):
        return "is encrypted: save it without a password"
    # Code in C that gets no memory does not always say so: "error return without exception set".
    if isinstance(cause, MemoryError | SystemError):
        return TOO_MUCH_MEMORY
    if isinstance(cause, RecursionError):
        return "is nested too deeply"
    detail = " ".join(str(cause).split()) or type(cause).__name__
    return f"cannot be read as {kind}: {detail}"


def _shorten(title: str) -> str:
    title = " ".join(_encodable(title).split())
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…"


def _encodable(text: str) -> str:
    # PDFs hold characters as halves of surrogate pairs, which belong together, and single ones, which mean nothing.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
