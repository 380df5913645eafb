"""The example notebooks run on a real server, and show tables and pictures where their stored outputs do."""

import nbformat
import pytest

from tools.notebooks import FOLDER, executed

pytestmark = pytest.mark.one_server_line


@pytest.mark.parametrize("name", sorted(file.name for file in FOLDER.glob("*.ipynb")))
def test_a_notebook_shows_what_it_stores(name, server, empty, monkeypatch, home):
    """Cell by cell: a table, a picture, a text, or nothing."""
    monkeypatch.setenv("NEO4J_URI", server.uri)
    monkeypatch.setenv("NEO4J_USERNAME", server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", server.password)
    stored = nbformat.read(FOLDER / name, as_version=4)

    assert [shown(cell) for cell in stored.cells] == [shown(cell) for cell in executed(FOLDER / name).cells]
    assert any(is_table for cell in stored.cells for is_table, _ in shown(cell))


def shown(cell):
    """Whether each output of a cell has a table and a picture; words and order may differ between equal scores."""
    outputs = cell.get("outputs", ())
    texts = [output.get("text") or output.data.get("text/html") or output.data["text/plain"] for output in outputs]
    return [("<table" in text, "<svg" in text) for text in texts]
