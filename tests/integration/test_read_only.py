"""Searches and answers never write: every query runs in a transaction in which the server refuses writes."""

import json

import pytest
from langchain_core.language_models import FakeListChatModel

from gear_neo4j import Naive
from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.errors import DatabaseError
from gear_neo4j.graph.fragments import resource_folder
from gear_neo4j.graph.queries import Query, load
from tests.dump import dump
from tests.graphs import opened
from tests.wire import Wire

GRAPH = """
CREATE (a:Drug {name: 'alectinib'})-[:INHIBITS]->(b:Gene {name: 'ALK'}), (c:Drug {name: 'crizotinib'})-[:INHIBITS]->(b),
  (c)-[:INHIBITS]->(:Gene {name: 'ROS1'})
"""
PROFILE = Profile(name="drugs", entities={label: Entities(names=("name",)) for label in ("Drug", "Gene")})
ANALYSIS = json.dumps({"type": "one-hop", "heads": ["ALK"], "tail": "Drug"})
QUESTION = "Which drugs inhibit ALK and ROS1?"
ASKING = {
    **{
        f"search {name}": lambda gear, name=name: gear.search(QUESTION, retriever=name)
        for name in ("naive", "base", "paths", "hipporag2", "scout")
    },
    "search fulltext": lambda gear: gear.search(QUESTION, retriever=Naive(base="fulltext")),
    "paths": lambda gear: gear.paths(QUESTION),
    "ask gear": lambda gear: gear.ask(QUESTION),
    "ask paths": lambda gear: gear.ask(QUESTION, agent="paths"),
    "ask kgt": lambda gear: gear.ask(QUESTION, agent="kgt"),
    "ask cypher": lambda gear: gear.ask(QUESTION, agent="cypher"),
    "counts": lambda gear: gear.corpus.counts(),
    "status": lambda gear: gear.status(),
    "status of a view": lambda gear: gear.scoped(principals=["user:ada"]).status(),
    "passage": lambda gear: gear.passage(gear.search(QUESTION).hits[0].passage.id),
    "entities": lambda gear: [gear.entity(one.id) for one in gear.entities("ALK")],
    "survey": lambda gear: gear.overlay.survey(),
    "propose": lambda gear: gear.overlay.propose(),
}
REPLIES = {
    "ask kgt": [ANALYSIS, "Answer: alectinib [F1]."],
    "ask cypher": ["MATCH (d:Drug)-[:INHIBITS]->(g:Gene) RETURN d.name, g.name", "Answer: alectinib [F1]."],
    "ask paths": ["Answer: alectinib [F1]."],
    "ask gear": [
        '{"facts": [["alectinib", "inhibits", "ALK"]]}',
        '{"facts": [["alectinib", "inhibits", "ALK"]]}',
        "Answerable: Yes\nAnswer: alectinib",
        "Answer: alectinib [1].",
    ],
}


@pytest.mark.parametrize("name", ASKING)
def test_every_query_of_asking_runs_in_a_transaction_that_may_only_read(shared, server, embedder, name):
    """Counted on the wire; the graph is unchanged."""
    database = shared.adopted(GRAPH, PROFILE, embedder)
    before = dump(database)
    chat = FakeListChatModel(responses=REPLIES.get(name, ["{}"]))

    with Wire(server.uri) as wire, opened(server, embedder, uri=wire.uri, chat=chat) as gear:
        ASKING[name](gear)

    assert wire.runs > 0
    assert wire.runs == wire.reads
    assert before == dump(database)


@pytest.mark.parametrize(
    "door",
    [
        lambda database, text: database.run(Query("x", text)),
        lambda database, text: database.read_text(text, limit=10, timeout=5),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "CREATE (n:Evil) RETURN n",
        "MATCH (n) SET n.evil = 1",
        "MATCH (n) DETACH DELETE n",
        "CREATE INDEX evil FOR (n:A) ON n.b",
    ],
)
def test_the_server_refuses_a_write_through_the_doors_of_reading(database, door, text):
    """Whatever the text, and whoever wrote it."""
    before = dump(database)

    with pytest.raises(DatabaseError):
        door(database, text)

    assert before == dump(database)


def test_no_query_file_says_that_it_reads_and_writes(database):
    """By the server's own classification: type r for all that are declared as reads."""
    declared = {name: query.writes for name, query in load(resource_folder("cypher")).items()}
    # SHOW has no plan; the procedures for the server's version count as neither.
    found = {
        name: database.explain(query.text) != "r"
        for name, query in load(resource_folder("cypher")).items()
        if name not in ("show_indexes", "server_info")
    }

    assert {name: writes for name, writes in declared.items() if name in found} == found
