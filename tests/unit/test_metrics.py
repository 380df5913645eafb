"""The metrics, compared with hand calculations and trec_eval, and the summary of an evaluation."""

import math
from dataclasses import asdict

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.domain import Hit, Hits, Passage
from gear_neo4j.evaluate.datasets import EvaluationQuery
from gear_neo4j.evaluate.metrics import (
    all_found,
    average_precision,
    hit,
    ndcg,
    percentile,
    precision,
    recall,
    reciprocal_rank,
    useful_precision,
)
from gear_neo4j.evaluate.runs import QueryResult, summary
from gear_neo4j.usage import Usage
from tests.examples import examples

RANKING = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("gold", "k", "expected"),
    [
        (["a"], 1, 1.0),
        (["b"], 1, 0.0),
        (["b"], 2, 1.0),
        (["a", "c"], 2, 0.5),
        (["a", "c"], 3, 1.0),
        (["a", "x", "y"], 4, 1 / 3),
        (["x"], 10, 0.0),
        (["a", "a", "x"], 4, 0.5),
    ],
)
def test_recall_is_the_share_of_gold_in_the_first_k(gold, k, expected):
    """A gold passage counts once; a k beyond the ranking is not an error."""
    assert expected == recall(RANKING, gold, k=k)


def test_a_passage_that_is_ranked_twice_counts_once():
    """Recall is never above 1."""
    assert 0.5 == recall(["a", "a"], ["a", "b"], k=2)


@pytest.mark.parametrize(
    ("gold", "k", "expected"), [(["a", "b"], 2, True), (["b", "a"], 1, False), (["a", "x"], 4, False), (["d"], 4, True)]
)
def test_all_found_needs_every_gold_passage(gold, k, expected):
    """In any order within the first k."""
    assert expected is all_found(RANKING, gold, k=k)


@settings(deadline=None)
@given(st.lists(st.sampled_from("abcdef")), st.sets(st.sampled_from("abcdef"), min_size=1), st.integers(1, 8))
def test_all_is_found_where_recall_is_full(ranking, gold, k):
    """The two metrics agree, and recall grows with k."""
    assert all_found(ranking, gold, k=k) is (recall(ranking, gold, k=k) == 1.0)
    assert recall(ranking, gold, k=k) <= recall(ranking, gold, k=k + 1)


@pytest.mark.parametrize(
    ("metric", "gold", "k", "expected"),
    [
        (hit, ["c"], 2, False),
        (hit, ["c", "x"], 3, True),
        (precision, ["a", "b"], 4, 0.5),
        (precision, ["a"], 10, 0.1),
        (reciprocal_rank, ["b", "c"], 4, 0.5),
        (reciprocal_rank, ["c"], 2, 0.0),
        (average_precision, ["a", "c"], 4, (1 + 2 / 3) / 2),
        (average_precision, ["a", "c", "x", "y"], 4, (1 + 2 / 3) / 4),
        (average_precision, ["a", "c"], 2, 0.5),
        (ndcg, ["a", "b"], 4, 1.0),
        (ndcg, ["b"], 4, 1 / math.log2(3)),
        (ndcg, ["a", "x", "y"], 1, 1.0),
        (ndcg, ["x"], 4, 0.0),
    ],
)
def test_the_other_metrics_by_hand(metric, gold, k, expected):
    """For the ranking a, b, c, d."""
    assert expected == pytest.approx(metric(RANKING, gold, k=k))


@pytest.mark.parametrize("metric", [hit, precision, recall, reciprocal_rank, average_precision, ndcg])
def test_a_metric_of_a_passage_ranked_twice_is_at_most_one(metric):
    """It counts at its first rank."""
    assert metric(["a", "a", "b"], ["a", "b"], k=3) <= 1
    assert metric([], ["a"], k=3) == 0


@pytest.mark.parametrize(
    ("useful", "expected"),
    [([1, 0, 1], 0.8333), ([], 0.0), ([0, 0], 0.0), ([0, 1], 0.5), ([1, 1, 0], 1.0), ([0, 0, 1, 1], (1 / 3 + 0.5) / 2)],
)
def test_precision_of_useful_ones_is_an_average_over_what_was_found(useful, expected):
    """If nothing is useful, it is 0."""
    assert expected == pytest.approx(useful_precision(list(map(bool, useful))), abs=1e-4)


ORACLES = {
    "R": recall,
    "P": precision,
    "RR": reciprocal_rank,
    "AP": average_precision,
    "nDCG": ndcg,
    "Success": hit,
}


@settings(deadline=None, max_examples=examples(150))
@given(
    st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1),
    st.sets(st.sampled_from("abcdefghijklm"), min_size=1),
    st.integers(1, 12),
)
def test_metrics_are_those_of_trec_eval(ranking, gold, k):
    """With strictly falling scores, because trec_eval sorts by score and breaks ties by id."""
    measures = {name: getattr(ir_measures, name) @ k for name in ORACLES}
    qrels = [ir_measures.Qrel("q", id, 1) for id in gold]
    run = [ir_measures.ScoredDoc("q", id, float(len(ranking) - index)) for index, id in enumerate(ranking)]
    expected = ir_measures.calc_aggregate(list(measures.values()), qrels, run)

    for name, metric in ORACLES.items():
        assert expected[measures[name]] == pytest.approx(float(metric(ranking, gold, k=k))), name


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([7.0], 50, 7.0),
        ([7.0], 95, 7.0),
        ([3.0, 1.0, 2.0], 50, 2.0),
        ([4.0, 3.0, 2.0, 1.0], 50, 2.0),
        (list(range(1, 101)), 50, 50),
        (list(range(1, 101)), 95, 95),
        (list(range(1, 21)), 95, 19),
        (list(range(1, 11)), 95, 10),
        ([1.0, 2.0], 0, 1.0),
        ([1.0, 2.0], 100, 2.0),
    ],
)
def test_a_percentile_is_the_value_of_the_nearest_rank(values, percent, expected):
    """One of the values, never between two."""
    assert expected == percentile(values, percent)


def answered(gold, ranking, **milliseconds):
    hits = tuple(Hit(Passage(id, "", "text"), 1 / rank, rank) for rank, id in enumerate(ranking, start=1))
    return QueryResult(
        EvaluationQuery(f"about {gold}", "Who?", tuple(gold)), Hits("Who?", "naive", hits, milliseconds=milliseconds)
    )


def test_a_summary_is_the_mean_of_the_questions():
    """Recall at 2 is (1/2 + 1) / 2, all are found for one of two; times are medians and 95th percentiles."""
    actual = summary(
        [answered("ab", "axb", encode=1.0, base=10.0), answered("c", "xc", encode=3.0, base=2.0, expand=4.0)], ks=[2, 3]
    )

    assert {"2": 75.0, "3": 100.0} == actual["recall"]
    assert {"2": 50.0, "3": 100.0} == actual["all_found"]
    assert {
        "p50": 9.0,
        "p95": 11.0,
        "encode": {"p50": 1.0, "p95": 3.0},
        "base": {"p50": 2.0, "p95": 10.0},
        "expand": {"p50": 0.0, "p95": 4.0},
        "fetch": {"p50": 0.0, "p95": 0.0},
    } == actual["latency_ms"]


def test_a_summary_shows_each_question():
    """Its gold passages, its results, and its figures."""
    (actual,) = summary([answered("ab", "axb", encode=1.0, base=10.0)], ks=[2])["per_question"]

    expected = {
        "id": "about ab",
        "question": "Who?",
        "gold": ["a", "b"],
        "hops": 2,
        "retrieved": ["a", "x", "b"],
        "recall": {"2": 50.0},
        "latency_ms": 11.0,
        "llm": asdict(Usage()),
        "paths": [],
    }
    assert expected == actual
