"""Entities by name and by id: what a view shows of the graph without a question, within its scope."""

import json

import pytest

from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.domain import Passage, make_triple
from gear_neo4j.errors import NothingFound
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.read import entities
from gear_neo4j.ingestion.synonyms import write_synonyms
from gear_neo4j.ingestion.writing import write_passages, write_triples
from gear_neo4j.wire import entities_json, to_json
from tests.graphs import opened

OPEN = [
    Passage("p1", "Ada", "Ada Lovelace lives in Elbe."),
    Passage("p2", "Elbe", "Elbe lies by the harbour.", collection="legal"),
]
SECRET = [
    Passage("p3", "Bo", "ADA LOVELACE knows Bo.", readers=("group:hr",)),
    Passage("p4", "Ada Lovelace Street", "Ada Lovelace Street lies in Varna.", readers=("group:hr",)),
]
FACTS = [
    make_triple("p1", "Ada Lovelace", "lives in", "Elbe"),
    make_triple("p1", "Ada Lovelace", "knows", "Cem"),
    make_triple("p1", "Ada Lovelace", "wrote to", "Cem"),
    make_triple("p2", "Elbe", "lies by", "the harbour"),
    make_triple("p3", "ADA LOVELACE", "knows", "Bo"),
    make_triple("p3", "Ada Lovelaces", "knows", "Bo"),
    make_triple("p4", "Ada Lovelace Street", "lies in", "Varna"),
]
HIDDEN = ("Bo", "ADA LOVELACE", "Lovelaces", "Street", "Varna")
SCOPE = {"principals": ["user:ada"]}


def write(database, embedder, passages):
    """Write some of the passages with their triples."""
    graph, ids = Graph(database), [passage.id for passage in passages]
    write_passages(graph, passages, embedder=embedder)
    write_triples(graph, [fact for fact in FACTS if fact.passage_id in ids], completed=ids, embedder=embedder)
    list(write_synonyms(graph, embedder=embedder))


@pytest.fixture
def gear(server, shared, embedder):
    """Four passages, two of them restricted."""
    shared.filled("entities", embedder, lambda database: write(database, embedder, [*OPEN, *SECRET]))
    with opened(server, embedder) as gear:
        yield gear


def first(view, name):
    """The record of the first entity with a name."""
    return view.entity(view.entities(name)[0].id)


def contents(record):
    """The content of a record, without the ids, which differ between databases."""
    return {
        "name": record.entity.name,
        "degree": record.entity.degree,
        "facts": [(fact.triple, fact.title) for fact in record.facts],
        "neighbours": [(neighbour.name, neighbour.facts) for neighbour in record.neighbours],
        "synonyms": [(synonym.name, round(synonym.score, 6)) for synonym in record.synonyms],
        "exact": record.exact,
    }


def test_the_entity_of_a_name_comes_first_and_then_those_with_similar_names(gear):
    """In any spelling; a misspelt name and a prefix of a name find it, too."""
    names = [entity.name for entity in gear.entities("ada  LOVELACE")]

    assert "ada lovelace" == names[0].lower()
    assert {"Ada Lovelaces", "Ada Lovelace Street"} <= set(names[1:])
    for name in ("Ada Lovelacf", "Lovel"):
        assert "ada lovelace" in [entity.name.lower() for entity in gear.entities(name)]


def test_an_entity_has_its_facts_by_passage_and_the_entities_at_their_other_ends(gear):
    """Entities with most facts come first."""
    record = first(gear.scoped(**SCOPE), "Ada Lovelace")

    assert [FACTS[1], FACTS[0], FACTS[2]] == [fact.triple for fact in record.facts]
    assert {"Ada"} == {fact.title for fact in record.facts}
    assert [("Cem", 2), ("Elbe", 1)] == [(end.name, end.facts) for end in record.neighbours]
    assert (3, True) == (record.entity.degree, record.exact)
    assert first(gear, "elbe") == gear.entity(record.neighbours[1].id)


def test_under_a_scope_it_is_the_entity_of_a_database_of_its_own(server, database, embedder, gear):
    """The same spelling, degree, facts, neighbours and synonyms; nothing hidden."""
    view = gear.scoped(**SCOPE)
    within = [contents(first(view, name)) for name in ("Ada Lovelace", "Elbe", "Cem")]
    listed = [entity.name for entity in view.entities("Ada Lovelace")]
    while database.run(
        Query("wipe", "MATCH (n:Passage|Triple|Entity) DETACH DELETE n RETURN count(*) AS n", writes=True)
    )[0]["n"]:
        pass
    write(database, embedder, OPEN)
    with opened(server, embedder) as alone:
        assert [contents(first(alone, name)) for name in ("Ada Lovelace", "Elbe", "Cem")] == within
        assert [entity.name for entity in alone.entities("Ada Lovelace")] == listed


@pytest.mark.parametrize("name", HIDDEN)
def test_a_hidden_name_is_like_one_that_does_not_exist(gear, name):
    """By name, by id, and in the JSON."""
    view = gear.scoped(**SCOPE)
    shown = entities_json(name, view.entities(name))["entities"]
    records = [to_json(view.entity(entity["id"])) for entity in shown]
    messages = []
    for id in (gear.entities("Bo")[0].id, "4:none:1"):
        with pytest.raises(NothingFound) as raised:
            view.entity(id)
        messages.append(str(raised.value))

    text = json.dumps([shown, records])
    assert [] == [hidden for hidden in HIDDEN if hidden in text]
    assert 1 == len(set(messages))


@pytest.mark.parametrize("id", ["", "4:none:1", "p1", "\ud800", "x" * 5_000, "' OR true //"])
def test_an_unknown_id_is_an_error_of_one_line(gear, id):
    """Whatever the id is; the message does not repeat it."""
    with pytest.raises(NothingFound, match=r"^there is no entity with that id: look it up by its name$"):
        gear.entity(id)


def test_a_node_that_no_triple_mentions_is_no_entity(gear, connection):
    """Passages and the record of the store cannot be read as entities."""
    ids = connection.run(Query("ids", "MATCH (n) WHERE n:Passage OR n:__GearStore RETURN elementId(n) AS id"))
    for row in ids:
        with pytest.raises(NothingFound):
            gear.entity(row["id"])


@pytest.mark.parametrize("name", ["", " ", "\ud800", "nobody at all", "*:*", "AND OR ~1", "x" * 5_000])
def test_a_name_of_nobody_gives_nothing(gear, name):
    """And no error, whatever it is."""
    assert () == gear.entities(name)


def test_of_a_hub_only_some_facts_are_given(gear, monkeypatch):
    """The record says so."""
    monkeypatch.setattr(entities, "MOST_FACTS", 2)
    record = first(gear, "Ada Lovelace")

    assert (2, False) == (len(record.facts), record.exact)
    assert first(gear, "Varna").exact


def test_the_nodes_of_an_adopted_graph_are_entities(database, server, embedder):
    """With the names that the profile defines, and their own labels."""
    database.run(Query("graph", "CREATE (:Drug {name: 'alectinib'})-[:INHIBITS]->(:Gene {name: 'ALK'})", writes=True))
    profile = Profile(name="drugs", entities={label: Entities(names=("name",)) for label in ("Drug", "Gene")})
    with opened(server, embedder) as gear:
        gear.overlay.adopt(profile)
        record = first(gear, "alk")

    assert ("ALK", ("Gene",)) == (record.entity.name, record.entity.labels)
    assert [("alectinib", 1)] == [(end.name, end.facts) for end in record.neighbours]
