"""The Python of the documentation runs as it stands, its language model a scripted one."""

import ast
import asyncio
import re
from inspect import iscoroutine
from pathlib import Path

import pytest
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from gear_neo4j.domain import Passage
from gear_neo4j.models.chat import Chat
from gear_neo4j.registry import AGENTS, EXTRACTORS, RETRIEVERS
from tests.framework_models import Llm, Model, Reader
from tests.graphs import ingest, opened
from tests.loops import Script
from tests.scripted_server import ScriptedServer
from tests.toy_model import FACTS, PASSAGES, QUESTION, ToyModel

DOCS = Path(__file__).parents[2] / "docs"
PLANNED = Script(plan={"steps": []}, recall="Answer: Four.")


@tool
def spelled(question: str) -> str:
    """How something is spelled."""
    return " ".join(question)


def reply(messages):
    """The toy model, and an empty plan where one is asked for."""
    planned = messages[0]["content"].startswith(("You plan how", "You answer a question from what"))
    return (PLANNED if planned else ToyModel())(messages)


@pytest.fixture
def gear(database, server, embedder, tmp_path):
    """A Gear over three hops and a recipe, with a scripted model."""
    ingest(database, embedder, tmp_path, PASSAGES, FACTS)
    with ScriptedServer(reply) as model:
        chat = Chat(ChatOpenAI(model="toy", api_key="none", base_url=model.url, max_retries=0, timeout=5))
        with opened(server, embedder, chat=chat) as gear:
            yield gear


def run(page, **names):
    """Run the blocks of a page one after the other, and hand back the names that they bind."""
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    assert blocks, page
    for block in blocks:
        code = compile(block, page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        ended = eval(code, names)
        if iscoroutine(ended):
            asyncio.run(ended)
    return names


def test_the_python_api_as_a_coroutine(gear, capsys):
    """A search, and the events of a run, the last of which is its answer."""
    names = run("python.md", gear=gear, question=QUESTION)

    assert len(PASSAGES) == len(names["hits"])
    assert "answer" == names["event"].kind
    assert "Scotland" in capsys.readouterr().out


def test_adapters_in_other_frameworks(gear):
    """Every example of the page, with a scripted model of each framework; an item holds its paths."""
    names = run("adapters.md", gear=gear, question=QUESTION, chat=Reader(), llm=Model(), llama=Llm())

    assert "Scotland" == names["messages"][-1].text
    assert "Scotland" == str(names["response"])
    assert "—" in names["rag"].search(QUESTION, return_context=True).retriever_result.items[0].content
    assert 3 == len(names["documents"])
    assert len(PASSAGES) == len(names["search"](QUESTION))


def test_an_evaluation_from_python(gear):
    """Two retrievers and an agent."""
    names = run("evaluation.md", gear=gear)

    assert 3 == len(names["evaluation"].results)


def test_a_document_reads_back(gear):
    """The page on JSON compares by itself."""
    run("wire.md", gear=gear)


def test_a_tool_of_langchain_in_a_plan(gear):
    """The planner takes it as its only tool."""
    run("choosing.md", gear=gear, my_tool=spelled)


def test_a_retriever_an_agent_and_an_extractor_of_ones_own(gear):
    """They are found by their names, and do what the page says of them."""
    try:
        names = run("recipes.md")
        kept = gear.search(QUESTION, retriever=names["Sourced"](source="corpus.jsonl"))
        nothing = gear.search(QUESTION, retriever="sourced")
        answer = gear.ask(QUESTION, agent="twice")
        tagged = EXTRACTORS.make(None, EXTRACTORS.recipe("tags")).facts(Passage("p", "Note", "about #rivers"))
    finally:
        EXTRACTORS.remove("tags")
        RETRIEVERS.remove("sourced")
        AGENTS.remove("twice")

    assert {"corpus.jsonl"} == {hit.passage.source for hit in kept}
    assert () == nothing.hits
    assert "answerable" == answer.stop_reason
    assert ["Note —is tagged→ rivers"] == [str(fact) for fact in tagged]
