"""Collections, readers and filters on the command line."""

import json

import pytest


@pytest.fixture
def departments(gear, tmp_path, monkeypatch):
    """Two departments and a handbook, as docs/access.md has them."""
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("contracts", "# Varna\n\nAna Petkova signed the contract for the harbour of Varna.\n"),
        ("salaries", "# Varna\n\nThe salary of Ana Petkova in Varna is secret.\n"),
        ("handbook", "# Varna\n\nThe Varna office is led by Ana Petkova.\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "varna.md").write_text(text)
    for arguments in (
        ("contracts", "--collection", "legal", "--readers", "group:legal"),
        ("salaries", "--collection", "hr", "--readers", "group:hr", "--readers", "user:cem"),
        ("handbook", "--collection", "handbook"),
    ):
        code, _, errors = gear("ingest", *arguments)
        assert 0 == code, errors
    return gear


def seen(gear, *options):
    """The collections of the passages that a search sees."""
    code, printed, errors = gear("search", "Who leads the Varna office?", "--json", *options)
    assert code in (0, 1), errors
    return sorted(hit["collection"] for hit in json.loads(printed)["hits"])


def test_a_caller_sees_what_he_may_read(departments):
    """By who he is, by collection, by metadata, and by all of these."""
    gear = departments

    assert ["handbook", "hr", "legal"] == seen(gear)
    assert ["handbook", "legal"] == seen(gear, "--as", "user:ada", "--as", "group:legal")
    assert ["handbook", "hr"] == seen(gear, "--as", "user:cem")
    assert ["handbook"] == seen(gear, "--as", "user:bo")
    assert [] == seen(gear, "--as", "user:bo", "--collection", "hr")
    assert ["hr"] == seen(gear, "--collection", "hr", "--as", "group:hr", "--where", "source = 'salaries/varna.md'")
    assert [] == seen(gear, "--collection", "hr", "--where", "year >= 2023")


def test_the_scope_of_a_search_is_in_its_json(departments):
    """As the caller gave it."""
    _, printed, _ = departments("search", "Varna?", "--json", "--as", "user:bo", "--where", "year >= 2023")

    assert {"principals": ["user:bo"], "where": {"year": {"gte": 2023}}} == json.loads(printed)["scope"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--where", "year >="],
            "the filter 'year >=' is wrong at its end: expected a number, a quoted text or true or",
        ),
        (["--where", '{"year":'], "the filter is not JSON"),
        (["--collection", ""], "the collection '' is blank"),
        (["--as", "a\nb"], "the principal 'a\\\\nb' holds characters that cannot be printed"),
        (["--retriever", "base", "--base", "weighted", "--strict"], "weighted is refused under a strict scope"),
    ],
)
def test_a_scope_that_cannot_be_used_is_one_line(departments, options, message):
    """With the place, and what was expected."""
    code, printed, errors = departments("search", "Varna?", *options)

    assert (2, "") == (code, printed)
    assert 1 == len(errors.splitlines())
    assert message.replace("\\\\n", "\\n") in errors


def test_collections_are_listed_and_dropped(departments):
    """As a table and as JSON; what is dropped is gone, an unknown one is named."""
    gear = departments
    _, table, _ = gear("collections")
    dry = gear("collections", "--drop", "hr", "--dry-run")
    dropped = gear("collections", "--drop", "hr", "--yes")
    code, _, errors = gear("collections", "--drop", "hr", "--yes")
    _, printed, _ = gear("collections", "--json")

    assert ["collection", "handbook", "hr", "legal"] == [line.split()[0] for line in table.splitlines()]
    assert "1 passage" in dry[1]
    assert "would be removed" in dry[1]
    assert "1 passage" in dropped[1]
    assert (1, "gear: there is no collection 'hr': there are handbook, legal\n") == (code, errors)
    assert ["handbook", "legal"] == [held["name"] for held in json.loads(printed)["collections"]]
    assert 2 == gear("collections", "--yes")[0]


def test_readers_are_set(departments):
    """And taken away again; the source must be there, and one of both options given."""
    gear = departments
    source = ("contracts/varna.md", "--collection", "legal")
    code, printed, _ = gear("readers", *source, "--set", "user:cem", "--set", "user:bo")

    assert (0, "1 passage of contracts/varna.md: user:bo, user:cem\n") == (code, printed)
    assert ["handbook", "legal"] == seen(gear, "--as", "user:bo")
    assert ["handbook"] == seen(gear, "--as", "group:legal")
    assert 0 == gear("readers", *source, "--everybody")[0]
    assert ["handbook", "legal"] == seen(gear, "--as", "nobody")
    assert 2 == gear("readers", *source)[0]
    assert 2 == gear("readers", *source, "--set", "user:bo", "--everybody")[0]
    code, _, errors = gear("readers", "contracts/varna.md", "--everybody")
    assert (1, True) == (code, "no passage has the source 'contracts/varna.md'" in errors)


def test_a_source_is_forgotten_in_its_collection(departments):
    """Not in another one."""
    gear = departments

    assert 1 == gear("forget", "salaries/varna.md")[0]
    assert 0 == gear("forget", "salaries/varna.md", "--collection", "hr")[0]
    assert ["handbook", "legal"] == seen(gear)
