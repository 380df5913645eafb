"""Why hits were found: the paths to them, whose Cypher shows them, whatever names are like."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gear_neo4j import Base, Hits, Naive, Paths, Scout
from gear_neo4j.domain import Passage, make_triple
from gear_neo4j.errors import QueryTimeout
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.read.adjacency import AdjacencyReader
from gear_neo4j.ingestion.writing import write_passages, write_triples
from gear_neo4j.retrieval import scout
from gear_neo4j.wire import from_json, to_json
from tests.conftest import WIPE_DATA
from tests.examples import examples
from tests.graphs import opened

pytestmark = pytest.mark.one_server_line

NAMES = [
    "Ada Byron",
    "ada  byron",
    'Conan "the Grammarian"',
    "O'Neill",
    "C:\\Users\\ada",
    "semi; colon",
    "$ids {x} `y`",
    "// no comment",
    "\\u0041",
    "鲁迅",
    "a name of more than eighty characters, as they are found by models that take a whole sentence for a name",
    "1843",
]
PREDICATES = ["wrote to", "is\tpart of", 'said "no" to', "鲁"]
RECIPES = {"scout": Scout(), "naive": Naive(base="sbert"), "paths": Paths(base="sbert")}


@st.composite
def corpora(draw):
    """Three to six passages, each with one to three triples between the names above."""
    names, facts = st.sampled_from(NAMES), st.integers(1, 3)
    passages = [
        Passage(f"p{n}", draw(names), f"{draw(names)} met {draw(names)}.") for n in range(draw(st.integers(3, 6)))
    ]
    triples = [
        make_triple(passage.id, draw(names), draw(st.sampled_from(PREDICATES)), draw(names))
        for passage in passages
        for _ in range(draw(facts))
    ]
    return passages, list(dict.fromkeys(triples)), f"Whom did {draw(names)} tell of {draw(names)}?"


@given(corpora())
@settings(
    max_examples=examples(12),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_the_cypher_of_a_path_returns_it_as_it_is_printed(database, server, embedder, drawn):
    """One row without parameters, with the path's triples and passages, whichever retriever found it."""
    passages, triples, question = drawn
    while database.run(WIPE_DATA)[0]["deleted"]:
        pass
    graph = Graph(database)
    write_passages(graph, passages, embedder=embedder)
    write_triples(graph, triples, completed=[passage.id for passage in passages], embedder=embedder)

    with opened(server, embedder) as gear:
        for recipe in RECIPES.values():
            hits = gear.search(question, retriever=recipe)
            shown = [path for path in map(hits.path_to, (hit.passage.id for hit in hits)) if path]
            for path in {*hits.paths, *shown}:
                printed = str(gear.cypher(path))
                (row,) = database.run(Query("shown", printed))
                nodes = list(row.values())
                assert {triple.text for triple in path.triples} == {n["text"] for n in nodes if "Triple" in n.labels}
                assert set(path.passage_ids) == {n["id"] for n in nodes if "Passage" in n.labels}


@pytest.fixture
def gear(shared, server, embedder):
    """Two passages that a name connects, and one that only shares words with the question."""
    shared.ingested(
        {
            "journal": "The Alpha Journal is a periodical.",
            "society": "The Beta Society elected a chairman.",
            "harbour": "Gamma Harbour elected a chairman.",
        },
        [
            ("journal", "Alpha Journal", "is published by", "Beta Society"),
            ("society", "Beta Society", "elected as its chairman", "Delta"),
            ("harbour", "Gamma Harbour", "elected as its chairman", "Epsilon"),
        ],
        embedder,
    )
    with opened(server, embedder) as one:
        yield one


QUESTION = "Who was elected chairman by those who publish Alpha Journal?"


@pytest.mark.parametrize("name", ["scout", "naive", "hipporag2", "paths"])
def test_every_retriever_over_the_graph_says_how_it_came_to_its_first_hit(gear, name):
    """In Python and in JSON alike: the path, the words of the question, and the similarity."""
    hits = gear.search(QUESTION, retriever=name, k=3)
    row = to_json(hits)

    assert all(hit["words"] for hit in row["hits"])
    assert any(hit["path"] for hit in row["hits"])
    for hit, shown in zip(hits, row["hits"], strict=True):
        path = hits.path_to(hit.passage.id)
        assert (str(path) if path else None) == (shown["path"] and shown["path"]["text"])
        assert hit.similarity == shown["similarity"]
    assert hits == from_json(Hits, row)


def test_a_search_without_the_graph_says_which_words_and_how_near(gear):
    """There is no path."""
    words = to_json(gear.search(QUESTION, retriever=Base(base="fulltext")))["hits"][0]
    meaning = to_json(gear.search(QUESTION, retriever=Base(base="sbert")))["hits"][0]

    assert (["Alpha", "Journal"], None, None) == (words["words"], words["similarity"], words["path"])
    assert (meaning["score"], None) == (pytest.approx(meaning["similarity"]), meaning["path"])


def test_a_server_too_slow_for_the_paths_does_not_cost_the_hits(gear, monkeypatch):
    """They are the same, and the result is not exact."""
    recipe = Scout(triples=0, passage_weight=0)
    monkeypatch.setattr(scout, "POOL", 0)
    hits = gear.search(QUESTION, retriever=recipe)

    def slow(*_, **__):
        raise QueryTimeout("too slow")

    monkeypatch.setattr(AdjacencyReader, "triples", slow)
    without = gear.search(QUESTION, retriever=recipe)

    assert (hits.hits, True, True) == (without.hits, bool(hits.paths), hits.exact)
    assert ((), False) == (without.paths, without.exact)


def test_a_first_stage_keeps_its_paths(gear):
    """Those of scout, under the walk of another retriever."""
    alone = gear.search(QUESTION, retriever=Scout(triples=0, passage_weight=0), k=3)
    over = gear.search(QUESTION, retriever=Naive(base=Scout(triples=0, passage_weight=0)), k=3)

    assert {path.triples for path in alone.paths} <= {path.triples for path in over.paths}
    assert all(over.path_to(hit.passage.id) for hit in over if alone.path_to(hit.passage.id))
