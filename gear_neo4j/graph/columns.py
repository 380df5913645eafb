"""The columns of a Cypher query, read from its text.

Only the top level of a text counts: literals, comments and everything in brackets are removed first. Keywords must be
in capitals, as in all files of ``cypher/``, so that ``limit`` or ``end`` can be the name of a column.
"""

import re

_LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|(?P<comment>//[^\n]*|/\*[\s\S]*?\*/)")
_BRACKETS = re.compile(r"\([^()\[\]{}]*\)|\[[^()\[\]{}]*\]|\{[^()\[\]{}]*\}")
_NAME = r"\s*\w+(?:\s+AS\s+\w+)?\s*"
# CALL ... YIELD only returns rows if nothing follows; SHOW ... YIELD also if a filter or an order follows.
_ROWS = re.compile(
    rf"(?:.*\bRETURN\b(?:\s+DISTINCT\b)?|.*\bSHOW\b.*\bYIELD\b|.*\bYIELD\b(?={_NAME}(?:,{_NAME})*$))"
    r"(?P<items>.*?)(?:\b(?:ORDER\s+BY|SKIP|OFFSET|LIMIT|WHERE)\b.*)?",
    re.DOTALL,
)
_BEFORE_ALIAS = re.compile(r".*\bAS\s+", re.DOTALL)


def bare(text: str) -> str:
    """A Cypher text without comments, each literal and each name in backticks replaced by ``#``.

    Example:
        >>> bare("RETURN 'of $5' AS price // in $currency")
        'RETURN # AS price  '
    """
    return _LITERAL.sub(lambda match: " " if match["comment"] else "#", text)


def columns_of(text: str) -> tuple[str, ...]:
    """The columns of the last RETURN or YIELD of a Cypher text, in order; empty for a text that returns no rows.

    An expression needs an alias: without one, the rest of its text is its column, and ``*`` counts as a column.

    Example:
        >>> columns_of("MATCH (n) CALL (n) { RETURN 1 AS rank } RETURN DISTINCT n.id AS id, rank ORDER BY id")
        ('id', 'rank')
        >>> columns_of("SHOW INDEXES YIELD name, labelsOrTypes AS labels WHERE name = 'x'")
        ('name', 'labels')
        >>> columns_of("MATCH (n) DELETE n")
        ()
    """
    top = bare(text)
    while (outer := _BRACKETS.sub("#", top)) != top:
        top = outer
    rows = _ROWS.fullmatch(top)
    return tuple(_BEFORE_ALIAS.sub("", item.strip()) for item in rows["items"].split(",")) if rows else ()
