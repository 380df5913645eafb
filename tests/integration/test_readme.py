"""The README's Python runs as it is, with a scripted language model."""

import json
import re
from pathlib import Path

import pytest

from tests.scripted_server import ScriptedServer
from tests.toy_model import role_of

pytestmark = pytest.mark.one_server_line

README = Path(__file__).parents[2] / "README.md"


def reply(messages):
    """The model's replies to the README's question."""
    return {
        "reader": '{"facts": [["She", "studied in", "Paris"]]}',
        "gist": '{"facts": [["She", "studied in", "Paris"]]}',
        "reason": "Answerable: Yes\nAnswer: Paris",
        "answer": "Answer: In Paris [1].",
    }[role_of(messages)]


@pytest.fixture
def model(monkeypatch, home):
    """A model set in the environment."""
    with ScriptedServer(reply) as scripted:
        monkeypatch.setenv("OPENAI_BASE_URL", scripted.url)
        monkeypatch.setenv("GEAR_CHAT_MODEL", "scripted")
        yield scripted


def test_the_python_of_the_readme_runs(server, empty, model, tmp_path, monkeypatch, capsys):
    """Each block, in a folder with the two files that it names."""
    monkeypatch.setenv("NEO4J_URI", server.uri)
    monkeypatch.setenv("NEO4J_USERNAME", server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", server.password)
    monkeypatch.chdir(tmp_path)
    Path("corpus.jsonl").write_text(
        json.dumps({"id": "p", "title": "Laureate", "text": "She studied in Paris."}) + "\n", encoding="utf-8"
    )
    Path("triples.jsonl").write_text(
        json.dumps({"id": "p", "triples": [["She", "studied in", "Paris"]]}) + "\n", encoding="utf-8"
    )

    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})

    printed = capsys.readouterr().out
    assert len(blocks) > 0
    assert printed.startswith("1 Laureate ")
    assert "She —studied in→ Paris" in printed
    assert f"In Paris [1].\n[1] Laureate ({tmp_path.name}/corpus.jsonl)\n" in printed
