"""The markers of an answer, such as ``[1]`` and ``[F1]``: what they refer to, and their positions.

A bracket right after a word is not a marker, as in ``args[1]``, nor is one in code or in the text of a link. But some
models put no space before any marker: see :func:`_spaced`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

# Scripts without a space between a word and a bracket: Thai to Khmer, kana, Han, Hangul.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_NUMBER = r"F?[1-9][0-9]{0,2}"
_PART = rf"{_NUMBER}(?:\s*[-–]\s*{_NUMBER})?"
# Takes linear time: the spaces before a marker are only matched from the first one.
_SCAN = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`"
    rf"|(?P<space>(?<!\s)\s+|(?<![^\W{_UNSPACED}]))\[\s*(?P<listed>{_PART}(?:\s*+[,;]\s*+{_PART})*+)\s*\](?!\()",
    re.DOTALL | re.IGNORECASE,
)
# A bracket right after a word, and such a bracket at the end of a clause.
_ATTACHED = re.compile(rf"(?<=[^\W_])(?=\[\s*{_PART}(?:\s*+[,;]\s*+{_PART})*+\s*\](?![(=\[\w]))", re.IGNORECASE)
_ENDS_CLAUSE = re.compile(r"[^\W_]\[[^\[\]\n]{1,40}\](?:[.,;:!?)]|\s*\Z)")
_INDEX = re.compile(r"\w\[0\]")
# Markers as some models write them: in other brackets, with a word, a caret, "and", or a note behind the number.
# Possessive, so that a list of thousands is read once, and nothing of it is remembered.
_LIST = rf"{_PART}(?:\s*+(?:[,;]|and|&)\s*+{_PART})*+"
_FOREIGN = re.compile(
    rf"```.*?(?:```|\Z)|`[^`\n]+`|(?P<open>[\[【])\s*(?P<word>\^|(?:passage|source|document|doc|ref|text|fact|citation)s?\.?[\s:_#]*(?=F?[1-9]))?\s*"
    rf"(?P<listed>{_LIST})\s*(?P<note>†[^\]】\n]{{0,60}})?[\]】](?!\()",
    re.DOTALL | re.IGNORECASE,
)
# After a letter: after a digit, it is an exponent.
_RAISED = re.compile(rf"(?<=[^\W\d_])<sup>\s*\[?({_LIST})\]?\s*</sup>", re.IGNORECASE)
# Longer ranges do not cite sources; larger numbers are years, codes or quantities.
WIDEST_RANGE = 20
LARGEST_INVENTED = 99


@dataclass(frozen=True, slots=True)
class Marker:
    """One number of a marker, and its position in the text."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Checked:
    """A text with valid markers only, their labels, and the labels that were removed."""

    text: str
    cited: tuple[str, ...]
    removed: tuple[str, ...]


def check_markers(text: str, *, passages: int, facts: int) -> Checked:
    """A text without invalid markers; a range ``[1-3]`` becomes ``[1, 2, 3]``.

    A large number in brackets without a source is text, not a marker.

    Example:
        >>> check_markers("Use args[1], in Varna [2, 9] since [1921].", passages=3, facts=0)
        Checked(text='Use args[1], in Varna [2] since [1921].', cited=('2',), removed=('9',))
        >>> check_markers("She studied in Edinburgh[2].", passages=3, facts=0).text
        'She studied in Edinburgh [2].'
    """
    text = _spaced(_in_own_form(text))
    known = {str(number) for number in range(1, passages + 1)} | {f"F{number}" for number in range(1, facts + 1)}
    found: list[str] = []
    # The end of the last removed marker: a marker right behind it needs the space that was removed with it.
    removed_until, space = -1, ""

    def checked(match: re.Match[str]) -> str:
        nonlocal removed_until, space
        labels = _labels(match["listed"])
        valid = [label for label in labels if label in known]
        if not valid and any(int(label.lstrip("F")) > LARGEST_INVENTED for label in labels or ["100"]):
            return match[0]
        found.extend(labels)
        space = match["space"] or (space if match.start() == removed_until else "")
        if valid:
            return f"{space}[{', '.join(valid)}]"
        removed_until = match.end()
        return ""

    checked_text = _replaced(text, checked)
    unique = dict.fromkeys(found)
    return Checked(
        checked_text,
        cited=tuple(label for label in unique if label in known),
        removed=tuple(label for label in unique if label not in known),
    )


def _in_own_form(text: str) -> str:
    """A text whose markers are all written as ``[1, 2]``, whatever brackets and words a model has for them.

    Example:
        >>> _in_own_form("Built in 1921【1†source】 [Passage 2] [^3] [1, 2 and 3].")
        'Built in 1921 [1] [2] [3] [1, 2, 3].'
        >>> _in_own_form("Built in 1921 [Source: 1] [doc_2] [Facts 1 and 3] on Pier<sup>2</sup>.")
        'Built in 1921 [1] [2] [F1, F3] on Pier [2].'
    """

    def own(match: re.Match[str]) -> str:
        if not match["listed"]:
            return match[0]
        listed = re.sub(r"\s*(?:and|&)\s*", ", ", match["listed"], flags=re.IGNORECASE)
        if (match["word"] or "").casefold().startswith("fact"):
            listed = re.sub(r"(?<![F\d])(?=\d)", "F", listed, flags=re.IGNORECASE)
        if match["open"] == "[" and not match["word"] and not match["note"]:
            # A bracket right after a word may be an index.
            return match[0] if listed == match["listed"] else f"[{listed}]"
        space = "" if match.start() == 0 or text[match.start() - 1].isspace() else " "
        return f"{space}[{listed}]"

    return _FOREIGN.sub(own, _RAISED.sub(r" [\1]", text))


def markers(text: str) -> Iterator[Marker]:
    """The numbers in the markers of a checked text, in order.

    Example:
        >>> [(marker.label, marker.start) for marker in markers("In Varna [1, F2].")]
        [('1', 10), ('F2', 13)]
    """
    for match in _SCAN.finditer(text):
        if match["listed"]:
            for number in re.finditer(_NUMBER, match["listed"], re.IGNORECASE):
                start = match.start("listed") + number.start()
                yield Marker(number[0].upper(), start, start + len(number[0]))


def without_markers(text: str) -> str:
    """A text without its markers.

    Example:
        >>> without_markers("Edinburgh [2, 3] [F1].")
        'Edinburgh.'
    """
    return _replaced(_in_own_form(text), lambda _: "")


def relabelled(text: str, labels: Mapping[str, str]) -> str:
    """A checked text with other labels in its markers, each once in a marker.

    Example:
        >>> relabelled("Varna [1, F1], since 1921 [2, 1].", {"1": "2"})
        'Varna [2, F1], since 1921 [2].'
    """

    def changed(match: re.Match[str]) -> str:
        named = (labels.get(label, label) for label in _labels(match["listed"]))
        return f"{match['space']}[{', '.join(dict.fromkeys(named))}]"

    return _replaced(text, changed)


def _replaced(text: str, change: Callable[[re.Match[str]], str]) -> str:
    return _SCAN.sub(lambda match: change(match) if match["listed"] else match[0], text)


def _spaced(text: str) -> str:
    """A text with a space before each marker, if its writer leaves spaces out.

    This is assumed if no bracket after a space is a marker, none is ``[0]``, and one after a word ends a clause.
    """
    has_spaced = next(markers(text), None) is not None
    if has_spaced or "`" in text or _INDEX.search(text) or not _ENDS_CLAUSE.search(text):
        return text
    return _ATTACHED.sub(" ", text)


def _labels(listed: str) -> list[str]:
    """The numbers of a marker; none if it contains a range that cannot cite sources."""
    labels: list[str] = []
    for part in re.split("[,;]", listed.upper()):
        first, *last = (number.strip() for number in re.split("[-–]", part))
        letter = "F" if first.startswith("F") else ""
        numbers = [int(number.lstrip("F")) for number in (first, *last)]
        if not 0 <= numbers[-1] - numbers[0] < WIDEST_RANGE:
            return []
        labels += [f"{letter}{number}" for number in range(numbers[0], numbers[-1] + 1)]
    return labels
