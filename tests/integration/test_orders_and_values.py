"""Questions for the first of an order, for values of what a question describes, and what is doubted."""

import pytest

from gear_neo4j import Paths
from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.graph.queries import Query
from tests.graphs import opened

ISLES = """
CREATE (brae:Isle {name: 'Brae', size: 90.5, residents: 4000, density: 44.2}),
  (holm:Isle {name: 'Holm', size: 12.25, residents: 900, density: 73.5}),
  (skerry:Isle {name: 'Skerry', size: 3.5, residents: 4000, density: 1142.9}),
  (kingdom:Country {name: 'United Kingdom'}), (far:Country {name: 'Norway'}),
  (brae)-[:IN_COUNTRY]->(kingdom), (holm)-[:IN_COUNTRY]->(kingdom), (skerry)-[:IN_COUNTRY]->(far),
  (ward:Hill {name: 'Ward'}), (knoll:Hill {name: 'Knoll'}), (tooth:Hill {name: 'Tooth'}),
  (brae)-[:HIGHEST_HILL {elevation: 310}]->(ward), (holm)-[:HIGHEST_HILL {elevation: 60}]->(knoll),
  (skerry)-[:HIGHEST_HILL {elevation: 121}]->(tooth),
  (brae)-[:HAS_CAPITAL]->(oban:Town {name: 'Oban', population: 2100}),
  (holm)-[:HAS_CAPITAL]->(vik:Town {name: 'Vik', population: 700}),
  (skerry)-[:HAS_CAPITAL]->(sund:Town {name: 'Sund', population: 2900}),
  (oban)-[:ON_ISLE]->(brae), (vik)-[:ON_ISLE]->(holm), (sund)-[:ON_ISLE]->(skerry),
  (:Town {name: 'Kirkby', population: 3500})-[:ON_ISLE]->(brae),
  (:Town {name: 'Vik', population: 90})-[:ON_ISLE]->(brae),
  (ferry:Boat {name: 'Puffin'}), (other:Boat {name: 'Tern'}),
  (ferry)-[:SERVES]->(brae), (ferry)-[:SERVES]->(holm), (other)-[:SERVES]->(brae), (other)-[:SERVES]->(skerry),
  (:Voyage {code: 'V1', day: '2021-03-02', duration: 40})-[:SAILED_BY]->(ferry),
  (:Voyage {code: 'V2', day: '2022-05-09', duration: 95})-[:SAILED_BY]->(ferry),
  (:Voyage {code: 'V3', day: '2023-01-20', duration: 55})-[:SAILED_BY]->(other)
"""
NAMES = {label: Entities(names=("name",)) for label in ("Isle", "Country", "Hill", "Town", "Boat")}
PROFILE = Profile(name="isles", entities=NAMES | {"Voyage": Entities(names=("code",))})


@pytest.fixture
def isles(shared, embedder):
    """An adopted graph of isles."""
    return shared.adopted(ISLES, PROFILE, embedder)


def answered(gear, database, question):
    """The answer to a question without a doubt; what is shown gives the same nodes."""
    hits = gear.search(question, retriever=Paths())
    assert "" == hits.doubt
    if hits.figure:
        return hits.figure.value
    shown = hits.entities[0].cypher
    rows = database.run(Query("shown", shown.statement, frozenset(shown.parameters)), **shown.parameters)
    assert [entity.id for entity in hits.entities] == [next(iter(row.values())).element_id for row in rows]
    return [(entity.name, entity.value) for entity in hits.entities]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # The superlative is part of the relationship's name, and its property says of which height.
        ("What is the highest hill in the United Kingdom?", [("Ward", 310)]),
        ("How high is the highest hill of Holm?", [("Knoll", 60)]),
        ("Which isle has the highest hill?", [("Brae", 310)]),
        ("What is the capital of the isle with the highest hill?", [("Oban", 310)]),
        ("How high is Tooth?", 121),
        # A value of what the question describes, or orders.
        ("What is the population of the capital of Skerry?", 2_900),
        ("What is the size of the isle with the smallest density?", [("Brae", 90.5)]),
        ("What is the density of the isle with the most towns?", [("Brae", 44.2)]),
        ("What is the duration of the last voyage of Puffin?", [("V2", 95)]),
        ("When was the first voyage?", [("V1", "2021-03-02")]),
        ("What are the populations of the towns on Brae?", [("Kirkby", 3_500), ("Oban", 2_100), ("Vik", 90)]),
        # Of equals, all.
        ("Which boat serves the most isles?", [("Puffin", 2), ("Tern", 2)]),
        ("What town is the largest?", [("Kirkby", 3_500)]),
        ("How many towns named Vik are there?", 2),
        # A number of all, and a number of a unit.
        ("What is the total size of all 3 isles?", 106.25),
        ("Which are all 95-minute voyages?", [("V2", None)]),
        # Another name of the country.
        ("How many isles are in the UK?", 2),
        ("How many isles are in great britain?", 2),
    ],
)
def test_an_order_or_a_value_is_that_of_what_is_meant(isles, server, embedder, question, expected):
    """Each has its value, and the shown Cypher gives the same nodes."""
    with opened(server, embedder) as gear:
        assert expected == answered(gear, isles, question)


@pytest.mark.parametrize(
    "question",
    [
        # Nothing matches: the graph may say it otherwise.
        "How many isles in Norway does Puffin serve?",
        # An order within a count.
        "How many towns are on the isle that has the most towns?",
        # What is counted is nothing in the graph.
        "How many lanterns are on Brae?",
    ],
)
def test_a_figure_that_may_not_be_meant_is_doubted(isles, server, embedder, question):
    """A wrong number looks like a right one."""
    with opened(server, embedder) as gear:
        hits = gear.search(question, retriever=Paths())

    assert hits.doubt
    assert not (hits.figure and hits.figure.value)
