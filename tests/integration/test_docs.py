"""The Python of the documentation runs as it is, with a scripted language model."""

import ast
import asyncio
import re
from inspect import iscoroutine
from pathlib import Path

import pytest
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from gear_neo4j import Gear
from gear_neo4j.domain import Passage
from gear_neo4j.graph.queries import Query
from gear_neo4j.models.chat import Chat
from gear_neo4j.recipes.registry import AGENTS, EXTRACTORS, RETRIEVERS
from tests.framework_models import Llm, Model, Reader
from tests.graphs import opened
from tests.loaders import slack_export
from tests.loops import Script
from tests.scripted_server import ScriptedServer
from tests.toy_model import FACTS, PASSAGES, QUESTION, ToyModel

pytestmark = pytest.mark.one_server_line

DOCS = Path(__file__).parents[2] / "docs"
PLANNED = Script(plan={"steps": []}, recall="Answer: Four.")

SHOP = Query(
    "shop",
    "CREATE (:Supplier {name: 'Tokyo Traders'})-[:SUPPLIES]->(:Product {name: 'Tofu'})-[:PART_OF]->"
    "(:Category {name: 'Produce'})",
    writes=True,
)


@tool
def spelled(question: str) -> str:
    """How something is spelled."""
    return " ".join(question)


def reply(messages):
    """The toy model; also returns names and facts for HippoRAG, and an empty plan."""
    names = {
        "You are shown a question and": "[1]",
        "You note the names in a question: people": '{"entities": ["Hinton"]}',
    }
    for words, said in names.items():
        if messages[0]["content"].startswith(words):
            return said
    planned = messages[0]["content"].startswith(("You plan how", "You answer a question from what"))
    return (PLANNED if planned else ToyModel())(messages)


@pytest.fixture
def gear(shared, server, embedder):
    """A Gear over three hops and a recipe, with a scripted model."""
    shared.ingested(PASSAGES, FACTS, embedder)
    with ScriptedServer(reply) as model:
        chat = Chat(ChatOpenAI(model="toy", api_key="none", base_url=model.url, max_retries=0, timeout=5))
        with opened(server, embedder, chat=chat) as gear:
            yield gear


@pytest.fixture
def connected(server, empty, monkeypatch, home):
    """An empty database that ``Gear.connect`` finds, with a scripted model."""
    with ScriptedServer(reply) as model:
        settings = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password}
        settings |= {"OPENAI_BASE_URL": model.url, "GEAR_CHAT_MODEL": "toy"}
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        yield empty


def run(page, *, blocks=slice(None), **names):
    """Run all or some blocks of a page in order, and return the names that they bind."""
    chosen = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)[blocks]
    assert chosen, page
    for block in chosen:
        code = compile(block, page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        ended = eval(code, names)
        if iscoroutine(ended):
            asyncio.run(ended)
    return names


def test_the_python_api_as_a_coroutine(gear, capsys):
    """A search, and the events of a run, of which the last is the answer."""
    names = run("python.md", gear=gear, question=QUESTION)

    assert len(PASSAGES) == len(names["hits"])
    assert "answer" == names["event"].kind
    assert "Scotland" in capsys.readouterr().out


def test_the_tour(gear, tmp_path, monkeypatch, capsys):
    """From documents to their removal; every agent of the page can be made."""
    monkeypatch.chdir(tmp_path)
    Path("handbook.md").write_text("# Handbook\n\nAda Lovelace leads the office in Varna.\n", encoding="utf-8")

    names = run("tour.md", gear=gear, question=QUESTION)

    assert (1, 2) == (names["report"].passages_written, names["deletion"].triples)
    assert names["extraction"].done > 0
    assert [] == names["failures"]
    assert "Scotland" in names["answer"].text
    assert "Edinburgh lies in Scotland" in capsys.readouterr().out
    assert {"ircot", "paths", "pattern", "kgt", "cypher"} <= {agent.name for agent in names["agents"]}
    assert "handbook" not in [collection.name for collection in gear.corpus.collections()]


def test_a_table_and_a_loader_are_sources(gear, tmp_path, monkeypatch):
    """A row is a document, and so is a message, for the members of its channel."""
    monkeypatch.chdir(tmp_path)
    slack_export(Path("slack.zip"), hr=["Ines moves to Varna."], secret=["Nobody reads this."])
    Path("products.csv").write_text("id,description,year\n7,A wheel for spinning yarn.,1764\n", encoding="utf-8")
    run("documents.md", gear=gear)

    assert f"{tmp_path.name}/products.csv#7" in {hit.passage.source for hit in gear.search("A wheel for spinning yarn")}
    message = "slack/https://team.slack.com/archives/hr/p17000000000"
    seen = gear.scoped(principals=["group:hr"]).corpus.sources(limit=1_000).sources
    assert [message] == [one.source for one in seen if one.source.startswith("slack/")]


def test_views_of_callers(connected, tmp_path, monkeypatch):
    """Members of the group see its contract."""
    monkeypatch.chdir(tmp_path)
    Path("varna.md").write_text(
        "# Varna\n\nAda Lovelace leads the office in Varna. The contract ends this year.\n", encoding="utf-8"
    )
    with Gear.connect() as gear:
        gear.ingest(["varna.md"], collection="legal", readers=["group:legal"])

    names = run("access.md", Gear=Gear)

    assert f"{tmp_path.name}/varna.md" == names["hits"][0].passage.source
    assert "The passages do not say." == names["answer"].text


def test_bookmarks_of_another_process(connected, tmp_path, monkeypatch):
    """One process finds what the other ingested."""
    monkeypatch.chdir(tmp_path)
    Path("handbook.md").write_text("# Handbook\n\nAda Lovelace leads the office in Varna.\n", encoding="utf-8")

    names = run("operations.md")

    assert f"{tmp_path.name}/handbook.md" == names["hits"][0].passage.source


def test_a_graph_that_is_there(connected, tmp_path, monkeypatch, capsys):
    """A question about an adopted graph; then a graph from files: adopted, queried and released."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("id:ID;name;:LABEL\n1;Ada;Person\n2;Grace;Person\n", encoding="utf-8")
    Path("knows.csv").write_text(":START_ID;:END_ID;:TYPE\n1;2;KNOWS\n", encoding="utf-8")
    connected.run(SHOP)
    with Gear.connect() as gear:
        gear.overlay.adopt(gear.overlay.propose())
        run("templates.md", gear=gear)
    run("graphs.md", blocks=slice(1))
    with Gear.connect() as gear:
        gear.overlay.release()
    run("graphs.md", blocks=slice(1, None))

    printed = capsys.readouterr().out
    assert "1 Produce " in printed
    assert "[('Grace', ('Person',))]\n1\n" in printed
    assert " triples removed" in printed


def test_adapters_in_other_frameworks(gear):
    """Every example of the page, with a scripted model in each framework; items contain their paths."""
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
    """The page on JSON makes the comparison itself."""
    run("wire.md", gear=gear)


def test_a_tool_of_langchain_in_a_plan(gear):
    """The planner uses it as its only tool."""
    run("choosing.md", gear=gear, my_tool=spelled)


def test_a_retriever_in_ten_lines(gear):
    """The example of CONTRIBUTING.md can be selected by name, and the shortest passages come first."""
    try:
        run("../CONTRIBUTING.md", blocks=slice(1))
        hits = gear.search(QUESTION, k=3, retriever="brief")
    finally:
        RETRIEVERS.remove("brief")

    lengths = [len(hit.passage.text) for hit in hits]
    assert (3, sorted(lengths)) == (len(lengths), lengths)
    assert [1, 2, 3] == [hit.rank for hit in hits]


def test_a_retriever_an_agent_and_an_extractor_of_ones_own(gear):
    """They can be selected by name, and work as the page says."""
    try:
        names = run("recipes.md")
        source = gear.search(QUESTION).hits[0].passage.source
        kept = gear.search(QUESTION, retriever=names["Sourced"](source=source))
        nothing = gear.search(QUESTION, retriever="sourced")
        answer = gear.ask(QUESTION, agent="twice")
        tagged = EXTRACTORS.make(None, EXTRACTORS.recipe("tags")).facts(Passage("p", "Note", "about #rivers"))
    finally:
        EXTRACTORS.remove("tags")
        RETRIEVERS.remove("sourced")
        AGENTS.remove("twice")

    assert {source} == {hit.passage.source for hit in kept}
    assert () == nothing.hits
    assert "answerable" == answer.stop_reason
    assert ["Note —is tagged→ rivers"] == [str(fact) for fact in tagged]
