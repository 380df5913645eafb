"""Keys for looking up names: those of a name, and those of every part of a text that may be one."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator

from gear_neo4j.text.folding import folded, without_accents

# A question is a few sentences; of a book pasted in, only the beginning is searched.
LONGEST_TEXT = 10_000
LONGEST_NAME = 500
# Maximum number of keys of a text, unless it has very many words: the names in a long text must then be shorter.
MOST_KEYS = 20_000
LEAST_ENDS = 8
# Scripts in which a name may begin or end inside a run of letters: without spaces, or with particles that follow it.
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


def folded_letters(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The letters of a text as names are compared, and the span in the text of each of them.

    Example:
        >>> folded_letters("A_Bé ")
        ('a bé', [(0, 1), (1, 2), (2, 3), (3, 4)])
    """
    letters: list[str] = []
    offsets: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        for letter in folded(text[start:end]):
            if letter.isspace() or letter == "_":
                if not letters or letters[-1] == " ":
                    continue
                letter = " "
            letters.append(letter)
            offsets.append((start, end))
    while letters and letters[-1] == " ":
        letters.pop()
        offsets.pop()
    return "".join(letters), offsets


def plain_letters(letters: str) -> str:
    """Folded letters without accents, one for one; empty if they have none."""
    plain = "" if letters.isascii() else "".join(without_accents(letter)[:1] or letter for letter in letters)
    return "" if plain == letters else plain


def keys_of(name: str) -> tuple[str, ...]:
    """The keys by which a name is found: as it is written, and without its accents; none if it is too long.

    Example:
        >>> keys_of("São_Tomé"), keys_of("Ada  Lovelace")
        (('são tomé', 'sao tome'), ('ada lovelace',))
    """
    key = folded_letters(name)[0]
    # Folding can make a name much longer, and an index takes no key of any length.
    return tuple(dict.fromkeys((key, without_accents(key)))) if 0 < len(key) <= LONGEST_NAME else ()


def plain_key(key: str) -> str | None:
    """The key of an entity without accents and underscores; None if it has none.

    Example:
        >>> plain_key("são_tomé"), plain_key("ada lovelace")
        ('sao tome', None)
    """
    plain = without_accents(folded_letters(key)[0])
    return plain if plain and plain != key else None


def keys_in(text: str) -> Iterator[str]:
    """The keys of all names that a text may contain, each once: of whole words, in scripts that separate them.

    Example:
        >>> list(keys_in("Ada's mother"))
        ['ada', "ada'", "ada's", "ada's mother", "'", "'s", "'s mother", 's', 's mother', 'mother']
    """
    letters = folded_letters(text[:LONGEST_TEXT])[0]
    return iter(dict.fromkeys(key for written in (letters, plain_letters(letters)) for key in _parts(written)))


def _parts(letters: str) -> Iterator[str]:
    cuts = [index for index in range(len(letters) + 1) if is_boundary(letters, index)]
    starts = [index for index in cuts if index < len(letters) and letters[index] != " "]
    ends = [index for index in cuts if index and letters[index - 1] != " "]
    most = max(LEAST_ENDS, MOST_KEYS // max(1, len(starts)))
    for start in starts:
        first = bisect_right(ends, start)
        yield from (letters[start:end] for end in ends[first : first + most] if end - start <= LONGEST_NAME)


def is_boundary(letters: str, index: int) -> bool:
    """Whether a name may begin or end at an index: not inside a word, in scripts that separate words."""
    if index in (0, len(letters)):
        return True
    before, after = letters[index - 1], letters[index]
    if not (before.isalnum() and after.isalnum()):
        return True
    return is_unspaced(before) or is_unspaced(after)


def is_unspaced(letter: str) -> bool:
    """Whether a letter's script lets a name begin or end inside a run of letters.

    Example:
        >>> is_unspaced("鲁"), is_unspaced("서"), is_unspaced("é")
        (True, True, False)
    """
    return not letter.isascii() and unicodedata.name(letter, "").startswith(_UNSPACED)


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """The span of each letter with its combining marks, which normalise together."""
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or not unicodedata.combining(text[index]):
            if index > start:
                yield start, index
            start = index
