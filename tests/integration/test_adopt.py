"""``gear adopt`` and ``gear release``: an overlay over an existing graph, and the unchanged graph afterwards."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.language_models import FakeListChatModel

from gear_neo4j import Naive, Paths
from gear_neo4j.adoption import overlay
from gear_neo4j.adoption.overlay import Adoption
from gear_neo4j.adoption.profile import Chunks, Entities, Facts, Profile
from gear_neo4j.adoption.proposal import propose
from gear_neo4j.adoption.release import release
from gear_neo4j.adoption.survey import survey
from gear_neo4j.domain import Fact
from gear_neo4j.errors import EmbeddingMismatch, ForeignGraph, InputError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema.preparation import prepare
from gear_neo4j.models.triple_vectors import triple_vectors
from tests.dump import dump
from tests.graphs import ingest, opened

FILMS = """
CREATE (keanu:Person {name: 'Keanu Reeves', born: 1964}), (lana:Person {name: 'Lana Wachowski'}),
  (matrix:Film {title: 'The Matrix', plot: 'A hacker learns that the world he lives in is run by machines.'}),
  (wick:Film {title: 'John Wick', plot: 'A retired killer hunts the men who took all that he had left.'}),
  (chicago:City {name: 'Chicago'}), (:Film {title: 'Unseen', plot: 'Nobody is in it, for it was never shot at all.'}),
  (keanu)-[:ACTED_IN {role: 'Neo'}]->(matrix), (keanu)-[:ACTED_IN]->(wick), (lana)-[:DIRECTED]->(matrix),
  (lana)-[:BORN_IN]->(chicago), (lana)-[:KNOWS]->(lana), (keanu)-[:KNOWS]->(lana), (keanu)-[:KNOWS]->(lana)
"""
PROFILE = Profile(
    name="films",
    entities={
        "Person": Entities(names=("name",)),
        "Film": Entities(names=("title",), text=("plot",)),
        "City": Entities(names=("name",)),
    },
)


def write(text):
    return Query("write", text, writes=True)


def triples(database):
    """Each triple with the node that its passage describes."""
    rows = database.run(
        Query(
            "triples",
            "MATCH (t:Triple)-[:FROM]->(p)-[:DESCRIBES]->(n) RETURN t.text AS text, coalesce(n.name, n.title) AS node",
        )
    )
    return sorted((row["text"], row["node"]) for row in rows)


ALL = [
    ("Keanu Reeves acted in John Wick", "Keanu Reeves"),
    ("Keanu Reeves acted in The Matrix", "Keanu Reeves"),
    ("Keanu Reeves knows Lana Wachowski", "Keanu Reeves"),
    ("Keanu Reeves knows Lana Wachowski", "Keanu Reeves"),
    ("Lana Wachowski born in Chicago", "Lana Wachowski"),
    ("Lana Wachowski directed The Matrix", "Lana Wachowski"),
    ("Lana Wachowski knows Lana Wachowski", "Lana Wachowski"),
]


@pytest.fixture
def films(database):
    """Somebody else's graph with our schema, which takes longer to create than most tests run."""
    database.run(write(FILMS))
    return database


@pytest.fixture
def alone(empty):
    """Somebody else's graph without our schema."""
    empty.run(write(FILMS))
    return empty


def adopt(database, embedder, profile=PROFILE, **options):
    return Adoption(Graph(database), profile, embedder, **options).run()


def test_a_misspelt_label_is_refused_before_it_empties_the_overlay(films, embedder):
    """One wrong letter in a profile would remove everything written for the nodes of that label."""
    adopt(films, embedder)
    before = dump(films)
    entities = dict(PROFILE.entities)
    misspelt = replace(PROFILE, entities={"Persom": entities.pop("Person"), **entities})

    with pytest.raises(InputError, match="no node has the label 'Persom' of .* did you mean 'Person'"):
        adopt(films, embedder, misspelt)

    assert before == dump(films)


def test_every_relationship_becomes_a_triple_and_release_leaves_no_trace(alone, embedder):
    """Parallel relationships are two triples, a loop is one; nodes with prose are passages, linked or not."""
    alone.run(write("CREATE INDEX by_name FOR (n:Person) ON (n.name)"))
    before = dump(alone)

    report = adopt(alone, embedder)

    assert (7, 7, 5) == (report.relationships_read, report.triples_written, report.passages_written)
    assert ALL == triples(alone)
    assert [] == [row for row in before["nodes"] if row not in dump(alone)["nodes"]]
    gone = release(Graph(alone))
    assert (7, 5, True) == (gone.triples, gone.passages, gone.schema)
    assert before == dump(alone)


def test_an_adopted_graph_is_searched_over_the_users_own_nodes(films, server, embedder):
    """The film is two hops from the city; the Cypher of a path shows the user's nodes."""
    adopt(films, embedder)

    with opened(server, embedder) as gear:
        hits = gear.search("Chicago", k=10, retriever=Naive(base="sbert", base_k=1))
        named = gear.search("Who was born in Chicago and knows Keanu Reeves?", retriever="paths")
        shown = gear.cypher(named.paths[0])

    assert "John Wick" not in hits[0].passage.title
    assert "Chicago ←born in— Lana Wachowski ←knows— Keanu Reeves" == str(named.paths[0])
    (row,) = films.run(Query("shown", shown.statement))
    own = {node["name"] for node in row.values() if node.labels & {"Person", "City"}}
    assert {"Chicago", "Lana Wachowski", "Keanu Reeves"} == own


def test_a_second_run_writes_nothing_and_an_update_follows_the_graph(films, embedder):
    """It writes only new, changed and deleted relationships and nodes."""
    adopt(films, embedder)
    unchanged = dump(films)["nodes"]

    again = adopt(films, embedder)

    assert (0, 0, 0, 0) == (
        again.triples_written,
        again.triples_removed,
        again.passages_written,
        again.passages_removed,
    )
    assert [row for row in unchanged if "__GearStore" not in row] == [
        row for row in dump(films)["nodes"] if "__GearStore" not in row
    ]
    films.run(write("MATCH (:Person {name: 'Keanu Reeves'})-[r:ACTED_IN]->(:Film {title: 'John Wick'}) DELETE r"))
    films.run(write("MATCH (n:Person {name: 'Lana Wachowski'}) SET n.name = 'Lana W.'"))
    films.run(write("MATCH (n:Film {title: 'Unseen'}) DETACH DELETE n"))
    films.run(write("MATCH (a:Person {born: 1964}), (b:City) CREATE (a)-[:VISITED]->(b)"))
    films.run(write("MATCH (n:Film {title: 'The Matrix'}) SET n.plot = 'A much shorter plot, but a plot with words.'"))

    updated = adopt(films, embedder)

    assert [
        ("Keanu Reeves acted in The Matrix", "Keanu Reeves"),
        ("Keanu Reeves knows Lana W.", "Keanu Reeves"),
        ("Keanu Reeves knows Lana W.", "Keanu Reeves"),
        ("Keanu Reeves visited Chicago", "Keanu Reeves"),
        ("Lana W. born in Chicago", "Lana W."),
        ("Lana W. directed The Matrix", "Lana W."),
        ("Lana W. knows Lana W.", "Lana W."),
    ] == triples(films)
    # Five triples name Lana, one relationship is gone, one is new; her card and one plot have changed.
    assert (6, 6, 2, 1) == (
        updated.triples_written,
        updated.triples_removed,
        updated.passages_written,
        updated.passages_removed,
    )
    texts = films.run(Query("texts", "MATCH (p:Passage) RETURN p.title AS title, p.text AS text ORDER BY title"))
    assert ["John Wick", "Keanu Reeves", "Lana W.", "The Matrix"] == [row["title"] for row in texts]
    assert "A much shorter plot" in texts[-1]["text"]


CELLAR = """
CREATE (chai:Wine {name: 'Chai', price: 18.0, sold: true, bottled: date('2020-05-04'), grapes: ['Pinot', 'Gamay']}),
  (aniseed:Wine {name: 'Aniseed', price: 10, sold: false}), (:Wine {price: 7}),
  (tokyo:Entity {name: 'Tokyo Traders', country: 'Japan', key: 'k1'}),
  (tokyo)-[:SUPPLIES {cases: 3, since: date('2019-01-01')}]->(chai)
"""
CELLAR_PROFILE = Profile(
    name="cellar",
    entities={
        "Wine": Entities(names=("name",), facts=("bottled", "grapes", "price", "sold")),
        "Entity": Entities(names=("name",), facts=("country",)),
    },
    relationships={"SUPPLIES": Facts(words="supplies", details=("cases", "since"))},
)


def test_properties_are_triples_of_their_node_and_release_leaves_no_trace(empty, embedder):
    """Numbers, flags that are set, dates, each item of a list; properties of relationships follow the predicate."""
    empty.run(write(CELLAR))
    before = dump(empty)

    report = adopt(empty, embedder, CELLAR_PROFILE)

    assert [
        ("Aniseed price 10", "Aniseed"),
        ("Chai bottled 2020-05-04", "Chai"),
        ("Chai grapes Gamay", "Chai"),
        ("Chai grapes Pinot", "Chai"),
        ("Chai is sold", "Chai"),
        ("Chai price 18", "Chai"),
        ("Tokyo Traders country Japan", "Tokyo Traders"),
        ("Tokyo Traders supplies (cases: 3, since: 2019-01-01) Chai", "Tokyo Traders"),
    ] == triples(empty)
    assert (1, 7, 8) == (report.relationships_read, report.properties_read, report.triples_written)
    gone = release(Graph(empty))
    assert (8, True) == (gone.triples, gone.schema)
    assert before == dump(empty)


def test_an_update_writes_only_the_facts_of_properties_that_changed(database, embedder):
    """Changed, new and removed values, and a node with one of our labels that loses its only fact but stays."""
    database.run(write(CELLAR))
    adopt(database, embedder, CELLAR_PROFILE)
    again = adopt(database, embedder, CELLAR_PROFILE)
    database.run(write("MATCH (n:Wine {name: 'Chai'}) SET n.price = 19, n.grapes = ['Pinot', 'Syrah'] REMOVE n.sold"))
    database.run(write("MATCH (n:Entity) REMOVE n.country"))
    database.run(write("MATCH (n:Wine {name: 'Aniseed'}) SET n.sold = true, n.stock = 4"))

    changed = adopt(database, embedder, CELLAR_PROFILE)

    assert (0, 0) == (again.triples_written, again.triples_removed)
    # Written: a price, a grape, a flag. Removed: a price, a grape, a flag, a country.
    assert (3, 4) == (changed.triples_written, changed.triples_removed)
    assert [
        ("Aniseed is sold", "Aniseed"),
        ("Aniseed price 10", "Aniseed"),
        ("Chai bottled 2020-05-04", "Chai"),
        ("Chai grapes Pinot", "Chai"),
        ("Chai grapes Syrah", "Chai"),
        ("Chai price 19", "Chai"),
        ("Tokyo Traders supplies (cases: 3, since: 2019-01-01) Chai", "Tokyo Traders"),
    ] == triples(database)
    database.run(write("MATCH (n:Wine) DETACH DELETE n"))
    adopt(database, embedder, CELLAR_PROFILE)
    assert [{"name": "Tokyo Traders"}] == database.run(Query("kept", "MATCH (n:Entity) RETURN n.name AS name"))


def test_facts_of_properties_are_found_and_shown_as_the_users_node(database, server, embedder):
    """By their words; the Cypher of the path draws the node itself."""
    database.run(write(CELLAR))
    adopt(database, embedder, CELLAR_PROFILE)

    with opened(server, embedder) as gear:
        hits = gear.search("Which wine has the grape Syrah or Gamay?", retriever=Naive(base="sbert", base_k=3))
        path = next(path for path in hits.paths if "Gamay" in str(path))
        shown = gear.cypher(path)

    (row,) = database.run(Query("shown", shown.statement))
    assert "Chai" in {node.get("name") for node in row.values()}


@pytest.mark.one_server_line
def test_an_adoption_that_breaks_off_goes_on_to_the_same_graph(alone, embedder, monkeypatch):
    """The process dies after the passages, and again in the middle of the triples."""
    monkeypatch.setattr(overlay, "TRIPLES_A_BATCH", 50)
    alone.run(write("UNWIND range(1, 250) AS i CREATE (:Person {name: 'p' + i})-[:KNOWS]->(:Person {name: 'q' + i})"))
    before = dump(alone)
    adopt(alone, embedder)
    undisturbed = graph(alone)
    release(Graph(alone))
    assert before == dump(alone)

    for stage, done in (("passages", 1), ("triples", 100), ("triples", 200)):

        def die(progress, stage=stage, done=done):
            if progress.stage == stage and progress.done >= done:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            adopt(alone, embedder, on_progress=die)
    adopt(alone, embedder)

    assert undisturbed == graph(alone)


STORED = Query("stored", "MATCH (t:Triple) RETURN t.subject AS s, t.predicate AS p, t.object AS o, t.embedding AS v")
KNOWN = Query("known", "MATCH (s:__GearStore {id: 'store'}) RETURN s.vectors AS vectors")


def made_as(database, embedder, source):
    """Whether the stored vectors of all triples are of this kind."""
    rows = database.run(STORED)
    expected = triple_vectors(embedder, source)([Fact(row["s"], row["p"], row["o"]) for row in rows])
    return bool(rows) and np.allclose(expected, [row["v"] for row in rows], atol=1e-5)


def test_vectors_stay_of_their_kind(films, embedder):
    """An update uses the recorded kind; the other one is refused until a release."""
    adopt(films, embedder, vectors="composed")
    assert made_as(films, embedder, "composed")
    films.run(write("MATCH (a:Person {born: 1964}), (b:City) CREATE (a)-[:VISITED]->(b)"))
    before = dump(films)

    with pytest.raises(InputError, match="have composed vectors, not encoded: run 'gear release' first"):
        adopt(films, embedder, vectors="encoded")

    assert before == dump(films)
    assert 1 == adopt(films, embedder).triples_written
    assert made_as(films, embedder, "composed")
    release(Graph(films))
    adopt(films, embedder)
    assert made_as(films, embedder, "encoded")


def test_an_overlay_of_an_older_gear_keeps_its_encoded_vectors(films, embedder):
    """Its store does not record the kind."""
    adopt(films, embedder, vectors="encoded")
    films.run(write("MATCH (s:__GearStore {id: 'store'}) REMOVE s.vectors"))
    films.run(write("MATCH (a:Person {born: 1964}), (b:City) CREATE (a)-[:VISITED]->(b)"))

    adopt(films, embedder)

    assert made_as(films, embedder, "encoded")
    assert ["encoded"] == [row["vectors"] for row in films.run(KNOWN)]


def graph(database):
    """The overlay without its timestamps."""
    rows = database.run(
        Query(
            "graph",
            "MATCH (n) WHERE n:Triple OR n:Passage OPTIONAL MATCH (n)-[r]->(m) "
            "RETURN labels(n) AS labels, n.id AS id, n.text AS text, type(r) AS type, elementId(m) AS end",
        )
    )
    return sorted(repr(row) for row in rows if row["type"] != "FROM") + sorted(
        repr((row["id"], row["type"])) for row in rows if row["type"] == "FROM"
    )


@pytest.mark.one_server_line
def test_a_release_that_breaks_off_goes_on(alone, embedder):
    """Nothing of ours is left at the end."""
    before = dump(alone)
    adopt(alone, embedder)

    def die(_progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release(Graph(alone), on_progress=die)
    release(Graph(alone))

    assert before == dump(alone)


def test_chunks_state_the_triples_whose_ends_they_mention(database, embedder):
    """Chunks with both ends come first; if no chunk mentions a relationship, the card of its start node states it."""
    database.run(
        write(
            "CREATE (a:Thing {name: 'A'}), (b:Thing {name: 'B'}), (c:Thing {name: 'C'}), (d:Thing {name: 'D'}), "
            "(e:Thing {name: 'E'}), (one:Chunk {text: 'only a'}), (two:Chunk {text: 'a and b'}), "
            "(one)-[:MENTIONS]->(a), (two)-[:MENTIONS]->(a), (two)-[:MENTIONS]->(b), (one)-[:NEXT]->(two), "
            "(a)-[:R]->(b), (c)-[:R]->(a), (d)-[:R]->(e)"
        )
    )
    profile = Profile(
        name="chunks",
        entities={"Thing": Entities(names=("name",))},
        chunks={"Chunk": Chunks(text=("text",), mentions=("MENTIONS",))},
    )

    adopt(database, embedder, profile)

    rows = database.run(Query("stated", "MATCH (t:Triple)-[:FROM]->(p) RETURN t.text AS text, p.text AS by"))
    stated = {row["text"]: row["by"] for row in rows}
    assert {"A r B": "a and b", "D r E": "thing"} == {key: stated[key] for key in ("A r B", "D r E")}
    assert stated["C r A"] in ("only a", "a and b")


def test_relationships_say_what_a_property_says_where_the_profile_has_it_so(database, embedder):
    """Some graphs have a single type Rel, with the relation and a rank as properties."""
    database.run(
        write(
            "CREATE (a:Ent {cid: 'C1', cfname: 'Acholeplasma parvum', stygrp: 'organism'}), "
            "(b:Ent {cid: 'C2', cfname: 'Doxycycline', stygrp: 'drug'}), (c:Ent {cid: 'C3', cfname: 'Nausea', "
            "stygrp: 'symptom'}), (a)-[:Rel {relname: 'HAS_DRUG', rank: 7}]->(b), "
            "(b)-[:Rel {relname: 'MAY_CAUSE', rank: 2}]->(c)"
        )
    )
    profile = propose(survey(Graph(database)), name="medical")

    adopt(database, embedder, profile)

    assert ("cfname",) == profile.entities["Ent"].names
    assert Facts(words="rel", predicate="relname", rank="rank") == profile.relationships["Rel"]
    rows = database.run(
        Query("told", "MATCH (t:Triple) WHERE t.rank > 0 RETURN t.text AS text, t.rank AS rank ORDER BY rank")
    )
    assert [("Doxycycline may cause Nausea", 2.0), ("Acholeplasma parvum has drug Doxycycline", 7.0)] == [
        (row["text"], row["rank"]) for row in rows
    ]


def test_facts_are_found_from_the_card_of_either_end(films, server, embedder):
    """Whichever passage states them: Chicago's card states nothing, but leads to who was born there."""
    adopt(films, embedder)
    profile = Profile(name="films", entities={**PROFILE.entities, "City": Entities(names=("name",), text=("name",))})
    adopt(films, embedder, profile)

    with opened(server, embedder) as gear:
        found = gear.search("Chicago", retriever=Naive(base="fulltext", base_k=1))

    assert "Lana Wachowski —born in→ Chicago" in {str(triple) for triple in found.triples}


def test_types_and_chunks_that_look_like_ours_or_hold_nothing(empty, embedder):
    """A type called FROM is a fact; a chunk without text states nothing; an entity may also be a document."""
    empty.run(
        write(
            "CREATE (a:Thing:Document {name: 'Treaty of Rome'}), (b:Thing {name: 'Rome'}), (c:Document {text: '  '}), "
            "(a)-[:FROM]->(b), (a)-[:MENTIONS]->(b), (c)-[:MENTIONS]->(a), (c)-[:MENTIONS]->(b)"
        )
    )
    profile = Profile(
        name="odd",
        entities={"Thing": Entities(names=("name",))},
        chunks={"Document": Chunks(text=("text",), mentions=("MENTIONS",))},
    )
    before = dump(empty)

    report = adopt(empty, embedder, profile)

    assert (2, 2) == (report.relationships_read, report.triples_written)
    rows = empty.run(Query("stated", "MATCH (t:Triple)-[:FROM]->(p:Passage) RETURN t.text AS text, p.title AS by"))
    assert [
        ("Treaty of Rome from Rome", "Treaty of Rome"),
        ("Treaty of Rome mentions Rome", "Treaty of Rome"),
    ] == sorted((row["text"], row["by"]) for row in rows)
    release(Graph(empty))
    assert before == dump(empty)


ODD = """
CREATE (a:Odd {name: 'Zoë Saldaña', note: $long}), (b:Odd {name: ['鲁迅', 'Lu Xun']}), (c:Odd {name: 'Мария'}),
  (d:Odd {other: 1}), (e:Odd {name: '   '}), (f:Odd {name: 12}), (g:Odd {name: []}), (a)-[:R]->(a), (a)-[:R]->(b),
  (a)-[:R]->(b), (b)-[:R]->(c), (c)-[:R]->(d), (d)-[:R]->(e), (c)-[:R]->(f), (f)-[:R]->(g)
"""


def test_odd_graphs_are_adopted_as_far_as_they_can_be_read(empty, server, embedder):
    """Loops, parallel edges, missing names, a name that is a list or a number, ten million letters, three scripts."""
    empty.run(Query("odd", ODD, frozenset({"long"}), writes=True), long="long text " * 1_000_000)
    before = dump(empty)

    report = adopt(empty, embedder, propose(survey(Graph(empty)), name="odd"))

    assert (8, 3) == (report.relationships_read, report.nameless)
    rows = empty.run(Query("texts", "MATCH (t:Triple) RETURN t.text AS text ORDER BY text"))
    assert [
        "Zoë Saldaña r Zoë Saldaña",
        "Zoë Saldaña r 鲁迅",
        "Zoë Saldaña r 鲁迅",
        "Мария r 12",
        "鲁迅 r Мария",
    ] == [row["text"] for row in rows]
    with opened(server, embedder) as gear:
        found = gear.search("是谁认识鲁迅和Мария?", retriever="paths")
    assert "鲁迅 —r→ Мария" == str(found.paths[0])
    release(Graph(empty))
    assert before == dump(empty)


def test_a_graph_without_relationships_is_adopted_as_passages(database, server, embedder):
    """Its descriptions can be searched."""
    database.run(
        write(
            "UNWIND ['wolf', 'sheep'] AS name CREATE (:Animal {name: name, about: 'About the ' + name + "
            "', which lives on the hills and in the woods of the north.'})"
        )
    )

    report = adopt(database, embedder, propose(survey(Graph(database)), name="animals"))

    assert (2, 0) == (report.passages_written, report.triples_written)
    with opened(server, embedder) as gear:
        assert "sheep" == gear.search("sheep", retriever=Naive(base="fulltext"))[0].passage.title


def test_graphs_that_cannot_be_adopted_cost_one_line_and_stay_as_they_are(empty, embedder):
    """An empty graph; no names; our labels in use; the profile of another graph; another model."""
    with pytest.raises(InputError, match="no nodes that could be adopted"):
        propose(survey(Graph(empty)), name="nothing")
    empty.run(write("CREATE (:Number {value: 1})-[:NEXT]->(:Number {value: 2})"))
    with pytest.raises(InputError, match="a property that could be its name"):
        propose(survey(Graph(empty)), name="numbers")
    with pytest.raises(InputError, match="no node with the label Person or Film or City"):
        adopt(empty, embedder)
    with pytest.raises(InputError, match="holds no overlay"):
        release(Graph(empty))
    numbers = Profile(name="n", entities={"Number": Entities(key="value")}, synonyms={"Digit": ("cipher",)})
    with pytest.raises(InputError, match="synonyms of 'Digit', which is not a label, type or property of the graph"):
        Adoption(Graph(empty), numbers, embedder).run()
    empty.run(write("CREATE (:Passage {text: 'mine'}), (:Person {name: 'x'})"))
    before = dump(empty)
    with pytest.raises(ForeignGraph, match="Passage, which an overlay needs"):
        adopt(empty, embedder)
    assert before == dump(empty)


def test_an_overlay_of_another_model_is_refused(films, embedder):
    """The message has both dimensions and the remedy."""
    adopt(films, embedder)
    before = dump(films)

    class Other(type(embedder)):
        name = "other"
        dimension = 48

    with pytest.raises(EmbeddingMismatch, match=r"fake \(384 .*other \(48\)"):
        adopt(films, Other())
    assert before == dump(films)


def test_entities_of_the_users_own_are_never_touched(empty, server, embedder, tmp_path):
    """If they have our label Entity, no schema is created for it, no documents are ingested, and nothing is deleted."""
    empty.run(write("CREATE (:Entity {name: 'Ada', key: 'k'})-[:KNOWS]->(:Entity {name: 'Bob', key: 'k'})"))
    before = dump(empty)
    profile = Profile(name="mine", entities={"Entity": Entities(names=("name",))})

    adopt(empty, embedder, profile)

    with opened(server, embedder) as gear:
        assert "Ada —knows→ Bob" == str(gear.search("What does Ada know?", retriever="paths").paths[0])
        assert gear.search("What does Ada know?", retriever="hipporag2").hits
        with pytest.raises(InputError, match="search with 'paths' or 'naive'"):
            gear.search("What does Ada know?", retriever="scout")
    with pytest.raises(ForeignGraph, match="nothing can be ingested or extracted beside it"):
        ingest(empty, embedder, tmp_path, {"p": "text"}, [("p", "Ada", "likes", "Bob")])
    with pytest.raises(ForeignGraph):
        prepare(empty, model=embedder.name, dimension=embedder.dimension)
    release(Graph(empty))
    assert before == dump(empty)


def test_kgt_refuses_a_graph_that_was_not_adopted(empty, server, embedder):
    """The message says what to do."""
    empty.run(write(FILMS))

    with (
        opened(server, embedder, chat=FakeListChatModel(responses=["x"])) as gear,
        pytest.raises(InputError, match="run 'gear adopt' first"),
    ):
        gear.agent("kgt")


def test_what_was_ingested_beside_a_graph_stays_when_that_is_released(alone, embedder, tmp_path):
    """So does our schema, because the documents need it."""
    adopt(alone, embedder)
    ingest(alone, embedder, tmp_path, {"p": "Ada likes Bob"}, [("p", "Ada", "likes", "Bob")])

    gone = release(Graph(alone))

    assert (7, 5, False) == (gone.triples, gone.passages, gone.schema)
    assert ["Ada likes Bob"] == [row["t"] for row in alone.run(Query("t", "MATCH (t:Triple) RETURN t.text AS t"))]
    assert 2 == alone.run(Query("e", "MATCH (e:Entity) RETURN count(e) AS n"))[0]["n"]


def test_entities_that_an_ingest_made_are_not_proposed(films, embedder, tmp_path):
    """Only the user's nodes are; Entity nodes are the user's as long as nothing of ours exists."""
    ingest(films, embedder, tmp_path, {"p": "Ada likes Bob"}, [("p", "Ada", "likes", "Bob")])

    profile = propose(survey(Graph(films)), name="films")

    assert "Entity" not in {*profile.entities, *profile.chunks}
    assert profile.entities


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=15).filter(str.strip)


@pytest.mark.one_server_line
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(label=NAMES, kind=NAMES, key=NAMES, value=NAMES.map("name {}".format))
def test_names_of_any_kind_are_adopted_searched_and_released(empty, server, embedder, label, kind, key, value):
    """Backticks, quotes, emoji, Cypher: nothing is injected, and nothing is left behind."""
    wipe = write("MATCH (n) DETACH DELETE n RETURN count(*) AS n")
    while empty.run(wipe)[0]["n"]:
        pass
    made = "CREATE (a:$($label)), (b:$($label)), (a)-[:$($kind)]->(b) SET a[$key] = $value, b[$key] = 'other'"
    asked = {"label": label, "kind": kind, "key": key, "value": value}
    empty.run(Query("made", made, frozenset(asked), writes=True), **asked)
    before = dump(empty)["nodes"]
    profile = Profile(name="any", entities={label: Entities(names=(key,))}, relationships={kind: Facts()})

    report = adopt(empty, embedder, profile)

    assert 1 == report.triples_written
    with opened(server, embedder) as gear:
        found = gear.search(value, retriever=Paths(base="sbert"))
        shown = gear.cypher(*found.paths)
    assert [value.strip()] == [triple.subject for triple in found.triples]
    assert 1 == len(empty.run(Query("shown", shown.statement, frozenset(shown.parameters)), **shown.parameters))
    release(Graph(empty))
    assert before == dump(empty)["nodes"]
