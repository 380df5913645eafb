"""Free text to Lucene's query syntax, so that no text a person can type is read as an operator."""

import re

# A query of more clauses than this is refused by Lucene; each term makes one clause for the title and one for the text.
MOST_TERMS = 400
_SPECIAL = re.compile(r'[+\-&|!(){}\[\]^"~*?:\\/<>=@#\x00-\x1f\x7f]')


def lucene_query(text: str) -> str:
    """The terms of a text without any operator: special characters become spaces, AND, OR and NOT plain words.

    Terms beyond 400 different ones are left out. The result can be empty.

    Example:
        >>> lucene_query('What is AC/DC (band) AND "C++"?')
        'what is ac dc band and c'
    """
    terms = dict.fromkeys(_SPECIAL.sub(" ", text).lower().split())
    return " ".join(list(terms)[:MOST_TERMS])
