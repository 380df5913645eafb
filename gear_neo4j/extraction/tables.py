"""Extracts facts from tables: a row's head is the subject, a column's head the predicate, a cell the object."""

import re
from collections.abc import Iterator, Sequence

from gear_neo4j.domain import Fact
from gear_neo4j.ingestion.columns import NAMELESS

LONGEST_CELL = 80
LONGEST_HEAD = 40
_FIELD = re.compile(rf"([^:\n]{{1,{LONGEST_HEAD}}}):(?:[ \t]+(.*))?")
_ITEM = re.compile(rf"[ \t]*[-*+•][ \t]+([^:\n]{{1,{LONGEST_HEAD}}}):[ \t]+(\S.{{0,{LONGEST_CELL}}})")
_SENTENCE = re.compile(r"\w\W+\w.*[.!?…。！？][\"'”’»)]*$")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
# A column without a head, which says nothing about its cells.
_NAMELESS = re.compile(rf"{NAMELESS} \d+")

# The cells of a row, each with its column's head.
Row = Sequence[tuple[str, str]]


def split_tables(text: str) -> tuple[list[Row], str]:
    """The rows of a text's tables, and the text without the tables: a paragraph ends where a table begins.

    A table is a Markdown table, or a text with only lines of ``head: cell``, such as a row of a CSV file. Lines of a
    dialogue look alike: a head that is repeated is a speaker, and so are all heads if every cell is a sentence.

    Example:
        >>> rows, rest = split_tables("Rivers:\\n\\n| river | mouth |\\n|---|---|\\n| Elbe | North Sea |")
        >>> rows, rest
        ([[('river', 'Elbe'), ('mouth', 'North Sea')]], 'Rivers:\\n')
        >>> split_tables("name: Elbe\\nmouth: North Sea")
        ([[('name', 'Elbe'), ('mouth', 'North Sea')]], '')
    """
    lines = text.split("\n")
    if record := _record(lines):
        # A blank line after each turn of a dialogue: a sentence has one speaker.
        return ([], text.replace("\n", "\n\n")) if _is_dialogue(record) else ([record], "")
    rows: list[Row] = []
    rest: list[str] = []
    heads: list[str] = []
    for number, line in enumerate(lines):
        below = lines[number + 1] if number + 1 < len(lines) else ""
        # Where a rule with bars is below the heads, rows need none at their ends.
        cells = _cells(line, bare=bool(heads) or ("|" in below and _is_rule(below)))
        if cells and not heads and _is_rule(below):
            heads = cells
            # A sentence does not continue behind a table.
            if rest and rest[-1]:
                rest.append("")
        elif cells and heads:
            if not _is_rule(line):
                rows.append(list(zip(heads, cells, strict=False)))
        else:
            heads = []
            rest.append(line)
    return rows, "\n".join(rest)


def split_items(text: str) -> tuple[list[Row], str]:
    """A row without heads for each item of lists such as ``- head: cell``, and the text without them.

    One such item alone is prose, and so are items with the same heads: these are speakers.

    Example:
        >>> split_items("A river.\\n- Source: Bohemia\\n- Mouth: Cuxhaven")
        ([[('', 'Source'), ('', 'Bohemia')], [('', 'Mouth'), ('', 'Cuxhaven')]], 'A river.\\n\\n')
    """
    lines = text.split("\n")
    fields = [_ITEM.fullmatch(line) for line in lines]
    heads = [field[1] for field in fields if field]
    if len(set(heads)) < len(heads):
        return [], text
    rows: list[Row] = []
    for number, field in enumerate(fields):
        beside = (fields[other] for other in (number - 1, number + 1) if 0 <= other < len(lines))
        if field and not _SENTENCE.search(field[2]) and any(beside):
            rows.append([("", field[1].strip()), ("", field[2].strip())])
            lines[number] = ""
    return rows, "\n".join(lines)


def row_facts(row: Row, *, topic: str) -> Iterator[Fact]:
    """A fact for each cell, with the first cell that contains a word as the subject.

    A column without a name of its own (``column 3``) is no predicate. A row of two cells without heads, as in an
    infobox, is a fact about the topic.

    Example:
        >>> [str(fact) for fact in row_facts([("river", "Elbe"), ("mouth", "North Sea")], topic="Germany")]
        ['Elbe —mouth→ North Sea']
        >>> [str(fact) for fact in row_facts([("", "Capital"), ("", "Berlin")], topic="Germany")]
        ['Germany —Capital→ Berlin']
    """
    if topic and len(row) == 2 and not any(head for head, _ in row):
        row = [("", topic), (row[0][1], row[1][1])]
    subject = next((cell for _, cell in row if any(map(str.isalpha, cell)) and len(cell) <= LONGEST_CELL), "")
    for head, cell in row if subject else ():
        if cell != subject and len(cell) <= LONGEST_CELL and _is_name(head) and _has_words(cell):
            yield Fact(subject, head, cell)


def _record(lines: Sequence[str]) -> Row | None:
    matches = [_FIELD.fullmatch(line) for line in lines if line.strip()]
    fields = [match for match in matches if match]
    if len(fields) < 2 or len(fields) < len(matches):
        return None
    return [(field[1].strip(), (field[2] or "").strip()) for field in fields]


def _is_dialogue(record: Row) -> bool:
    heads = [head for head, _ in record]
    return len(set(heads)) < len(heads) or all(_SENTENCE.search(cell) for _, cell in record)


def _cells(line: str, *, bare: bool) -> list[str]:
    """The cells of a line, none if it is no row; a bare row has bars only between its cells."""
    line = line.strip()
    if "|" not in line[1:] or not (bare or line.startswith("|")):
        return []
    line = line.removeprefix("|")
    line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(line)]


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch(line.strip()) is not None


def _is_name(head: str) -> bool:
    return _has_words(head) and not _NAMELESS.fullmatch(head)


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))
