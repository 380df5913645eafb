"""Communities by collection and reader: the passages behind a report decide who sees it, whatever happens to them."""

import json
from dataclasses import replace

import pytest

from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.cli.main import main
from gear_neo4j.domain import Passage, digest, entity_key, make_triple
from gear_neo4j.errors import InputError, NothingFound, ScopeRefusal
from gear_neo4j.explain.communities import names_of, page
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.ingestion.forgetting import remove_stale
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.ingestion.writing import write_passages, write_triples
from tests.graphs import opened
from tests.loops import Script, asked

BEFORE_COLLECTIONS = Query(
    "before_collections",
    "MATCH (s:__GearStore {id: 'store'}) SET s.communitiesOf = 'an older one', s.communitySize = 5 "
    "WITH s MATCH (b:__GearStore) WHERE b.id STARTS WITH 'communities/' DELETE b "
    "WITH count(*) AS builds MATCH (c:__GearCommunity) REMOVE c.collection, c.readerSets, c.moved, c.restricted",
    writes=True,
)


def town(name, *, collection="default", readers=None, size=4, hub=False):
    """A clique of things, or a hub with spokes, each fact in its own passage; the name determines source and ids."""
    things = [f"{name} thing {index}" for index in range(size)]
    pairs = [(one, other) for index, one in enumerate(things) for other in things[index + 1 :]]
    if hub:
        pairs = [pair for pair in pairs if things[0] in pair]
    passages, triples = [], []
    for index, (one, other) in enumerate(pairs):
        passage = Passage(f"{name} {index}", name, f"{one} is near {other}.", f"{name}.md")
        passages.append(replace(CollectionAccess(collection).passage(passage), readers=readers))
        triples.append(make_triple(passages[-1].id, one, "is near", other))
    return passages, triples


def fill(database, embedder, *towns):
    graph = Graph(database)
    for passages, triples in towns:
        write_passages(graph, passages, embedder=embedder)
        write_triples(graph, triples, completed=[passage.id for passage in passages], embedder=embedder)


def script():
    """Reports that repeat their input, and answers that repeat the question's context."""
    return Script(
        report=lambda text: {"title": f"About {text}", "summary": "It is so.", "rank": 5, "findings": []},
        points={"points": [{"text": "So it is.", "score": 50, "reports": [1]}]},
        conclude="Answer: so [1].",
        answer="Answer: so [1].",
    )


def towns_in(hierarchy):
    """The towns that community reports name."""
    titles = " ".join(community.report.title for community in hierarchy.communities.values() if community.report)
    return {name for name in ("Varna", "Ruse", "Sofia", "Vidin") if name in titles}


def seen(gear, **scope):
    """The towns whose reports a caller sees, in the hierarchy and through the agent that reads all reports."""
    view = gear.scoped(**scope)
    hierarchy = view.communities.read()
    try:
        answer = view.ask("What is near?", agent="graphrag-global")
        used = len(answer.trace.steps[0].base)
    except InputError:
        used = 0
    assert len([one for one in hierarchy.communities.values() if one.report and not one.above]) == used
    return towns_in(hierarchy)


@pytest.fixture
def gear(shared, server, embedder):
    """Varna for everybody and Ruse for hr in the default collection, Sofia in another; with reports."""
    with asked(server, embedder, script()) as opened_gear:

        def fill_and_report(database):
            towns = town("Varna"), town("Ruse", readers=("hr",)), town("Sofia", collection="legal")
            fill(database, embedder, *towns)
            opened_gear.communities.build()
            opened_gear.communities.report()

        shared.filled("towns with readers", embedder, fill_and_report)
        yield opened_gear


# Collections


def test_communities_of_the_default_collection_keep_the_ids_that_they_had(database, server, embedder):
    """As in versions before collections: a hash of the names and the triples."""
    passages, triples = town("Varna")
    fill(database, embedder, (passages, triples))
    with opened(server, embedder) as gear:
        gear.communities.build()
        ids = set(gear.communities.read().communities)

    keys = sorted({entity_key(name) for triple in triples for name in (triple.subject, triple.object)})
    assert {digest("community", *keys, *sorted(triple.id for triple in triples))} == ids


def test_pieces_without_triples_have_other_ids_in_each_collection(database, server, embedder):
    """Two collections with the same names, which alone would give the same id."""
    fill(
        database,
        embedder,
        town("Varna", hub=True, size=25),
        town("Varna", hub=True, size=25, collection="legal"),
    )
    with opened(server, embedder) as gear:
        built = gear.communities.build()
        sizes = [
            sorted(one.size for one in part.communities.values())
            for part in gear.communities.read().by_collection().values()
        ]

    assert {"default": len(sizes[0]), "legal": len(sizes[1])} == built.collections
    assert sizes[0] == sizes[1]
    assert 50 == built.nodes


def test_one_collection_is_built_and_the_others_stay_as_they_were(gear, connection, embedder):
    """With new passages in both; each collection has its own record of the last build."""
    before = gear.communities.read().by_collection()
    fill(connection, embedder, town("Vidin"), town("Vidin", collection="legal"))
    built = gear.communities.build(collection="legal", size=3)
    after = gear.communities.read().by_collection()
    sizes = {build.collection: build.most for build in gear.graph.communities.builds()}

    assert before["default"].communities == after["default"].communities
    assert before["legal"].communities.keys() != after["legal"].communities.keys()
    assert ["legal"] == list(built.collections)
    assert {"default": 10, "legal": 3} == {name: sizes[name] for name in ("default", "legal")}
    assert gear.communities.read().stale


def test_a_collection_that_is_not_there_or_ties_nothing_is_refused(gear, connection, embedder):
    """In one line; a misspelt one deletes nothing."""
    write_passages(Graph(connection), [Passage("a/p", "", "Nothing.", "p.md", collection="a")], embedder=embedder)
    before = gear.communities.read()
    with pytest.raises(NothingFound, match=r"no collection 'lega': did you mean legal\? there are a, default"):
        gear.communities.build(collection="lega")
    with pytest.raises(InputError, match="no triples in the collection 'a' that connect"):
        gear.communities.build(collection="a")

    assert before.communities == gear.communities.read().communities


def test_a_scope_of_collections_sees_their_communities_alone(gear):
    """If the caller may read their passages."""
    assert {"Varna", "Ruse"} == seen(gear, collections=["default"])
    assert {"Sofia"} == seen(gear, collections=["legal"])
    assert set() == seen(gear, collections=["nosuch"])
    with pytest.raises(InputError, match="no communities in this scope: build them first"):
        gear.scoped(collections=["nosuch"]).ask("What?", agent="graphrag-global")


def test_a_collection_that_is_dropped_takes_its_communities_along(gear):
    """Communities and reports of the others stay."""
    gear.corpus.drop("legal")

    assert {"Varna", "Ruse"} == towns_in(gear.communities.read())
    assert "legal" not in {build.collection for build in gear.graph.communities.builds()}
    assert (0, 0) == (gear.communities.build().new, gear.communities.build().gone)


def test_a_collection_whose_documents_were_forgotten_has_no_communities_after_the_next_build(
    gear, connection, embedder
):
    """Although other collections name the same entities."""
    fill(connection, embedder, town("Sofia"))
    gear.corpus.forget("Sofia.md", collection="legal")
    assert "legal" in gear.communities.read().by_collection()
    gear.communities.build()

    assert ["default"] == list(gear.communities.read().by_collection())


def test_an_entity_that_is_written_again_is_in_its_community_again(gear, connection, embedder):
    """The community is the same, but the node is a new one."""
    gear.corpus.forget("Varna.md")
    fill(connection, embedder, town("Varna"))
    gear.communities.build()
    hierarchy = gear.communities.read()
    names = names_of(gear.graph, hierarchy)

    assert {4} == {len(names[one.id]) for one in hierarchy.communities.values()}


# Readers


def test_a_report_is_for_those_who_may_read_all_that_it_rests_on(gear):
    """Others learn nothing of it: neither text, nor members, nor count; and an answer says that it is not exact."""
    nobody = gear.scoped(principals=[])
    hierarchy = nobody.communities.read()
    names = names_of(nobody.graph, hierarchy)
    shown = page(hierarchy, names, database="mine") + json.dumps(gear.graph.name)

    assert {"Varna", "Sofia"} == seen(gear, principals=[])
    assert {"Varna", "Sofia", "Ruse"} == seen(gear, principals=["hr"])
    assert {"Varna"} == seen(gear, principals=["it"], collections=["default"])
    assert (2, 2, False) == (len(hierarchy.communities), len(names), "Ruse" in shown)
    for agent in ("graphrag-local", "graphrag-global"):
        assert not nobody.ask("What is near Varna thing 1?", agent=agent).hits.exact
        assert gear.scoped(collections=["default"]).ask("What is near?", agent=agent).hits.exact


def test_parts_are_seen_where_their_whole_is_not(database, server, embedder):
    """The whole depends on more passages."""
    passages, triples = town("Varna", size=12)
    closed = [replace(one, readers=("hr",)) if "thing 11" in one.text else one for one in passages]
    fill(database, embedder, (closed, triples))
    with opened(server, embedder) as gear:
        gear.communities.build(size=3)
        whole = gear.communities.read()
        part = gear.scoped(principals=[]).communities.read()

    assert 0 < len(part.communities) < len(whole.communities)
    assert part.roots
    assert {None} == {one.above for one in part.roots}


def test_a_piece_without_triples_rests_on_those_that_name_its_members(database, server, embedder):
    """A star is cut into pieces; most contain no triple, but names that only hr may read."""
    fill(database, embedder, town("Ruse", hub=True, size=25, readers=("hr",)))
    with opened(server, embedder) as gear:
        gear.communities.build()
        view = gear.scoped(principals=["it"])

        assert {} == view.communities.read().communities
        assert [] == list(view.graph.communities.members(names=[], most=10))
        assert gear.communities.read().communities == gear.scoped(principals=["hr"]).communities.read().communities


@pytest.mark.parametrize("name", ["a b", "a%20b", 'x","y', "'", "ä,ö", "a+b", "%", "🦆", "[]"])
def test_a_reader_of_any_name_is_that_reader_alone(database, server, embedder, name):
    """Names that a naive encoding of lists would split or confuse."""
    fill(database, embedder, town("Varna", readers=(name, "zoe")))
    with opened(server, embedder) as gear:
        gear.communities.build()
        views = {one: gear.scoped(principals=[one]) for one in (name, "a", "b", "x", "y", "a%2520b", "zo", ",", "%20")}
        found = {one for one, view in views.items() if view.communities.read().communities}

    assert {name} == found


def test_too_many_different_sets_of_readers_are_nobody(database, server, embedder, monkeypatch):
    """This limit hides, and never reveals."""
    monkeypatch.setattr("gear_neo4j.communities.weighing.MOST_SETS", 1)
    passages, triples = town("Varna")
    restricted = [replace(one, readers=("hr", "it")[index % 2 :]) for index, one in enumerate(passages)]
    fill(database, embedder, (restricted, triples))
    with opened(server, embedder) as gear:
        gear.communities.build()

        assert {} == gear.scoped(principals=["hr", "it"]).communities.read().communities


# Later changes


def test_a_passage_that_loses_a_reader_hides_reports_at_once_until_the_next_build(gear):
    """All of its collection, from all principals; afterwards only those that depend on the passage."""
    gear.corpus.set_readers("Varna.md", ["it"])
    hidden = seen(gear, principals=["it", "hr"]), seen(gear, principals=[])
    whole, by_collection = towns_in(gear.communities.read()), seen(gear, collections=["default"])
    gear.communities.build()

    assert ({"Sofia"}, {"Sofia"}) == hidden
    assert ({"Varna", "Ruse", "Sofia"}, {"Varna", "Ruse"}) == (whole, by_collection)
    assert {"Ruse", "Sofia"} == seen(gear, principals=["hr"])
    assert {"Varna", "Sofia"} == seen(gear, principals=["it"])


def test_a_passage_that_gains_a_reader_shows_its_report_after_the_next_build(gear):
    """Until then nothing is hidden."""
    gear.corpus.set_readers("Ruse.md", ["hr", "it"])
    gained = seen(gear, principals=["it"])
    gear.corpus.set_readers("Ruse.md", [])
    opened_to_all = seen(gear, principals=["it"])
    gear.communities.build()

    assert ({"Varna", "Sofia"}, {"Varna", "Sofia"}) == (gained, opened_to_all)
    assert {"Varna", "Sofia", "Ruse"} == seen(gear, principals=[])


@pytest.mark.parametrize("text", ["Varna thing 0 is near Varna thing 1.", "Varna is closed."])
def test_a_document_that_is_ingested_again_for_fewer_hides_reports_at_once(gear, tmp_path, text):
    """With the same text or another one."""
    line = {"id": "Varna 0", "title": "Varna", "text": text, "source": "Varna.md", "readers": ["it"]}
    (tmp_path / "c.jsonl").write_text(json.dumps(line) + "\n")
    gear.ingest([tmp_path / "c.jsonl"], replace=True, extract=False)

    assert {"Sofia"} == seen(gear, principals=["hr", "it"])


@pytest.mark.parametrize(
    ("source", "readers", "hides"), [("Varna.md", ("it",), True), ("Varna.md", (), False), ("x.md", ("it",), False)]
)
def test_a_new_version_of_a_document_for_fewer_hides_reports_at_once(
    database, server, embedder, source, readers, hides
):
    """Although no passage of the earlier version is left."""
    passages, triples = town("Varna")
    fill(database, embedder, ([replace(one, position=index + 1) for index, one in enumerate(passages)], triples))
    new = Passage("new", "Varna", "Nothing is near.", source, position=1, readers=readers)
    with opened(server, embedder) as gear:
        gear.communities.build()
        write_passages(gear.graph, [new], embedder=embedder)
        remove_stale(gear.graph, {"Varna.md": frozenset(["new"])})

        assert hides == (not gear.scoped(principals=["it"]).communities.read().communities)


def test_readers_that_are_lost_during_a_build_hide_what_it_writes(gear):
    """The build had already read the triples; its stamp carries the older marks and admits nobody."""
    marks = gear.graph.communities.begin_build("default")
    rows = [{"id": id, "readers": []} for id in gear.communities.read().of("default").communities]
    gear.corpus.set_readers("Varna.md", ["it"])
    gear.graph.communities.stamp(rows, marks)

    assert {"Sofia"} == seen(gear, principals=["hr", "it"])


def test_a_build_that_was_interrupted_before_its_stamp_shows_no_scope_what_is_new(database, server, embedder):
    """The next build writes the stamp."""
    fill(database, embedder, town("Varna"))
    with opened(server, embedder) as gear:
        gear.communities.build()
        database.run(Query("u", "MATCH (c:__GearCommunity) REMOVE c.readerSets, c.moved, c.restricted", writes=True))
        hidden = [
            gear.scoped(**scope).communities.read().communities
            for scope in ({"principals": ["x"]}, {"collections": ["default"]})
        ]
        again = gear.communities.build()
        shown = gear.scoped(principals=["x"], collections=["default"]).communities.read().communities

    assert [{}, {}] == hidden
    assert (0, 0, 1) == (again.new, again.gone, len(shown))


def test_a_report_written_after_a_later_ingest_rests_on_that_too(database, server, embedder):
    """The build does not know this passage, so the report records its readers, even after the passage is gone."""
    fill(database, embedder, town("Varna"))
    secret = Passage("secret", "Varna", "Varna thing 0 hides Varna thing 1.", "secret.md", readers=("hr",))
    with asked(server, embedder, model := script()) as gear:
        gear.communities.build()
        fill(database, embedder, ([secret], [make_triple("secret", "Varna thing 0", "hides", "Varna thing 1")]))
        gear.communities.report()
        late = seen(gear, principals=[]), seen(gear, principals=["hr"])
        gear.corpus.forget("secret.md")
        gear.communities.build()
        kept = seen(gear, principals=[]), seen(gear, principals=["hr"])
        calls = model.played["report"]
        gear.corpus.set_readers("Varna.md", ["hr", "it"])
        gear.communities.build()
        gear.communities.report()

    assert ((set(), {"Varna"}), (set(), {"Varna"})) == (late, kept)
    # Somebody lost access to a passage, and it is unknown whether the late report uses it.
    assert (1, 2) == (calls, model.played["report"])


def test_a_filter_refuses_communities_with_the_reason(gear):
    """A report may use passages that the filter excludes."""
    view = gear.scoped(where="year >= 2020")
    reads = (
        view.communities.read,
        lambda: names_of(view.graph, gear.communities.read()),
        lambda: view.graph.communities.with_report([]),
        lambda: view.ask("What?", agent="graphrag-local"),
        lambda: view.ask("What?", agent="graphrag-global"),
    )
    for read in reads:
        with pytest.raises(ScopeRefusal, match="a filter: .*that the filter may exclude"):
            read()


def test_names_and_degrees_of_members_are_those_of_the_scope(database, server, embedder):
    """A longer spelling, and more triples, are in another collection."""
    fill(database, embedder, town("Varna"), town("Varna", collection="legal"))
    fill(
        database,
        embedder,
        (
            [Passage("legal/x", "", "X.", "x.md", collection="legal")],
            [make_triple("legal/x", "Varna Thing 0", "is", "Ada")],
        ),
    )
    with opened(server, embedder) as gear:
        gear.communities.build()
        view = gear.scoped(collections=["default"])
        (members,) = names_of(view.graph, view.communities.read()).values()

    assert [(f"Varna thing {index}", 3) for index in range(4)] == sorted((one.name, one.degree) for one in members)


# Adopted graphs


def test_permissions_that_narrow_in_an_adopted_graph_and_a_move_hide_its_reports(database, server, embedder):
    """At the next adoption; after a new build, those who may read them now see them."""
    database.run(
        Query(
            "staff",
            "UNWIND range(0, 3) AS n CREATE (:Person {name: 'Person ' + n, acl: ['hr', 'it']}) "
            "WITH count(*) AS all MATCH (a:Person), (b:Person) WHERE a.name < b.name CREATE (a)-[:KNOWS]->(b)",
            writes=True,
        )
    )
    profile = Profile(name="staff", entities={"Person": Entities(names=("name",))}, readers="acl")
    with opened(server, embedder) as gear:

        def shown(**scope):
            return len(gear.scoped(**scope).communities.read().communities)

        gear.overlay.adopt(profile, collection="crm")
        gear.communities.build()
        before = shown(principals=["it"]), shown(principals=["hr"], collections=["crm"]), shown(principals=["x"])
        gear.overlay.adopt()
        same = shown(principals=["it"])
        database.run(Query("n", "MATCH (p:Person {name: 'Person 0'}) SET p.acl = ['hr']", writes=True))
        gear.overlay.adopt()
        narrowed = shown(principals=["it"]), shown(principals=["hr"])
        gear.communities.build()
        built = shown(principals=["it"]), shown(principals=["hr"])
        gear.overlay.adopt(collection="sales")
        moved = shown(collections=["crm"]), shown(collections=["sales"])
        gear.communities.build()
        after = shown(collections=["crm"]), shown(collections=["sales"]), shown(principals=["hr"])

    assert ((1, 1, 0), 1, (0, 0), (0, 1)) == (before, same, narrowed, built)
    assert ((0, 0), (0, 1, 1)) == (moved, after)


# Older databases


def test_communities_of_an_older_version_are_those_of_the_default_collection_if_there_is_no_other(
    database, server, embedder
):
    """They keep ids and reports; the next build records who may read them."""
    fill(database, embedder, town("Varna"))
    with asked(server, embedder, script()) as gear:
        gear.communities.build()
        gear.communities.report()
        database.run(BEFORE_COLLECTIONS)
        unclaimed = towns_in(gear.communities.read()), seen(gear, collections=["default"])
        claimed = gear.graph.communities.claim(limit=1_000)
        found = seen(gear, collections=["default"]), seen(gear, principals=["x"])
        sizes = {build.collection: build.most for build in gear.graph.communities.builds()}
        built = gear.communities.build()

        assert (({"Varna"}, set()), 1, ({"Varna"}, set())) == (unclaimed, claimed, found)
        assert 5 == sizes["default"]
        assert (0, 0) == (built.new, built.gone)
        assert {"Varna"} == seen(gear, principals=["x"])


def test_communities_of_an_older_version_over_several_collections_are_replaced_by_the_next_build(gear, connection):
    """Until then they are visible without a scope, and refused under one with a remedy."""
    connection.run(BEFORE_COLLECTIONS)
    claimed = gear.graph.communities.claim(limit=1_000)
    whole = towns_in(gear.communities.read())
    answer = gear.ask("What is near?", agent="graphrag-global")
    with pytest.raises(InputError, match="in this scope: build them first \\('gear communities build'\\)"):
        gear.scoped(collections=["default"]).ask("What?", agent="graphrag-global")
    gear.communities.build()

    assert (0, {"Varna", "Ruse", "Sofia"}, True) == (claimed, whole, bool(answer.hits))
    assert {"default": 2, "legal": 1} == gear.graph.communities.count()


# Commands


def test_the_commands_tell_by_collection(gear, server, capsys, tmp_path):
    """As text, as JSON, on the page; and under the options of a scope."""
    where = ["--uri", server.uri, "--username", server.username, "--password", server.password]

    def run(*args):
        with pytest.raises(SystemExit) as ended:
            main([*args, *where])
        assert not ended.value.code
        return capsys.readouterr().out

    built = run("communities", "build")
    one = json.loads(run("communities", "update", "--collection", "legal", "--json"))
    shown = run("communities", "show", "--html", str(tmp_path / "map.html"))
    told = json.loads(run("communities", "show", "--json"))
    hidden = json.loads(run("communities", "show", "--as", "it", "--json"))
    stats = json.loads(run("stats", "--json"))

    assert "3 communities of 12 entities; 2 in default, 1 in legal; by level 3; 0 new, 0 gone" in built
    assert {"legal": 1} == one["communities"]["collections"]
    assert "default: 2 communities, 2 at the top" in shown
    assert '"collection": "legal"' in (tmp_path / "map.html").read_text("utf-8")
    assert {"default", "legal"} == {row["collection"] for row in told["communities"]}
    assert 2 == len(hidden["communities"])
    assert "hr" not in json.dumps(hidden)
    assert (3, {"default": 2, "legal": 1}) == (stats["communities"], stats["communities_by_collection"])
    assert "3: 2 in default, 1 in legal" in run("stats")
