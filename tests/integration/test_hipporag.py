"""HippoRAG on a real server: the projection of the graph, and the results of PageRank over it."""

import numpy as np
import pytest

from gear_neo4j import Base, HippoRag, HippoRag2
from gear_neo4j.errors import InputError, ModelError, ReplyError
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema.record import RecordedDataset
from gear_neo4j.ingestion.forgetting import forget
from gear_neo4j.ingestion.synonyms import write_synonyms
from gear_neo4j.models.chat import Reply
from gear_neo4j.retrieval.walk import projection
from gear_neo4j.retrieval.walk.projection import Projections, project
from gear_neo4j.usage import Usage
from tests.graphs import ingest, opened
from tests.wire import Wire

PASSAGES = {
    "prize": "The 2024 physics prize went to Hinton.",
    "study": "Hinton wrote a thesis at Edinburgh.",
    "other": "A recipe for bread and butter.",
}
TRIPLES = [
    ("prize", "physics prize 2024", "went to", "Hinton"),
    ("prize", "Hinton", "received", "physics prize 2024"),
    ("study", "HINTON", "wrote a thesis at", "Edinburgh"),
    ("prize", "physics prize 2024", "was", "a prize"),
    ("prize", "physics prize 2024", "was given in", "2024"),
    ("prize", "physics prize 2024", "was the physics prize of", "2024"),
    ("other", "bread", "goes with", "butter"),
]
RECIPES = {"base": Base(base="bm25"), "hipporag": HippoRag(base="bm25"), "hipporag2": HippoRag2()}


class Seeds:
    """Plays the model: keeps some facts, and names some entities; or fails."""

    def __init__(self, *, keep=(), names=(), error=None):
        self.kept, self.named, self.error = keep, names, error
        self.shown = []

    def keep(self, _question, triples):
        self.shown = list(triples)
        return self.reply(self.kept)

    def names(self, _question):
        return self.reply(self.named)

    def reply(self, value):
        if self.error:
            raise self.error
        return Reply(tuple(value), "", Usage(calls=1), 1.0)


@pytest.fixture
def graph(shared, embedder):
    """Two passages linked by Hinton, in two spellings, and an unrelated passage."""
    return shared.ingested(PASSAGES, TRIPLES, embedder)


@pytest.fixture
def search(graph, server, embedder):
    """Search with a retriever of HippoRAG, with or without a model."""
    with opened(server, embedder) as gear:

        def search(question, *, name="hipporag2", seeds=None, k=3):
            return gear.retriever(RECIPES[name], player=seeds).retrieve(question, k=k)

        yield search


def ids(hits):
    return [hit.passage.id for hit in hits]


def named(made, database):
    """The indexes of a projection's entities by key."""
    rows = database.run(Query("keys", "MATCH (e:Entity) RETURN elementId(e) AS id, e.key AS key"))
    return {row["key"]: made.entities[row["id"]] for row in rows}


def test_the_projection_is_the_graph(graph):
    """Two spellings are one entity; two triples between two entities are an edge of weight 2, in both directions."""
    export = Graph(graph).pagerank
    made = project(export, export.version())
    at = named(made, graph)
    passages = made.passage_index

    assert ("other", "prize", "study") == made.passages
    assert (
        2.0 == made.links[at["hinton"], at["physics prize 2024"]] == made.links[at["physics prize 2024"], at["hinton"]]
    )
    assert 2.0 == made.mentions[passages["prize"], at["hinton"]]
    assert [2.0, 1.0] == [made.document_frequency[at[key]] for key in ("hinton", "edinburgh")]
    assert np.allclose(made.transition_matrix.sum(axis=0), 1.0)
    assert made.bytes > 0


def test_a_synonym_edge_adds_to_the_facts_of_its_pair(graph, embedder):
    """Neither replaces the weight of the other; in HippoRAG, the synonym edge does."""
    one, other = "hinton", "physics prize 2024"
    link = "MATCH (a:Entity {key: $one}), (b:Entity {key: $other}) MERGE (a)-[:SYNONYM {score: 0.9}]->(b)"
    graph.run(Query("link", link, frozenset({"one", "other"}), writes=True), one=one, other=other)

    export = Graph(graph).pagerank
    made = project(export, export.version())
    at = named(made, graph)

    assert 2.9 == pytest.approx(made.links[at[one], at[other]])
    assert 2.9 == pytest.approx(made.links[at[other], at[one]])


def test_a_triple_from_an_entity_to_itself_is_no_edge(shared, embedder):
    """It counts for its passage."""
    database = shared.ingested({"a": "x"}, [("a", "Self", "is", "self")], embedder)

    export = Graph(database).pagerank
    made = project(export, export.version())

    assert 0 == made.links.nnz
    assert [[2.0]] == made.mentions.toarray().tolist()


def test_the_second_passage_shares_no_word_with_the_question(search):
    """BM25 misses it; both walks rank it second, before the unrelated passage."""
    question = "2024 physics prize"

    assert ["prize"] == ids(search(question, name="base"))
    assert ["prize", "study"] == ids(search(question))[:2]
    assert ["prize", "study"] == ids(search(question, name="hipporag", seeds=Seeds(names=["Physics Prize 2024"])))


def test_version_2_shows_its_seeds(search):
    """As paths of one triple, best first, and without calling a model."""
    hits = search("2024 physics prize")

    assert [1] * len(hits.paths) == [len(path.triples) for path in hits.paths]
    assert "physics prize 2024" in str(hits.paths[0])
    assert sorted((path.score for path in hits.paths), reverse=True) == [path.score for path in hits.paths]
    assert {} == hits.usage
    assert {"encode", "project", "base", "expand", "fetch"} == set(hits.milliseconds)


def test_a_filter_chooses_the_seeds(search):
    """It sees the triples nearest to the question; the walk starts at those that it keeps."""
    everything = search("2024 physics prize")
    seeds = Seeds(keep=[0])

    hits = search("2024 physics prize", seeds=seeds)

    assert [path.triples[0] for path in everything.paths] == seeds.shown
    assert everything.paths[:1] == hits.paths
    assert {"filter": Usage(calls=1)} == hits.usage


def test_where_the_filter_keeps_nothing_the_nearest_passages_are_the_answer(search):
    """As in HippoRAG 2; the name of the source says so."""
    hits = search("2024 physics prize", seeds=Seeds())

    assert "hipporag2 (no triple helps: dense alone)" == hits.retriever
    assert "sbert" == hits[0].sources[0].name
    assert () == hits.paths


@pytest.mark.parametrize("error", [ModelError("away"), ReplyError("prose", usage=Usage(calls=2))])
def test_a_model_that_fails_takes_nothing_away(search, error):
    """Version 2 keeps all triples, version 1 answers with its base; the cost is reported."""
    seeds = Seeds(error=error)

    assert ids(search("2024 physics prize")) == ids(search("2024 physics prize", seeds=seeds))
    first = search("2024 physics prize", name="hipporag", seeds=seeds)
    assert (["prize"], "hipporag (no entity: bm25 alone)") == (ids(first), first.retriever)
    assert {"names": error.usage} == first.usage


def test_version_1_without_a_model_is_its_base(search):
    """Nothing can find the names."""
    hits = search("2024 physics prize", name="hipporag")

    assert ["prize"] == ids(hits)
    assert "bm25" == hits[0].sources[0].name


def test_a_name_that_is_no_entity_goes_to_the_nearest_one(search, graph, embedder):
    """By the embeddings from synonym linking; without them there is nothing to compare with."""
    away = Seeds(names=["prize 2024"])
    before = search("2024 physics prize", name="hipporag", seeds=away)
    list(write_synonyms(Graph(graph), embedder=embedder))

    after = search("2024 physics prize", name="hipporag", seeds=away)

    assert "hipporag (no entity: bm25 alone)" == before.retriever
    assert ["prize", "study"] == ids(after)


def test_a_name_given_twice_counts_once(search):
    """Even in two spellings; and scores are scaled to 0 to 1."""
    once = search("x", name="hipporag", seeds=Seeds(names=["Hinton"]))
    twice = search("x", name="hipporag", seeds=Seeds(names=["Hinton", "HINTON"]))

    assert [hit.score for hit in once] == pytest.approx([hit.score for hit in twice], abs=1e-9)
    assert 1.0 == pytest.approx(once[0].score, abs=1e-9)


@pytest.mark.parametrize("name", ["hipporag", "hipporag2"])
def test_a_change_is_seen_by_the_next_question(search, graph, embedder, tmp_path, name):
    """After an ingest, and after a passage was replaced and all counts are the same as before."""
    seeds = Seeds(names=["Edinburgh"], keep=[0])
    assert "town" not in ids(search("Edinburgh", name=name, seeds=seeds))

    ingest(
        graph, embedder, tmp_path, {"town": "Edinburgh lies in Scotland."}, [("town", "Edinburgh", "in", "Scotland")]
    )

    assert "town" in ids(search("Edinburgh", name=name, seeds=seeds, k=5))


def test_every_write_makes_the_projection_stale_and_no_question_does(search, graph, embedder, tmp_path):
    """Equal counts do not hide a change: each write leaves a stamp."""
    projections = Projections(Graph(graph).pagerank)
    first = projections.current()
    search("Edinburgh")
    assert first is projections.current()

    query = Query("own", "MATCH (p:Passage {id: 'other'}) SET p.source = 'a.md'", writes=True)
    graph.run(query)
    forget(Graph(graph), "a.md")
    ingest(graph, embedder, tmp_path, {"new": "New."}, [("new", "2024 physics prize", "goes with", "butter")])
    second = projections.current()
    linked = [list(write_synonyms(Graph(graph), embedder=embedder))[-1][2] for _ in range(2)]
    third = projections.current()

    assert [1, 0] == linked
    assert third is projections.current()
    assert len(first.passages) == len(second.passages)
    assert (first.version.passages, first.version.triples) == (second.version.passages, second.version.triples)
    assert ("new", "prize", "study") == second.passages
    assert second is not third


def test_what_others_delete_makes_the_projection_stale(graph):
    """It leaves no stamp, but changes the counts."""
    projections = Projections(Graph(graph).pagerank)
    first = projections.current()

    graph.run(Query("own", "MATCH (p:Passage {id: 'other'}) DETACH DELETE p", writes=True))

    assert ("prize", "study") == projections.current().passages
    assert first.passages != projections.current().passages


def test_a_graph_that_memory_would_not_hold_is_refused(search, monkeypatch):
    """The message names an alternative retriever."""
    monkeypatch.setattr(projection, "MOST_TRIPLES", 3)

    with pytest.raises(InputError, match="7 triples, .* 3 at most: .* naive"):
        search("Edinburgh")


@pytest.mark.parametrize("triples", [[], [("only", "one", "is", "passage")]])
@pytest.mark.parametrize("name", ["hipporag", "hipporag2"])
def test_a_corpus_of_one_passage_is_searched(server, shared, embedder, name, triples):
    """There is nothing to distinguish, and perhaps nothing to walk on."""
    shared.ingested({"only": "One passage."}, triples, embedder)

    with opened(server, embedder) as gear:
        seeds = Seeds(names=["one"], keep=[0] if triples else [])
        assert ["only"] == ids(gear.retriever(name, player=seeds).retrieve("one passage"))
        assert ["only"] == ids(gear.search("one passage", retriever=name))


@pytest.mark.parametrize("name", ["hipporag", "hipporag2"])
def test_an_empty_graph_finds_nothing(server, database, embedder, name):
    """Without failing."""
    with opened(server, embedder) as gear:
        assert [] == ids(gear.search("one passage", retriever=name))


def test_a_search_costs_four_round_trips_and_no_vector_comes_back(graph, server, embedder):
    """The version, the nearest passages, the nearest triples, the passages of the answer."""
    with Wire(server.uri) as wire, opened(server, embedder, uri=wire.uri) as gear:
        retriever = gear.retriever("hipporag2")
        wire.reset()
        retriever.retrieve("2024 physics prize")
        first = wire.runs
        wire.reset()
        retriever.retrieve("Hinton thesis")

        assert (6, 4) == (first, wire.runs)
        assert not wire.holds(next(iter(embedder.embed(["Hinton thesis"]))))


def test_a_data_set_is_given_synonyms_when_a_system_needs_them(server, database, embedder, folder):
    """Once: a database with synonyms also serves systems that need none, and nothing is ingested again."""
    dataset = datasets.load(folder)
    with opened(server, embedder) as gear:
        runs.provide(gear, dataset)
        plain = gear.graph.store.dataset()
        runs.provide(gear, dataset, synonyms=True)
        linked = gear.graph.store.dataset()
        version = Graph(database).pagerank.version()
        runs.provide(gear, dataset)
        runs.provide(gear, dataset, synonyms=True)

        assert RecordedDataset(dataset.name, dataset.fingerprint) == plain
        assert plain != linked == gear.graph.store.dataset()
        assert version == Graph(database).pagerank.version()
        assert database.run(Query("e", "RETURN EXISTS { MATCH (e:Entity) WHERE e.embedding IS NOT NULL } AS any"))[0][
            "any"
        ]
