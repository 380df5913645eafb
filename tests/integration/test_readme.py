"""The README's Python runs as it stands."""

import json
import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_python_of_the_readme_runs(server, empty, tmp_path, monkeypatch, capsys):
    """Each block, in a folder with the two files that it names."""
    monkeypatch.setenv("NEO4J_URI", server.uri)
    monkeypatch.setenv("NEO4J_USERNAME", server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", server.password)
    monkeypatch.chdir(tmp_path)
    Path("corpus.jsonl").write_text(
        json.dumps({"id": "p", "title": "Laureate", "text": "She studied in Paris."}) + "\n"
    )
    Path("triples.jsonl").write_text(json.dumps({"id": "p", "triples": [["She", "studied in", "Paris"]]}) + "\n")

    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})

    printed = capsys.readouterr().out
    assert len(blocks) > 0
    assert printed.startswith("1 Laureate ")
    assert "She —studied in→ Paris" in printed
