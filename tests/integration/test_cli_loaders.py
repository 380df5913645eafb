"""``gear sync --loader``: the class, its options, its errors, and the exit codes."""

import json

import pytest

from gear_neo4j.errors import ExitCode
from tests.commands import one_line

pytestmark = pytest.mark.one_server_line

PAGES = "tests.loaders:JsonPages"
ROWS = [{"source": f"page{n}", "text": f"Page {n} is by Ada Lovelace.", "acl": ["user:ada"], "n": n} for n in range(3)]


@pytest.fixture
def sync(gear, tmp_path):
    """Write rows to a file, and sync what a loader gives of it."""
    path = tmp_path / "pages.json"

    def run(rows, *words, loader=PAGES):
        path.write_text(json.dumps(rows))
        return gear("sync", "--loader", loader, "--source-name", "wiki", "--option", f"path={path}", *words)

    return run


def test_a_loader_is_synced_and_synced_again(gear, sync):
    """Keys, readers and versions are fields; the record shows the class alone."""
    fields = ["--key", "n", "--readers-field", "acl", "--option", "token=s3cret", "--option", "limit=5"]
    first = sync(ROWS, *fields)
    again = sync(ROWS, *fields)
    changed = sync([row | {"now": 1} for row in ROWS], *fields, "--version-field", "n")
    versions = sync([row | {"now": 2} for row in ROWS], *fields, "--version-field", "n")
    found = gear("search", "Ada Lovelace", "--as", "user:ada", "--json")
    hidden = gear("search", "Ada Lovelace", "--as", "user:bo")
    sources = json.loads(gear("sources", "--json")[1])["sources"]

    assert 0 == first[0]
    assert first[1].startswith("documents: 3 new; 3 passages written")
    assert again[1] == "documents: 3 unchanged; 0 passages written\n"
    assert changed[1].startswith("documents: 3 changed; 0 passages written")
    assert again[1] == versions[1]
    assert {"wiki/0", "wiki/1", "wiki/2"} == {hit["source"] for hit in json.loads(found[1])["hits"]}
    assert ExitCode.NOTHING_FOUND == hidden[0]
    assert [("wiki", ["tests.loaders.JsonPages"], 3)] == [
        (one["name"], one["roots"], one["documents"]) for one in sources
    ]


def test_a_loader_that_fails_in_the_middle_is_a_partial_result(gear, sync):
    """The command says what happened, and removes nothing; one that gives nothing needs consent."""
    sync(ROWS)
    code, out, err = sync(ROWS[2:] + ROWS[:1], "--option", "limit=1")
    dropped = sync([])
    allowed = sync([], "--yes")

    assert ExitCode.PARTIAL == code
    assert out.startswith("documents: 1 unchanged; 0 passages written")
    assert "wiki: was not read to its end, and what is missing stays: ConnectionError: the server hangs up on" in err
    assert err.endswith("gear: wiki was not read to its end, see above; sync again\n")
    assert one_line(dropped, "3 of 3 documents are gone from the sources", "--yes")
    assert allowed[1].startswith("documents: 3 deleted; 0 passages written; 3 removed")


def test_no_message_contains_the_value_of_an_option(gear, sync, tmp_path):
    """Neither where the class cannot be made, nor where it fails."""
    nowhere = ("sync", "--loader", PAGES, "--source-name", "wiki", "--option", f"path={tmp_path}/none")
    results = [
        sync(ROWS, "--option", "token=s3cret", "--option", "limit=1"),
        sync(ROWS, "--option", "token=s3cret", "--option", "s3cret=1"),
        gear(*nowhere, "--option", "token=s3cret"),
        gear(*nowhere, "--option", 'token={"a": ["s3cret"]}'),
        gear(*nowhere, "--option", "s3cret"),
        sync(ROWS, "--option", "token=s3cret", loader="tests.loaders:Picky"),
    ]

    assert [4, 2, 2, 2, 2, 2] == [code for code, _, _ in results]
    for number, (_, out, err) in enumerate(results):
        # The name of an option is no secret.
        assert number == 1 or "s3cret" not in out + err
    assert one_line(results[2], "the loader of 'wiki' fails: ConnectionError: the server refuses the token ***")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--loader", "tests.loaders"], "--loader tests.loaders is no module:Class"),
        (
            ["--loader", "nosuch.module:A"],
            "there is no module 'nosuch': install the package that nosuch.module:A needs",
        ),
        (["--loader", "tests.loaders:JsonPage"], "tests.loaders has no 'JsonPage': did you mean JsonPages?"),
        (["--loader", "tests.loaders:NoLoader"], "tests.loaders:NoLoader is no loader"),
        (["--loader", PAGES], "JsonPages cannot be made: TypeError: "),
        (["--loader", PAGES, "--option", "path"], "--option is not NAME=VALUE"),
        (["--loader", PAGES, "--option", "path=x", "--table", "t"], "--loader takes the place of SOURCES and tables"),
        (["--option", "path=x", "docs"], "--option, --version-field and --readers-field are for loaders"),
        ([], "SOURCES is missing: give folders, addresses or tables, or a --loader"),
    ],
)
def test_what_cannot_be_a_loader_is_refused_in_a_line(gear, words, expected):
    """Before a server is started."""
    assert one_line(gear("sync", "--source-name", "wiki", *words), expected)


def test_a_loader_needs_a_name_for_its_source(gear):
    """Two loaders may have the same class."""
    assert one_line(gear("sync", "--loader", PAGES, "--option", "path=x"), "add --source-name NAME")
