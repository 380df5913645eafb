"""What a question imports in the shell: once the embedding model has been checked, neither torch nor LangChain."""

import json
import os
import sys

import pytest

from gear_neo4j.errors import ExitCode
from tests.processes import run
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.one_server_line

QUESTION = "Where did the 2024 physics laureate write a thesis?"
HEAVY = {"torch", "sentence_transformers", "transformers"}
# 'gear ask' needs LangChain's client; pandas and pyarrow are what the driver imports where they are installed.
LANGCHAIN = {"langchain_core", "langchain_community", "langchain_openai", "openai"}
FRAMES = {"pandas", "pyarrow"}
NOT_FOR_SEARCH = HEAVY | LANGCHAIN | FRAMES
RUN = """
import json, sys
from gear_neo4j.cli.process import run
try:
    run()
finally:
    print(json.dumps(sorted(sys.modules)))
"""


def imported(*command, **environment):
    """The modules that a command imported in a separate process, which must succeed completely or partially."""
    done = run([sys.executable, "-c", RUN, *command], env=os.environ | environment)
    assert done.returncode in (ExitCode.DONE, ExitCode.PARTIAL), done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture
def ingested(gear, folder):
    """Two passages, ingested by a process that had to load torch."""
    assert 0 == gear("ingest", folder)[0]


@pytest.mark.parametrize(
    "command",
    [
        ("search", QUESTION),
        ("search", QUESTION, "--json"),
        ("search", QUESTION, "--retriever", "naive", "--base", "hybrid"),
        ("search", QUESTION, "--retriever", "naive", "--base", "bm25", "--paths"),
        ("paths", "Which thesis is Geoffrey Hinton related to?"),
    ],
)
def test_a_search_imports_nothing_heavy(ingested, command):
    """The imports used to take six of the seven seconds of a search."""
    modules = imported(*command)

    assert set() == modules & NOT_FOR_SEARCH
    assert {"onnxruntime", "tokenizers", "neo4j"} <= modules


def test_what_a_command_hides_from_the_driver_can_be_imported_later():
    """Where it is needed, as by Ray."""
    program = (
        "from gear_neo4j.cli import process\nsys.argv = ['gear', '--version']\ntry: process.run()\nexcept SystemExit:"
    )
    done = run(
        [sys.executable, "-c", f"import sys\n{program} import neo4j, pandas; print(neo4j.GraphDatabase, pandas)"]
    )

    assert 0 == done.returncode, done.stderr


def test_an_answer_imports_no_torch(ingested):
    """The model that writes it is on another server."""
    with ScriptedServer(lambda _: "Answer: Edinburgh [2]") as server:
        modules = imported("ask", QUESTION, GEAR_CHAT_MODEL="scripted", OPENAI_BASE_URL=server.url)

    assert set() == modules & HEAVY
    assert "onnxruntime" in modules
