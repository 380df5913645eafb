"""Knowledge strips (CRAG, Yan et al. 2024, section 4.4): passages cut into pieces that are judged one by one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gear_neo4j.domain import Passage

Decomposition = Literal["selection", "excerption", "fixed_num"]
SENTENCES_A_STRIP = 3
SHORT_SENTENCE = 5
WINDOW = 50
SHORT_TAIL = 10
# Fewer words than these say nothing by themselves.
LEAST_WORDS = 4
_END = re.compile(r"(?<=[?!。！？])\s*|(?<=\.)\s+")


@dataclass(frozen=True, slots=True)
class Strip:
    """A piece of a passage, with the index of that passage."""

    passage: int
    text: str


def strips_of(passages: Sequence[Passage], *, how: Decomposition) -> list[Strip]:
    """The strips of passages in order, without repeated texts and empty passages.

    Example:
        >>> [strip.text for strip in strips_of([Passage("p", "", "Ana lived in Varna. Yes. Why?")], how="excerption")]
        ['Ana lived in Varna. Yes. Why?']
    """
    strips: dict[str, Strip] = {}
    for index, passage in enumerate(passages):
        for text in decompose(passage, how=how):
            strips.setdefault(text, Strip(index, text))
    return list(strips.values())


def decompose(passage: Passage, *, how: Decomposition) -> list[str]:
    """The pieces of a passage: itself; three sentences each; or fifty words each.

    Example:
        >>> [len(text.split()) for text in decompose(Passage("p", "", "word " * 120), how="fixed_num")]
        [50, 50, 20]
    """
    text = " ".join(passage.text.split())
    if not text:
        return []
    if how == "selection":
        return [text]
    return _windows(text.split()) if how == "fixed_num" else _excerpts(text)


def _excerpts(text: str) -> list[str]:
    sentences: list[str] = []
    for sentence in filter(None, _END.split(text)):
        # A fragment belongs to the sentence before it.
        if sentences and len(sentence.split()) <= SHORT_SENTENCE:
            sentences[-1] = f"{sentences[-1]} {sentence}"
        else:
            sentences.append(sentence)
    once = list(dict.fromkeys(sentences))
    return [" ".join(once[start : start + SENTENCES_A_STRIP]) for start in range(0, len(once), SENTENCES_A_STRIP)]


def _windows(words: Sequence[str]) -> list[str]:
    starts = list(range(0, len(words), WINDOW))
    if len(starts) > 1 and len(words) - starts[-1] < SHORT_TAIL:
        starts.pop()
    ends = [*starts[1:], len(words)]
    return [" ".join(words[start:end]) for start, end in zip(starts, ends, strict=True)]


def says_something(text: str) -> bool:
    """Whether a strip has enough words to be judged; in scripts without spaces, characters count.

    Example:
        >>> says_something("In 1921, yes."), says_something("鲁迅是作家")
        (False, True)
    """
    return len(text.split()) >= LEAST_WORDS or (len(text) >= LEAST_WORDS and not text.isascii() and " " not in text)
