"""The page for security officers says how to delete a person's data; its commands do that."""

import re
import shlex
from pathlib import Path

import pytest

from gear_neo4j.graph.queries import Query

pytestmark = pytest.mark.one_server_line

PAGE = (Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8")
COMMANDS = re.findall(r"(?m)^gear ((?:search|forget|readers|sync) .*?)(?:  +#.*)?$", PAGE)
# Of everything that the database holds.
NODES = Query("nodes", "MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties")
TRACES = ("lovelace", "user:ada", "ada.md")


def found(connection):
    """The labels of the nodes that name her."""
    rows = [(row["labels"], {**row["properties"], "embedding": None, "roots": None}) for row in connection.run(NODES)]
    return {label for labels, held in rows for label in labels if any(trace in str(held).lower() for trace in TRACES)}


def test_nothing_of_a_person_is_left(gear, connection, tmp_path, monkeypatch):
    """Neither in texts and facts, nor in records of readers; the other document stays."""
    monkeypatch.chdir(tmp_path)
    Path("hr").mkdir()
    Path("hr/ada.md").write_text("# Staff\n\nAda Lovelace leads the Varna office.\n", encoding="utf-8")
    Path("hr/plan.md").write_text("# Plan\n\nThe Varna office moves to Burgas.\n", encoding="utf-8")
    assert 0 == gear("ingest", "hr", "--collection", "hr", "--readers", "user:ada", "--readers", "group:hr")[0]
    assert {"Passage", "Triple", "Entity", "__GearReaders"} <= found(connection)
    Path("hr/ada.md").unlink()

    for command in COMMANDS:
        code, _, errors = gear(*shlex.split(command))
        assert 0 == code, errors

    assert set() == found(connection)
    assert "hr/plan.md" in gear("readers", "--collection", "hr")[1]
