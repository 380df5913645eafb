"""The notebooks of the examples run on a real server, and what they store is what they show."""

import re

import nbformat
import pytest

from tools.notebooks import FOLDER, executed

# Times and scores differ from run to run, and with them the order of what scores alike.
WORD = re.compile(r"[^\W\d_]{2,}")


@pytest.mark.parametrize("name", sorted(file.name for file in FOLDER.glob("*.ipynb")))
def test_a_notebook_shows_what_it_stores(name, server, empty, monkeypatch, tmp_path):
    """Cell by cell, by its words."""
    monkeypatch.setenv("NEO4J_URI", server.uri)
    monkeypatch.setenv("NEO4J_USERNAME", server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", server.password)
    monkeypatch.setenv("GEAR_HOME", str(tmp_path))
    stored = nbformat.read(FOLDER / name, as_version=4)

    assert [shown(cell) for cell in stored.cells] == [shown(cell) for cell in executed(FOLDER / name).cells]
    assert any(is_table for cell in stored.cells for is_table, _ in shown(cell))


def shown(cell):
    """The words that a cell shows, and whether as a table: of its HTML where there is some, else of its text."""
    outputs = cell.get("outputs", ())
    texts = [output.get("text") or output.data.get("text/html") or output.data["text/plain"] for output in outputs]
    return [("<table" in text, sorted(set(WORD.findall(re.sub(r"<[^>]*>", " ", text))))) for text in texts]
