"""Checks the package of an office file, a zip archive of XML, before a library reads it."""

from contextlib import suppress
from pathlib import Path
from typing import IO
from zipfile import ZipFile

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.limits import MIB, Limits

CORE = "docProps/core.xml"
# The container of encrypted files, and of all files before 2007.
OLE = bytes.fromhex("d0cf11e0a1b11ae1")


def check(path: Path, *, limits: Limits) -> None:
    """Refuse archives that expand beyond the limits, and XML that defines entities.

    Raises:
        InputError: says why the file cannot be used.
        Exception: it is not an archive, or broken.
    """
    with path.open("rb") as file:
        if file.read(len(OLE)) == OLE:
            raise InputError("is encrypted or older than 2007: save it without a password in today's format")
    with ZipFile(path) as archive:
        check_size(archive, limits)
        for entry in archive.infolist():
            with archive.open(entry) as part:
                _refuse_entities(part)


def check_size(archive: ZipFile, limits: Limits) -> None:
    """Refuse an archive that expands beyond the limits.

    Raises:
        InputError: says how large it may be.
    """
    # The declared sizes are binding: zipfile reads no more.
    if sum(entry.file_size for entry in archive.infolist()) > limits.expanded:
        raise InputError(f"expands to more than {limits.expanded // MIB:,} MiB: split it")


def core_properties(path: Path) -> dict[str, str]:
    """The core properties of a file, such as ``title``, ``creator`` and ``created``; empty if they cannot be read."""
    from defusedxml.ElementTree import fromstring

    with suppress(Exception), ZipFile(path) as archive:
        root = fromstring(archive.read(CORE), forbid_dtd=True)
        return {element.tag.rpartition("}")[2]: element.text or "" for element in root}
    return {}


def _refuse_entities(part: IO[bytes]) -> None:
    """Refuse a document type, which can define entities and which no office program writes."""
    from xml.etree.ElementTree import ParseError

    from defusedxml import DTDForbidden
    from defusedxml.ElementTree import iterparse

    try:
        next(iterparse(part, events=("start",), forbid_dtd=True), None)
    except DTDForbidden as error:
        raise InputError("defines entities of XML, as no office program does") from error
    except ParseError:
        # An image, or XML that the library itself refuses.
        return
