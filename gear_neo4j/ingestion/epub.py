"""Reads books in the format EPUB: their chapters in order."""

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from zipfile import ZipFile

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion import heads, package, xml
from gear_neo4j.ingestion.html import to_markdown
from gear_neo4j.ingestion.limits import Limits
from gear_neo4j.ingestion.markdown import HEADINGS
from gear_neo4j.ingestion.parts import Part, explained, parts_of_page, shorten

SUFFIXES = frozenset({".epub"})
CONTAINER = "META-INF/container.xml"
# What is encrypted; fonts often are, in books that anybody can read.
ENCRYPTION = "META-INF/encryption.xml"


def parts(path: Path, stem: str, *, limits: Limits) -> Iterator[Part]:
    """The parts of each chapter, split at its headings.

    Raises:
        InputError: it cannot be read, is encrypted, or exceeds the limits.
    """
    with explained("EPUB"), ZipFile(path) as archive:
        package.check_size(archive, limits)
        names = set(archive.namelist())
        opf = xml.first(xml.parsed(archive.read(CONTAINER)), "rootfile").get("full-path", "")
        book = xml.parsed(archive.read(opf))
        core = xml.texts(xml.first(book, "metadata"))
        title = shorten(core.get("title", "")) or stem
        metadata = heads.from_office(core)
        encrypted = _encrypted(archive) if ENCRYPTION in names else set()
        for number, chapter in enumerate(_chapters(book, opf), start=1):
            if chapter in encrypted:
                raise InputError("is encrypted: save it without a password")
            if chapter in names:
                for part in parts_of_page(to_markdown(archive.read(chapter)), ""):
                    heading = shorten(HEADINGS.join(dict.fromkeys(filter(None, (title, part.title)))))
                    yield replace(part, title=heading, unit="chapter", number=number, metadata=metadata)


def _chapters(book: Any, opf: str) -> Iterator[str]:
    """The files of the chapters, in the order in which they are read."""
    files = {item.get("id"): item.get("href", "") for item in xml.first(book, "manifest")}
    for one in xml.first(book, "spine"):
        # What is not linear, such as a cover, is beside the text.
        if (href := files.get(one.get("idref"))) and one.get("linear") != "no":
            yield posixpath.normpath(posixpath.join(posixpath.dirname(opf), unquote(href.partition("#")[0])))


def _encrypted(archive: ZipFile) -> set[str]:
    references = xml.parsed(archive.read(ENCRYPTION)).iter("{*}CipherReference")
    return {unquote(one.get("URI", "")) for one in references}
