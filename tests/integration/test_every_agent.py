"""What all agents have in common: events, streamed answers, replays, cancellation, and checks of the question."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from langchain_openai import ChatOpenAI

from gear_neo4j import (
    Base,
    Crag,
    CypherAgent,
    GearAgent,
    GraphRagGlobal,
    GraphRagLocal,
    Ircot,
    Kgt,
    PathAgent,
    Paths,
    PatternAgent,
    Planner,
    SelfRag,
    SyncGE,
)
from gear_neo4j.adoption.overlay import Adoption
from gear_neo4j.agents.search import SearchAgent
from gear_neo4j.agents.template import TemplateAgent
from gear_neo4j.agents.tools import ToolReply
from gear_neo4j.cancellation import cancellable
from gear_neo4j.cli.choice import Choice
from gear_neo4j.cli.main import main
from gear_neo4j.errors import InputError
from gear_neo4j.models.chat import Chat
from gear_neo4j.models.replay import ReplayChat
from gear_neo4j.roles.parsers import without_markers
from gear_neo4j.types import Agent, Graph
from tests.conftest import clear
from tests.fake_embedder import FakeEmbedder
from tests.graphs import opened
from tests.integration.test_adopt import FILMS, PROFILE, write
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.one_server_line

QUESTION = "Where was the director of The Matrix born?"
NEXT = "Where was Lana Wachowski born?"
PLAN = {"steps": [{"id": "1", "question": NEXT, "tool": "naive"}, {"id": "2", "question": QUESTION, "tool": "paths"}]}
REPLIES = {
    "You read passages": {"facts": [["Lana Wachowski", "directed", "The Matrix"]]},
    "You judge whether a question": "Answerable: No\nWhy: her town",
    "A question could not": f"Next question: {NEXT}",
    "You reason step by step": "Lana Wachowski directed The Matrix.",
    "You answer a question from numbered": "<think>Boston?</think>Answer: Chicago, as is said [1].",
    "You grade": lambda text: {"scores": [0.9] * len(re.findall(r"^Text \[", text, re.MULTILINE))},
    "You judge whether looking": {"retrieve": "yes"},
    "You judge an answer": {"relevant": "yes", "support": "fully", "use": 5},
    "You plan how": lambda text: {"steps": []} if "- step 1," in text else PLAN,
    "You take a text": {"statements": ["She was born in Chicago."]},
    "You judge, for each": {"verdicts": [{"number": 1, "verdict": "yes"}]},
    "You write a report": {"title": "Films", "summary": "Who made them.", "rank": 5, "findings": []},
    "You are shown reports": {"points": [{"text": "They are films.", "score": 80, "reports": [1]}]},
    "You answer a question about": "Answer: They are films [1].",
    "You sort a question": {"type": "one-hop", "heads": ["Lana Wachowski"], "tail": "City"},
    "You turn a question into one": "MATCH (p:Person)-[:BORN_IN]->(c:City) RETURN p.name AS name, c.name AS town",
    "You note the names": {"entities": ["Lana Wachowski"]},
    "You are shown a question and numbered facts": "[1]",
    "You choose among numbered Cypher": "[1]",
    "You choose among the queries": {"template": "towns", "parameters": {}},
}
BM25 = Base(base="bm25")
AGENTS = {
    "gear": GearAgent(over=BM25),
    "ircot": Ircot(over=BM25),
    "crag": Crag(over=BM25, evaluator="grader"),
    "crag over sync": Crag(over=SyncGE(base="bm25"), evaluator="grader"),
    "selfrag": SelfRag(over=BM25),
    "planner": Planner(),
    "graphrag-local": GraphRagLocal(),
    "graphrag-global": GraphRagGlobal(),
    "paths": PathAgent(over=Paths(base="bm25")),
    "kgt": Kgt(),
    "cypher": CypherAgent(),
    "pattern": PatternAgent(sure=1.0),
    "template": TemplateAgent(),
    # The vectors of the tests' model mean little.
    "search": SearchAgent(over=BM25, near=0.0),
}
RETRIEVERS = ("auto", "base", "naive", "sync", "paths", "subgraph", "scout", "hipporag", "hipporag2")


def mind(messages):
    """A reply per role: fixed, or computed from the prompt."""
    system, user = (message["content"] for message in messages[:2])
    reply = next(reply for words, reply in REPLIES.items() if system.startswith(words))
    reply = reply(user) if callable(reply) else reply
    return reply if isinstance(reply, str) else json.dumps(reply)


@pytest.fixture(scope="module")
def model():
    """A model that plays all roles; ``script`` replaces it temporarily."""
    script = SimpleNamespace(mind=mind)
    with ScriptedServer(lambda messages: script.mind(messages)) as served:
        served.scripts = script
        yield served


def chat_of(model):
    return Chat(ChatOpenAI(model="toy", api_key="none", base_url=model.url, temperature=0, max_retries=0, timeout=5))


@pytest.fixture(scope="module")
def films(server, connection, model):
    """Somebody else's graph, adopted, with communities and reports."""
    clear(connection)
    connection.run(write(FILMS))
    Adoption(Graph(connection), PROFILE, FakeEmbedder()).run()
    with opened(server, FakeEmbedder(), chat=chat_of(model)) as gear:
        query = "MATCH (:Person)-[:BORN_IN]->(c:City) RETURN c.name AS town"
        gear.overlay.templates.add("towns", query=query, description="towns where people were born")
        gear.communities.build()
        gear.communities.report()
    yield connection
    clear(connection)


@pytest.fixture
def gear(films, server, model):
    """A Gear over it."""
    with opened(server, FakeEmbedder(), chat=chat_of(model)) as gear:
        yield gear
    model.scripts.mind = mind


def deeds(answer):
    """The steps of an answer without their costs."""
    return [replace(step, milliseconds={}, usage={}) for step in answer.trace.steps]


@pytest.mark.parametrize("name", AGENTS)
def test_a_run_can_be_repeated_from_its_trace_without_the_model(gear, server, model, name):
    """The same text, passages and steps; retrievers, graders and tools get their replies from it, too."""
    agent = gear.agent(AGENTS[name])
    answer = agent.ask(QUESTION, k=4)
    asked = len(model.requests)
    with opened(server, FakeEmbedder(), chat=ReplayChat(answer.trace.replies, name="toy")) as replaying:
        again = replaying.agent(AGENTS[name]).ask(QUESTION, k=4)

    assert isinstance(agent, Agent)
    assert answer.text
    assert (answer.text, answer.hits.hits, answer.stop_reason) == (again.text, again.hits.hits, again.stop_reason)
    assert deeds(answer) == deeds(again)
    assert sorted(map(str, answer.trace.replies)) == sorted(map(str, again.trace.replies))
    assert (asked, 0) == (len(model.requests), again.total.tokens)


@pytest.mark.parametrize("name", AGENTS)
def test_the_answer_is_the_last_event_and_its_pieces_come_before(gear, name):
    """Self-RAG's answer is one of several; those without a writer are there at once; all others stream."""
    events = []
    answer = gear.agent(AGENTS[name]).ask(QUESTION, k=4, on_event=events.append)

    assert ("answer", answer.text, answer) == (events[-1].kind, events[-1].text, events[-1].answer)
    assert ["answer"] == [event.kind for event in events if event.answer]
    pieces = "".join(event.text for event in events if event.kind == "token")
    # Markers are checked at the end: the Cypher agent shows no passages to cite.
    assert ("" if name in ("selfrag", "pattern", "template", "search") else answer.plain) == without_markers(pieces)


def test_without_a_listener_nothing_is_streamed(gear, model):
    """A reply in one piece is easier to retry and to count."""
    before = len(model.requests)
    gear.ask(QUESTION, agent=AGENTS["paths"])

    assert not any(request.get("stream") for request in model.requests[before:])


# These call the model once, for the answer, or for the choice of a pattern or template.
ONE_CALL = ("graphrag-local", "paths", "pattern", "template")


@pytest.mark.parametrize("name", sorted(set(AGENTS) - {"search"}))
def test_a_run_that_is_cancelled_ends_at_its_next_step(gear, model, name):
    """Another thread sets the flag while the model writes its first reply; no further call begins."""
    agent = gear.agent(AGENTS[name])
    with cancellable() as cancel:

        def last(messages):
            cancel.set()
            return mind(messages)

        model.scripts.mind = last
        before = len(model.requests)
        answer = agent.ask(QUESTION, k=4)

    assert 1 == len(model.requests) - before
    assert ("answerable" if name in ONE_CALL else "cancelled") == answer.stop_reason
    assert bool(answer.text) == (name in ONE_CALL)


@pytest.mark.parametrize("name", AGENTS)
def test_a_run_that_begins_cancelled_asks_nothing(gear, model, name):
    """Not even for the answer."""
    agent = gear.agent(AGENTS[name])
    with cancellable() as cancel:
        cancel.set()
        before = len(model.requests)
        answer = agent.ask(QUESTION, k=4)

    assert len(model.requests) - before <= (name == "gear")
    assert ("cancelled", "") == (answer.stop_reason, answer.text)


def test_a_plan_that_is_cancelled_begins_no_further_tool(gear):
    """Steps that wait for a thread fail without a call, and no plan or answer follows."""

    class Pulling:
        """A tool that is cancelled while it works."""

        name, description = "pulling", "pulls the plug"

        def __init__(self, cancel):
            self.cancel, self.asked = cancel, []

        def run(self, question):
            self.asked.append(question)
            self.cancel.set()
            return ToolReply("Chicago")

    with cancellable() as cancel:
        tool = Pulling(cancel)
        answer = gear.ask(QUESTION, agent=Planner(tools=(tool,), concurrency=1))

    assert ([NEXT], "cancelled", {"plan"}) == (tool.asked, answer.stop_reason, set(answer.usage))
    first, second = (step.tool_calls[0] for step in answer.trace.steps[1:])
    assert ("Chicago", "the run was cancelled before") == (first.answer, second.failure)


HALF = "Where was \ud800 the director\n of The Matrix born?"


@pytest.mark.parametrize("name", [*AGENTS, *(f"retriever {name}" for name in RETRIEVERS)])
def test_every_question_is_checked_alike(gear, model, name):
    """Invalid characters are replaced and lines are joined; blank questions and k = 0 are refused at once."""
    kind, _, retriever = name.partition("retriever ")
    asks = gear.agent(AGENTS[name]).ask if kind else gear.retriever(retriever).retrieve
    before = len(model.requests)
    for question in ("", " \n\u3000"):
        with pytest.raises(InputError, match="the question is empty: ask something"):
            asks(question, k=4)
    with pytest.raises(InputError, match="k is 0: ask for at least 1 passage"):
        asks(QUESTION, k=0)

    assert before == len(model.requests)
    assert "Where was ? the director of The Matrix born?" == asks(HALF, k=4).question


STANDING = ("gear", "ircot", "crag", "selfrag", "paths")


@pytest.mark.parametrize("retriever", RETRIEVERS)
@pytest.mark.parametrize("agent", STANDING)
def test_any_agent_stands_on_any_retriever(gear, agent, retriever):
    """``gear ask --agent X --retriever Y`` for every valid pair; the cost of a retriever is counted."""
    recipe = Choice(retriever, agent, [("evaluator", "grader")] if agent == "crag" else []).make_agent()
    answer = gear.ask(QUESTION, k=4, agent=recipe)

    assert answer.text
    assert answer.hits
    assert f"{agent} over " in recipe.title
    assert retriever in (recipe.over.name, recipe.title)
    assert ("reader" in answer.usage) == (agent == "gear" or retriever == "sync")


def test_local_search_stands_on_a_subgraph(gear):
    """Or on a larger one, by its options."""
    answer = gear.ask(QUESTION, agent=Choice("subgraph", "graphrag-local", [("entities", "2")]).make_agent())

    assert answer.text


@pytest.mark.parametrize("retriever", RETRIEVERS)
@pytest.mark.parametrize("agent", ["kgt", "cypher", "planner", "graphrag-global", "graphrag-local"])
def test_every_other_pair_is_refused_with_one_line(agent, retriever, capsys):
    """Before anything is opened."""
    if (agent, retriever) == ("graphrag-local", "subgraph"):
        return
    with pytest.raises(SystemExit) as ended:
        main(["ask", QUESTION, "--agent", agent, "--retriever", retriever])

    only = "works over subgraph only" if agent == "graphrag-local" else "uses no retriever"
    assert 2 == ended.value.code
    assert [line for line in capsys.readouterr().err.splitlines() if line.startswith(f"gear: {agent} {only}")]
