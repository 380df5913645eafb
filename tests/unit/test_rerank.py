"""Reranking: the order by both scores, the bound in time, and which recipes get one."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j import Base, Naive, Scout
from gear_neo4j.agents.gear import GearAgent
from gear_neo4j.domain import Hit, Hits, Passage, Path, Triple
from gear_neo4j.errors import SettingsError
from gear_neo4j.models.cross_encoder import CrossEncoder
from gear_neo4j.recipes.registry import AGENTS
from gear_neo4j.retrieval.rerank import Rerank, RerankRetriever, reranked, reranking
from gear_neo4j.retrieval.sync import SyncGE


class Fixed:
    """A retriever with the passages p1, p2 and so on, and a path to the second."""

    def __init__(self, count):
        path = Path(
            (Triple("1", "Ada", "wrote to", "Babbage", "p1"), Triple("2", "Babbage", "lived in", "London", "p2")), 1
        )
        hits = [Hit(Passage(f"p{n}", "", f"text {n}"), 1 / n, n) for n in range(1, count + 1)]
        self.hits = Hits("Who?", "fixed", tuple(hits), (path,))

    def retrieve(self, question, *, k=10):
        return Hits(question, "fixed", self.hits.hits[:k], self.hits.paths)


class Scores:
    """A reranker with fixed scores by text, which may take its time."""

    name = "fixed"

    def __init__(self, scores, *, seconds=0.0, loading=0.0):
        self.scores, self.seconds, self.loading, self.read = scores, seconds, loading, []

    def score(self, pairs):
        time.sleep(self.seconds if pairs else self.loading)
        self.read += pairs
        return [self.scores.get(text, 0.0) for _, text in pairs]


def ids(hits):
    return [hit.passage.id for hit in hits]


@given(st.lists(st.floats(-12, 12), max_size=12), st.integers(1, 12), st.integers(2, 12), st.floats(0, 5))
def test_every_passage_keeps_a_place(scores, k, first, weight):
    """The first ones change places among themselves; the scores are those of the places."""
    model = Scores({f"text {n}": score for n, score in enumerate(scores, start=1)})
    fixed = Fixed(12)

    hits = RerankRetriever(fixed, reranker=model, options=Rerank(first=first, weight=weight)).retrieve("Who?", k=k)

    plain = fixed.retrieve("Who?", k=max(k, first))
    assert [hit.score for hit in hits] == [hit.score for hit in plain[:k]]
    assert [hit.rank for hit in hits] == list(range(1, k + 1))
    assert set(ids(hits[:first])) <= set(ids(plain[:first]))
    assert ids(hits[first:]) == ids(plain[first:k])
    if not weight:
        assert ids(hits) == ids(plain[:k])


def test_the_models_score_is_added_and_the_model_reads_the_path():
    """Its rank is a source; the triples of the passage itself are in its text already."""
    model = Scores({"text 2": 4.0, "text 3": 1.0})

    hits = RerankRetriever(Fixed(3), reranker=model, options=Rerank()).retrieve("Who?", k=2)

    assert ["p2", "p1"] == ids(hits)
    assert [("reranker", 1), ("reranker", 3)] == [(hit.sources[-1].name, hit.sources[-1].rank) for hit in hits]
    assert "fixed, reranked" == hits.retriever
    assert [("Who?", "text 1"), ("Who?. Ada wrote to Babbage", "text 2"), ("Who?", "text 3")] == model.read


def test_passages_that_are_not_read_in_time_keep_their_places():
    """Nothing is read twice, and the search does not wait for the rest."""
    model = Scores({f"text {n}": float(n) for n in range(16)}, seconds=0.2)

    hits = RerankRetriever(Fixed(15), reranker=model, options=Rerank(seconds=0.3)).retrieve("Who?", k=15)

    assert [f"p{n}" for n in range(11, 16)] == ids(hits)[10:]
    assert 10 == len(model.read)
    assert {f"p{n}" for n in range(1, 11)} == set(ids(hits)[:10])
    assert 200 <= hits.milliseconds["rerank"]


def test_loading_the_model_takes_no_time_from_reading():
    """The first question after a start gets the same order as the others."""
    model = Scores({"text 15": 9.0}, loading=0.3)

    hits = RerankRetriever(Fixed(15), reranker=model, options=Rerank(seconds=0.2)).retrieve("Who?", k=15)

    assert 15 == len(model.read)
    assert "p15" != ids(hits)[-1]


def test_a_retriever_and_an_agent_over_one_are_reranked_once():
    """Agents without a retriever of any kind stay as they are."""
    naive = Naive(base="sbert")
    over = {entry.name: reranking(entry.recipe()).title for entry in AGENTS}

    assert Rerank(over=naive) == reranked(naive) == reranked(reranked(naive))
    assert "gear over rerank over auto" == over["gear"]
    assert "gear over rerank over sbert" == reranking(GearAgent(over=SyncGE(base="sbert"))).title
    assert "crag over rerank over auto" == over["crag"]
    assert ("kgt", "graphrag-local over subgraph") == (over["kgt"], over["graphrag-local"])
    assert Rerank(over=Scout()).requires_model is False
    assert Rerank(over=SyncGE(base=Base())).requires_model is True


def test_a_model_that_is_not_there_costs_one_line(tmp_path):
    """It names the model."""
    with pytest.raises(SettingsError, match="the cross-encoder .*nowhere' could not be loaded") as refused:
        CrossEncoder(str(tmp_path / "nowhere")).score([("Who?", "Ada.")])

    assert "\n" not in str(refused.value)
