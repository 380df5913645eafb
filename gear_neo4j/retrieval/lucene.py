"""Free text to Lucene's query syntax, so that no text a person can type is read as an operator."""

import re
from collections.abc import Iterable
from itertools import accumulate

# Lucene refuses a query of over 1,024 clauses; each term makes one for the title and one for the text.
MOST_TERMS = 400
# Shorter words become another word by a letter.
LEAST_LETTERS = 4
_SPECIAL = re.compile(r'[+\-&|!(){}\[\]^"~*?:\\/<>=@#\x00-\x1f\x7f]')


def lucene_query(text: str) -> str:
    """The terms of a text without any operator: special characters become spaces, AND, OR and NOT plain words.

    What goes beyond 400 different terms is left out. A word that is not of plain ASCII letters and digits counts for as
    many as it has characters, for Lucene may split it at each (Chinese, ``a1.b,c1``). The result can be empty.

    Example:
        >>> lucene_query('What is AC/DC (band) AND "C++"?')
        'what is ac dc band and c'
    """
    terms = dict.fromkeys(_SPECIAL.sub(" ", text).lower().split())
    costs = accumulate(1 if term.isascii() and term.isalnum() else len(term) for term in terms)
    return " ".join(term for term, cost in zip(terms, costs, strict=True) if cost <= MOST_TERMS)


def fuzzy_query(words: Iterable[str]) -> str:
    """Words as a query that also finds those that differ from a longer one by a letter.

    Args:
        words: letters and digits in lower case, so that none is an operator.

    Example:
        >>> fuzzy_query(["sir", "byrno"])
        'sir byrno~1'
    """
    return " ".join(word if len(word) < LEAST_LETTERS else f"{word}~1" for word in words)
