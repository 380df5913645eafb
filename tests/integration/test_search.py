"""Searches on a real server: their results, their costs, and that no question makes one fail."""

import math
import random

import neo4j
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gear_neo4j import Base, Beam, Naive
from gear_neo4j.domain import make_triple
from gear_neo4j.errors import EmbeddingMismatch, InputError, SettingsError
from gear_neo4j.graph.queries import Query, named
from gear_neo4j.graph.read.store import ScoredTriple, Step
from gear_neo4j.retrieval.rank import ranker_cache as kept
from gear_neo4j.retrieval.walk.beam import beam_search
from tests.graphs import opened
from tests.wire import Wire

BASES = ("bm25", "fulltext", "sbert", "hybrid", "weighted")


@pytest.fixture
def gear(server, shared, embedder):
    """Two hops: the question's words match the prize, whose laureate leads to the university."""
    shared.ingested(
        {
            "prize": "The 2024 physics prize went to Hinton.",
            "study": "Hinton wrote a thesis at Edinburgh.",
            "other": "A recipe for bread and butter.",
            "town": "Edinburgh lies in Scotland.",
        },
        [
            ("prize", "physics prize 2024", "went to", "Hinton"),
            ("study", "Hinton", "wrote a thesis at", "Edinburgh"),
            ("other", "bread", "goes with", "butter"),
            ("town", "Edinburgh", "lies in", "Scotland"),
        ],
        embedder,
    )
    with opened(server, embedder) as one:
        yield one


@pytest.fixture
def trusted(monkeypatch):
    """The version of the graph is not checked again, so the cost of a search is the same on slow machines, too."""
    monkeypatch.setattr(kept, "RECHECK", math.inf)


@pytest.fixture
def random_graph(shared, embedder):
    """A graph of 60 passages and 300 triples over 40 entities."""
    chance = random.Random(3)
    words = [f"word{i}" for i in range(80)]
    passages = {f"p{i:02}": " ".join(chance.sample(words, 8)) for i in range(60)}
    triples = [
        (f"p{i % 60:02}", f"entity {chance.randrange(40)}", chance.choice(words), f"entity {chance.randrange(40)}")
        for i in range(300)
    ]
    shared.ingested(passages, triples, embedder)
    return passages, sorted({make_triple(*parts) for parts in triples}, key=lambda one: one.id)


def test_the_graph_leads_to_a_passage_that_shares_no_word_with_the_question(gear):
    """Two hops from the question's words, over the entities."""
    question = "2024 physics prize"

    naive = gear.search(question, k=3, retriever=Naive(base="bm25", base_k=1, beam=Beam(length=3)))

    assert ["prize"] == [hit.passage.id for hit in gear.search(question, retriever=Base(base="bm25"))]
    assert ["prize", "study", "town"] == [hit.passage.id for hit in naive]
    assert "physics prize 2024 —went to→ Hinton —wrote a thesis at→ Edinburgh —lies in→ Scotland" == str(naive.paths[0])


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("recipe", [Naive, Base])
def test_every_retriever_over_every_base_gives_ranked_hits(gear, recipe, base):
    """Ranks start at 1, scores fall, no passage appears twice, and each hit says where it was found."""
    hits = gear.search("Hinton thesis Edinburgh", retriever=recipe(base=base), k=3)

    assert list(range(1, len(hits) + 1)) == [hit.rank for hit in hits]
    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]
    assert len(hits) == len({hit.passage.id for hit in hits})
    assert "study" == hits[0].passage.id
    assert all(hit.sources for hit in hits)


def test_a_search_knows_how_near_the_nearest_passage_is(gear):
    """Whatever ranks the passages, if vectors were searched; words alone have no cosine."""
    question = "Who founded the university?"
    nearest = gear.search(question, retriever=Base(base="sbert"))[0].score

    for recipe in (Base(base="hybrid"), Naive(base="sbert"), "scout", "auto", "hipporag2"):
        assert nearest == pytest.approx(gear.search(question, retriever=recipe).similarity)
    assert gear.search(question, retriever=Base(base="fulltext")).similarity is None


def test_a_passage_that_is_deleted_meanwhile_is_passed_over(gear, connection):
    """The server returns nulls for a node that is deleted while a query reads it."""
    vector = [float(number) for number in gear.embedder.embed(["The 2024 physics prize"])[0]]
    connection.run(
        Query(
            "half_deleted",
            "CREATE (:Passage {id: 'gone', collection: 'default', title: 'physics prize', embedding: $vector})",
            frozenset({"vector"}),
            writes=True,
        ),
        vector=vector,
    )

    for base in BASES:
        found = gear.search("The 2024 physics prize", k=5, retriever=Naive(base=base))
        assert "prize" in [hit.passage.id for hit in found]
        assert "gone" not in [hit.passage.id for hit in found]
    assert 0 == gear.corpus.extract(extractor="rules").failed


@pytest.mark.parametrize("score", ["composed", "last", "encoded"])
@pytest.mark.parametrize("length", [1, 2, 3, 4])
@pytest.mark.parametrize("diverse", [True, False])
def test_the_search_in_the_database_is_algorithm_1_in_memory(random_graph, server, embedder, score, length, diverse):
    """Batched Cypher gives the same paths as the same search over plain Python lists and exact vectors."""
    passages, triples = random_graph
    beam = Beam(width=6, length=length, diverse=diverse)
    question = " ".join(list(passages.values())[7].split()[:4])
    with opened(server, embedder) as gear:
        found = gear.search(question, k=5, retriever=Naive(base="sbert", base_k=5, beam=beam, score=score))
        base = [hit.passage.id for hit in gear.search(question, retriever=Base(base="sbert"), k=5)]
    memory = InMemory(triples, embedder, question, score=score)

    expected = beam_search(memory.start(base), expand=memory.expand, beam=beam)

    assert [path.passage_ids for path in expected] == [path.passage_ids for path in found.paths]
    assert [[t.id for t in path.triples] for path in expected] == [[t.id for t in p.triples] for p in found.paths]
    assert [path.score for path in expected] == pytest.approx([path.score for path in found.paths], abs=1e-5)


class InMemory:
    """Neighbours and scores, computed in Python from the embeddings."""

    def __init__(self, triples, embedder, question, *, score):
        self.triples = triples
        self.embedder = embedder
        self.query = embedder.embed([question])[0]
        self.vectors = {one.id: embedder.embed([one.text])[0] for one in triples}
        self.score = score

    def start(self, passages):
        return [self.scored((), one) for one in self.triples if one.passage_id in passages]

    def expand(self, paths):
        visited = {one.id for path in paths for one in path.triples}
        return [
            [
                self.scored(path.triples, one)
                for one in self.triples
                if one.id not in visited and self.ends(one) & self.ends(path.triples[-1])
            ]
            for path in paths
        ]

    def ends(self, triple):
        return {triple.subject, triple.object}

    def scored(self, path, triple):
        if self.score == "encoded":
            vector = self.embedder.embed(["; ".join(one.text for one in (*path, triple))])[0]
        elif self.score == "last":
            vector = self.vectors[triple.id]
        else:
            vector = np.sum([self.vectors[one.id] for one in (*path, triple)], axis=0, dtype=np.float64)
        return ScoredTriple(triple, float(vector @ self.query / np.linalg.norm(vector)))


def test_the_same_search_gives_the_same_answer(random_graph, server, embedder):
    """Even from another connection."""
    answers = []
    for _ in range(2):
        with opened(server, embedder) as gear:
            hits = gear.search("word1 word2 word3")
            answers.append((hits.hits, hits.paths))

    assert answers[0] == answers[1]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_a_search_of_two_triples_costs_two_round_trips_and_no_vector_comes_back(
    random_graph, server, embedder, trusted, base, length
):
    """Counted on the wire between driver and server."""
    with Wire(server.uri) as wire, opened(server, embedder, uri=wire.uri) as gear:
        retriever = gear.retriever(Naive(base=base, beam=Beam(length=length)))
        retriever.retrieve("word1 word2")
        wire.reset()
        hits = retriever.retrieve("word3 word4 word5")
        runs, received = wire.runs, wire.received
        stored = gear.graph.store.passages([hit.passage.id for hit in hits])

    # The base queries the indexes of Neo4j; then come the start triples, with their first expansion and all passages.
    # Longer paths take one round trip per further triple, and one more if they reach other passages.
    further = max(0, length - 2)
    expected = (0 if base == "bm25" else 1) + 1 + further
    assert len(hits.paths[0].triples) == length
    assert expected <= runs <= expected + min(further, 1)
    assert {hit.passage.id: hit.passage for hit in hits} == stored
    rows = 10 * length + 15 + 10 * length * 10
    assert received < 400 * rows
    # A vector of 384 doubles takes 9 bytes a number; the replies contain none.
    assert not wire.holds(next(iter(embedder.embed(["word3 word4 word5"]))))


@pytest.mark.parametrize(
    ("base", "trips"), [("bm25", 1), ("fulltext", 1), ("sbert", 1), ("hybrid", 2), ("weighted", 2)]
)
def test_a_base_retriever_gets_its_passages_with_their_ranking(random_graph, server, embedder, trusted, base, trips):
    """One list costs one round trip, including contents; a fusion of two costs one more, for the best of both."""
    texts, _ = random_graph
    with Wire(server.uri) as wire, opened(server, embedder, uri=wire.uri) as gear:
        retriever = gear.retriever(Base(base=base))
        retriever.retrieve("word1 word2")
        wire.reset()
        hits = retriever.retrieve("word3 word4 word5", k=10)
        runs = wire.runs
        stored = gear.graph.store.passages([hit.passage.id for hit in hits])

    assert trips == runs
    assert 10 == len(hits)
    assert {hit.passage.id: hit.passage for hit in hits} == stored
    assert all(texts[hit.passage.id] == hit.passage.text for hit in hits)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(min_size=1, max_size=300).filter(lambda text: text.strip()))
def test_no_text_makes_a_search_fail(gear, text):
    """Lucene's operators, control characters, any script: the result may be empty, but never an error."""
    for base in ("fulltext", "bm25"):
        assert 4 >= len(gear.search(text, retriever=Naive(base=base)))


@pytest.mark.parametrize(
    "question",
    [
        'AND OR NOT "unclosed (bracket [ {',
        "title:x^2 text:[a TO b] ~3 *",
        "\\",
        "a" * 20_000,
        " ".join(f"term{i}" for i in range(3_000)),
        "什么是诺贝尔奖?",
        "".join(chr(0x4E00 + i) for i in range(1_500)),
        ";".join(f"word{i}" for i in range(1_500)),
        " ".join(f"a{i}.b,c{i}" for i in range(400)),
        "\udce9 from a terminal",
        "tb-",
        "the of and",
    ],
)
@pytest.mark.parametrize("base", BASES)
def test_a_strange_question_is_answered(gear, question, base):
    """Each has broken some full-text search."""
    assert 4 >= len(gear.search(question, retriever=Naive(base=base)))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("recipe", [Naive, Base])
def test_a_corpus_of_one_passage_is_searched(server, shared, embedder, recipe, base):
    """BM25 has nothing to compare, and the graph has one triple."""
    shared.ingested({"only": "One passage."}, [("only", "one", "is", "passage")], embedder)

    with opened(server, embedder) as gear:
        assert ["only"] == [hit.passage.id for hit in gear.search("one passage", retriever=recipe(base=base))]


def test_a_corpus_without_triples_is_searched_by_its_base(server, shared, embedder):
    """There is nothing to expand, so the base's passages are the answer."""
    shared.ingested({"a": "some text", "b": "other text"}, (), embedder)

    with opened(server, embedder) as gear:
        hits = gear.search("some text")

    assert ("a", ()) == (hits[0].passage.id, hits.paths)


def test_a_k_below_one_is_refused(gear):
    """One line that names the number."""
    with pytest.raises(InputError, match="^k is 0: ask for at least 1 passage$"):
        gear.search("Hinton", k=0)


def test_a_base_k_below_one_is_refused():
    """When the recipe is created, before any search."""
    with pytest.raises(SettingsError, match="^naive's base_k is 0: it must be at least 1$"):
        Naive(base_k=0)


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_is_refused(gear, question):
    """There is nothing to look for."""
    with pytest.raises(InputError, match="empty"):
        gear.search(question)


def test_a_database_without_our_data_says_what_to_do(server, empty, embedder):
    """A search writes nothing, not even a schema."""
    with opened(server, embedder) as gear, pytest.raises(InputError, match="gear ingest"):
        gear.search("anything")

    assert [] == empty.run(Query("c", "SHOW CONSTRAINTS YIELD name"))


def test_another_embedding_model_is_refused(gear, server):
    """Vectors of another model would silently find nothing."""

    class Other:
        name = "other"
        dimension = 8

        def embed(self, texts):
            return np.ones((len(texts), 8), dtype=np.float32)

    with opened(server, Other()) as other, pytest.raises(EmbeddingMismatch, match=r"fake \(384 .* other \(8\)"):
        other.search("Hinton")


def test_the_cypher_of_several_paths_shows_all_of_them(gear, connection):
    """Statement and parameters run unchanged, and return each triple with its passage."""
    paths = gear.search("2024 physics prize", retriever=Naive(base="sbert", base_k=3, beam=Beam(length=1))).paths
    cypher = gear.cypher(*paths)

    rows = connection.run(Query("shown", cypher.statement, frozenset(cypher.parameters)), **cypher.parameters)

    triples = {triple for path in paths for triple in path.triples}
    assert len(paths) > 1
    assert {triple.text for triple in triples} == {row["shown"].nodes[1]["text"] for row in rows}
    assert {triple.passage_id for triple in triples} == {row["stated"].end_node["id"] for row in rows}


HUB_TRIPLES = 3_000


@pytest.fixture
def hub(server, shared, embedder):
    """An entity in 3,000 triples; the question's passage has one triple, which ends at it."""
    triples = [("p", "hub", f"leads {i} to", f"leaf {i}") for i in range(HUB_TRIPLES)]
    passages = {"p": "many", "q": "begin here"}
    shared.ingested(passages, [*triples, ("q", "begin here", "meets", "hub")], embedder)
    with opened(server, embedder) as gear:
        yield gear


def test_a_hub_is_walked_through_its_triples_nearest_to_the_question(hub):
    """The result says so, and has the same best path as an examination of all triples."""
    question = "begin here leaf 77"

    bounded = hub.search(question, retriever=Naive(base="bm25", base_k=1, beam=Beam(width=3)))
    whole = hub.search(question, retriever=Naive(base="bm25", base_k=1, beam=Beam(width=3, hub=HUB_TRIPLES + 1)))

    assert (False, True) == (bounded.exact, whole.exact)
    assert whole.paths[0] == bounded.paths[0]
    assert str(bounded.paths[0]).startswith("begin here —meets→ hub —leads")


@pytest.mark.parametrize("scoring", ["composed", "last"])
def test_the_work_of_a_step_is_bounded_whatever_the_degree(hub, server, embedder, scoring):
    """Counted in db hits by the server's own profile, not by a clock."""
    vector = embedder.embed(["begin here leaf 77"])[0].tolist()
    start = hub.graph.store.start_triples(["q"], query=vector, limit=1)
    beams = {"beams": [[start[0].triple.id]], "scores": [start[0].score]}
    beams["pool"] = hub.graph.store.nearest_triples(vector, k=100)

    def hits(query, hub_limit, **given):
        step = Step(query=vector, weights=[1.0] * 10, keep=10, scoring=scoring, hub=hub_limit, degrees=True)
        with (
            neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver,
            driver.session(database=server.database) as session,
        ):
            summary = session.run(f"PROFILE {named(query).text}", given | step.parameters).consume()
        return total(summary.profile)

    def total(plan):
        return plan["args"].get("DbHits", 0) + sum(map(total, plan.get("children", [])))

    assert HUB_TRIPLES + 1 == start[0].degree
    for query, start_of in (("expand", beams), ("start_paths", {"passages": ["q"], "limit": 10})):
        assert hits(query, 300, **start_of) < 2_000 < HUB_TRIPLES < hits(query, HUB_TRIPLES + 1, **start_of)
