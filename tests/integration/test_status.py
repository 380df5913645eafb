"""One passage by its id, and the status: what a caller sees first, within its scope."""

from dataclasses import replace

import pytest

from gear_neo4j.domain import Passage, make_triple
from gear_neo4j.errors import InputError, NothingFound
from gear_neo4j.gear import entities
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.writing import write_passages, write_triples
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS
from gear_neo4j.status import Embedding
from tests.graphs import opened

OPEN = [
    Passage("p1", "Ada", "Ada lives in Elbe.", "a.md", "line 1", metadata={"year": 2020}),
    Passage("legal/p2", "Elbe", "Elbe lies by the harbour.", collection="legal"),
]
SECRET = Passage("p3", "Bo", "Bo knows Ada.", readers=("group:hr",))
FACTS = [
    make_triple("p1", "Ada", "lives in", "Elbe"),
    make_triple("p1", "Ada", "knows", "Cem"),
    make_triple("legal/p2", "Elbe", "lies by", "the harbour"),
    make_triple("p3", "Bo", "knows", "Ada"),
    make_triple("p3", "Bo", "lives in", "Varna"),
]


@pytest.fixture
def gear(server, shared, embedder):
    """Three passages with five triples and six entities; one of the passages is restricted."""

    def fill(database):
        graph = Graph(database)
        write_passages(graph, [*OPEN, SECRET], embedder=embedder)
        write_triples(graph, FACTS, completed=[passage.id for passage in (*OPEN, SECRET)], embedder=embedder)

    shared.filled("status", embedder, fill)
    with opened(server, embedder) as gear:
        yield gear


def test_a_passage_comes_with_its_triples_in_order(gear):
    """The triples that it states, and none of another passage with the same entities."""
    record = gear.passage("p1")

    assert OPEN[0] == record.passage
    assert (FACTS[1], FACTS[0]) == record.triples
    assert record.exact


def test_of_very_many_triples_some_are_left_out(gear, monkeypatch):
    """The record says so."""
    monkeypatch.setattr(entities, "MOST_TRIPLES", 1)

    assert ((FACTS[1],), False) == (gear.passage("p1").triples, gear.passage("p1").exact)
    assert gear.passage("legal/p2").exact


@pytest.mark.parametrize("id", ["", "p4", "p3 ", "P3", "\ud800", "p\x00", "x" * 5_000, "'} RETURN 1 //"])
def test_an_unknown_id_is_an_error_of_one_line(gear, id):
    """Whatever the id is; the message does not repeat it."""
    with pytest.raises(NothingFound, match=r"^there is no passage with that id: use the id of a hit or of a citation$"):
        gear.passage(id)


@pytest.mark.parametrize("scope", [{"principals": ["user:ada"]}, {"collections": ["legal"]}, {"where": "year > 2000"}])
def test_an_id_outside_the_scope_is_like_one_that_does_not_exist(gear, scope):
    """The messages do not differ."""
    view, messages = gear.scoped(**scope), []
    for id in ("p3", "p4"):
        with pytest.raises(NothingFound) as raised:
            view.passage(id)
        messages.append(str(raised.value))

    assert messages[0] == messages[1]


def test_the_status_counts_everything_without_a_scope(gear, connection, embedder):
    """With the sorted names of the retrievers and agents, except the one for operators."""
    status = gear.status()

    assert (3, 5, 6) == (status.passages, status.triples, status.entities)
    assert (connection.name, Embedding(embedder.name, embedder.dimension)) == (status.database, status.embedding)
    assert tuple(entry.name for entry in RETRIEVERS) == status.retrievers
    assert tuple(entry.name for entry in AGENTS if entry.name != "cypher") == status.agents


def test_the_status_counts_what_a_view_sees(gear):
    """As in a database with only these passages; retrievers and agents that the scope refuses are not listed."""
    everybody, legal = gear.scoped(principals=["user:ada"]).status(), gear.scoped(collections=["legal"]).status()
    nothing = gear.scoped(collections=["nosuch"]).status()

    assert (2, 3, 4) == (everybody.passages, everybody.triples, everybody.entities)
    assert (1, 1, 2) == (legal.passages, legal.triples, legal.entities)
    assert (0, 0, 0) == (nothing.passages, nothing.triples, nothing.entities)
    assert "kgt" not in everybody.agents
    assert everybody == replace(legal, passages=2, triples=3, entities=4)


def test_an_empty_database_has_a_status(server, empty, embedder):
    """It says what is missing before a search fails."""
    with opened(server, embedder) as gear:
        status = gear.status()
        with pytest.raises(InputError):
            gear.search("Who?")

    assert (0, 0, 0, None) == (status.passages, status.triples, status.entities, status.embedding)
