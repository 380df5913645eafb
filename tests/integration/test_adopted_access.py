"""Who may read an adopted graph: the permissions stored in its nodes apply, also after changes."""

import json
from dataclasses import replace
from itertools import chain, combinations

import pytest

from gear_neo4j.adoption.overlay import Adoption
from gear_neo4j.adoption.profile import Chunks, Entities, Profile
from gear_neo4j.domain import Passage, make_triple
from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.write.overlay_store import OverlayStore
from gear_neo4j.ingestion.writing import write_passages, write_triples
from gear_neo4j.wire import to_json
from tests.graphs import opened

pytestmark = pytest.mark.one_server_line

# Everybody may see Ada, hr alone Bo, two departments Cem, nobody Dee; the deal names one principal as a text.
STAFF = """
CREATE (ada:Person {name: 'Ada Alpha', note: 'Leads the office in Varna since the year 2019, and likes it there.'}),
  (bo:Person {name: 'Bo Beta', acl: ['hr'], note: 'Was warned twice about the missing money of the office.'}),
  (cem:Person {name: 'Cem Gamma', acl: ['hr', 'legal'], note: 'Writes all contracts of the office by his own hand.'}),
  (dee:Person {name: 'Dee Delta', acl: [], note: 'Is an informer, whose name nobody at all may ever learn here.'}),
  (deal:Deal {name: 'Deal Omega', acl: 'legal', note: 'Sells the house by the harbour to somebody from abroad.'}),
  (ada)-[:KNOWS]->(bo), (bo)-[:KNOWS]->(cem), (cem)-[:WROTE]->(deal), (dee)-[:KNOWS]->(ada), (ada)-[:SIGNED]->(deal)
"""
PROFILE = Profile(
    name="staff",
    entities={
        "Person": Entities(names=("name",), text=("note",)),
        "Deal": Entities(names=("name",), text=("note",), facts=()),
    },
    readers="acl",
)
QUESTION = "Who knows Bo Beta and Dee Delta, and signed Deal Omega?"
READERS_OF = {"Ada": None, "Bo": {"hr"}, "Cem": {"hr", "legal"}, "Dee": set(), "Deal": {"legal"}}
EDGES = [("Ada", "Bo"), ("Bo", "Cem"), ("Cem", "Deal"), ("Dee", "Ada"), ("Ada", "Deal")]
STAMPS = Query(
    "stamps",
    "MATCH (n:Passage|Triple) RETURN coalesce(n.text, '') AS text, n.collection AS collection, n.readers AS readers "
    "ORDER BY text",
)


def write(text):
    return Query("write", text, writes=True)


@pytest.fixture
def staff(database):
    """Somebody else's graph, not adopted yet."""
    database.run(write(STAFF))
    return database


@pytest.fixture
def adopted(shared, embedder):
    """The graph, adopted; shared by consecutive tests that only read."""
    return shared.adopted(STAFF, PROFILE, embedder)


def adopt(database, embedder, profile=PROFILE):
    return Adoption(Graph(database), profile, embedder).run()


def adopt_until_the_stamp(database, embedder, monkeypatch):
    """An adoption that is interrupted before it records who may read its triples."""

    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(OverlayStore, "stamp", interrupted)
        with pytest.raises(KeyboardInterrupt):
            adopt(database, embedder)


def visible(name, principals):
    readers = READERS_OF[name]
    return readers is None or bool(readers & set(principals))


def seen(view):
    """First words of the passages that a search returns, and pairs of first words for the triples of its paths."""
    hits = view.search("Who knows whom in the office?", retriever="naive", k=20)
    ends = {(t.subject.split()[0], t.object.split()[0]) for path in hits.paths for t in path.triples}
    return {hit.passage.title.split()[0] for hit in hits}, ends


def by_id(view):
    """Pairs of first words for the triples that the passages of a search state, each passage fetched by its id."""
    hits = view.search("Who knows whom in the office?", retriever="naive", k=20)
    triples = [triple for hit in hits for triple in view.passage(hit.passage.id).triples]
    return {(triple.subject.split()[0], triple.object.split()[0]) for triple in triples}


def stated(database):
    """The readers of every triple, by the first words of its ends."""
    rows = database.run(Query("t", "MATCH (t:Triple) RETURN t.subject AS s, t.object AS o, t.readers AS readers"))
    return {(row["s"].split()[0], row["o"].split()[0]): row["readers"] for row in rows}


SUBSETS = list(chain.from_iterable(combinations(["hr", "legal", "it"], size) for size in range(4)))


@pytest.mark.parametrize("principals", SUBSETS, ids=lambda names: "+".join(names) or "nobody")
def test_a_principal_sees_the_nodes_that_name_it_and_the_triples_between_them(adopted, server, embedder, principals):
    """A triple reveals both its ends, so only those who may see both see the triple."""
    with opened(server, embedder) as gear:
        view = gear.scoped(principals=list(principals))
        passages, triples = seen(view)
        records, status = by_id(view), view.status()

    assert {name for name in READERS_OF if visible(name, principals)} == passages
    assert {edge for edge in EDGES if all(visible(name, principals) for name in edge)} == triples == records
    assert (len(passages), len(triples)) == (status.passages, status.triples)


@pytest.mark.parametrize("retriever", ["auto", "naive", "scout", "paths", "subgraph", "base", "hipporag", "hipporag2"])
def test_no_retriever_names_what_its_caller_may_not_see(adopted, server, embedder, retriever):
    """Even if the question names it: not as a passage, an end of a path, or an entity."""
    with opened(server, embedder) as gear:
        hits = gear.scoped(principals=["legal"]).search(QUESTION, retriever=retriever, k=20)

    shown = json.dumps(to_json(hits))
    assert hits
    assert [] == [name for name in ("Beta", "Delta", "warned", "informer") if name in shown.replace(QUESTION, "")]


def test_without_a_scope_everything_is_seen(adopted, server, embedder):
    with opened(server, embedder) as gear:
        passages, triples = seen(gear)

    assert (set(READERS_OF), set(EDGES)) == (passages, triples)


def test_the_readers_of_a_triple_are_those_of_both_ends(adopted, embedder):
    expected = {
        ("Ada", "Bo"): ["hr"],
        ("Bo", "Cem"): ["hr"],
        ("Cem", "Deal"): ["legal"],
        ("Dee", "Ada"): [""],
        ("Ada", "Deal"): ["legal"],
    }
    assert expected == stated(adopted)


def test_permissions_that_change_in_the_graph_change_with_the_next_adoption(adopted, embedder):
    """No text is embedded again; afterwards, the graph's permissions apply."""
    adopted.run(
        write(
            "MATCH (bo:Person {name: 'Bo Beta'}), (dee:Person {name: 'Dee Delta'}), (ada:Person {name: 'Ada Alpha'}) "
            "SET bo.acl = ['legal'], dee.acl = null, ada.acl = ['it']"
        )
    )

    report = adopt(adopted, embedder)

    assert (0, 0) == (report.passages_written, report.triples_written)
    # Three passages and all five triples.
    assert 8 - 1 == report.stamped
    assert {
        ("Ada", "Bo"): [""],
        ("Bo", "Cem"): ["legal"],
        ("Cem", "Deal"): ["legal"],
        ("Dee", "Ada"): ["it"],
        ("Ada", "Deal"): [""],
    } == stated(adopted)
    assert 0 == adopt(adopted, embedder).stamped


def test_a_collection_and_readers_for_all_that_names_none(staff, server, embedder):
    """They are recorded, so an update keeps them."""
    with opened(server, embedder) as gear:
        gear.overlay.adopt(PROFILE, collection="staff", readers=["it"])
        gear.overlay.adopt()
        inside = seen(gear.scoped(collections=["staff"], principals=["it"]))
        outside = seen(gear.scoped(collections=["default"]))
        nobody = seen(gear.scoped(principals=["other"]))

    assert ({"Ada"}, set()) == inside
    assert ((set(), set()), (set(), set())) == (outside, nobody)
    assert {"staff"} == {row["collection"] for row in staff.run(STAMPS)}
    assert [""] == stated(staff)["Ada", "Bo"]


def test_a_profile_without_readers_opens_what_was_restricted(adopted, embedder):
    adopt(adopted, embedder, replace(PROFILE, readers=None))

    # The property is then an ordinary one, so a card may show it: its owner allowed that.
    assert {None} == {tuple(row["readers"]) if row["readers"] else None for row in adopted.run(STAMPS)}


def test_the_property_of_readers_is_shown_to_nobody(adopted, embedder):
    """Readers must not learn who else may read a node."""
    texts = " ".join(row["text"] for row in adopted.run(STAMPS))
    assert "acl" not in texts
    assert "legal" not in texts


def test_what_an_interrupted_adoption_wrote_is_seen_by_nobody(staff, server, embedder, monkeypatch):
    """Until the next run records who may see it."""
    adopt_until_the_stamp(staff, embedder, monkeypatch)
    with opened(server, embedder) as gear:
        before = seen(gear.scoped(principals=["hr", "legal", "it"]))
        adopt(staff, embedder)
        after = seen(gear.scoped(principals=["hr", "legal", "it"]))

    assert (set(), set()) == before
    assert {"Ada", "Bo", "Cem", "Deal"} == after[0]


def test_a_text_that_changes_is_hidden_until_its_readers_are_known(adopted, server, embedder, monkeypatch):
    """The change may be the reason to restrict it."""
    adopted.run(write("MATCH (ada:Person {name: 'Ada Alpha'}) SET ada.note = 'Resigned.', ada.acl = ['hr']"))
    adopt_until_the_stamp(adopted, embedder, monkeypatch)
    with opened(server, embedder) as gear:
        assert "Ada" not in seen(gear.scoped(principals=["it"]))[0]
        adopt(adopted, embedder)
        assert "Ada" not in seen(gear.scoped(principals=["it"]))[0]
        assert "Ada" in seen(gear.scoped(principals=["hr"]))[0]


def test_triples_that_rules_make_of_a_text_have_the_readers_of_its_passage(database, server, embedder):
    """Their ends are our entities, which have no readers of their own."""
    note = "{text: 'Marie Curie met Paul Langevin in Paris in the year 1911.', acl: ['lab']}"
    database.run(write(f"CREATE (:Note {note})"))
    profile = Profile(name="notes", chunks={"Note": Chunks(text=("text",))}, readers="acl", default_readers=("all",))

    with opened(server, embedder) as gear:
        report = gear.overlay.adopt(profile)
        again = gear.overlay.adopt()

    assert report.triples_extracted > 0
    assert 0 == again.stamped
    assert {("lab",)} == {tuple(row["readers"]) for row in database.run(STAMPS)}


def test_readers_of_any_kind_of_value(database, embedder):
    """A tenant may be a number; a value that cannot be a name matches nobody."""
    database.run(write("UNWIND [7, true, ['a', 'b'], '', [' ']] AS acl CREATE (:T {name: 'N', acl: acl})"))
    profile = Profile(name="t", entities={"T": Entities(names=("name",), text=("name",))}, readers="acl")

    adopt(database, embedder, profile)

    readers = sorted(row["readers"] for row in database.run(STAMPS))
    assert [[""], [" "], ["7"], ["a", "b"], ["true"]] == readers


@pytest.mark.parametrize(
    "change",
    [
        {"readers": "name"},
        {"readers": "note"},
        {"entities": {"Person": Entities(names=("name",), facts=("acl",))}},
        {"entities": {"Person": Entities(key="acl")}},
        {"chunks": {"Deal": Chunks(text=("name",), title=("acl",))}},
    ],
    ids=["name", "text", "fact", "key", "title"],
)
def test_a_property_of_readers_that_is_shown_as_well_is_refused(change):
    with pytest.raises(SettingsError, match="holds the readers of a node"):
        replace(PROFILE, **change)


@pytest.mark.parametrize(("options", "reason"), [({"collection": "a/b"}, "slash"), ({"readers": [" "]}, "blank")])
def test_names_that_cannot_be_used_are_refused_before_anything_is_written(staff, server, embedder, options, reason):
    with opened(server, embedder) as gear, pytest.raises(SettingsError, match=reason):
        gear.overlay.adopt(PROFILE, **options)

    assert [] == staff.run(STAMPS)


def test_a_triple_ingested_over_an_adopted_passage_keeps_its_readers(adopted, server, embedder):
    """The next adoption gives nobody else access."""
    (row,) = adopted.run(Query("p", "MATCH (p:Passage {title: 'Cem Gamma'}) RETURN p.id AS id"))
    with opened(server, embedder) as gear:
        triple = make_triple(row["id"], "Cem Gamma", "owns", "a boat")
        gear.graph.corpus.write_triples([triple], embedder.embed([triple.text]), completed=[], extractor="own")
    adopt(adopted, embedder)

    assert ["hr", "legal"] == stated(adopted)["Cem", "a"]


@pytest.mark.parametrize("property", ["name", "title"])
def test_entities_of_texts_beside_an_adopted_graph_keep_their_names(database, server, embedder, property):
    """The name property of the graph does not apply to them, and no spelling from hidden texts is shown."""
    graph = Graph(database)
    passages = [
        Passage("open", "", "OPERATION NIGHTFALL was named by Ada."),
        Passage("shut", "", "Operation Nightfall is led by Bo.", readers=("group:board",)),
    ]
    facts = [
        make_triple("open", "OPERATION NIGHTFALL", "was named by", "Ada"),
        make_triple("shut", "Operation Nightfall", "is led by", "Bo"),
    ]
    write_passages(graph, passages, embedder=embedder)
    write_triples(graph, facts, completed=["open", "shut"], embedder=embedder)
    database.run(write(f"CREATE (:Company {{{property}: 'Acme'}})-[:OWNS]->(:Company {{{property}: 'Bolt'}})"))
    adopt(database, embedder, Profile(name="mine", entities={"Company": Entities(names=(property,))}))

    with opened(server, embedder) as gear:
        view = gear.scoped(principals=[])
        shown = [[entity.name for entity in one.entities("Operation Nightfall")] for one in (gear, view)]
        known = [{name for node in one.graph.lexicon.every_node() for name in node.names} for one in (gear, view)]
        hubs = gear.graph.diagnostics.hubs(labels=["Company", "Entity"], names=[property], hub=0, limit=9)
        ends = [end for row in gear.graph.communities.facts("default", names=[property]) for end in row["ends"]]

    assert [["Operation Nightfall"], ["OPERATION NIGHTFALL"]] == shown
    assert {"Operation Nightfall", "Ada", "Bo", "Acme", "Bolt"} == known[0]
    assert {"OPERATION NIGHTFALL", "Ada", "Acme", "Bolt"} == known[1]
    assert {*known[0]} == {name for name, _ in hubs.busiest} == {name for _, names in ends for name in names}
