"""Templates on a real database: added, listed, run and removed, in Python and on the command line."""

import json
from datetime import date

import pytest

from gear_neo4j.adoption.overlay import Adoption
from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.adoption.release import release
from gear_neo4j.errors import (
    DatabaseError,
    ExitCode,
    GearError,
    GuardError,
    InputError,
    NothingFound,
    QueryTimeout,
    ScopeRefusal,
)
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from tests.commands import one_line
from tests.dump import dump
from tests.graphs import ingest, opened

LIBRARY = """
CREATE (ada:Reader {name: 'Ada Wells'}), (ben:Reader {name: 'Ben Hill'}),
  (dune:Book {title: 'Dunes', pages: 210}), (tide:Book {title: 'Tides', pages: 340}),
  (ada)-[:BORROWED {on: date('2024-05-31')}]->(dune), (ada)-[:BORROWED {on: date('2024-06-02')}]->(tide),
  (ben)-[:BORROWED {on: date('2024-05-31')}]->(tide)
"""
PROFILE = Profile(name="library", entities={"Reader": Entities(names=("name",)), "Book": Entities(names=("title",))})
BORROWED = """// $reader (Reader.name): who borrowed them
MATCH (:Reader {name: $reader})-[:BORROWED]->(b:Book)
RETURN b.title AS book ORDER BY book"""
ON_DAY = "// $day (date)\nMATCH (r:Reader)-[b:BORROWED]->() WHERE b.on = $day RETURN r.name AS reader ORDER BY reader"
LONGEST = "// $most (integer)\nMATCH (b:Book) RETURN b.title AS book ORDER BY b.pages DESC LIMIT $most"
SECRET = "the readers under suspicion"


@pytest.fixture
def library(database, embedder):
    """An adopted graph of readers and books."""
    database.run(Query("graph", LIBRARY, writes=True))
    Adoption(Graph(database), PROFILE, embedder).run()
    return database


@pytest.fixture
def own(library, server, embedder):
    """The templates of the library."""
    with opened(server, embedder) as gear:
        yield gear.overlay.templates


def test_a_template_is_kept_and_run(own):
    """With its values as parameters, whatever they contain."""
    own.add("borrowed", query=BORROWED, description="the books that somebody borrowed")
    own.add("on-day", query=ON_DAY, description="who borrowed something on a day")
    own.add("longest", query=LONGEST, description="the books with the most pages")

    assert ["borrowed", "longest", "on-day"] == [template.name for template in own.list()]
    assert BORROWED == own.get("borrowed").text
    assert ({"book": "Dunes"}, {"book": "Tides"}) == own.run("borrowed", {"reader": "Ada Wells"}).rows
    assert () == own.run("borrowed", {"reader": "' OR true RETURN 1 //"}).rows
    for day in ("2024-06-02", date(2024, 6, 2)):
        assert ({"reader": "Ada Wells"},) == own.run("on-day", {"day": day}).rows
    assert ({"book": "Tides"},) == own.run("longest", {"most": "1"}).rows


def test_a_template_of_the_same_name_is_replaced_only_on_request(own):
    """Otherwise the first one stays."""
    own.add("borrowed", query=BORROWED, description="the books that somebody borrowed")
    with pytest.raises(InputError, match="borrowed already: replace it"):
        own.add("borrowed", query=ON_DAY, description="who borrowed something on a day")
    assert BORROWED == own.get("borrowed").text

    own.add("borrowed", query=ON_DAY, description="who borrowed something on a day", replace=True)
    assert [ON_DAY] == [template.text for template in own.list()]


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        ("MATCH (n) DETACH DELETE n", GuardError, "which writes"),
        ("MATCH (n {name: $name}) SET n.name = $name RETURN n", GuardError, "which writes"),
        ("MATCH (n) CALL apoc.load.json($url) YIELD value RETURN value", GuardError, "calls the procedure"),
        ("MATCH (n:Reader) RETRUN n RETURN n", DatabaseError, "Invalid input"),
        ("// $who (Reader.nmae)\nMATCH (n {name: $who}) RETURN n", InputError, "did you mean Reader.name"),
        ("RETURN nosuchfunction($x) AS y", DatabaseError, "nosuchfunction"),
    ],
)
def test_what_does_more_than_read_is_never_stored(own, library, query, error, message):
    """One line says why, and the database stays as it is."""
    before = dump(library)
    with pytest.raises(error, match=message) as refused:
        own.add("evil", query=query, description="nothing good", replace=True)

    assert "\n" not in str(refused.value)
    assert before == dump(library)


def test_a_stored_template_that_was_tampered_with_does_not_run(own, library):
    """Its text passes the guard again whenever it is read."""
    own.add("borrowed", query=BORROWED, description="the books that somebody borrowed")
    tampered = "MATCH (t:__GearStore {name: 'borrowed'}) SET t.text = 'MATCH (n:Reader) DETACH DELETE n RETURN 1 AS n'"
    library.run(Query("tampered", tampered, writes=True))

    with pytest.raises(GuardError, match="which writes"):
        own.run("borrowed", {})
    own.remove("borrowed")
    assert () == own.list()


def test_a_run_is_bounded(own):
    """In its rows, and the rest is told."""
    own.add("many", query="UNWIND range(1, 1000) AS n RETURN n", description="many numbers")
    read = own.run("many")

    assert (100, "only the first 100 rows were read: there are more") == (len(read.rows), read.truncated)


def test_a_run_that_takes_too_long_is_broken_off(own, monkeypatch):
    """The server ends it, and the next run works."""
    monkeypatch.setattr("gear_neo4j.graph.write.template_store.SECONDS", 0.5)
    loop = "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c RETURN sum(a * b * c) AS n"
    own.add("slow", query=loop, description="a large sum")
    own.add("one", query="RETURN 1 AS n", description="a number")

    with pytest.raises(QueryTimeout):
        own.run("slow")
    assert ({"n": 1},) == own.run("one").rows


def test_names_and_values_that_are_not_there(own):
    """Each message names what is."""
    own.add("borrowed", query=BORROWED, description="the books that somebody borrowed")
    with pytest.raises(NothingFound, match="did you mean borrowed"):
        own.get("borowed")
    with pytest.raises(NothingFound, match="no template 'other'"):
        own.remove("other")
    with pytest.raises(InputError, match="needs a value for reader"):
        own.run("borrowed")


def test_templates_need_an_adopted_graph(database, server, embedder, tmp_path):
    """Documents alone have none."""
    ingest(database, embedder, tmp_path, {"p1": "Hinton won."}, [("p1", "Hinton", "won", "prize")])
    with opened(server, embedder) as gear:
        assert () == gear.overlay.templates.list()
        with pytest.raises(InputError, match="gear adopt"):
            gear.overlay.templates.add("a", query="RETURN 1 AS n", description="one")


def test_an_empty_database_says_so(empty, server, embedder):
    """It has no index to read templates by."""
    with opened(server, embedder) as gear, pytest.raises(InputError):
        gear.overlay.templates.list()


@pytest.mark.parametrize("documents", [False, True])
def test_a_release_removes_the_templates(own, library, embedder, tmp_path, documents):
    """Also where documents, and so our schema, stay."""
    own.add("borrowed", query=BORROWED, description="the books that somebody borrowed")
    if documents:
        ingest(library, embedder, tmp_path, {"p1": "Hinton won."}, [("p1", "Hinton", "won", "prize")])
    release(Graph(library))

    left = Query("left", "MATCH (t) WHERE t.id STARTS WITH 'template/' RETURN count(t) AS n")
    assert 0 == library.run(left)[0]["n"]


READERS = Profile(name="library", entities=PROFILE.entities, collection="books", default_readers=("staff",))


@pytest.mark.parametrize(
    ("scope", "admitted"),
    [
        ({"collections": ["books"]}, True),
        ({"principals": ["staff"]}, True),
        ({"collections": ["default"]}, False),
        ({"principals": ["guest"]}, False),
        ({"principals": []}, False),
        ({"where": "not title exists"}, False),
    ],
)
def test_only_who_may_read_the_whole_graph_lists_and_runs_templates(library, server, embedder, scope, admitted):
    """A description may itself be a secret, so nothing of a template is shown; nobody adds or removes one in a view."""
    Adoption(Graph(library), READERS, embedder).run()
    with opened(server, embedder) as gear:
        gear.overlay.templates.add("borrowed", query=BORROWED, description=SECRET)
        template, view = gear.overlay.templates.get("borrowed"), gear.scoped(**scope)
        calls = [
            lambda: view.overlay.templates.list(),
            lambda: view.overlay.templates.get("borrowed"),
            lambda: view.overlay.templates.run("borrowed", {"reader": "Ada Wells"}),
            lambda: view.graph.own_templates.run(template, {"reader": "Ada Wells"}),
        ]
        for call in calls:
            if admitted:
                assert call()
            else:
                with pytest.raises(ScopeRefusal) as refused:
                    call()
                assert SECRET not in str(refused.value)
        for change in (
            lambda: view.overlay.templates.add("other", query=BORROWED, description="x"),
            lambda: view.overlay.templates.remove("borrowed"),
        ):
            with pytest.raises(GearError):
                change()
        assert ["borrowed"] == [one.name for one in gear.overlay.templates.list()]


def test_the_command_line(gear, library, tmp_path):
    """Add, list, show, run, remove; JSON has the same."""
    file = tmp_path / "borrowed.cypher"
    file.write_text(BORROWED)
    add = ("templates", "add", "borrowed", "--query", file, "--describe", "the books that somebody borrowed")

    assert (0, "borrowed: added, with the parameters reader\n") == gear(*add)[:2]
    assert one_line(gear(*add), "borrowed already")
    code, out, _ = gear("templates")
    assert (0, ["template", "borrowed"]) == (code, [line.split()[0] for line in out.splitlines()])
    parameters = [{"name": "reader", "kind": "Reader.name", "description": "who borrowed them"}]
    assert parameters == json.loads(gear("templates", "show", "borrowed", "--json")[1])["parameters"]
    assert f"// borrowed: the books that somebody borrowed\n{BORROWED}\n" == gear("templates", "show", "borrowed")[1]
    code, out, _ = gear("templates", "run", "borrowed", "--set", "reader=Ada Wells")
    assert (0, ["book", "Dunes", "Tides"]) == (code, out.split())
    run = gear("templates", "run", "borrowed", "--set", "reader=Ben Hill", "--json")
    assert {"rows": [{"book": "Tides"}], "truncated": ""} == json.loads(run[1])
    assert one_line(gear("templates", "run", "borrowed"), "needs a value for reader")
    assert (0, "borrowed: removed\n") == gear("templates", "remove", "borrowed")[:2]
    assert one_line(gear("templates", "remove", "borrowed"), exit_code=ExitCode.NOTHING_FOUND)
    assert "no templates" in gear("templates")[1]


def test_a_file_that_cannot_be_read(gear, library, tmp_path):
    """It is missing, or no text."""
    (tmp_path / "bad.cypher").write_bytes(b"\xff\xfe\xfa")
    for name in ("missing.cypher", "bad.cypher"):
        result = gear("templates", "add", "a", "--query", tmp_path / name, "--describe", "x")
        assert one_line(result, name, "cannot be read")
