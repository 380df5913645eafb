"""Collections, readers and filters on the command line."""

import json

import pytest

pytestmark = pytest.mark.one_server_line


@pytest.fixture
def departments(gear, tmp_path, monkeypatch):
    """Two departments and a handbook, as in docs/access.md."""
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
    """The collections of the passages that a search returns."""
    code, printed, errors = gear("search", "Who leads the Varna office?", "--json", *options)
    assert code in (0, 1), errors
    return sorted(hit["collection"] for hit in json.loads(printed)["hits"])


def test_a_caller_sees_what_he_may_read(departments):
    """By principal, by collection, by metadata, and by all of these."""
    gear = departments

    assert ["handbook", "hr", "legal"] == seen(gear)
    assert ["handbook", "legal"] == seen(gear, "--as", "user:ada", "--as", "group:legal")
    assert ["handbook", "hr"] == seen(gear, "--as", "user:cem")
    assert ["handbook"] == seen(gear, "--as", "user:bo")
    assert [] == seen(gear, "--as", "user:bo", "--collection", "hr")
    assert ["hr"] == seen(gear, "--collection", "hr", "--as", "group:hr", "--where", "source = 'salaries/varna.md'")
    assert [] == seen(gear, "--collection", "hr", "--where", "year >= 2023")


def test_the_scope_of_a_search_is_in_its_json(departments):
    """As the caller wrote it."""
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
    """With the wrong character, and what was expected."""
    code, printed, errors = departments("search", "Varna?", *options)

    assert (2, "") == (code, printed)
    assert 1 == len(errors.splitlines())
    assert message.replace("\\\\n", "\\n") in errors


def test_collections_are_listed_and_dropped(departments):
    """As a table and as JSON; a dropped one is gone, an unknown one is named."""
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
    misspelt = "gear: there is no collection 'lgeal': did you mean legal? there are handbook, legal\n"
    for command in (("search", "x"), ("paths", "x"), ("forget", "x"), ("readers",), ("sources",)):
        code, _, errors = gear(*command, "--collection", "lgeal")
        assert (1, misspelt) == (code, errors)
    assert ["handbook", "legal"] == [held["name"] for held in json.loads(printed)["collections"]]
    assert 2 == gear("collections", "--yes")[0]


def test_readers_are_set(departments):
    """They are shown, and can be removed; only one of both options is allowed."""
    gear = departments
    source = ("contracts/varna.md", "--collection", "legal")
    code, printed, _ = gear("readers", *source, "--set", "user:cem", "--set", "user:bo")

    assert (0, "1 passage of contracts/varna.md: user:bo, user:cem\n") == (code, printed)
    assert ["handbook", "legal"] == seen(gear, "--as", "user:bo")
    assert ["handbook"] == seen(gear, "--as", "group:legal")
    assert "user:bo, user:cem" in gear("readers", *source)[1]
    assert "contracts/varna.md" in gear("readers", "--collection", "legal")[1]
    assert 0 == gear("readers", *source, "--everybody")[0]
    assert ["handbook", "legal"] == seen(gear, "--as", "nobody")
    assert "everybody" in gear("readers", *source)[1]
    assert 2 == gear("readers", "--set", "user:bo")[0]
    assert 2 == gear("readers", *source, "--set", "user:bo", "--everybody")[0]
    code, _, errors = gear("readers", "contracts/varna.md", "--everybody")
    assert (1, True) == (code, "'contracts/varna.md' is not in the collection 'default': it is in legal" in errors)


def test_a_source_is_forgotten_in_its_collection(departments):
    """Not in another one."""
    gear = departments

    assert 1 == gear("forget", "salaries/varna.md")[0]
    assert 0 == gear("forget", "salaries/varna.md", "--collection", "hr")[0]
    assert ["handbook", "legal"] == seen(gear)


RIVERS = {"p1": "The Elbe rises in Bohemia.", "p2": "Bohemia is a part of Czechia.", "p3": "The Oder is a river."}
PEOPLE = {"p1": "Ada was born in London.", "p2": "London is the capital of England.", "p3": "Bo likes Bohemia."}


def data_set(folder, texts, question):
    """A data set whose question needs the first two passages; the ids are the same in all of them."""
    folder.mkdir()
    rows = [{"id": id, "title": id, "text": text} for id, text in texts.items()]
    words = {id: text.rstrip(".").split() for id, text in texts.items()}
    facts = [{"id": id, "triples": [[first, second, last]]} for id, (first, second, *_, last) in words.items()]
    queries = [{"id": "q1", "question": question, "gold": ["p1", "p2"], "answers": ["it"]}]
    for name, lines in (("corpus", rows), ("triples", facts), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(folder)


def test_data_sets_live_in_collections_of_one_database(departments, tmp_path):
    """Next to existing data: each is ingested once and measured as if it were alone."""
    gear = departments
    rivers = data_set(tmp_path / "rivers", RIVERS, "Where does the Elbe rise, and what is that a part of?")
    people = data_set(tmp_path / "people", PEOPLE, "Where was Ada born, and what is that the capital of?")

    def measured(folder, *options):
        code, printed, errors = gear("evaluate", folder, "--retriever", "naive", "--ks", "2", "--json", *options)
        assert 0 == code, errors
        return json.loads(printed), errors

    code, _, errors = gear("evaluate", rivers, "--retriever", "naive")
    assert (2, True) == (code, "use a collection (--collection)" in errors)
    first, _ = measured(rivers, "--collection", "rivers")
    second, _ = measured(people, "--collection", "people")
    again, errors = measured(rivers, "--collection", "rivers")

    assert [100.0, 100.0] == [report["recall"]["2"] for report in (first, second)]
    assert first["recall"] == again["recall"]
    assert "passages" not in errors
    assert {"rivers/p1", "rivers/p2"} == set(first["per_question"][0]["gold"])
    _, printed, _ = gear("collections", "--json")
    sizes = {row["name"]: row["passages"] for row in json.loads(printed)["collections"]}
    assert (3, 3, 1) == (sizes["rivers"], sizes["people"], sizes["legal"])


def test_a_data_set_whose_collection_was_dropped_is_ingested_again(gear, tmp_path):
    """The record shows that it is no longer complete."""
    rivers = data_set(tmp_path / "rivers", RIVERS, "Where does the Elbe rise?")
    command = ("evaluate", rivers, "--retriever", "naive", "--collection", "rivers", "--json")
    _, printed, _ = gear(*command)

    assert 0 == gear("collections", "--drop", "rivers", "--yes")[0]
    _, again, _ = gear(*command)

    assert json.loads(printed)["recall"] == json.loads(again)["recall"] != {}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--collection", "a", "--collection", "b"], "a data set is in one collection: give one of a, b"),
        (["--collection", "a/b"], "holds a slash"),
        (["--collection", "a", "--extract", "both"], "--extract both needs a database of its own"),
        (["--collection", "a", "--table"], "--table and --report measure every system"),
        (["--strict", "--retriever", "base", "--base", "fulltext"], "fulltext is refused under a strict scope"),
    ],
)
def test_an_evaluation_that_cannot_be_in_a_collection_is_refused(gear, tmp_path, options, reason):
    rivers = data_set(tmp_path / "rivers", RIVERS, "Where does the Elbe rise?")

    code, _, errors = gear("evaluate", rivers, *options)

    assert code not in (0, 1)
    assert reason in " ".join(errors.split())


def test_a_dry_run_takes_the_collection_and_refuses_wrong_names(departments):
    """As the ingest would."""
    code, printed, _ = departments("ingest", "contracts", "--dry-run", "--collection", "new")

    assert (0, "1 passage could be ingested into the collection new\n") == (code, printed)
    for options in (["--collection", "a/b"], ["--readers", " "]):
        code, _, errors = departments("ingest", "contracts", "--dry-run", *options)
        assert (2, 1) == (code, len(errors.splitlines()))


def test_the_plan_of_a_scope_is_in_its_json_and_in_what_the_doctor_says(departments):
    """A small scope is searched directly."""
    _, printed, _ = departments("search", "Varna?", "--json", "--collection", "hr")
    plain = json.loads(departments("search", "Varna?", "--json")[1])
    code, examined, _ = departments("doctor", "--collection", "hr", "--json")

    assert ("reads all vectors of the scope", "") == (json.loads(printed)["scope_plan"], plain["scope_plan"])
    (finding,) = [finding for finding in json.loads(examined)["findings"] if finding["subject"] == "scope"]
    assert 0 == code
    assert finding["detail"].startswith("1 of 3 passages, ")
    assert finding["detail"].endswith("; a search reads all vectors of the scope")
    assert "scope" not in [of["subject"] for of in json.loads(departments("doctor", "--json")[1])["findings"]]
