"""KG-based Thought over an adopted graph, with a scripted model: the right template, the right rows."""

import json
import re

import pytest
from langchain_core.language_models import FakeListChatModel

from gear_neo4j.explain.communities import names_of
from gear_neo4j.graph.read import templates
from gear_neo4j.wire import read_trace, write_trace
from tests.conftest import clear
from tests.graphs import opened
from tests.quick_embedder import QuickEmbedder

pytestmark = pytest.mark.one_server_line

KG = "pancancer_kg"


def analysed(kind, heads, tail="", attribute=""):
    return json.dumps({"type": kind, "heads": heads, "tail": tail, "attribute": attribute})


@pytest.fixture(scope="module")
def adopted(server, connection, data, tmp_path_factory):
    """The medical graph, imported and adopted once."""
    clear(connection)
    with opened(server, QuickEmbedder()) as gear:
        gear.overlay.import_csv([data / KG / "nodes.csv", data / KG / "relationships.csv"])
        gear.overlay.adopt(gear.overlay.propose())
    yield connection
    clear(connection)


@pytest.fixture(scope="module")
def ask(adopted, server):
    """Ask the agent, whose model gives these replies, then an answer; one Gear, as in a service."""
    chat = FakeListChatModel(responses=[""])
    with opened(server, QuickEmbedder(), chat=chat) as gear:

        def ask(*replies, question="?"):
            chat.responses, chat.i = [*replies, "Answer: it is [F1]."], 0
            return gear.ask(question, agent="kgt")

        yield ask


def ends(answer):
    """The names in the rows of the last query."""
    text = " ; ".join(answer.trace.steps[0].queries[-1].rows)
    return {name.strip() for name in re.split(r" [←—][^←→—]*[→—] | ; ", text)}


ONE_HOP = [
    ("What disease can DHH cause?", ["DHH"], "GeneticDisease", "Swyer syndrome"),
    ("Which genes can be activated by codeine?", ["codeine"], "Genesymbol", "OPRM1"),
    ("What are the genetic mutations in NBEA?", ["NBEA"], "SnvFull", "NBEA-p.K2111N"),
    ("What types of cancer can pembrolizumab treat?", ["pembrolizumab"], "Cancer", "renal cell carcinoma"),
]
MULTI_HOP = [
    ("Which mutations are related to sensitivity to everolimus?", ["everolimus"], "SnvFull", "PIK3CA-p.W1051*"),
    ("Which mutations need to be detected for dovitinib?", ["dovitinib"], "SnvFull", "FGFR3-p.S249C"),
    ("Which mutations go with sensitivity to U3-1402?", ["U3-1402"], "SnvFull", "EGFR-p.T790M"),
    ("Which mutations may be related to sensitivity to pazopanib?", ["pazopanib"], "SnvFull", "FGFR2-p.F276C"),
]
INTERSECTION = [
    (
        "Which drugs treat renal cell carcinoma and inhibit RET?",
        ["renal cell carcinoma", "RET"],
        "Drug",
        "cabozantinib",
    ),
    (
        "How to treat non-small cell lung cancer with EGFR?",
        ["non-small cell lung cancer", "EGFR"],
        "Drug",
        "osimertinib",
    ),
    ("Which genes drive cancer of the breast, inhibited by afatinib?", ["breast", "afatinib"], "Genesymbol", "EGFR"),
    ("Which drugs inhibit both ALK and ROS1?", ["ALK", "ROS1"], "Drug", "crizotinib"),
]
ATTRIBUTE = [
    ("How would you describe alectinib?", ["alectinib"], "description", "alectinib"),
    ("Is doxorubicin approved by the FDA?", ["doxorubicin"], "fda_approved", "YES"),
    ("Is MET an oncogene?", ["MET"], "oncogene", "True"),
    ("What is the biological effect of EGFR-p.G719A?", ["EGFR-p.G719A"], "biological_effect", "Gain of function"),
]
RELATION = [
    ("What is the relationship between ALK and crizotinib?", ["ALK", "crizotinib"], "inhibition to"),
    ("How is DHH related to Swyer syndrome?", ["DHH", "Swyer syndrome"], "cause to"),
    ("How is selumetinib related to BRAF-p.V600E?", ["selumetinib", "BRAF-p.V600E"], "sensitivity to"),
    ("What is the relationship between TP53 and 肛门癌?", ["TP53", "肛门癌"], "driving to"),
]


@pytest.mark.parametrize(
    ("kind", "question", "heads", "tail", "expected"),
    [("one-hop", *one) for one in ONE_HOP]
    + [("multi-hop", *one) for one in MULTI_HOP]
    + [("intersection", *one) for one in INTERSECTION],
)
def test_chains_lead_to_what_is_asked_for(ask, kind, question, heads, tail, expected):
    """The template of the question type, and the expected name among its rows."""
    answer = ask(analysed(kind, heads, tail), question=question)

    tried = answer.trace.steps[0].queries[-1]
    assert (kind, "answerable") == (tried.template, answer.stop_reason)
    assert expected.casefold() in {name.casefold() for name in ends(answer)}
    assert answer.citations[0].fact == answer.gist[0]


@pytest.mark.parametrize(("question", "heads", "attribute", "expected"), ATTRIBUTE)
def test_attributes_are_read_from_the_node(ask, question, heads, attribute, expected):
    """The value is in the rows, and in the facts of the answer."""
    answer = ask(analysed("attribute", heads, attribute=attribute), question=question)

    tried = answer.trace.steps[0].queries[-1]
    assert ("attribute", {"heads": heads, "attribute": attribute}) == (tried.template, tried.parameters)
    assert expected.casefold() in tried.rows[0].casefold()
    assert [attribute] == list({fact.predicate for fact in answer.gist})


@pytest.mark.parametrize(("question", "heads", "predicate"), RELATION)
def test_relations_are_the_shortest_paths(ask, question, heads, predicate):
    """Of at most three hops, verbalised as stored."""
    answer = ask(analysed("relation", heads), question=question)

    assert "relation" == answer.trace.steps[0].queries[-1].template
    assert predicate in answer.trace.steps[0].queries[-1].rows[0]
    assert predicate in {triple.predicate for triple in answer.paths[0].triples}


def test_rows_beyond_those_that_are_read_are_told(ask, monkeypatch):
    """To the model and in the answer, because a count of the facts would be wrong."""
    question, heads, tail, _ = ONE_HOP[-1]
    whole = ask(analysed("one-hop", heads, tail), question=question)
    monkeypatch.setattr(templates, "ROWS", 1)
    cut = ask(analysed("one-hop", heads, tail), question=question)

    assert (True, "it is [F1].") == (1 < len(whole.gist) < 20, whole.text)
    assert [("the rows", "are cut"), (whole.gist[0].subject, whole.gist[0].predicate)] == [
        (fact.subject, fact.predicate) for fact in cut.gist
    ]
    assert "it is [F1]. (the graph has more facts than these)" == cut.text


def test_another_chain_is_tried_where_the_first_gives_nothing(ask):
    """The trace has all that were tried, and can be saved and read."""
    answer = ask(analysed("multi-hop", ["Galactosemia"], "Drug"), question="Which drugs may matter here?")

    tried = answer.trace.steps[0].queries
    assert [()] * (len(tried) - 1) == [query.rows for query in tried[:-1]]
    assert len({str(query.parameters["chains"]) for query in tried}) == len(tried)


def test_a_trace_with_queries_can_be_saved_and_read(ask, tmp_path):
    """Without losing anything."""
    answer = ask(analysed("one-hop", ["codeine"], "Genesymbol"))

    write_trace(answer.trace, tmp_path / "trace.json")

    assert answer.trace.steps[0].queries == read_trace(tmp_path / "trace.json").steps[0].queries


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (analysed("one-hop", ["no such thing at all"], "Drug"), "the graph has no 'no such thing at all'"),
        (analysed("one-hop", ["codeine"], "ClinicalTrial"), ""),
    ],
)
def test_what_the_graph_does_not_know_is_said_and_not_made_up(ask, reply, problem):
    """The model is not called for an answer, because it would use other knowledge."""
    answer = ask(reply)

    assert ("no_graph_evidence", "") == (answer.stop_reason, answer.text)
    assert problem in answer.trace.steps[0].queries[-1].problem
    assert 1 == answer.total.calls


def test_names_that_the_graph_has_not_cost_one_repair_call(ask):
    """The repair prompt lists the existing labels."""
    answer = ask(analysed("one-hop", ["codeine"], "Gene"), analysed("one-hop", ["codeine"], "Genesymbol"))

    assert "answerable" == answer.stop_reason
    assert 3 == answer.total.calls


def test_replies_that_are_of_no_use_end_without_an_answer(ask):
    """The failure is recorded."""
    answer = ask("I cannot say.", "I still cannot.")

    assert ("no_graph_evidence", "") == (answer.stop_reason, answer.text)
    assert answer.trace.steps[0].failures


def test_a_plan_asks_the_graph_by_templates_and_its_passages(adopted, server):
    """kgt finds the drug, a search finds text about it; the answer cites a passage and the first answer."""
    whole = "Which drugs treat renal cell carcinoma and inhibit RET, and what is said of them?"
    first = {"id": "1", "question": "Which drugs treat renal cell carcinoma and inhibit RET?", "tool": "kgt"}
    second = {"id": "2", "question": "What is said of {1}?", "tool": "auto", "after": ["1"]}
    replies = [
        json.dumps({"steps": [first, second]}),
        analysed("intersection", ["renal cell carcinoma", "RET"], "Drug"),
        "Answer: cabozantinib [F1].",
        json.dumps({"steps": [second]}),
        "Answer: It inhibits RET [1].",
        json.dumps({"steps": []}),
        "Answer: Cabozantinib [1] [F1].",
        json.dumps({"statements": ["Cabozantinib inhibits RET."]}),
        json.dumps({"verdicts": ["yes"]}),
    ]

    with opened(server, QuickEmbedder(), chat=FakeListChatModel(responses=replies)) as gear:
        answer = gear.ask(whole, agent="planner")

    assert ["plan", "kgt", "auto"] == [step.action for step in answer.trace.steps]
    assert "What is said of cabozantinib?" == answer.trace.steps[2].question.rstrip(".?") + "?"
    assert ("answerable", True) == (answer.stop_reason, answer.grounded)
    assert {"1", "F1"} == {one.marker for one in answer.citations}
    assert any("cabozantinib" in str(path) for path in answer.trace.steps[1].paths)


def test_communities_of_the_graph_are_of_the_users_own_nodes(adopted, server):
    """With the user's labels, at most ten nodes in a community without parts; the graph itself does not change."""
    with opened(server, QuickEmbedder()) as gear:
        before = gear.overlay.survey()
        gear.communities.build()
        found = gear.communities.read()
        named = names_of(gear.graph, found)
        after = gear.overlay.survey()
        while gear.graph.communities.clear(limit=1_000):
            pass

    assert {"Drug", "Cancer", "Genesymbol"} <= {
        label for some in named.values() for one in some for label in one.labels
    }
    assert max(one.size for one in found.communities.values() if not found.below.get(one.id)) <= 10
    assert {name: kind.relationships for name, kind in before.types.items()} == {
        name: kind.relationships for name, kind in after.types.items()
    }
