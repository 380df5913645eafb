"""Names and values of an adopted graph, looked up in an index of their own."""

import pytest

from gear_neo4j import Paths
from gear_neo4j.adoption.overlay import Adoption
from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.domain import Passage, make_triple
from gear_neo4j.errors import MigrationError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.write import terms
from gear_neo4j.ingestion.writing import write_passages, write_triples
from gear_neo4j.retrieval.dictionary import Names
from gear_neo4j.text.name_keys import keys_in
from tests.graphs import opened

TOWNS = """
CREATE (sao:Town {name: 'São Tomé', climate: 'tropical wet'}), (lund:Town {name: 'Lund', climate: 'cold'}),
  (ada:Person {name: 'ada_wells', trade: 'Weaver'}), (otto:Person {name: 'Otto Brandt', trade: 'Miller'}),
  (ada)-[:LIVES_IN {since: 'spring'}]->(sao), (otto)-[:LIVES_IN {since: 'autumn'}]->(lund), (:Town {name: 'Nowhere'})
"""
OTHERS = """
CREATE (t:Town {name: 'Ystad'}), (:Person {name: 'Marina Wells'})-[:LIVES_IN]->(t),
  (:Person {name: 'Marita Wells'})-[:LIVES_IN]->(t)
"""
PROFILE = Profile(name="towns", entities={label: Entities(names=("name",)) for label in ("Town", "Person")})
TERMS = "MATCH (term:__GearTerm) RETURN count(term) AS terms"


def run(database, text):
    """The rows of a statement."""
    return database.run(Query("test", text, writes=True))


@pytest.fixture
def towns(shared, embedder):
    """An adopted graph of towns and people."""
    return shared.adopted(TOWNS, PROFILE, embedder)


def adopted(database, embedder):
    """The graph of the towns in an empty database."""
    run(database, TOWNS)
    graph = Graph(database)
    Adoption(graph, PROFILE, embedder).run()
    return graph


def named(graph, text):
    """The names of the nodes that a text names, with the text of each."""
    matches = Names(graph.lexicon).find(text)
    nodes = {node.id: node.names for node in graph.lexicon.nodes(keys_in(text))}
    return {match.text: sorted(name for id in match.nodes for name in nodes[id]) for match in matches}


def values(graph, text):
    """The values that a text says, with what has them."""
    return {(ref.owner.name, ref.property, value) for ref, value in graph.lexicon.values(keys_in(text))}


def test_what_a_text_says_is_looked_up_without_reading_the_graph(towns):
    """Without accents, with other signs between words; a node without any fact has no name here."""
    graph = Graph(towns)

    assert {"sao tome": ["São Tomé"], "Ada Wells": ["ada_wells"]} == named(graph, "Is sao tome near Ada Wells?")
    assert {} == named(graph, "Is Nowhere near Lunds?")
    assert {("Person", "trade", "Weaver"), ("LIVES_IN", "since", "spring"), ("Town", "name", "Lund")} == values(
        graph, "Who is a weaver and lives in Lund since spring?"
    )
    assert ["climate"] == [ref.property for ref in graph.lexicon.holders("pical", operator="contains")]
    assert ["climate"] == [ref.property for ref in graph.lexicon.holders("trop", operator="starts")]
    assert ["trade"] == [ref.property for ref in graph.lexicon.holders("ller", operator="ends")]
    assert [] == graph.lexicon.nodes([]) == graph.lexicon.values([]) == graph.lexicon.holders("", operator="ends")


@pytest.mark.parametrize(
    ("question", "doubt", "names"),
    [
        ("Who lives in Ystat?", "'Ystat' is read as 'Ystad'", {"Marina Wells", "Marita Wells"}),
        ("Where does Otto Brand live?", "'Otto Brand' is read as 'Otto Brandt'", {"Lund"}),
        ("Where does Otto Brnadt live?", "'Otto Brnadt' is read as 'Otto Brandt'", {"Lund"}),
        ("Which towns have the climate 'tropical wett'?", "", None),
        # A word too short for a typo, two typos in a word, and a name that may be either of two.
        ("Who lives in Lumd?", "", None),
        ("Where does Otto Braant live?", "", None),
        ("Where does Maria Wells live?", "", None),
    ],
)
def test_a_name_with_a_typo_is_corrected_and_the_answer_says_so(shared, server, embedder, question, doubt, names):
    """If only one name of the graph can be meant."""
    shared.adopted(TOWNS + OTHERS, PROFILE, embedder)

    with opened(server, embedder) as gear:
        hits = gear.search(question, retriever=Paths())

    best = {entity.name for entity in hits.entities if entity.cypher == hits.entities[0].cypher}
    assert doubt == (hits.doubt if "is read as" in hits.doubt else "")
    assert names in (None, best)


def test_an_update_finds_what_is_new_and_forgets_what_is_gone(empty, embedder):
    """A node with a new name, one with another, one that was deleted, and values that nobody has any more."""
    graph = adopted(empty, embedder)
    run(empty, "MATCH (t:Town {name: 'Lund'}) SET t.name = 'Londinium Gothorum', t.climate = 'mild'")
    run(empty, "MATCH (p:Person {name: 'ada_wells'}) DETACH DELETE p")
    run(empty, "MATCH (t:Town {name: 'São Tomé'}) CREATE (:Person {name: 'Bo Falk', trade: 'Smith'})-[:LIVES_IN]->(t)")

    Adoption(graph, PROFILE, embedder).run()

    known = "ada wells, Bo Falk, Lund, Londinium Gothorum, Weaver, Smith, Miller, cold, mild, spring, autumn"
    assert ["Bo Falk", "Londinium Gothorum"] == sorted(named(graph, known))
    assert {"Bo Falk", "Londinium Gothorum", "Smith", "Miller", "mild", "autumn"} == {
        value for _, _, value in values(graph, known)
    }


def test_more_values_than_are_kept_are_named_in_a_warning(empty, embedder, monkeypatch, caplog):
    """The adoption does not fail, and names are found as ever."""
    monkeypatch.setattr(terms, "MOST_VALUES", 3)

    graph = adopted(empty, embedder)

    said = [record.getMessage() for record in caplog.records if record.name == terms.LOGGER.name]
    assert ["of the values of a label, questions find only 3"] == said
    assert 3 == run(empty, "MATCH (term:__GearTerm {kind: 'label'}) RETURN count(DISTINCT term.text) AS n")[0]["n"]
    assert {"Lund": ["Lund"]} == named(graph, "Lund")


def test_names_of_entities_are_found_without_accents_and_underscores(database, embedder):
    """Entities of documents have no terms: their own keys are looked up."""
    graph = Graph(database)
    write_passages(graph, [Passage("p", "Towns", "São Tomé is warm; Zürich is not.")], embedder=embedder)
    facts = [make_triple("p", "são_tomé", "is", "warm"), make_triple("p", "Zürich", "is", "cold")]
    write_triples(graph, facts, completed=["p"], embedder=embedder)

    found = named(graph, "Is Sao Tome warmer than ZÜRICH or Zurich?")

    assert {"Sao Tome": ["são_tomé"], "ZÜRICH": ["Zürich"], "Zurich": ["Zürich"]} == found
    assert [{"terms": 0}] == run(database, TERMS)


def test_a_graph_adopted_by_an_earlier_version_is_searched_once_it_is_migrated(empty, server, embedder):
    """Before, a search says so in a line, instead of finding nothing."""
    graph = adopted(empty, embedder)
    run(empty, "MATCH (term:__GearTerm) DETACH DELETE term")
    run(empty, "MATCH (s:__GearStore {id: 'store'}) SET s.terms = null")
    run(empty, "MATCH (m:__Neo4jMigration {version: '012', migrationTarget: 'gear-neo4j'}) DETACH DELETE m")
    line = "the schema of neo4j is older than this gear-neo4j: run 'gear migrate' first"

    with opened(server, embedder) as gear:
        with pytest.raises(MigrationError, match=line):
            gear.search("Who lives in Lund?", retriever=Paths())
        with pytest.raises(MigrationError, match=line):
            Names(gear.graph.lexicon).find("Lund")
        graph.migrate(dimension=embedder.dimension)
        hits = gear.search("Who lives in Lund?", retriever=Paths())

    assert "Otto Brandt" == hits.entities[0].name
