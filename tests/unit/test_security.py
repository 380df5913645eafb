"""SECURITY.md names, for each threat, the test that proves the defence."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
THREAT = re.compile(r"^\| [^|]+ \| [^|]+ \| `(tests/[\w/]+\.py)::(test_\w+)` \|$", re.MULTILINE)


def test_every_threat_has_its_test():
    """Each line of the table has the right format, and its test exists."""
    _, _, rest = (ROOT / "SECURITY.md").read_text("utf-8").partition("## Threats")
    table, _, _ = rest.partition("\n## ")
    lines = [line for line in table.splitlines() if line.startswith("| ")][1:]
    named = THREAT.findall(table)

    assert len(lines) == len(named) > 0
    assert [] == [name for file, name in named if f"def {name}(" not in (ROOT / file).read_text("utf-8")]
