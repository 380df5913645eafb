"""The tutorial, page by page, in one folder and with one local server, as a newcomer follows it."""

import os
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests import processes
from tests.scripted_server import ScriptedServer
from tests.toy_model import role_of

pytestmark = [pytest.mark.one_server_line, pytest.mark.timeout(900)]

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("install", "ingest", "search", "ask", "adopt", "serve")
BLOCK = re.compile(r"^```(shell|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def reply(messages):
    """A model that answers the tutorial's question from the right passage."""
    asked = messages[1]["content"]
    index = re.search(r"^Passage \[(\d+)\] University of Edinburgh", asked, re.MULTILINE)
    return {
        "gist": '{"facts": [["King James VI", "founded", "University of Edinburgh"]]}',
        "reader": '{"facts": [["King James VI", "founded", "University of Edinburgh"]]}',
        "reason": "Answerable: Yes\nAnswer: King James VI",
        "answer": f"Answer: King James VI [{index[1] if index else 1}].",
    }[role_of(messages)]


@pytest.fixture
def shell(tmp_path, free_tcp_port):
    """Runs a script as a reader would: gear on the path, a separate home, a model set in the environment."""
    with ScriptedServer(reply) as model:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_URI", "GEAR_"))}
        environment |= {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "GEAR_HOME": str(tmp_path / "home"),
            "GEAR_CHAT_MODEL": "toy",
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "none",
            "COLUMNS": "200",
        }
        if "GEAR_NEO4J_VERSION" in os.environ:
            environment["GEAR_NEO4J_VERSION"] = os.environ["GEAR_NEO4J_VERSION"]

        def run(script):
            script = script.replace("8799", str(free_tcp_port))
            shell = ["bash", "-euo", "pipefail", "-m", "-c", script]
            return processes.run(shell, seconds=300, cwd=tmp_path, env=environment)

        yield run
        run("gear down; gear down --name films")


def test_each_page_does_what_it_says(shell):
    """The shell blocks of a page run as one script, whose output contains the lines that the page shows."""
    for page in PAGES:
        blocks = BLOCK.findall((DOCS / "tutorial" / f"{page}.md").read_text("utf-8"))
        ended = shell("\n".join(text for kind, text in blocks if kind == "shell"))
        expected = [line for kind, text in blocks if kind == "text" for line in text.splitlines()]

        assert 0 == ended.returncode, (page, ended.stdout, ended.stderr)
        printed = " ".join((ended.stdout + ended.stderr).split())
        assert [] == [line for line in expected if line not in printed], (page, ended.stdout, ended.stderr)


def test_each_page_leads_to_the_next():
    """A newcomer needs no table of contents."""
    for page, following in pairwise(PAGES):
        assert f"]({following}.md)" in (DOCS / "tutorial" / f"{page}.md").read_text("utf-8")
