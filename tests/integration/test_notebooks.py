"""The notebooks of the examples run on a real server, and what they store is what they show."""

import re

import nbformat
import pytest

from tools.notebooks import FOLDER, executed

# Times, scores and ids differ from run to run.
DIFFERS = re.compile(r"\d+(?:[.:,-]\d+)*|0x[0-9a-f]+")


@pytest.mark.parametrize("name", sorted(file.name for file in FOLDER.glob("*.ipynb")))
def test_a_notebook_shows_what_it_stores(name, server, empty, monkeypatch, tmp_path):
    """Cell by cell, but for figures."""
    monkeypatch.setenv("NEO4J_URI", server.uri)
    monkeypatch.setenv("NEO4J_USERNAME", server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", server.password)
    monkeypatch.setenv("GEAR_HOME", str(tmp_path))
    stored = nbformat.read(FOLDER / name, as_version=4)

    assert [shown(cell) for cell in stored.cells] == [shown(cell) for cell in executed(FOLDER / name).cells]
    assert any("<table" in "".join(shown(cell)) for cell in stored.cells)


def shown(cell):
    """What a cell shows: HTML where there is some, else text."""
    outputs = cell.get("outputs", ())
    texts = [output.get("text") or output.data.get("text/html") or output.data["text/plain"] for output in outputs]
    return [DIFFERS.sub("#", text) for text in texts]
