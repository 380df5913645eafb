"""Adopted graphs whose own relationship types have the names of ours: SYNONYM, SUBJECT, OBJECT and FROM."""

import pytest

from gear_neo4j import HippoRag2, Naive, Scout, Subgraph
from gear_neo4j.adoption.profile import Entities, Facts, Profile
from tests.graphs import opened

pytestmark = pytest.mark.one_server_line

# A book is linked like a triple; a hub has enough relationships to count as one, but few triples.
GRAPH = """
CALL () {
  UNWIND range(1, 12) AS n
  CREATE (g:Gene {name: 'Gene ' + n, note: 'Gene ' + n + ' codes for a protein.', acl: CASE n WHEN 3 THEN 'hr' END}),
    (p:Protein {name: 'Protein ' + n, note: 'A protein of the cell, number ' + n}),
    (b:Book {name: 'Book ' + n, note: 'A book about gene ' + n}), (t:Town {name: 'Town ' + n}),
    (g)-[:CODES_FOR]->(p), (p)-[:ACTS_IN]->(t),
    (g)-[:SYNONYM {score: CASE n % 3 WHEN 1 THEN 7.5 WHEN 2 THEN 'high' END}]->(:Gene {name: 'GN' + n}),
    (b)-[:SUBJECT]->(g), (b)-[:OBJECT]->(p), (b)-[:FROM]->(t)
  RETURN count(*) AS genes
}
MATCH (hub:Gene {name: 'Gene 1'})
UNWIND range(1, 400) AS n
CREATE (:Unread)-[:SUBJECT]->(hub)
"""
OWN = ("SYNONYM", "SUBJECT", "OBJECT", "FROM")
WORDS = dict(zip(OWN, ("called", "is about", "mentions", "printed in"), strict=True))


def graph_of(types):
    """The graph and its profile, with given names for the four types."""
    text = GRAPH
    for own, other in types.items():
        text = text.replace(f":{own}", f":{other}")
    facts = {types[own]: Facts(words=words) for own, words in WORDS.items()}
    labels = ("Gene", "Protein", "Book", "Town")
    return text, Profile(
        name="genes",
        entities={label: Entities(names=("name",), text=("note",)) for label in labels},
        relationships={"CODES_FOR": Facts(words="codes for"), "ACTS_IN": Facts(words="acts in"), **facts},
        readers="acl",
    )


def found(gear, *retrievers):
    """The results of retrievers that walk, without ids, which differ between databases and order ties."""
    hits = {one.name: gear.search("Which protein does Gene 1 code for?", retriever=one, k=5) for one in retrievers}
    return {name: [(hit.passage.text, round(hit.score, 9)) for hit in some] for name, some in hits.items()}


def told(gear, name):
    """The degree, facts and synonyms of a node, or None if the view does not show it."""
    entity = next((entity for entity in gear.entities(name) if entity.name == name), None)
    if entity is None:
        return None
    record = gear.entity(entity.id)
    facts = sorted((fact.triple.subject, fact.triple.predicate, fact.triple.object) for fact in record.facts)
    return entity.name, record.entity.degree, facts, record.synonyms, record.exact


def seen(server, embedder):
    """Results and nodes for everybody, and under a scope."""
    names = ("Gene 1", "Gene 3", "Protein 3")
    with opened(server, embedder) as gear:
        view = gear.scoped(principals=[])
        return {
            "found": [found(gear, Naive(base="sbert"), Scout(), HippoRag2(), Subgraph(hops=2)), found(view, Scout())],
            "told": [{name: told(one, name) for name in names} for one in (gear, view)],
            "synonyms": gear.graph.store.counts().synonyms,
        }


def test_a_graph_is_searched_as_if_its_types_had_other_names(shared, server, embedder):
    """No walk follows them as ours, no degree counts them, and no view shows more because of them."""
    other = graph_of({"SYNONYM": "ALIAS", "SUBJECT": "TOPIC", "OBJECT": "THING", "FROM": "PRESS"})
    shared.adopted(*other, embedder)
    expected = seen(server, embedder)
    shared.adopted(*graph_of({name: name for name in OWN}), embedder)

    assert expected == seen(server, embedder)
    assert (0, None) == (expected["synonyms"], expected["told"][1]["Gene 3"])
