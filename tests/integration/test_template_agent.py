"""Questions that a template answers: certain ones without a call, others by a model that chooses."""

import json

import pytest
from langchain_openai import ChatOpenAI

from gear_neo4j import PatternAgent, Planner
from gear_neo4j.adoption.overlay import Adoption
from gear_neo4j.agents.template import TemplateAgent
from gear_neo4j.errors import InputError, ScopeRefusal
from gear_neo4j.gear.agents import planner_tools
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.guard.template import Template
from gear_neo4j.graph.queries import Query
from gear_neo4j.models.chat import Chat
from gear_neo4j.wire import read_trace, write_trace
from tests.dump import dump
from tests.graphs import opened
from tests.integration.test_templates import BORROWED, LIBRARY, LONGEST, ON_DAY, PROFILE
from tests.mcp_client import call, server_over
from tests.scripted_model import opened_with_model

AGENT = TemplateAgent()
BY_ADA = "Which books were borrowed by Ada Wells?"
TEMPLATES = {
    "borrowed": ("the books borrowed by a reader", BORROWED),
    "on-day": ("the readers with a loan on a day", ON_DAY),
    "longest": ("the books with the most pages", LONGEST),
    "broken": ("shelves by weight", "// $weight (integer)\nMATCH (b:Book) RETURN 1 / ($weight - $weight) AS shelf"),
}


@pytest.fixture
def library(shared, embedder):
    """An adopted graph of readers and books, with templates."""

    def fill(database):
        database.run(Query("graph", LIBRARY, writes=True))
        graph = Graph(database)
        Adoption(graph, PROFILE, embedder).run()
        for name, (description, query) in TEMPLATES.items():
            graph.own_templates.add(Template.parse(name, description, query))

    return shared.filled("library with templates", embedder, fill)


@pytest.fixture
def asking(library, server, embedder):
    """Ask the agent a question with a scripted model; returns the answer and the number of calls."""

    def ask(question, *, reply, recipe=AGENT):
        with opened_with_model(server, embedder, reply) as (gear, model):
            answer = gear.agent(recipe).ask(question)
        return answer, len(model.requests)

    return ask


def never(messages):
    raise AssertionError("the model was called")


def chooses(name, **parameters):
    """A model that chooses a template."""
    return lambda _: json.dumps({"template": name, "parameters": parameters})


@pytest.mark.parametrize(
    ("question", "name", "parameters", "text"),
    [
        (BY_ADA, "borrowed", {"reader": "Ada Wells"}, "Dunes [F1]; Tides [F2]"),
        ("Which are the books borrowed by Ben Hill?", "borrowed", {"reader": "Ben Hill"}, "Tides [F1]"),
        ("Which readers had a loan on 31 May 2024?", "on-day", {"day": "2024-05-31"}, "Ada Wells [F1]; Ben Hill [F2]"),
        ("Which 1 book has the most pages?", "longest", {"most": 1}, "Tides [F1]"),
    ],
)
def test_a_certain_template_is_answered_without_a_call(asking, tmp_path, question, name, parameters, text):
    """Each row is cited; the answer shows the template's name, its Cypher and the parameters."""
    answer, calls = asking(question, reply=never)

    (query,) = answer.trace.steps[0].queries
    assert (text, "answerable", 0) == (answer.text, answer.stop_reason, calls)
    assert (name, parameters) == (query.template, query.parameters)
    assert "MATCH" in query.text
    assert all(name in str(citation) for citation in answer.citations)
    write_trace(answer.trace, tmp_path / "trace.json")
    assert answer.trace == read_trace(tmp_path / "trace.json")


@pytest.mark.parametrize(
    "question",
    [
        "Which books were borrowed by Ada Wells and Ben Hill?",
        "Which books were borrowed by Ada Wells on 31 May 2024?",
        "Which books were never borrowed by Ada Wells?",
        "How many books were borrowed by Ada Wells?",
        "Which books were borrowed by a reader?",
        "Which readers borrowed Tides?",
        "Which readers had a loan after 31 May 2024?",
        "Which books of 340 pages were borrowed by Ada Wells?",
        "Which books were borrowed by Ada Wells and torn?",
        "Which books were liked by Ada Wells?",
        "Which readers had a loan on 31 February 2024?",
        "Is it raining?",
    ],
)
def test_without_a_model_what_is_not_certain_is_not_answered(library, server, embedder, question):
    """Another value, a denial, a count, a range, other nodes, or nothing of the kind."""
    with opened(server, embedder) as gear:
        answer = gear.agent(TemplateAgent()).ask(question)

    assert ("", "abstained") == (answer.text, answer.stop_reason)


def test_a_model_chooses_where_none_is_certain(asking):
    """One call; its value is spelled as in the graph."""
    seen = []
    reply = chooses("borrowed", reader="ada wells")
    answer, calls = asking(
        "What does Ada have at home?", reply=lambda messages: seen.append(messages) or reply(messages)
    )

    assert ("Dunes [F1]; Tides [F2]", 1) == (answer.text, calls)
    assert {"reader": "Ada Wells"} == answer.trace.steps[0].queries[0].parameters
    assert (
        "borrowed: the books borrowed by a reader\n  $reader (Reader.name): who borrowed them" in seen[0][1]["content"]
    )


@pytest.mark.parametrize(
    ("reply", "calls"),
    [
        (lambda _: '{"template": "none"}', 1),
        (lambda _: "I would say the first.", 2),
        (chooses("other"), 2),
        (chooses("borrowed"), 2),
        (chooses("on-day", day="yesterday"), 2),
    ],
)
def test_a_model_that_chooses_none_leaves_the_question_open(asking, reply, calls):
    """So does a reply that names no template, or no value for a parameter, after one repair."""
    answer, called = asking("Is it raining?", reply=reply)

    assert ("", calls) == (answer.text, called)


def test_a_hostile_value_of_a_model_stays_a_value(asking, library):
    """It is sent as a parameter, and finds nothing."""
    before = dump(library)
    hostile = "x'}) DETACH DELETE n //"
    answer, _ = asking("Is it raining?", reply=chooses("borrowed", reader=hostile))

    assert ("", "no_graph_evidence") == (answer.text, answer.stop_reason)
    assert {"reader": hostile} == answer.trace.steps[0].queries[0].parameters
    assert before == dump(library)


def test_a_template_that_fails_says_why(asking):
    """The run ends without an answer, and the trace has the server's reason."""
    answer, _ = asking("Is it raining?", reply=chooses("broken", weight=3))

    assert ("", "no_graph_evidence") == (answer.text, answer.stop_reason)
    assert "/ by zero" in answer.trace.steps[0].queries[0].problem


def test_a_list_that_is_cut_says_so(asking):
    """In brackets behind the answer."""
    answer, _ = asking(BY_ADA, reply=never, recipe=TemplateAgent(listed=1))

    assert "Dunes [F1] (there are more)" == answer.text


@pytest.mark.parametrize("agent", ["search", "pattern"])
def test_other_agents_without_a_model_answer_by_a_certain_template_first(library, server, embedder, agent):
    """And by their own means if none is certain."""
    with opened(server, embedder) as gear:
        by_template = gear.ask(BY_ADA, agent=agent)
        otherwise = gear.ask("Which readers borrowed Tides?", agent=PatternAgent(sure=0.0))

    assert "borrowed" == by_template.trace.steps[0].queries[0].template
    assert "Dunes [F1]; Tides [F2]" == by_template.text
    assert {"Ada Wells", "Ben Hill"} == {entity.name for entity in otherwise.hits.entities}


def test_a_plan_may_use_the_templates(library, server, embedder):
    """If there are any; the tool says what for."""
    with opened(server, embedder, chat=Chat(ChatOpenAI(model="toy", api_key="none"))) as gear:
        tools = {tool.name: tool for tool in planner_tools(gear._session, Planner())}
        reply = tools["template"].run(BY_ADA)

    assert (
        "the books borrowed by a reader; shelves by weight; the books with the most pages"
        in tools["template"].description
    )
    assert "Dunes" in reply.answer


def test_over_mcp_the_rows_of_a_certain_template_come_with_the_paths(library, server, embedder):
    """With its name, its Cypher and the parameters; as many rows as paths; nothing of it for who may not see it."""
    with opened(server, embedder) as gear:
        found = call(server_over(gear), "paths", question=BY_ADA, limit=1)["template"]
        other = call(server_over(gear), "paths", question="Which readers borrowed Tides?")
        hidden = call(
            server_over(gear.scoped(principals=["guest"], where="not title exists")), "paths", question=BY_ADA
        )

    assert ("borrowed", {"reader": "Ada Wells"}) == (found["name"], found["cypher"]["parameters"])
    assert (["book = Dunes"], "there are more") == (found["rows"], found["truncated"])
    assert [None, None] == [other["template"], hidden["template"]]


def test_who_may_not_read_the_whole_graph_is_not_answered_by_templates(library, server, embedder):
    """The agent is refused, other agents find no template, and a plan is offered none."""
    with opened(server, embedder, chat=Chat(ChatOpenAI(model="toy", api_key="none"))) as gear:
        view = gear.scoped(collections=["elsewhere"])
        with pytest.raises(ScopeRefusal, match="template is refused under a scope"):
            view.agent("template")
        assert () == view._session.templates.all()
        assert view.overlay.templates.answer(BY_ADA) is None
        assert "template" not in view.status().agents
        assert "template" not in [tool.name for tool in planner_tools(view._session, Planner())]


def test_a_graph_that_was_not_adopted_is_refused(server, embedder, empty):
    """The message says what to do."""
    with opened(server, embedder) as gear, pytest.raises(InputError, match="gear adopt"):
        gear.agent("template")
