"""The caller's own questions, measured from Python: several systems over one graph, as a table."""

import re

import pytest

from gear_neo4j import Base, Beam, GearAgent, Naive
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.evaluate import EvaluationQuery, evaluate
from tests.graphs import opened
from tests.toy_model import CHAIN, QUESTION
from tests.web import scripted_gear

pytestmark = pytest.mark.one_server_line

QUERIES = [EvaluationQuery("q1", QUESTION, gold=CHAIN), EvaluationQuery("q2", "bread and butter", gold=("other",))]
GRAPH = Naive(base="bm25", base_k=1, beam=Beam(length=3))


@pytest.fixture
def gear(corpus, server, embedder):
    """A Gear without a model."""
    with opened(server, embedder) as gear:
        yield gear


def test_systems_are_measured_on_the_same_questions(gear):
    """Recall at each k follows from the rankings; a walk over the graph finds everything."""
    done = []
    evaluation = evaluate(
        gear, QUERIES, {"words": Base(base="bm25"), "graph": GRAPH}, ks=(3, 1), on_done=lambda: done.append(1)
    )
    ranking = [hit.passage.id for hit in gear.search(QUESTION, k=3, retriever=GRAPH)]

    assert (1, 3) == evaluation.ks
    assert ranking == evaluation.results["graph"][0].ranking
    assert 100.0 == evaluation.recall("graph", k=3)
    for name, results in evaluation.results.items():
        shares = [len({*one.ranking[:1]} & {*one.query.gold}) / len(one.query.gold) for one in results]
        assert 100 * sum(shares) / 2 == pytest.approx(evaluation.recall(name, k=1))
    assert 4 == len(done) == len(evaluation.to_pandas())


def test_an_agent_is_measured_beside_a_retriever(corpus, server, embedder):
    """Its tokens are counted; a retriever may be given by name."""
    with scripted_gear(server, embedder) as (gear, _):
        evaluation = evaluate(gear, QUERIES[:1], ["naive", GearAgent(max_steps=3)])
    agent = next(name for name in evaluation.results if name.startswith("gear"))
    tokens = evaluation.to_pandas().groupby("system")["tokens"].sum()

    assert 2 == len(evaluation.results)
    assert tokens[agent] > 0
    assert "tokens a question" in evaluation._repr_html_()


def test_a_view_is_measured_by_what_its_caller_gets(gear):
    """A gold passage outside the view is refused, because it would count as missed."""
    with pytest.raises(InputError, match="not in"):
        evaluate(gear.scoped(collections=["nothing"]), QUERIES)


@pytest.mark.parametrize(
    ("queries", "options", "error", "message"),
    [
        ([], {}, InputError, "there are no questions"),
        ([EvaluationQuery("q1", "Who?", gold=())], {}, InputError, "the question q1 has no gold passage"),
        (
            [EvaluationQuery("q1", "Who?", gold=("p1", "prize", "p2"))],
            {},
            InputError,
            "2 gold passages are not in neo4j: p1 is",
        ),
        (QUERIES, {"systems": ["naiv"]}, SettingsError, "there is no retriever 'naiv': did you mean naive?"),
        (QUERIES, {"systems": []}, SettingsError, "there is no system to measure"),
        (QUERIES, {"systems": [GRAPH, Naive(base="bm25")]}, SettingsError, "2 systems are called naive over bm25"),
        (QUERIES, {"ks": ()}, SettingsError, "give at least one, from 1 on"),
        (QUERIES, {"ks": (0, 5)}, SettingsError, "give at least one, from 1 on"),
    ],
)
def test_what_cannot_be_measured_is_refused(gear, queries, options, error, message):
    """Before any question is asked."""
    with pytest.raises(error, match=re.escape(message)):
        evaluate(gear, queries, **options)
