"""What every kind of document becomes: parts, each a stretch under one title; and why a document cannot be used."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.html import Page
from gear_neo4j.ingestion.markdown import sections

LONGEST_TITLE = 200
TOO_MUCH_MEMORY = "takes too much memory to convert: split it"


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a document under one title, which begins at a ``line``, ``page``, ``slide``, ``row`` or
    ``character``.

    ``metadata`` is that of the document.
    """

    title: str
    text: str
    unit: str
    number: int = 1
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)


def parts_of_page(page: Page, stem: str) -> Iterator[Part]:
    """The parts of a page, cut at its headings."""
    text = encodable(page.text)
    begins = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=1))
    for heading, section, line in sections(text):
        title = shorten(heading or page.title) or stem
        yield Part(title, section, "character", begins[line - 1], page.metadata)


@contextmanager
def explained(kind: str) -> Iterator[None]:
    """Turn whatever a library raises into an InputError: a broken file can lead it into any exception."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise InputError(_reason(error, kind)) from error


def _reason(error: Exception, kind: str) -> str:
    # The loaders of langchain-community hide theirs behind a RuntimeError.
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


def shorten(title: str) -> str:
    """A title in one line of at most 200 characters."""
    title = " ".join(encodable(title).split())
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…"


def encodable(text: str) -> str:
    """A text that UTF-8 can hold."""
    # PDFs hold characters as halves of surrogate pairs, which belong together, and single ones, which mean nothing.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
