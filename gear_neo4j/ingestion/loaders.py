"""Loads documents as text: each file becomes parts, which are sections with a title and a position.

A loader of langchain-community reads CSV; it is imported with the first such file, because that takes a while.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from warnings import catch_warnings, simplefilter

from gear_neo4j.errors import InputError, TemporaryFailure
from gear_neo4j.ingestion import epub, heads, mail, ocr, office, opendocument, pages, pdf, rtf, scans
from gear_neo4j.ingestion.columns import columns, nameless
from gear_neo4j.ingestion.encodings import WESTERN, encoding_of
from gear_neo4j.ingestion.html import to_markdown
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, MIB, Limits
from gear_neo4j.ingestion.markdown import (
    HEADINGS,
    front_matter,
    sections,
    with_tables,
    without_comments,
    without_pictures,
)
from gear_neo4j.ingestion.parts import Part, encodable, explained, parts_of_page, shorten
from gear_neo4j.ingestion.scans import PDF

LONGEST_FIRST_LINE = 80
# Below this confidence, a page that was read by OCR is reported.
UNSURE = 0.7
MOST_REMARKS = 5


@dataclass(frozen=True, slots=True)
class Loaded:
    """The parts of a document that have text, in order, and remarks on what was not read, or only assumed."""

    parts: list[Part]
    remarks: tuple[str, ...] = ()


def load(
    path: Path,
    *,
    limits: Limits = DEFAULT_LIMITS,
    name: str | None = None,
    on_page: Callable[[], None] = lambda: None,
) -> Loaded:
    """The parts of a document; ``limits`` of time and memory are not applied here.

    A ``name`` replaces the file's own name in titles and metadata; ``on_page`` is called after each page of OCR.

    Raises:
        InputError: says why the file cannot be used, without naming it.
    """
    try:
        size = path.stat().st_size
        if not size:
            raise InputError("is empty")
        if size > limits.bytes:
            raise InputError(f"is larger than {limits.bytes // MIB:,} MiB: split it")
        file = heads.fields({"file": name}) if name else heads.from_file(path)
        with catch_warnings():
            # Libraries also warn about files that they read correctly.
            simplefilter("ignore", UserWarning)
            parts = list(_bounded(_parts(path, name, limits, on_page), limits))
    except OSError as error:
        raise TemporaryFailure(f"cannot be read: {error.strerror or error}") from error
    suffix = path.suffix.lower()
    if suffix in scans.PAGED:
        tidy = pages.tidied([part.text for part in parts])
        parts = [replace(part, text=text) for part, text in zip(parts, tidy, strict=True)]
    texts = [part for part in parts if part.text.strip()]
    if not texts:
        raise InputError(f"holds no text{_unread(limits) if suffix == PDF else ''}")
    remarks = list(_of_pages(parts, limits)) if suffix in scans.PAGED else _of_parts(parts)
    if suffix in _TEXTS and encoding_of(path) == WESTERN:
        remarks.append(f"is not UTF-8: read as {WESTERN}, the encoding of Western Windows")
    # One head for all parts, which is written once.
    metadata = {**file, **texts[0].metadata, **_confidence(texts)}
    return Loaded([replace(part, metadata=metadata, remark="") for part in texts], tuple(remarks))


def _of_parts(parts: Sequence[Part]) -> list[str]:
    """What the parts say of themselves, not more than fits on a screen."""
    remarks = list(dict.fromkeys(part.remark for part in parts if part.remark))
    more = [f"and {len(remarks) - MOST_REMARKS:,} more such remarks"] if len(remarks) > MOST_REMARKS else []
    return remarks[:MOST_REMARKS] + more


def _of_pages(parts: Sequence[Part], limits: Limits) -> Iterator[str]:
    """Which pages were not read, and which were hard to read."""
    if blank := [part.number for part in parts if not part.text.strip()]:
        yield f"{pages.named(blank)} without text{_unread(limits)}"
    if unsure := [part.number for part in parts if part.confidence is not None and part.confidence < UNSURE]:
        yield f"{pages.named(unsure)} may be misread: OCR is less than {UNSURE:.0%} sure"


def _unread(limits: Limits) -> str:
    """Why a page that may be a picture has no text."""
    if limits.ocr == ocr.OFF:
        return " (OCR is off)"
    return " that OCR can read" if ocr.chosen(limits.ocr) else f" ({scans.NEEDS_TESSERACT})"


def _confidence(parts: Sequence[Part]) -> dict[str, float]:
    """The lowest confidence of a page that OCR read, as metadata."""
    confidences = [part.confidence for part in parts if part.confidence is not None]
    return {"ocr_confidence": round(min(confidences), 2)} if confidences else {}


def _parts(path: Path, name: str | None, limits: Limits, on_page: Callable[[], None]) -> Iterator[Part]:
    suffix, stem = path.suffix.lower(), Path(name or path).stem
    reader = ocr.chosen(limits.ocr) if suffix in scans.PAGED else None
    if suffix == PDF:
        found = pdf.parts(path, stem, most=limits.pages)
        return scans.with_scanned(found, path, reader, on_page=on_page) if reader else found
    if suffix in scans.SUFFIXES:
        if reader is None:
            raise InputError("is a picture, and OCR is off")
        return scans.image_parts(path, stem, reader)
    if suffix in office.SUFFIXES:
        return office.parts(path, stem, limits=limits)
    if suffix in _LIMITED:
        return _LIMITED[suffix](path, stem, limits=limits)
    return _LOADERS[suffix](path, stem)


def _bounded(parts: Iterator[Part], limits: Limits) -> Iterator[Part]:
    """The parts, until their text exceeds the limit: a small file can expand to an endless text."""
    characters = 0
    for part in parts:
        characters += len(part.text)
        if characters > limits.characters:
            raise InputError(f"holds more than {limits.characters:,} characters of text: split it")
        yield part


def is_document(path: Path) -> bool:
    """Whether :func:`load` reads this kind of file, by its suffix; office files need an extra, pictures Tesseract.

    Example:
        >>> is_document(Path("Manual.PDF")), is_document(Path("song.mp3"))
        (True, False)
    """
    return path.suffix.lower() in suffixes()


def suffixes() -> tuple[str, ...]:
    """The suffixes of readable documents, sorted."""
    more = [*(office.SUFFIXES if office.is_installed() else ()), *(scans.SUFFIXES if scans.is_installed() else ())]
    return tuple(sorted([*_LOADERS, *_LIMITED, *more]))


def kinds() -> str:
    """The kinds of files that an ingest accepts, for a message."""
    return f"{', '.join(suffixes())} or .jsonl"


def needs_extra(path: Path) -> bool:
    """Whether a file needs what is not installed: the extra ``[office]``, or Tesseract."""
    suffix = path.suffix.lower()
    return (suffix in office.SUFFIXES and not office.is_installed()) or (
        suffix in scans.SUFFIXES and not scans.is_installed()
    )


def refusal(path: Path, *, verb: str = "give") -> str:
    """The message for a file that is not a readable document."""
    if needs_extra(path):
        needs = office.NEEDS_EXTRA if path.suffix.lower() in office.SUFFIXES else scans.NEEDS_TESSERACT
        return f"cannot be read here: {needs}"
    return f"is of a kind that cannot be ingested: {verb} {kinds()}"


def _text(path: Path, stem: str) -> Iterator[Part]:
    text = _plain(path)
    yield Part(first_line(text) or stem, text, "line")


def first_line(text: str) -> str:
    """The first line if it looks like a title: short, not a sentence, and followed by a blank line or a rule."""
    first, _, rest = text.lstrip().partition("\n")
    title = " ".join(first.split())
    apart = rest.split("\n", 1)[0].strip(" \t=-~*#") == ""
    is_title = len(title) <= LONGEST_FIRST_LINE and title[-1:].isalnum() and any(map(str.isalpha, title))
    return title if is_title and apart and rest.strip() else ""


def _markdown(path: Path, stem: str) -> Iterator[Part]:
    return markdown_parts(_plain(path), stem)


def markdown_parts(text: str, stem: str) -> Iterator[Part]:
    """The sections of a Markdown text, with its front matter as metadata; ``stem`` is the title above the headings."""
    content = without_comments(without_pictures(text))
    settings = front_matter(content)
    head = heads.from_front_matter(settings)
    document = str(head.pop("title", stem))
    # Front matter that becomes metadata is left out of the text.
    for title, section, line in sections(content, settings=not heads.keeps_all(settings)):
        section = with_tables(section, lambda table: to_markdown(table.encode()).text)
        yield Part(shorten(title or document) or stem, section, "line", line, head)


def _html(path: Path, stem: str) -> Iterator[Part]:
    with explained("HTML"):
        page = to_markdown(path.read_bytes())
    yield from parts_of_page(page, stem)


def _csv(path: Path, stem: str) -> Iterator[Part]:
    from langchain_community.document_loaders import CSVLoader

    encoding = encoding_of(path)
    delimiter = "\t" if path.suffix.lower() in TABBED else ""
    with explained("CSV"), path.open(encoding=encoding, newline="") as file:
        table = columns(file, delimiter=delimiter)
    names = table.names
    reading = {"delimiter": table.delimiter, "fieldnames": names, "restkey": nameless(names), "restval": ""}
    title = shorten(HEADINGS.join(filter(None, (stem, table.title))))
    blank = " ".join(f"{name}:" for name in names).split()
    with explained("CSV"):
        for document in CSVLoader(path, encoding=encoding, csv_args=reading).lazy_load():
            # Rows have the numbers that a spreadsheet gives them: in most files, row 1 is the header.
            row = document.metadata["row"]
            if row >= table.above and document.page_content.split() != blank:
                yield Part(title, encodable(document.page_content), "row", row + 1)


# Between the columns of these there are tabs.
TABBED = (".tsv", ".tab")
_LOADERS: dict[str, Callable[[Path, str], Iterator[Part]]] = {
    ".txt": _text,
    ".text": _text,
    ".rst": _text,
    ".md": _markdown,
    ".markdown": _markdown,
    ".html": _html,
    ".htm": _html,
    PDF: pdf.parts,
    ".csv": _csv,
    **dict.fromkeys(TABBED, _csv),
    **dict.fromkeys(mail.SUFFIXES, mail.parts),
    rtf.SUFFIX: rtf.parts,
}
# What is packed is limited when it is unpacked.
_LIMITED = dict.fromkeys(opendocument.SUFFIXES, opendocument.parts) | dict.fromkeys(epub.SUFFIXES, epub.parts)


# Files that are text, in one encoding or another.
_TEXTS = frozenset(_LOADERS) - {PDF, rtf.SUFFIX, *mail.SUFFIXES}


def _plain(path: Path) -> str:
    with explained("text"):
        return encodable(path.read_text(encoding=encoding_of(path)))
