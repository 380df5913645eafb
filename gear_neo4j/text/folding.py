"""The spellings of one name: signs that look alike, characters that cannot be seen, and accents."""

import unicodedata

_APOSTROPHES = "\u2018\u2019\u201b\u02b9\u02bb\u02bc\u2032\uff07`\u00b4"
_HYPHENS = "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"
_QUOTES = "\u201c\u201d\u201e\u201f\u2033"
# Soft hyphens, zero-width characters, marks of direction, and the byte-order mark.
_UNSEEN = "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064"
_UNSEEN += "\u2066\u2067\u2068\u2069\ufeff"
_ALIKE = str.maketrans(
    dict.fromkeys(_APOSTROPHES, "'")
    | dict.fromkeys(_HYPHENS, "-")
    | dict.fromkeys(_QUOTES, '"')
    | dict.fromkeys(_UNSEEN)
)


def folded(text: str) -> str:
    """A text without case, with one sign for each kind of apostrophe, hyphen and quotation mark, and nothing unseen.

    Example:
        >>> folded("Zu\\u0308\\u00adrich"), folded("O\\u2019BRIEN"), folded("Jean\\u2011Luc")
        ('zürich', "o'brien", 'jean-luc')
    """
    if text.isascii():
        return text.casefold().replace("`", "'")
    previous = None
    # Casefolding can produce characters that normalise again (U+0345 does): repeat until nothing changes.
    while text != previous:
        previous = text
        text = unicodedata.normalize("NFKC", text.translate(_ALIKE)).casefold()
    return text


def without_accents(text: str) -> str:
    """A text without the marks on its letters.

    Example:
        >>> without_accents("São Tomé, Łódź")
        'Sao Tome, Łodz'
    """
    letters = (letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", "".join(letters))
