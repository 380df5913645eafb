"""The table of faults in docs/operations.md, by row and command."""

from functools import cache
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
COLUMNS = (
    ("search", "ask"),
    ("ingest", "adopt", "import", "forget", "migrate"),
    ("extract", "communities", "evaluate"),
)


def cell(row: str, command: str) -> str:
    """The cell for a fault, by the name of its row, and a command; "the same" refers to the cell before."""
    column = next(number for number, names in enumerate(COLUMNS) if command in names)
    cells = _rows()[row]
    while cells[column].startswith("the same"):
        column -= 1
    return cells[column]


@cache
def _rows() -> dict[str, list[str]]:
    text = PAGE.read_text(encoding="utf-8").partition("## When something fails")[2].partition("\n## ")[0]
    rows = ([part.strip() for part in line.strip("| ").split(" | ")] for line in text.splitlines() if line[:1] == "|")
    return {name: cells for name, *cells in rows}
