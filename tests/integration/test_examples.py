"""The bots of ``examples/``, as a user starts them: a process, one question per line, a real Neo4j."""

import os
import sys
from pathlib import Path

import pytest

from gear_neo4j import Gear
from tests import processes
from tests.scripted_server import ScriptedServer
from tests.toy_model import QUESTION, ToyModel

pytestmark = pytest.mark.one_server_line

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGES = {
    "prize": "The 2024 physics prize went to Hinton.\n",
    "thesis": "Hinton wrote a thesis at Edinburgh.\n",
    "town": "Edinburgh lies in Scotland.\n",
}


@pytest.fixture
def bot(server, empty, home, monkeypatch):
    """Start an example on a database that is empty at first; returns the finished process."""
    for name, value in (("URI", server.uri), ("USERNAME", server.username), ("PASSWORD", server.password)):
        monkeypatch.setenv(f"NEO4J_{name}", value)

    def run(name, *args, questions=(), **variables):
        return processes.run(
            [sys.executable, EXAMPLES / name, *args], text="\n".join(questions), env=os.environ | variables
        )

    return run


@pytest.fixture
def folder(tmp_path):
    """Three pages that only together answer a question."""
    folder = tmp_path / "faq"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / f"{name}.md").write_text(text)
    return folder


def test_a_bot_over_a_folder_answers_with_citations(bot, folder):
    """A second start writes nothing."""
    with ScriptedServer(ToyModel()) as model:
        settings = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "GEAR_CHAT_MODEL": "toy"}
        first = bot("faq_bot.py", folder, questions=[QUESTION, ""], **settings)
    again = bot("faq_bot.py", folder)

    assert (0, "") == (first.returncode, first.stderr)
    assert first.stdout.startswith("3 documents, 3 new passages. Ask.\n")
    assert "Scotland" in first.stdout
    assert "] town (" in first.stdout
    assert "3 documents, 0 new passages. Ask.\n" == again.stdout


def test_without_a_model_the_bot_shows_passages(bot, folder):
    """From which a model would answer."""
    asked = bot("faq_bot.py", folder, questions=["Where did Hinton write his thesis?"])

    assert 0 == asked.returncode
    assert "\n1. " in asked.stdout
    assert "Hinton wrote a thesis at Edinburgh." in asked.stdout


def test_a_bot_says_in_a_line_what_is_wrong(bot, tmp_path):
    """No argument, or a missing folder."""
    none = bot("faq_bot.py")
    missing = bot("faq_bot.py", tmp_path / "nowhere")

    assert (1, "usage: python faq_bot.py FOLDER\n") == (none.returncode, none.stderr)
    assert missing.returncode == 1
    assert missing.stderr.startswith("faq_bot: ")
    assert 1 == missing.stderr.count("\n")


def test_a_bot_over_movies_needs_no_model(bot, data):
    """It adopts the graph only at its first start; a question for a number gets one."""
    with Gear.connect() as gear:
        gear.overlay.import_csv([data / "movies" / "nodes.csv", data / "movies" / "relationships.csv"])

    first = bot("movies_bot.py", questions=["Who directed The Matrix?", "How many movies did Tom Hanks act in?"])
    again = bot("movies_bot.py", questions=["Who directed The Matrix?"])

    assert (0, "") == (first.returncode, first.stderr)
    assert " nodes adopted, " in first.stdout
    assert "Lana Wachowski (Person): " in first.stdout
    assert "\n12: " in first.stdout
    assert again.stdout.startswith("Ask.\n")
    assert "Lilly Wachowski (Person): " in again.stdout


@pytest.mark.parametrize("name", ["faq_bot.py", "movies_bot.py"])
def test_an_example_is_read_at_a_glance(name):
    """Fewer than sixty lines."""
    assert len((EXAMPLES / name).read_text("utf-8").splitlines()) < 60
