"""Scout on a real server: its seeds, its costs, and that no question makes it fail."""

import time
from dataclasses import replace

import pytest

from benchmarks.rivals.exported_scout import ExportedScout
from gear_neo4j import Base, Scout
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.read.adjacency import AdjacencyReader
from gear_neo4j.ingestion.synonyms import write_synonyms
from gear_neo4j.retrieval import scout
from gear_neo4j.retrieval.walk.projection import Projections
from gear_neo4j.scope import EVERYTHING
from tests.graphs import ingest, opened
from tests.wire import Wire

PASSAGES = {
    "journal": "The Alpha Journal is a periodical.",
    "society": "A chairman was elected by the Beta Society.",
    "harbour": "A chairman was elected by Gamma Harbour.",
    "bread": "A recipe for bread and butter.",
}
TRIPLES = [
    ("journal", "Alpha Journal", "is published by", "Beta Society"),
    ("society", "Beta Society", "elected as its chairman", "Delta"),
    ("harbour", "Gamma Harbour", "elected as its chairman", "Epsilon"),
    ("harbour", "Gamma Harbour", "lies at", "sea"),
    ("bread", "bread", "goes with", "butter"),
]
MANY_WORDS = " ".join(f"journ{one}l{other}" for one in "abcdefghijklmn" for other in "abcdefghijklmn")
QUESTION = "Who was elected chairman by those who publish Alpha Journal?"


@pytest.fixture
def graph(shared, embedder):
    """Two chairmen; only one belongs to the publishers of the journal."""
    return shared.ingested(PASSAGES, TRIPLES, embedder)


@pytest.fixture
def gear(graph, server, embedder):
    with opened(server, embedder) as one:
        yield one


def ids(hits):
    return [hit.passage.id for hit in hits]


def with_names(gear, **given):
    return gear.retriever(Scout(triples=0, passage_weight=0, words=0, **given))


def test_a_name_in_the_question_leads_over_the_graph(gear):
    """With all other seeds switched off, the walk reaches the name's passage and the one behind it."""
    assert {"journal", "society"} == set(ids(with_names(gear).retrieve(QUESTION)))


@pytest.mark.parametrize("name", ["Alpha Jurnal", "Alhpa Journal", "alpha journaal", "Alpha-Journal", "Alpha Journals"])
def test_a_name_that_is_not_written_as_in_the_graph_leads_over_it(gear, name):
    """An extra letter, a missing one, swapped ones; another sign; a plural."""
    question = f"Who was elected chairman by those who publish {name}?"

    assert {"journal", "society"} <= {hit.passage.id for hit in with_names(gear).retrieve(question) if hit.score}


@pytest.fixture
def titled(shared, embedder):
    """A graph that capitalises a common word: Season, which its passages write in lower case."""
    passages = {"opening": "Gamma House opened in a cold season.", "prize": "The season brought a prize to Delta."}
    triples = [("opening", "Gamma House", "opened in", "Cold"), ("prize", "Season", "brought prize to", "Delta")]
    return shared.ingested(passages, triples, embedder)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("who brought the season to gamma house?", {"opening"}),
        ("who brought the Season to Gamma House?", {"opening", "prize"}),
        ("which season?", set()),
    ],
)
def test_in_a_question_without_capitals_a_word_that_passages_write_small_is_no_name(
    titled, server, embedder, question, named
):
    with opened(server, embedder) as gear:
        hits = with_names(gear).retrieve(question)

    assert named == {hit.passage.id for hit in hits if any(source.name == "pagerank" for source in hit.sources)}


def test_a_database_without_the_index_of_names_is_searched(gear, graph):
    """An older version created it; then only correctly spelt names are found."""
    graph.execute("DROP INDEX gear_entity_words")
    misspelt = QUESTION.replace("Journal", "Jurnal")

    assert {"journal", "society"} == set(ids(with_names(gear).retrieve(QUESTION)))
    assert len(ids(gear.retriever("scout").retrieve(misspelt))) == len(PASSAGES)


def test_without_any_seed_the_passages_near_the_question_are_the_answer(gear):
    """No name, and all other seeds switched off."""
    question = "Who was elected chairman?"

    assert ids(gear.search(question, retriever=Base(base="sbert"))) == ids(with_names(gear).retrieve(question))


def test_where_the_walk_ends_early_the_nearest_passages_follow(gear):
    """All four requested passages are returned; those that the walk did not reach have no score."""
    hits = gear.search(QUESTION, retriever=Scout(passages=1, words=0), k=4)

    assert set(PASSAGES) == set(ids(hits))
    unreached = [hit for hit in hits if {"sbert"} == {source.name for source in hit.sources}]
    assert unreached == list(hits[-len(unreached) :])
    assert {0.0} == {hit.score for hit in unreached}


def test_the_right_chairman_comes_before_the_one_with_the_same_words(gear):
    """Both passages say the same about a chairman; the graph knows which society publishes the journal."""
    # In a graph of five triples, the nearest five would be all.
    walks = gear.retriever(Scout(triples=0))

    assert "harbour" == gear.search(QUESTION, retriever=Base(base="sbert"))[0].passage.id
    assert ["journal", "society", "harbour"] == ids(walks.retrieve(QUESTION))[:3]


def test_hits_say_where_they_were_found(gear):
    """By the walk, by words and by the question's embedding, and what the result rests on; no model is called."""
    hits = gear.search(QUESTION, retriever="scout", k=4)
    unnamed = gear.search("Which recipe goes with butter?", retriever="scout", k=4)

    assert ("scout by names", "scout by words") == (hits.retriever, unnamed.retriever)
    assert {"pagerank", "sbert", "fulltext"} == {source.name for source in hits[0].sources}
    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]
    assert {} == hits.usage


def test_a_hit_says_which_path_leads_to_it(gear):
    """From the name in the question over the publisher; a passage that the walk does not reach has no path."""
    hits = gear.search(QUESTION, retriever=Scout(triples=0, passage_weight=0), k=4)

    shown = {hit.passage.id: str(hits.path_to(hit.passage.id) or "") for hit in hits}
    assert "Alpha Journal —is published by→ Beta Society —elected as its chairman→ Delta" == shown["society"]
    assert "Alpha Journal —is published by→ Beta Society" == shown["journal"]
    assert ("", "") == (shown["harbour"], shown["bread"])
    assert {"society", "journal"} == {path.triples[-1].passage_id for path in hits.paths}
    assert all(0 < hit.similarity <= 1 for hit in hits[:2])


def test_without_names_words_decide_and_a_strict_scope_searches_no_words(graph, server, embedder, gear):
    """The list of words alone, or that of meaning; neither has the index of words to rely on under a strict scope."""
    question = "Which recipe goes with butter?"
    strict = gear.scoped(strict=True)

    assert "bread" == gear.search(question, retriever="scout")[0].passage.id
    assert ids(gear.search(question, retriever=Base(base="weighted"), k=1)) == ids(
        gear.search(question, retriever=Scout(words=1, name_weight=0), k=1)
    )
    sources = {source.name for hit in strict.search(question, retriever="scout") for source in hit.sources}
    assert sources <= {"pagerank", "sbert"}


def test_what_the_question_asks_beyond_its_name_decides(gear, graph, embedder):
    """The passage about the name counts less, with name embeddings from the graph and with new ones."""
    plain = {hit.passage.id: hit.score for hit in with_names(gear, remainder=0).retrieve(QUESTION)}
    before = {hit.passage.id: hit.score for hit in with_names(gear).retrieve(QUESTION)}
    list(write_synonyms(Graph(graph), embedder=embedder))
    after = {hit.passage.id: hit.score for hit in with_names(gear).retrieve(QUESTION)}

    assert before["journal"] / before["society"] < plain["journal"] / plain["society"]
    assert after["journal"] / after["society"] == pytest.approx(before["journal"] / before["society"], rel=1e-4)


@pytest.mark.parametrize(("pool", "runs"), [(scout.POOL, 6), (1, 8)])
def test_it_costs_few_round_trips_and_no_vector_comes_back(graph, server, embedder, monkeypatch, pool, runs):
    """Passages, triples, names, the edges around them, cosines, and the answer; here all nodes are seeds.

    With fewer triples near the question, the walk takes one step, and the triples on the paths are looked up.
    """
    monkeypatch.setattr(scout, "POOL", pool)
    list(write_synonyms(Graph(graph), embedder=embedder))
    with Wire(server.uri) as wire, opened(server, embedder, uri=wire.uri) as gear:
        retriever = gear.retriever("scout")
        retriever.retrieve(QUESTION)
        wire.reset()
        retriever.retrieve(QUESTION)

        assert runs == wire.runs
        assert not wire.holds(next(iter(embedder.embed(["Alpha Journal"]))))


class Patient:
    """An embedder that waits until a query has been sent, for at most five seconds."""

    def __init__(self, embedder, wire):
        self.name, self.dimension = embedder.name, embedder.dimension
        self.embedder, self.wire = embedder, wire
        self.queries_before = []

    def embed(self, texts):
        deadline = time.monotonic() + 5
        while not self.wire.runs and time.monotonic() < deadline:
            time.sleep(0.01)
        self.queries_before.append(self.wire.runs)
        return self.embedder.embed(texts)


def test_names_are_looked_up_while_the_question_is_encoded(graph, server, embedder):
    """Neither waits for the other."""
    list(write_synonyms(Graph(graph), embedder=embedder))
    with Wire(server.uri) as wire:
        patient = Patient(embedder, wire)
        with opened(server, patient, uri=wire.uri) as gear:
            retriever = gear.retriever("scout")
            wire.reset()
            retriever.retrieve(QUESTION)

    assert [1] == patient.queries_before


@pytest.mark.parametrize(
    "question",
    [
        "什么是诺贝尔奖?",
        "A" * 5_000,
        "Alpha Journal",
        "\\ AND Alpha) OR",
        "?!",
        "\udce9 X",
        "ab⑴⑵⑶⑷ not",
        MANY_WORDS,
    ],
)
def test_a_strange_question_is_answered(gear, question):
    """As by every retriever."""
    assert 4 >= len(gear.search(question, retriever="scout"))


def test_the_edges_around_nodes_are_those_of_the_exported_graph(graph, embedder, tmp_path):
    """With synonym edges, a fact about itself, a fact in two passages, and an entity without triples."""
    more = [("journal", "Delta", "is", "Delta"), ("bread", "Beta Society", "elected as its chairman", "Delta")]
    ingest(graph, embedder, tmp_path, PASSAGES, [*TRIPLES, *more])
    link = "MATCH (a:Entity {key: 'delta'}), (b:Entity {key: 'epsilon'}) CREATE (a)-[:SYNONYM {score: 0.9}]->(b)"
    graph.run(Query("link", link, writes=True))
    graph.run(Query("alone", "CREATE (:Entity {key: 'alone', name: 'Alone'})", writes=True))
    exported = Projections(Graph(graph).pagerank).current()

    read = AdjacencyReader(graph).read(list(exported.passages), list(exported.entities), hub=100)

    indexes = {id: index for index, id in enumerate(exported.passages)}
    for id, edges in read.passages.items():
        row = exported.mentions[[indexes[id]], :].toarray()[0]
        assert {one: row[index] for one, index in exported.entities.items() if row[index]} == edges.entities
        assert (row.sum(), True) == (edges.weight, edges.whole)
    for id, edges in read.entities.items():
        row = exported.links[[exported.entities[id]], :].toarray()[0]
        column = exported.mentions[:, [exported.entities[id]]].toarray()[:, 0]
        assert {
            one: pytest.approx(row[index]) for one, index in exported.entities.items() if row[index]
        } == edges.entities
        assert {one: column[index] for one, index in indexes.items() if column[index]} == edges.passages
        assert pytest.approx(row.sum() + column.sum()) == edges.weight
        assert (column > 0).sum() == edges.mentioned_in
    assert len(read.entities) == len(exported.entities)


def test_of_a_hub_only_the_triples_nearest_to_the_question_count(gear, graph, embedder, tmp_path):
    """Their edges keep their share, so that a few triples do not get the whole mass."""
    triples = [("bread", "Delta", "has seen", f"Town {number}") for number in range(20)]
    ingest(graph, embedder, tmp_path, PASSAGES, [*TRIPLES, *triples])
    export = Graph(graph).pagerank
    delta = export.named(["delta"])["delta"].id
    pool = [
        seed for seed in export.nearest(embedder.embed([QUESTION])[0].tolist(), k=100) if seed.triple.subject != "Delta"
    ]

    edges = AdjacencyReader(graph).read([], [delta], hub=10, pool=pool).entities[delta]
    hits = gear.retriever(Scout(hub=10)).retrieve("Where was Delta elected?")

    assert {"society": 1} == edges.passages
    assert (42.0, False, 21) == (edges.weight, edges.whole, edges.mentioned_in)
    assert not hits.exact


def test_under_a_scope_what_is_read_of_a_hub_is_kept_until_the_graph_changes(graph, embedder, tmp_path):
    """Other nodes are not cached, nor is anything in a walk without a scope."""
    triples = [("bread", "Delta", "has seen", f"Town {number}") for number in range(20)]
    ingest(graph, embedder, tmp_path, PASSAGES, [*TRIPLES, *triples])
    named = Graph(graph).pagerank.named(["delta", "town 3"])
    delta, town = named["delta"].id, named["town 3"].id
    edges = Graph(graph).scoped(EVERYTHING.narrowed(collections=["default"])).edges
    kept, nothing = edges.kept(), Graph(graph).edges.kept()

    first = edges.read([], [town, delta], hub=10, kept=kept)
    again = edges.read([], [town, delta], hub=10, kept=kept)
    plain = Graph(graph).edges.read([], [town, delta], hub=10, kept=nothing)

    assert first == again == plain
    assert ([(10, delta)], {}) == (list(kept), nothing)
    assert edges.kept() is kept
    kept[10, delta] = replace(kept[10, delta], degree=1_000)
    assert 2_000 == edges.read([], [delta], hub=10, kept=kept).entities[delta].weight, "it is read again"
    ingest(graph, embedder, tmp_path, PASSAGES, [("bread", "Delta", "eats", "bread")])
    assert {} == edges.kept()


def test_the_walk_in_the_graph_comes_to_what_pagerank_over_all_of_it_does(gear):
    """If it can read the whole graph: the same passages with the same shares of the mass."""
    local = with_names(gear, remainder=0).retrieve(QUESTION)
    exported = ExportedScout(gear, options=Scout(triples=0, passage_weight=0, remainder=0, words=0))
    whole = exported.retrieve(QUESTION)

    assert ids(whole) == ids(local)
    assert [hit.score / whole[0].score for hit in whole] == pytest.approx(
        [hit.score / local[0].score for hit in local], abs=0.05
    )


@pytest.mark.parametrize("triples", [[], [("only", "One", "is", "passage")]])
def test_a_corpus_of_one_passage_is_searched(server, shared, embedder, triples):
    """Even with nothing to walk on."""
    shared.ingested({"only": "One passage."}, triples, embedder)

    with opened(server, embedder) as gear:
        assert ["only"] == ids(gear.search("What is One passage.", retriever="scout"))


def test_an_empty_graph_finds_nothing(server, database, embedder):
    """Without failing."""
    with opened(server, embedder) as gear:
        assert [] == ids(gear.search("What is One?", retriever="scout"))


def test_a_change_is_seen_by_the_next_question(gear, graph, embedder, tmp_path):
    """Nothing from the graph is cached between questions."""
    question = "Who is Zeta?"
    assert "zeta" not in ids(gear.search(question, retriever="scout"))

    ingest(graph, embedder, tmp_path, {"zeta": "A letter."}, [("zeta", "Zeta", "is", "Omega")])

    assert "zeta" == gear.search(question, retriever="scout")[0].passage.id


def test_the_same_search_gives_the_same_answer(graph, server, embedder):
    """Even from another connection."""
    answers = []
    for _ in range(2):
        with opened(server, embedder) as gear:
            hits = gear.search(QUESTION, retriever="scout")
            answers.append((hits.hits, hits.paths))

    assert answers[0] == answers[1]
