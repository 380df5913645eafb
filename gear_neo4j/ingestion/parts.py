"""The parts of a document, each a section with a title, and the reasons why a document cannot be used."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from gear_neo4j.errors import InputError, TemporaryFailure
from gear_neo4j.ingestion.html import Page
from gear_neo4j.ingestion.markdown import HEADINGS, sections

LONGEST_TITLE = 200
TOO_MUCH_MEMORY = "takes too much memory to convert: split it"


@dataclass(frozen=True, slots=True)
class Part:
    """A section of a document with its title; ``unit`` and ``number`` say where it begins, as in line 12 or page 3.

    ``metadata`` is the document's. ``confidence`` is that of OCR, between 0 and 1, if the text was read in a picture.
    ``remark`` says what was not read.
    """

    title: str
    text: str
    unit: str
    number: int = 1
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    confidence: float | None = None
    remark: str = ""


def parts_of_page(page: Page, stem: str) -> Iterator[Part]:
    """The parts of a page, split at its headings."""
    text = encodable(page.text)
    begins = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=1))
    for heading, section, line in sections(text):
        title = shorten(heading or page.title) or stem
        yield Part(title, section, "character", begins[line - 1], page.metadata)


def slide_part(number: int, name: str, texts: Iterable[str], *, title: str, stem: str) -> Part:
    """A slide: its number, its own title, and its texts; ``title`` is that of the presentation."""
    text = "\n\n".join(filter(None, (f"# {name}" if name else "", *texts)))
    return Part(shorten(HEADINGS.join(filter(None, (title, name)))) or stem, encodable(text), "slide", number)


@contextmanager
def explained(kind: str) -> Iterator[None]:
    """Turn any exception into an InputError: a broken file can make a library raise anything.

    A file system that fails, or too little memory, is a TemporaryFailure: the file may be good.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        # The loaders of langchain-community wrap their errors in a RuntimeError.
        cause = error.__cause__ if type(error) is RuntimeError and error.__cause__ else error
        failed = isinstance(cause, MemoryError | SystemError) or (isinstance(cause, OSError) and cause.errno)
        raise (TemporaryFailure if failed else InputError)(_reason(cause, kind)) from error


def _reason(cause: BaseException, kind: str) -> str:
    if isinstance(cause, UnicodeDecodeError):
        return f"is not UTF-8 (byte {cause.start + 1}): save it as UTF-8"
    if isinstance(cause, OSError):
        return f"cannot be read: {cause.strerror or cause}"
    if type(cause).__name__ in ("FileNotDecryptedError", "WrongPasswordError", "DependencyError"):
        return "is encrypted: save it without a password"
    # C code that runs out of memory does not always say so: "error return without exception set".
    if isinstance(cause, MemoryError | SystemError):
        return TOO_MUCH_MEMORY
    if isinstance(cause, RecursionError):
        return "is nested too deeply"
    detail = shorten(str(cause)) or type(cause).__name__
    return f"cannot be read as {kind}: {detail}"


def shorten(title: str) -> str:
    """A title on one line of at most 200 characters."""
    title = " ".join(encodable(title).split())
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…"


def encodable(text: str) -> str:
    """The text with its surrogates joined or replaced, so that UTF-8 can encode it."""
    # PDFs contain characters as halves of surrogate pairs, and single halves, which mean nothing.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
