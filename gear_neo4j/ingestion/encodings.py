"""The encoding of a text file: that of the mark at its beginning, UTF-8, or that of Western Windows."""

import codecs
import re
from pathlib import Path

# The longer marks first: that of UTF-32 begins like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
UTF_8 = "utf-8-sig"
WESTERN = "cp1252"
# In Western languages, at most so many letters have accents. In text of another encoding, most have, or there are signs
# within words.
MOST_ACCENTS = 0.2
_SIGN_IN_WORD = re.compile(r"[^\W\d_][¡-¿×÷€‚„†‡ˆ‰‹›˜™][^\W\d_]")


def encoding_of(path: Path) -> str:
    """The encoding of a file; see :func:`encoding`."""
    return encoding(path.read_bytes())


def encoding(content: bytes) -> str:
    """UTF-16 or UTF-32 if a text begins with its mark, as those of Windows do; else UTF-8, unless it is cp1252.

    A text is taken for cp1252 if it is not UTF-8, and reads like a Western language.

    Example:
        >>> encoding("Ada".encode("utf-16")), encoding("Jörg".encode()), encoding("Jörg in Köln".encode("cp1252"))
        ('utf-16', 'utf-8-sig', 'cp1252')
        >>> encoding("Привет, мир".encode("cp1251")), encoding("Łódź i Kraków".encode("cp1250"))
        ('utf-8-sig', 'utf-8-sig')
    """
    if marked := next((name for mark, name in _MARKS if content.startswith(mark)), ""):
        return marked
    try:
        content.decode(UTF_8)
    except UnicodeDecodeError:
        return WESTERN if _is_western(content) else UTF_8
    return UTF_8


def _is_western(content: bytes) -> bool:
    try:
        text = content.decode(WESTERN)
    except UnicodeDecodeError:
        return False
    letters = [letter for letter in text if letter.isalpha()]
    accents = sum(not letter.isascii() for letter in letters)
    return accents <= MOST_ACCENTS * len(letters) and "\0" not in text and _SIGN_IN_WORD.search(text) is None
