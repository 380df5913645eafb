"""Databases written by older versions are migrated, also after kills."""

import signal

import pytest

from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema import migration_lock, migrations
from gear_neo4j.graph.schema.preparation import prepare
from tests.conftest import clear
from tests.fake_embedder import FakeEmbedder
from tests.forks import Connecting, upgrading
from tests.graphs import ingest, opened
from tests.upgrades import DIMENSION, SCHEMAS, record, restore, timeless

QUESTION = "Where did the author of the first program live?"
# Some of the writes between V002 and the newest schema: of the lock, of the schema and the move into a collection, and
# of the record.
POINTS = (2, 4, 5, 7, 13, 19, 21, 25, 27, 30, 33, 36, 37, 40, 43)
# At this one, everything is done except the release of the lock.
RELEASE = 43


class Embedder(FakeEmbedder):
    """The embedder of the recorded databases."""

    dimension = DIMENSION


def up_to_date(database):
    """Migrate a database, as every writing command does first."""
    prepare(database, model=Embedder.name, dimension=DIMENSION)


def in_a_collection(node):
    """A node in its form since passages, triples and communities belong to a collection."""
    stamped = {"Passage", "Triple", "Community"} & set(node["labels"])
    return node | {"properties": node["properties"] | ({"collection": "default"} if stamped else {})}


def without_mark(node):
    """A node without the random mark for passages that left the collection of a community."""
    return node | {"properties": {key: value for key, value in node["properties"].items() if key != "moved"}}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_database_of_each_schema_is_brought_up_to_date_and_loses_nothing(server, empty, schema):
    """All data is still there, the schema is complete, and the old passages are found through their triples."""
    before = restore(empty, schema)

    up_to_date(empty)

    after = record(empty)
    kept = [without_mark(node) for node in after["nodes"]]
    missing = [
        node
        for node in map(in_a_collection, before["nodes"])
        if node not in kept and "__GearStore" not in node["labels"]
    ]
    assert [] == missing
    ours = [row["type"] for row in before["relationships"] if row["type"] != "MIGRATED_TO"]
    assert sorted(ours) == sorted(row["type"] for row in after["relationships"] if row["type"] != "MIGRATED_TO")
    assert () == migrations.pending(empty)
    Graph(empty).verify(dimension=DIMENSION)
    with opened(server, Embedder()) as gear:
        for retriever in ("naive", "scout"):
            hits = gear.search(QUESTION, retriever=retriever)
            assert {"p1", "p2"} <= {hit.passage.id for hit in hits}
            assert hits.paths
        communities = gear.scoped(collections=["default"]).communities.read().communities
    assert sum("Community" in node["labels"] for node in before["nodes"]) == len(communities)


@pytest.mark.one_server_line
@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_schema_ends_in_the_same_one(empty, schema):
    """With the indexes of a new database."""
    up_to_date(empty)
    today = timeless(empty)["indexes"]
    clear(empty)
    restore(empty, schema)

    up_to_date(empty)

    assert today == timeless(empty)["indexes"]


@pytest.fixture(scope="module")
def undisturbed():
    """The result of an undisturbed upgrade of the oldest database, once it has run."""
    return []


@pytest.mark.one_server_line
@pytest.mark.parametrize("point", POINTS)
def test_an_upgrade_that_is_killed_goes_on_and_ends_in_the_same_graph(server, empty, monkeypatch, undisturbed, point):
    """SIGKILL before one of its writes, then a complete run, compared with an undisturbed upgrade."""
    monkeypatch.setattr(migration_lock, "LOCK_EXPIRES", 1)
    if not undisturbed:
        restore(empty, SCHEMAS[0])
        up_to_date(empty)
        undisturbed.append(timeless(empty))
        clear(empty)
    restore(empty, SCHEMAS[0])

    assert -signal.SIGKILL == Connecting(upgrading, server, point).wait()
    assert point >= RELEASE or undisturbed != [timeless(empty)]
    up_to_date(empty)

    assert undisturbed == [timeless(empty)]


SPLIT = """
MATCH (e:Entity {key: "sean o'brien"})
CREATE (other:Entity {key: 'sean o\u2019brien', name: 'Sean O\u2019Brien'})
WITH e, other
MATCH (t:Triple {object: 'Lyon'})-[r:SUBJECT]->(e)
CREATE (t)-[:SUBJECT]->(other)
DELETE r
"""
KEYS = "MATCH (e:Entity) OPTIONAL MATCH (t)-->(e) RETURN e.key AS key, e.name AS name, count(t) AS triples"


def test_names_that_differ_only_in_their_signs_become_one_entity(server, database, embedder, tmp_path):
    """As older versions wrote them: two entities, of which one search saw one; the second run changes nothing."""
    facts = [("a", "Sean O'Brien", "built", "mill"), ("b", "Sean O\u2019Brien", "lived in", "Lyon")]
    ingest(database, embedder, tmp_path, {"a": "He built it.", "b": "He lived there."}, facts)
    database.execute(SPLIT)
    newest = "MATCH (m:__Neo4jMigration) WHERE m.version IN ['011', '012'] DETACH DELETE m"
    database.execute(newest)
    split = {row["key"] for row in database.run(Query("keys", KEYS))}

    prepare(database, model=embedder.name, dimension=embedder.dimension)
    merged = {row["key"]: (row["name"], row["triples"]) for row in database.run(Query("keys", KEYS))}

    assert {"sean o'brien", "sean o\u2019brien", "mill", "lyon"} == split
    assert {"sean o'brien": ("Sean O'Brien", 2), "mill": ("mill", 1), "lyon": ("Lyon", 1)} == merged
    database.execute(newest)
    prepare(database, model=embedder.name, dimension=embedder.dimension)
    assert merged == {row["key"]: (row["name"], row["triples"]) for row in database.run(Query("keys", KEYS))}
