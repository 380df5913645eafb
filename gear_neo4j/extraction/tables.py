"""Facts from rows: the head of a row is the subject, the head of a column the predicate, the cell the object."""

import re
from collections.abc import Iterator, Sequence

from gear_neo4j.domain import Fact

LONGEST_CELL = 80
LONGEST_HEAD = 40
_FIELD = re.compile(rf"([^:\n]{{1,{LONGEST_HEAD}}}):(?: (.*))?")
_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")


def split_tables(text: str) -> tuple[list[Fact], str]:
    """The facts of a text's tables, and the text without them.

    A table is one of Markdown, or a text all of whose lines read ``head: cell``, as the rows of a CSV file do.

    Example:
        >>> facts, rest = split_tables("Rivers:\\n\\n| river | mouth |\\n|---|---|\\n| Elbe | North Sea |")
        >>> print(facts[0], repr(rest))
        Elbe —mouth→ North Sea 'Rivers:\\n'
        >>> [str(fact) for fact in split_tables("name: Elbe\\nmouth: North Sea")[0]]
        ['Elbe —mouth→ North Sea']
    """
    lines = text.split("\n")
    if record := _record(lines):
        return list(_row_facts(*record)), ""
    facts: list[Fact] = []
    rest: list[str] = []
    heads: list[str] = []
    for number, line in enumerate(lines):
        row = _cells(line)
        if row and not heads and number + 1 < len(lines) and _is_rule(lines[number + 1]):
            heads = row
        elif row and heads:
            if not _is_rule(line):
                facts.extend(_row_facts(heads, row))
        else:
            heads = []
            rest.append(line)
    return facts, "\n".join(rest)


def _record(lines: Sequence[str]) -> tuple[list[str], list[str]] | None:
    matches = [_FIELD.fullmatch(line) for line in lines if line.strip()]
    fields = [match for match in matches if match]
    if len(fields) < 2 or len(fields) < len(matches):
        return None
    return [field[1] for field in fields], [field[2] or "" for field in fields]


def _cells(line: str) -> list[str]:
    line = line.strip()
    if "|" not in line[1:] or not line.startswith("|"):
        return []
    return [cell.strip() for cell in line.strip("|").split("|")]


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch(line.strip()) is not None


def _row_facts(heads: Sequence[str], row: Sequence[str]) -> Iterator[Fact]:
    """The subject is the first cell that holds a word; numbers name nothing."""
    cells = [(head.strip(), cell.strip()) for head, cell in zip(heads, row, strict=False)]
    subject = next((cell for _, cell in cells if any(map(str.isalpha, cell)) and len(cell) <= LONGEST_CELL), "")
    if not subject:
        return
    for head, cell in cells:
        if cell != subject and len(cell) <= LONGEST_CELL and _has_words(head) and _has_words(cell):
            yield Fact(subject, head, cell)


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))
