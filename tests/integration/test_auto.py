"""The default retriever on a real server: it fits the current content of the database, and says why."""

from dataclasses import replace

import pytest

from gear_neo4j import Auto, Naive
from gear_neo4j.adoption.profile import Chunks, Entities, Profile
from gear_neo4j.errors import InputError
from gear_neo4j.graph.queries import Query
from tests.graphs import ingest, opened

PASSAGES = {"journal": "The Alpha Journal is a periodical.", "society": "The Beta Society elected a chairman."}
TRIPLES = [("journal", "Alpha Journal", "is published by", "Beta Society")]
QUESTION = "Who publishes Alpha Journal?"
FILM = Query(
    "film",
    "CREATE (:Person {name: 'Keanu'})-[:ACTED_IN]->(:Film {name: 'The Matrix'})",
    frozenset(),
    writes=True,
)
CHUNKS = Query(
    "chunks",
    "CREATE (k:Person {name: 'Keanu'})-[:ACTED_IN]->(m:Film {name: 'The Matrix'}), "
    "(c:Chunk {text: 'Keanu acted in The Matrix.'})-[:MENTIONS]->(k), (c)-[:MENTIONS]->(m)",
    frozenset(),
    writes=True,
)
PROFILE = Profile(name="films", entities={label: Entities(names=("name",)) for label in ("Person", "Film")})


@pytest.fixture
def gear(database, server, embedder):
    with opened(server, embedder) as one:
        yield one


def test_documents_are_searched_by_scout(database, gear, embedder, tmp_path):
    """Their triples lead on from the names in a question."""
    ingest(database, embedder, tmp_path, PASSAGES, TRIPLES)

    assert "scout by names (documents)" == gear.search(QUESTION).retriever


def test_documents_without_triples_are_searched_by_words_and_meaning(database, gear, embedder, tmp_path):
    """There is no graph to walk yet; once there is, the same retriever walks it."""
    ingest(database, embedder, tmp_path, PASSAGES, None)
    retriever = gear.retriever("auto")

    assert "weighted (no triples)" == retriever.retrieve(QUESTION).retriever

    ingest(database, embedder, tmp_path, PASSAGES, TRIPLES)

    assert "scout by names (documents)" == retriever.retrieve(QUESTION).retriever


def test_an_adopted_graph_is_asked_by_paths(database, gear):
    """Its nodes answer."""
    database.run(FILM)
    gear.overlay.adopt(PROFILE)

    hits = gear.search("Which film did Keanu act in?")

    assert "paths over hybrid (graph)" == hits.retriever
    assert ["The Matrix"] == [entity.name for entity in hits.entities]


def test_beside_documents_both_are_searched(database, gear, embedder, tmp_path):
    """The graph's answering nodes, and scout's passages; after the release, only the passages."""
    database.run(FILM)
    ingest(database, embedder, tmp_path, PASSAGES, TRIPLES)
    gear.overlay.adopt(PROFILE)

    assert ["The Matrix"] == [entity.name for entity in gear.search("Which film did Keanu act in?").entities]
    hits = gear.search(QUESTION)
    assert "paths over scout (graph and documents)" == hits.retriever
    assert {"journal", "society"} <= {hit.passage.id for hit in hits}

    gear.overlay.release()

    assert "scout by names (documents)" == gear.search(QUESTION).retriever


def test_a_graph_with_chunks_holds_documents(database, gear):
    """Its facts come from chunks: scout finds passages, and patterns find the answering nodes."""
    database.run(CHUNKS)
    gear.overlay.adopt(replace(PROFILE, chunks={"Chunk": Chunks(text=("text",), mentions=("MENTIONS",))}))

    hits = gear.search("Which film did Keanu act in?")

    assert "paths over scout (graph and documents)" == hits.retriever
    assert ["The Matrix"] == [entity.name for entity in hits.entities]
    assert "Keanu acted in The Matrix." in {hit.passage.text for hit in hits}


def test_it_finds_what_the_chosen_one_finds(database, gear, embedder, tmp_path):
    """Nothing is lost or reordered; it also works as the first stage of another retriever."""
    ingest(database, embedder, tmp_path, PASSAGES, TRIPLES)

    by_itself, chosen = gear.search(QUESTION, retriever="scout"), gear.search(QUESTION, retriever=Auto())

    assert [hit.passage.id for hit in by_itself] == [hit.passage.id for hit in chosen]
    assert by_itself.paths == chosen.paths
    assert {hit.passage.id for hit in gear.search(QUESTION, retriever=Naive(base=Auto()))} == set(PASSAGES)


def test_an_empty_database_is_refused(empty, server, embedder):
    """The message says what to do."""
    with opened(server, embedder) as one, pytest.raises(InputError, match=f"{empty.name} .* run 'gear ingest'"):
        one.search(QUESTION)
