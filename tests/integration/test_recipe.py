"""The page on paths: its Python runs as it is, on the bundled corpus."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_server_line

PAGE = Path(__file__).parents[2] / "docs" / "paths.md"


def test_the_recipe_of_the_page_runs(server, empty, monkeypatch, capsys):
    """Entities, the paths between them, and the context of an answer."""
    monkeypatch.setenv("NEO4J_URI", server.uri)
    monkeypatch.setenv("NEO4J_USERNAME", server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", server.password)

    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile(block, "paths.md", "exec"), {})

    printed = capsys.readouterr().out.splitlines()
    assert "named: Geoffrey Hinton, John Hopfield" == printed[0]
    assert "Geoffrey Hinton ←was awarded to— 2024 Nobel Prize in Physics —was awarded to→ John Hopfield" in printed[1:4]
    assert any("University of Edinburgh" in line for line in printed)
    assert "RETURN *" == printed[-1]
