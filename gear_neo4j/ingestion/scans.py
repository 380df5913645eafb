"""Reads what is only a picture: pages of a PDF without text, and image files; with the program Tesseract.

Each page that fails costs only itself.
"""

import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion import ocr
from gear_neo4j.ingestion.limits import Limits
from gear_neo4j.ingestion.parts import Part

if TYPE_CHECKING:
    import pypdfium2

PDF = ".pdf"
SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"})
# What may have pages that are pictures.
PAGED = SUFFIXES | {PDF}
NEEDS_TESSERACT = "scanned pages need OCR: install Tesseract"
# A scanner adds at most a line of its own to a page.
FEW_CHARACTERS = 100
# A page that is a scan is mostly one picture.
LEAST_COVERED = 0.5
# Tesseract expects 300 dots per inch; a larger page than A2 gets fewer.
DOTS_PER_POINT = 300 / 72
MOST_DOTS = 35_000_000
# Darker than this is ink; a page with less of it than this share is blank.
DARK = bytes(range(160))
LEAST_INK = 0.0002


def is_installed() -> bool:
    """Whether Tesseract is there."""
    return ocr.chosen(ocr.AUTO) is not None


def choice_for(name: str, limits: Limits) -> str:
    """How OCR reads the pictures of a document, by its name: ``auto`` or languages; empty where it reads none."""
    return limits.ocr if PurePath(name).suffix.lower() in PAGED and ocr.chosen(limits.ocr) else ""


def image_parts(path: Path, stem: str, reader: ocr.Tesseract) -> Iterator[Part]:
    """A part for each page of an image file.

    Raises:
        InputError: it cannot be read.
    """
    try:
        readings = reader.read(path)
    except subprocess.TimeoutExpired as error:
        raise InputError(f"takes OCR longer than {ocr.SECONDS:g} s: crop or clean the picture") from error
    except (OSError, subprocess.SubprocessError) as error:
        raise InputError("cannot be read as a picture") from error
    for number, reading in enumerate(readings, start=1):
        yield Part(stem, reading.text, "page", number, confidence=reading.confidence)


def with_scanned(
    parts: Iterable[Part], path: Path, reader: ocr.Tesseract, *, on_page: Callable[[], None]
) -> Iterator[Part]:
    """The pages of a PDF, with the text of those that are pictures; ``on_page`` is called after each of them.

    A page that OCR cannot read stays as it is; a blank one is left out.
    """
    with ExitStack() as opened:
        # Opened for the first page that needs it.
        document = cache(lambda: opened.enter_context(_open(path)))
        for part in parts:
            if len(part.text.strip()) < FEW_CHARACTERS:
                scanned = _scanned(part, document, reader)
                on_page()
                if scanned:
                    yield scanned
            else:
                yield part


def _open(path: Path) -> "pypdfium2.PdfDocument":
    from pypdfium2 import PdfDocument

    # The library replaces a ~ at the beginning of a path.
    return PdfDocument(path.absolute())


def _scanned(part: Part, document: Callable[[], "pypdfium2.PdfDocument"], reader: ocr.Tesseract) -> Part | None:
    """A page with what OCR reads in it; None if it is blank."""
    try:
        page = document()[part.number - 1]
        if part.text.strip() and _covered(page) < LEAST_COVERED:
            return part
        picture, ink = _drawn(page)
        if not part.text.strip() and ink < LEAST_INK:
            return None
        (reading,) = reader.read(picture) or [ocr.Reading("", 0.0)]
    except Exception:
        # The library raises errors of its own, and the others are named with the page: it has no text.
        return part
    if len(reading.text) <= len(part.text.strip()):
        return part
    return replace(part, text=reading.text, confidence=reading.confidence)


def _covered(page: "pypdfium2.PdfPage") -> float:
    """The share of a page that its largest picture covers."""
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    width, height = page.get_size()
    bounds = [picture.get_bounds() for picture in page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE])]
    return max(((right - left) * (top - bottom) / (width * height) for left, bottom, right, top in bounds), default=0.0)


def _drawn(page: "pypdfium2.PdfPage") -> tuple[bytes, float]:
    """A page as a greyscale picture in the format PGM, and the share of its dots that are ink."""
    width, height = page.get_size()
    scale = min(DOTS_PER_POINT, (MOST_DOTS / (width * height)) ** 0.5)
    bitmap: Any = page.render(scale=scale, grayscale=True)
    dots, stride = bytes(bitmap.buffer), bitmap.stride
    rows = b"".join(dots[start : start + bitmap.width] for start in range(0, stride * bitmap.height, stride))
    ink = (len(rows) - len(rows.translate(None, DARK))) / max(1, len(rows))
    return b"P5 %d %d 255\n" % (bitmap.width, bitmap.height) + rows, ink
