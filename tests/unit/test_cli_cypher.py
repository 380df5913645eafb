"""``gear cypher``: the queries as listed, and as sent."""

import json

import pytest

from gear_neo4j.cli.main import main
from gear_neo4j.errors import ExitCode, ScopeRefusal
from gear_neo4j.graph.fragments import resource_folder
from gear_neo4j.graph.queries import load, named
from gear_neo4j.graph.scope.scope_macros import Shape
from gear_neo4j.graph.sent import sent

QUERIES = load(resource_folder("cypher"))
FULL = Shape(True, True, True)


@pytest.fixture
def gear(capsys, monkeypatch):
    """Run a command without any server."""
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    monkeypatch.setenv("COLUMNS", "200")

    def run(*args):
        with pytest.raises(SystemExit) as ended:
            main(["cypher", *args])
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


def test_every_query_is_listed_with_its_access_and_what_it_does(gear):
    """Sorted by name."""
    code, out, _ = gear("--json")
    rows = json.loads(out)

    assert (ExitCode.DONE, list(QUERIES)) == (code, [row["name"] for row in rows])
    assert {name: "write" if query.writes else "read" for name, query in QUERIES.items()} == {
        row["name"]: row["access"] for row in rows
    }
    assert all(row["summary"].endswith((".", ":")) for row in rows)
    line = next(line for line in gear()[1].splitlines() if line.startswith("triples_of "))
    assert ["triples_of", "read", "All triples that the passages with the given ids state."] == line.strip().split(
        maxsplit=2
    )


def test_a_query_is_shown_as_it_is_sent_below_its_parameters(gear):
    """Each line can be pasted into Neo4j Browser."""
    assert (
        ExitCode.DONE,
        ":param limit => null;\n"
        ":param passage => null;\n"
        "// At most $limit triples of a passage (its id), in order of their three parts.\n"
        f"{named('stated_triples').text}\n",
        "",
    ) == gear("stated_triples")


@pytest.mark.parametrize(
    ("options", "form", "shape"),
    [
        (["--scoped"], "plain", FULL),
        (["--search-clause"], "search_clause", None),
        (["--search-clause", "--scoped"], "search_clause", FULL._replace(in_index=True)),
        (["--small-scope"], "small_scope", FULL),
    ],
)
def test_each_form_can_be_shown(gear, options, form, shape):
    """With an example of a scope among the parameters; unused parameters are left out."""
    query = named("seed_triples", form=form)

    shown = json.loads(gear("seed_triples", *options, "--json")[1])

    assert (query.within(shape) if shape else query).text == shown["text"]
    assert query.parameters | ({"scope"} if shape else set()) == shown["parameters"].keys()
    assert not shape or ["legal"] == shown["parameters"]["scope"]["collections"]


@pytest.mark.parametrize("name", QUERIES)
def test_every_query_can_be_shown_under_a_scope_or_is_refused(name):
    """Community queries are shown without the filter, which they do not allow."""
    if QUERIES[name].scope == "refused":
        with pytest.raises(ScopeRefusal, match=rf"cypher/{name}\.cypher reads or writes the whole graph"):
            sent(name, scoped=True)
    else:
        shown = sent(name, scoped=True)
        assert ("$scope" in shown.statement) == ("scope" in shown.parameters)
        assert "/*+" not in shown.statement


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["seed_triple"], "there is no query 'seed_triple': did you mean seed_triples? 'gear cypher' lists them"),
        (["../x"], "there is no query '../x': 'gear cypher' lists them"),
        (["write_triples", "--scoped"], "this is refused under a scope: cypher/write_triples.cypher reads or writes"),
        (["--scoped"], "--scoped, --search-clause and --small-scope show one query: name it"),
        (["counts", "--search-clause", "--small-scope"], "choose --search-clause or --small-scope"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_line(gear, args, message):
    """It says what to do."""
    code, out, err = gear(*args)

    assert (ExitCode.ERROR, "", 1) == (code, out, len(err.splitlines()))
    assert message in err
