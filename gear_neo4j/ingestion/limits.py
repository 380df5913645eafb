"""Limits on a document, so that a hostile or broken file cannot use unlimited resources."""

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits for one document; a document beyond a limit is reported as a problem.

    ``bytes`` limits the size of its file, ``characters`` its text, ``pages`` the pages of a PDF or slides of a
    presentation, ``expanded`` the decompressed size of an office file (bytes), ``metadata`` the size of its head times
    its passages (bytes), and ``reply`` what its conversion makes (bytes); ``seconds`` and ``memory`` (bytes, on Linux)
    limit the conversion itself; each page that OCR reads has that time again. ``ocr`` says which text is read in
    pictures: none (``off``), that in the languages that Tesseract has (``auto``), or in some (``eng+deu``).
    """

    bytes: int = 256 * MIB
    characters: int = 50_000_000
    pages: int = 5_000
    expanded: int = 1024 * MIB
    metadata: int = 64 * MIB
    reply: int = 256 * MIB
    seconds: float = 120.0
    memory: int = 4096 * MIB
    ocr: str = "auto"


DEFAULT_LIMITS = Limits()
