"""The built-in profiles, on graphs in the form that the libraries of the same names write.

The graphs are recordings, Cypher in ``tests/recorded``, because neither these libraries nor APOC, which most of them
need, are available to the tests. Each recording was compared with the graph that the real library makes of the same
story, with a model that knows its facts: labels, types, properties and indexes agree (for Graphiti, some of the
indexes).
"""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from langchain_openai import ChatOpenAI

from gear_neo4j import Base, Beam, Naive
from gear_neo4j.adoption.profile_file import built_in, load
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema.migration_files import statements_of
from gear_neo4j.models.chat import Chat
from tests.dump import dump
from tests.graphs import opened
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.one_server_line

RECORDED = Path(__file__).parents[1] / "recorded"
STUDIES, PRIZE, VILLAGE, RADIUM = (
    "Marie Curie was born in Warsaw in 1867 and left for Paris, where she studied at the Sorbonne.",
    "Gabriel Lippmann taught at the Sorbonne; in 1908 he received the Nobel Prize in Physics.",
    "Lippmann was born in Bonnevoie, a village that is now a quarter of Luxembourg City.",
    "Curie isolated radium in a shed of ESPCI, the school of industrial physics where she worked.",
)
# Each fact, and the chunk that states it, because it mentions both ends. (llm-graph-builder's chunks are PART_OF, too.)
FACTS = [
    ("Bonnevoie", "part of", "Luxembourg City", VILLAGE),
    ("Gabriel Lippmann", "born in", "Bonnevoie", VILLAGE),
    ("Gabriel Lippmann", "received", "Nobel Prize in Physics", PRIZE),
    ("Gabriel Lippmann", "taught at", "Sorbonne", PRIZE),
    ("Marie Curie", "born in", "Warsaw", STUDIES),
    ("Marie Curie", "isolated", "Radium", RADIUM),
    ("Marie Curie", "studied at", "Sorbonne", STUDIES),
    ("Marie Curie", "worked at", "ESPCI", RADIUM),
]
STATED = [(f"{subject} {predicate} {object}", chunk) for subject, predicate, object, chunk in FACTS]
# The chunks, then entities and communities with a description or a summary.
PASSAGES = {
    "graphiti": 4 + 9 + 1,
    "langchain": 4,
    "langchain-vector": 4,
    "llama-index": 4,
    "llm-graph-builder": 4 + 9 + 3,
    "neo4j-graphrag": 4,
}
WITH_FACTS = sorted(PASSAGES.keys() - {"langchain-vector"})
# Words of only the first chunk. A path over the Sorbonne leads to the prize, and, with a third triple, to the village.
QUESTION = "left Paris 1867 studied"


def write(text):
    return Query("recorded", text, writes=True)


def make(database, name):
    """Create a graph as a library does, and return its contents."""
    for statement in statements_of((RECORDED / f"{name}.cypher").read_text("utf-8")):
        database.run(write(statement))
    return dump(database)


def stated(database):
    """Each triple with the text of the passage that states it."""
    rows = database.run(Query("stated", "MATCH (t:Triple)-[:FROM]->(p) RETURN t.text AS text, p.text AS by"))
    return sorted((row["text"], row["by"]) for row in rows)


def texts(hits):
    return [hit.passage.text for hit in hits]


def test_every_profile_is_tried():
    """A new one needs a graph here."""
    assert sorted(PASSAGES) == sorted(built_in())
    assert sorted(PASSAGES) == sorted(path.stem for path in RECORDED.glob("*.cypher"))


@pytest.mark.parametrize("name", WITH_FACTS)
def test_a_graph_of_facts_is_adopted_searched_and_released(empty, server, embedder, name):
    """The chunk with both ends states each fact; a passage two hops away is found; nothing is left behind."""
    before = make(empty, name)

    with opened(server, embedder) as gear:
        report = gear.overlay.adopt(load(built_in()[name]))

        assert (8, 8, 0) == (report.relationships_read, report.triples_written, report.nameless)
        assert (PASSAGES[name], STATED) == (report.passages_written, stated(empty))
        near = gear.search(QUESTION, retriever=Base(base="fulltext"))
        far = gear.search(QUESTION, retriever=Naive(base="fulltext", base_k=1))
        farther = gear.search(QUESTION, retriever=Naive(base="fulltext", base_k=1, beam=Beam(length=3)))
        assert [STUDIES] == texts(near)
        assert STUDIES == texts(far)[0] == texts(farther)[0]
        assert {PRIZE: True, VILLAGE: False} == {text: text in texts(far) for text in (PRIZE, VILLAGE)}
        assert VILLAGE in texts(farther)

        again = gear.overlay.adopt()
        assert (0, 0, 0) == (again.triples_written, again.passages_written, again.triples_removed)
        assert load(built_in()[name]) == gear.overlay.profile()
        gone = gear.overlay.release()

    assert (PASSAGES[name], 8, True) == (gone.passages, gone.triples, gone.schema)
    assert before == dump(empty)


@pytest.mark.parametrize(("name", "type"), [("graphiti", "RELATES_TO"), ("llama-index", "BORN_IN")])
def test_a_fact_is_stated_by_the_chunk_that_it_names(database, server, embedder, name, type):
    """Two chunks mention both ends; if the fact later names the other chunk, or none, the triple follows."""
    make(database, name)
    profile = load(built_in()[name])
    (label, chunk), (source,) = next(iter(profile.chunks.items())), profile.sources
    mention = f"MATCH (c:{label}), (e) WHERE c.{chunk.text[0]} = $text AND e.name IN $names CREATE (c)-[:MENTIONS]->(e)"
    database.run(
        Query("mention", mention, frozenset({"text", "names"}), writes=True),
        text=RADIUM,
        names=["Marie Curie", "Warsaw"],
    )
    names = f"MATCH ({{name: 'Marie Curie'}})-[r:{type}]->({{name: 'Warsaw'}}) SET r.{source} = $key"
    named = Query("names", names, frozenset({"key"}), writes=True)
    key = Query(
        "key", f"MATCH (c:{label}) WHERE c.{chunk.text[0]} = $text RETURN c.{chunk.key} AS key", frozenset({"text"})
    )

    with opened(server, embedder) as gear:
        for text in (STUDIES, RADIUM, STUDIES):
            value = database.run(key, text=text)[0]["key"]
            database.run(named, key=[value] if name == "graphiti" else value)
            gear.overlay.adopt(profile)
            assert [text] == [by for fact, by in stated(database) if fact == "Marie Curie born in Warsaw"]
        for none in (None, "elsewhere", 7):
            database.run(named, key=none)
            gear.overlay.adopt(profile)
            assert len(FACTS) == len(stated(database))


def test_a_fact_of_graphiti_that_expires_goes_and_comes_back(database, server, embedder):
    """While it is expired, it is skipped and counted; afterwards it is a triple again."""
    make(database, "graphiti")
    text = "MATCH ()-[r:RELATES_TO {name: $name}]->({name: 'Bonnevoie'}) SET r.expired_at = $at"
    expires = Query("expires", text, frozenset({"name", "at"}), writes=True)
    profile = load(built_in()["graphiti"])

    with opened(server, embedder) as gear:
        gear.overlay.adopt(profile)
        database.run(expires, name="BORN_IN", at=datetime(2026, 1, 1, tzinfo=UTC))
        gone, planned = gear.overlay.adopt(), gear.overlay.adopt(profile, dry_run=True)

        assert (1, 0, 1) == (gone.triples_removed, gone.triples_written, gone.ended)
        assert (7, 1) == (planned.triples_written, planned.ended)
        assert [one for one in STATED if one[0] != "Gabriel Lippmann born in Bonnevoie"] == stated(database)

        database.run(expires, name="BORN_IN", at=None)
        back = gear.overlay.adopt()
        gear.overlay.release()

    assert (0, 1, 0) == (back.triples_removed, back.triples_written, back.ended)


def test_a_vector_store_is_adopted_extracted_searched_and_released(empty, server, embedder):
    """Neo4jVector stores only passages, which are found; once a model has read them, paths lead on from them."""
    before = make(empty, "langchain-vector")

    def facts_of(messages):
        found = [fact[:3] for fact in FACTS if fact[3] in messages[1]["content"]]
        return json.dumps({"entities": [], "triples": found})

    with ScriptedServer(facts_of) as model:
        client = ChatOpenAI(model="toy", api_key="none", base_url=model.url, max_retries=0)
        with opened(server, embedder, chat=Chat(client)) as gear:
            report = gear.overlay.adopt(load(built_in()["langchain-vector"]), extract=False)

            assert (4, 0) == (report.passages_written, report.triples_written)
            assert [STUDIES] == texts(gear.search(QUESTION, retriever=Naive(base="fulltext")))
            assert 4 == gear.corpus.extract().done
            assert STATED == stated(empty)
            assert VILLAGE in texts(
                gear.search(QUESTION, retriever=Naive(base="fulltext", base_k=1, beam=Beam(length=3)))
            )

            gone = gear.overlay.release()

    assert (4, True) == (gone.passages, gone.schema)
    assert before == dump(empty)


def test_a_vector_store_gets_triples_by_rules_which_follow_its_texts(empty, server, embedder):
    """Without a model; a changed text loses its old triples, and release leaves no trace."""
    before = make(empty, "langchain-vector")
    change = Query(
        "change",
        "MATCH (c:Chunk) WHERE c.text = $text SET c.text = $new",
        frozenset({"text", "new"}),
        writes=True,
    )

    with opened(server, embedder) as gear:
        first = gear.overlay.adopt(load(built_in()["langchain-vector"]))
        before_change = stated(empty)
        passages = {text for _, text in before_change}
        again = gear.overlay.adopt()
        empty.run(change, text=RADIUM, new="Radium was discovered by Pierre Curie in Paris.")
        changed = gear.overlay.adopt()
        facts = [fact for fact, text in stated(empty) if text.startswith("Radium was")]
        stale = {fact for fact, text in before_change if text == RADIUM} & set(facts)
        assert "rules" in gear.graph.extraction.readers()
        empty.run(change, text="Radium was discovered by Pierre Curie in Paris.", new=RADIUM)
        gear.overlay.release()

    assert {PRIZE, VILLAGE, STUDIES, RADIUM} == passages
    assert (0, 0) == (again.triples_extracted, again.passages_written)
    assert 0 < changed.triples_extracted < first.triples_extracted
    assert any("Pierre Curie" in fact for fact in facts)
    assert set() == stale
    assert before == dump(empty)


def test_a_vector_store_beside_entities_of_the_users_gets_no_triples(empty, server, embedder):
    """Our entities would have the same label, and could not be distinguished."""
    empty.run(write("CREATE (:Entity {name: 'Ada'})-[:KNOWS]->(:Entity {name: 'Bob'})"))
    before = make(empty, "langchain-vector")

    with opened(server, embedder) as gear:
        report = gear.overlay.adopt(load(built_in()["langchain-vector"]))
        gear.overlay.release()

    assert (4, 0) == (report.passages_written, report.triples_extracted)
    assert before == dump(empty)


@pytest.mark.parametrize("name", sorted(PASSAGES))
def test_what_is_proposed_for_the_graph_of_a_library_is_its_profile(empty, server, embedder, name):
    """Except for the name, which is that of the database; all facts and texts are read."""
    before = make(empty, name)
    known = load(built_in()[name])

    with opened(server, embedder) as gear:
        proposed = gear.overlay.propose()

        assert replace(known, name=empty.name) == proposed
        report = gear.overlay.adopt(proposed)
        assert (8 if name in WITH_FACTS else 0, PASSAGES[name]) == (report.triples_written, report.passages_written)
        gear.overlay.release()

    assert before == dump(empty)
