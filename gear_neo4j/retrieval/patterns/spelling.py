"""Corrects misspelt names and values in a question, if each word has at most one typo and only one correction fits."""

import re
from collections.abc import Iterator, Sequence

from gear_neo4j.graph.read.lexicon import Lexicon
from gear_neo4j.retrieval.lucene import fuzzy_query
from gear_neo4j.retrieval.names import is_slip
from gear_neo4j.text.name_keys import folded_letters

# A name whose other words the graph knows may be misspelt as a whole: Lana in Lana Wachovski.
WORDS_BEFORE = 2
MOST_WORDS = 8
MOST_NAMES = 3
_WORD_BEFORE = re.compile(r"\S+\s+$")


class Speller:
    """Corrects questions about one graph."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def corrected(self, question: str, names: Sequence[str]) -> tuple[str, str]:
        """The question with its unknown names corrected, and a note on it; without a correction, unchanged and no note.

        At most three round trips for each of the first three names.
        """
        notes = []
        for name in names[:MOST_NAMES]:
            readings = ((written, self._meant(written)) for written in _with_words_before(question, name))
            written, meant = next(((written, meant) for written, meant in readings if meant), ("", ""))
            if meant:
                question = _replaced(question, written, meant)
                notes.append(f"'{written}' is read as '{meant}'")
        return question, "; ".join(notes)

    def _meant(self, written: str) -> str | None:
        """The only name or value that the graph has with fewer typos; None if none fits, or several do."""
        key = folded_letters(written)[0]
        words = [word for word in key.split() if word.isalnum()]
        if not words or len(words) > MOST_WORDS:
            return None
        texts = self._lexicon.similar(fuzzy_query(words))
        meant = {known: text for text in texts if is_misspelt(key, of=(known := folded_letters(text)[0]))}
        return next(iter(meant.values())) if len(meant) == 1 else None


def is_misspelt(written: str, *, of: str) -> bool:
    """Whether a folded name has one typo in some of its words, and the others right.

    Example:
        >>> [is_misspelt(written, of="tokyo traders") for written in ("tokio trader", "tokyo traders", "tokio")]
        [True, False, False]
    """
    words, right = written.split(), of.split()
    if written == of or len(words) != len(right):
        return False
    return all(word == other or is_slip(word, of=other) for word, other in zip(words, right, strict=True))


def _with_words_before(question: str, name: str) -> Iterator[str]:
    """The name, and the name with one or two of the words before it."""
    start = question.find(name)
    end = start + len(name)
    for _ in range(WORDS_BEFORE + 1):
        if start < 0:
            return
        yield question[start:end]
        before = _WORD_BEFORE.search(question[:start])
        start = before.start() if before else -1


def _replaced(question: str, written: str, meant: str) -> str:
    """The question with one name in place of another, but not inside words.

    Example:
        >>> _replaced("Did Brand meet Brandon?", "Brand", "Brandt")
        'Did Brandt meet Brandon?'
    """
    return re.sub(rf"(?<!\w){re.escape(written)}(?!\w)", lambda _: meant, question)
