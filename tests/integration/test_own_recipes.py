"""A user's own retriever, agent and extractor: registered once, available everywhere."""

import json
from typing import ClassVar

import pytest
from langchain_core.language_models import FakeListChatModel

from gear_neo4j import (
    AgentRecipe,
    ExtractorRecipe,
    Fact,
    Hit,
    Hits,
    Planner,
    RetrieverRecipe,
    option,
    register_agent,
    register_extractor,
    register_retriever,
)
from gear_neo4j.evaluate.poster import rows
from gear_neo4j.gear.agents import planner_tools
from gear_neo4j.integrations.langchain import GearRetriever
from gear_neo4j.recipes.registry import AGENTS, EXTRACTORS, RETRIEVERS
from gear_neo4j.types import FactExtractor, Session
from tests.commands import QUERIES
from tests.graphs import opened

pytestmark = pytest.mark.one_server_line

QUESTION = QUERIES[0]["question"]


@pytest.fixture
def own():
    """Ten lines for a retriever, and as many for an agent over any retriever."""

    class Shortest(RetrieverRecipe):
        """The shortest passages, whatever the question."""

        name: ClassVar[str] = "shortest"
        words: int = option(9, "words at most", least=1)

    @register_retriever(Shortest, tool="short texts")
    def shortest(session: Session, recipe: Shortest):
        class ShortestFirst:
            def retrieve(self, question: str, *, k: int = 10) -> Hits:
                found = [p for p in session.graph.store.all_passages() if len(p.text.split()) <= recipe.words]
                found.sort(key=lambda passage: (len(passage.text), passage.id))
                hits = tuple(Hit(passage, 1.0, rank) for rank, passage in enumerate(found[:k], start=1))
                return Hits(question, "shortest", hits)

        return ShortestFirst()

    class Parrot(AgentRecipe):
        """An agent that repeats the best passage."""

        name: ClassVar[str] = "parrot"
        loud: bool = option(False, "repeat it in capitals")

        @property
        def calls_model(self) -> bool:
            return False

    @register_agent(Parrot, tool="what is said first")
    def parrot(session: Session, recipe: Parrot):
        inner = session.agent(AGENTS.recipe("crag").model_copy(update={"answer": False}))

        class Repeating:
            def ask(self, question, *, k=10, on_event=None):
                return inner.ask(question, k=k, on_event=on_event)

        return Repeating()

    class Blank(ExtractorRecipe):
        """One triple per passage: its title says its text."""

        name: ClassVar[str] = "titles"

    @register_extractor(Blank)
    def titles(_session: Session, _recipe: Blank):
        class Titles(FactExtractor):
            name = "titles"

            def facts(self, passage):
                return [Fact(passage.title, "says", passage.text)]

        return Titles()

    yield
    RETRIEVERS.remove("shortest")
    AGENTS.remove("parrot")
    EXTRACTORS.remove("titles")


@pytest.fixture
def corpus(gear, folder):
    """Two passages in the tests' database, embedded by the packaged model."""
    assert 0 == gear("ingest", folder)[0]


def test_the_command_line_knows_them(own, corpus, gear):
    """By name, with their options, and in the list of recipes."""
    code, out, _ = gear("search", QUESTION, "--retriever", "shortest", "--set", "words=8", "--json")
    _, listed, _ = gear("recipes")
    _, shown, _ = gear("recipes", "shortest")
    refused = gear("search", QUESTION, "--retriever", "shortest", "--set", "width=3")

    assert (0, "shortest") == (code, json.loads(out)["retriever"])
    assert "The shortest passages, whatever the question." in listed
    assert "--retriever shortest --set words=9" in shown
    assert 2 == refused[0]
    assert "gear: shortest has no option 'width': its options are words" in refused[2]
    assert 0 == gear("ingest", "--extract", "titles")[0]


def test_the_evaluation_measures_them_in_its_table_and_by_name(own, gear, folder, tmp_path):
    """With a row each."""
    labels = [row.label for row in rows(llm=None, triples=True)]
    code, _, _ = gear("evaluate", folder, "--retriever", "shortest", "--json", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text())

    assert ["shortest", "parrot"] == labels[-2:]
    assert (0, "shortest", {"name": "shortest", "words": 9}) == (code, report["retriever"], report["recipe"])


def test_langchain_and_the_planner_take_them(own, database, embedder, server, folder):
    """Their options are arguments of LangChain's retriever; with a description, they are tools."""
    with opened(server, embedder, chat=FakeListChatModel(responses=["none"])) as gear:
        gear.ingest([folder])
        documents = GearRetriever(gear=gear, retriever="shortest", words=7, k=1).invoke(QUESTION)
        names = [tool.name for tool in planner_tools(gear._session, Planner(tools=("shortest", "parrot")))]
        everything = {entry.name: entry.tool for entry in (*RETRIEVERS, *AGENTS) if entry.tool}

    assert ["p2"] == [document.id for document in documents]
    assert ["shortest", "parrot"] == names
    assert {"shortest": "short texts", "parrot": "what is said first"}.items() <= everything.items()
