"""What a page has that its text has not: lines that each page repeats, page numbers, and words broken between lines."""

import re
from collections import Counter
from collections.abc import Sequence
from unicodedata import normalize

# Signs of fonts that stand for several letters.
LIGATURES = {ord(sign): normalize("NFKC", sign) for sign in "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06"}
# Of the first and of the last lines of a page.
RUNNING_LINES = 2
# How many pages at least, and what share of all of them, have a line that runs; there can be one for each side.
FEWEST_PAGES = 3
LEAST_SHARE = 0.4
# A page number, as the languages write it that are read most; "Chapter 2" is none.
_NUMBER = re.compile(
    r"\W*(?:page|p|pg|seite|s|página|pag|pagina|sida|strona)?\W*(?P<page>\d{1,6})"
    r"(?:\W*(?:of|von|de|sur|di|av|z)?\W*(?P<pages>\d{1,6}))?\W*",
    re.IGNORECASE,
)
LONGEST_NUMBER = 60
# What equal lines of several pages have in common: their text; or how far the page number is from the position of the
# page, and the number of pages.
_Key = str | tuple[int, str | None]
_BROKEN = re.compile(r"(?<!\w)(\w*[^\W\d_])(?:-|\u00ad|\u2010)\n[ \t]*([^\W\d_]+)")
_WORD = re.compile(r"\w+(?:-\w+)*")


def tidied(texts: Sequence[str]) -> list[str]:
    """The texts of the pages of a document without their running lines, and with whole words.

    Ligatures become letters. A line that pages repeat stays on the first one. A page of nothing else stays as it is.

    Example:
        >>> tidied(["Elbe\\nIt is a ri-\\nver.\\n1/3", "Elbe\\nIt is wide.\\n2/3", "Elbe\\nIt is old.\\n3/3"])
        ['Elbe\\nIt is a river.', 'It is wide.', 'It is old.']
    """
    return _with_whole_words(_without_running([text.translate(LIGATURES) for text in texts]))


def _without_running(texts: Sequence[str]) -> list[str]:
    pages = [text.split("\n") for text in texts]
    edges = [{position: _key(lines[position], page) for position in _edge(lines)} for page, lines in enumerate(pages)]
    counts = Counter(key for edge in edges for key in {*edge.values()})
    running = {key for key, count in counts.items() if count >= max(FEWEST_PAGES, LEAST_SHARE * len(pages))}
    seen: set[_Key] = set()
    tidy = []
    for lines, edge, text in zip(pages, edges, texts, strict=True):
        dropped = {position for position, key in edge.items() if key in running and (key in seen or _is_number(key))}
        seen.update(edge.values())
        left = "\n".join(line for position, line in enumerate(lines) if position not in dropped).strip("\n")
        tidy.append(left if left.strip() else text)
    return tidy


def _edge(lines: Sequence[str]) -> set[int]:
    """The positions of the first and the last lines of a page; rows of tables do not count."""
    filled = [position for position, line in enumerate(lines) if line.strip() and not line.startswith("|")]
    return {*filled[:RUNNING_LINES], *filled[-RUNNING_LINES:]}


def _key(line: str, page: int) -> _Key:
    text = " ".join(line.split())
    number = _NUMBER.fullmatch(text) if len(text) <= LONGEST_NUMBER else None
    return (int(number["page"]) - page, number["pages"]) if number else text


def _is_number(key: _Key) -> bool:
    return not isinstance(key, str)


def _with_whole_words(texts: Sequence[str]) -> list[str]:
    """Joins the parts of words; those that the document also writes with their hyphen keep it."""
    hyphenated: set[str] | None = None

    def joined(broken: re.Match[str]) -> str:
        nonlocal hyphenated
        first, second = broken.groups()
        if hyphenated is None:
            hyphenated = {word.lower() for text in texts for word in _WORD.findall(text) if "-" in word}
        # Part of a name, as in Anne-Marie.
        keeps = second[0].isupper() or f"{first}-{second}".lower() in hyphenated
        return f"{first}-{second}" if keeps else f"{first}{second}"

    return [_BROKEN.sub(joined, text) for text in texts]


def named(numbers: Sequence[int]) -> str:
    """Numbers of pages in order, with ranges.

    Example:
        >>> named([2, 3, 4, 7]), named([1])
        ('pages 2 to 4, 7', 'page 1')
    """
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    texts = [f"{one[0]} to {one[-1]}" if len(one) > 1 else str(one[0]) for one in ranges]
    return f"{'pages' if len(numbers) > 1 else 'page'} {', '.join(texts)}"
