"""Converts free text to Lucene's query syntax, so that no input is read as an operator."""

import re
from collections.abc import Iterable
from itertools import accumulate

# Lucene refuses a query of over 1,024 clauses; each term makes one for the title and one for the text.
MOST_TERMS = 400
# Shorter words turn into other words by one letter.
LEAST_LETTERS = 4
_SPECIAL = re.compile(r'[+\-&|!(){}\[\]^"~*?:\\/<>=@#\x00-\x1f\x7f]')


def lucene_query(text: str) -> str:
    """The terms of a text without operators: special characters become spaces; AND, OR and NOT become plain words.

    Keeps at most 400 different terms. A word with other than ASCII letters and digits counts once per character, since
    Lucene may split it at each (Chinese, ``a1.b,c1``). The result can be empty.

    Example:
        >>> lucene_query('What is AC/DC (band) AND "C++"?')
        'what is ac dc band and c'
    """
    terms = dict.fromkeys(_SPECIAL.sub(" ", text).lower().split())
    costs = accumulate(1 if term.isascii() and term.isalnum() else len(term) for term in terms)
    return " ".join(term for term, cost in zip(terms, costs, strict=True) if cost <= MOST_TERMS)


def fuzzy_query(words: Iterable[str]) -> str:
    """A query for words that also matches, for longer words, spellings that differ by a letter.

    Args:
        words: only letters and digits, in lower case, so that none is an operator.

    Example:
        >>> fuzzy_query(["sir", "byrno"])
        'sir byrno~1'
    """
    return " ".join(word if len(word) < LEAST_LETTERS else f"{word}~1" for word in words)
