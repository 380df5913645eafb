"""Exact match and word F1 against the gold answers, as in SQuAD and HotpotQA."""

import re
import string
from collections import Counter
from collections.abc import Iterable

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
# HotpotQA gives no partial credit for these.
_WHOLE = frozenset({"yes", "no", "noanswer"})


def normalised(answer: str) -> str:
    """Lower case, without ASCII punctuation, then without English articles, and with single blanks.

    Example:
        >>> normalised("The  University of Edinburgh.")
        'university of edinburgh'
    """
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, gold: Iterable[str]) -> float:
    """Exact match: 1 if the answer equals any gold answer once both are normalised, else 0.

    Raises:
        ValueError: there is no gold answer.

    Example:
        >>> exact_match("the Beatles!", ["Wings", "Beatles"])
        1.0
    """
    return float(normalised(answer) in {normalised(reference) for reference in _nonempty(gold)})


def f1(answer: str, gold: Iterable[str]) -> float:
    """F1 over words: 2 P R / (P + R) of the words that the answer shares with a gold answer; the best match counts.

    ``yes``, ``no`` and ``noanswer`` must match as a whole.

    Raises:
        ValueError: there is no gold answer.

    Example:
        >>> round(f1("Edinburgh, in Scotland", ["Edinburgh", "the city of Edinburgh in Scotland"]), 4)
        0.75
    """
    return max(_f1(normalised(answer), normalised(reference)) for reference in _nonempty(gold))


def _f1(answer: str, gold: str) -> float:
    words, wanted = answer.split(), gold.split()
    if answer == gold:
        return 1.0
    if not _WHOLE.isdisjoint((answer, gold)):
        return 0.0
    shared = sum((Counter(words) & Counter(wanted)).values())
    return 2 * shared / (len(words) + len(wanted)) if shared else 0.0


def _nonempty(gold: Iterable[str]) -> list[str]:
    answers = list(gold)
    if not answers:
        raise ValueError("there is no gold answer to compare with")
    return answers
