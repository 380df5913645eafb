"""The encoding of a text file, by the mark at its beginning."""

import codecs
from pathlib import Path

# The longer marks first: that of UTF-32 begins like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def encoding_of(path: Path) -> str:
    """UTF-16 or UTF-32 if a file begins with its mark, as those of Windows do, else UTF-8."""
    with path.open("rb") as file:
        return marked_encoding(file.read(4))


def marked_encoding(beginning: bytes) -> str:
    """The encoding whose mark a file begins with, else UTF-8 with or without a mark.

    Example:
        >>> marked_encoding("Ada".encode("utf-16")), marked_encoding(b"Ada")
        ('utf-16', 'utf-8-sig')
    """
    return next((name for mark, name in _MARKS if beginning.startswith(mark)), "utf-8-sig")
