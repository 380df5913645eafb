"""The query files: what a file must say of itself, and that all of ours do."""

import re

import pytest

from gear_neo4j.graph import queries
from gear_neo4j.graph.queries import Query, load, load_forms, named, resource_folder

OURS = sorted(resource_folder("cypher").rglob("*.cypher"))
TWINS = sorted((resource_folder("cypher") / "search_clause").glob("*.cypher"))


def loaded(tmp_path, text, name="find.cypher"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return load(tmp_path)


def test_a_query_is_loaded_with_its_header(tmp_path):
    """The comment lines are not part of the text that is sent."""
    text = (
        "// name: find(ids, limit)\n// access: read\n// columns: id, text\n// timeout: 10\n// Finds $nothing.\n"
        "MATCH (n)\n  // and $no more\nWHERE n.id IN $ids RETURN n.id AS id, n.text AS text LIMIT $limit\n"
    )

    actual = loaded(tmp_path, text)

    body = "MATCH (n)\nWHERE n.id IN $ids RETURN n.id AS id, n.text AS text LIMIT $limit"
    file = f"{tmp_path.name}/find.cypher"
    assert {
        "find": Query("find", body, frozenset({"ids", "limit"}), timeout=10, columns=("id", "text"), file=file)
    } == actual


def test_a_query_that_writes_says_so(tmp_path):
    """It is sent to the leader of a cluster."""
    assert loaded(tmp_path, "// name: find()\n// access: write\n// columns: none\nCREATE ()")["find"].writes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// name: other()\n// access: read\n// columns: one\nRETURN 1 AS one", "declares the name other"),
        ("// name: find()\n// access: read\n// columns: id\nRETURN $id AS id", r"declares \[\] but uses \['id'\]"),
        (
            "// name: find(id, k)\n// access: read\n// columns: id\nRETURN $id AS id",
            r"declares \['id', 'k'\] but uses \['id'\]",
        ),
        (
            "// name: find(ids)\n// access: read\n// columns: id\nRETURN $id AS id",
            r"declares \['ids'\] but uses \['id'\]",
        ),
        (
            "// name: find()\n// access: read\n// columns: id, text\nRETURN 1 AS id",
            r"declares the columns \['id', 'text'\] but returns \['id'\]",
        ),
        (
            "// name: find()\n// access: read\n// columns: text, id\nRETURN 1 AS id, 2 AS text",
            r"declares the columns \['text', 'id'\] but returns \['id', 'text'\]",
        ),
        (
            "// name: find()\n// access: write\n// columns: none\nCREATE (n) RETURN n",
            r"declares the columns \[\] but returns \['n'\]",
        ),
        (
            "// name: find()\n// access: write\n// columns: n\nCREATE (n)",
            r"declares the columns \['n'\] but returns \[\]",
        ),
        ("// name: find()\nRETURN 1\nLIMIT 1", "first lines must be"),
        ("// name: find()\n// access: read\nRETURN 1 AS one", "first lines must be"),
        ("// name: find()\n// access: read\n// columns:\nRETURN 1 AS one", "first lines must be"),
        ("// name: find()\n// access: append\n// columns: one\nRETURN 1 AS one", "first lines must be"),
        ("// access: read\n// name: find()\n// columns: one\nRETURN 1 AS one", "first lines must be"),
        ("// name: find\n// access: read\n// columns: one\nRETURN 1 AS one", "first lines must be"),
        ("RETURN 1", "first lines must be"),
        ("// name: find()\n// access: read\n// columns: none", "first lines must be"),
        ("", "first lines must be"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused(tmp_path, text, message):
    """The message names the file and the difference."""
    with pytest.raises(ValueError, match=rf"find\.cypher: .*{message}"):
        loaded(tmp_path, text)


@pytest.mark.parametrize(
    "body",
    [
        "WITH 'costs $5 or $amount' AS text RETURN $id AS id",
        'WITH "costs $amount" AS text RETURN $id AS id',
        "WITH 'it''s $amount' AS text RETURN $id AS id",
        r"WITH 'it\'s $amount' AS text RETURN $id AS id",
        "MATCH (n) WHERE n.`$amount` = 1 RETURN $id AS id",
        "// $amount\nRETURN $id AS id",
        "RETURN $id AS id // not $amount",
        "RETURN $id /* not\n$amount */ AS id",
        "MATCH (n) // the user's\nWHERE n.x = '$amount' RETURN $id AS id",
    ],
)
def test_parameters_in_literals_and_comments_do_not_count(tmp_path, body):
    """Only $id is a parameter of the query."""
    actual = loaded(tmp_path, f"// name: find(id)\n// access: read\n// columns: id\n{body}")

    assert {"id"} == actual["find"].parameters


@pytest.mark.parametrize("file", OURS, ids=lambda file: str(file.relative_to(resource_folder("cypher"))))
def test_each_of_our_files_is_static(file):
    """Nothing in it is filled in by Python: values are parameters, labels are written out."""
    assert [] == re.findall(r"\{\w*\}|\$\{|%[sdr(]|<%|\{\{", file.read_text("utf-8"))


@pytest.mark.parametrize("file", OURS, ids=lambda file: str(file.relative_to(resource_folder("cypher"))))
def test_a_scoped_query_checks_each_triple_that_it_reaches_from_a_passage(file):
    """Of an adopted graph, a triple may be for fewer readers than its passage."""
    text = file.read_text("utf-8")
    reached = re.findall(r"<-\[:FROM\]-\((\w*)", text) if "// scope: filtered" in text else []

    unchecked = [name for name in reached if not name or f"IN_SCOPE_TRIPLE({name})" not in text]

    # Of passages that were ingested, whose triples have the same readers: their number is in the server's counters.
    assert ([""] if file.name == "scope_size.cypher" else []) == unchecked


def test_all_of_our_files_are_loaded():
    """One query a file, in both folders."""
    folder = resource_folder("cypher")

    assert {file.stem for file in folder.glob("*.cypher")} == set(load(folder))
    assert {file.stem for file in TWINS} == set(load_forms(folder, "search_clause", load(folder)))
    assert len(OURS) > len(TWINS) > 0


@pytest.mark.parametrize("name", [file.stem for file in TWINS])
def test_each_form_with_the_search_clause_has_a_twin(name):
    """The same name, parameters, access and columns, so that the caller need not know which is sent."""
    plain, search = named(name), named(name, form="search_clause")

    assert plain.interface == search.interface
    assert (f"cypher/{name}.cypher", f"cypher/search_clause/{name}.cypher") == (plain.file, search.file)
    assert "SEARCH" in search.text
    assert "SEARCH" not in plain.text


@pytest.mark.parametrize(
    "text",
    [
        "// name: find(id)\n// access: read\n// columns: text\nRETURN $id AS text",
        "// name: find(key)\n// access: read\n// columns: id\nRETURN $key AS id",
        "// name: find(id)\n// access: write\n// columns: id\nRETURN $id AS id",
    ],
)
def test_a_form_with_another_header_than_the_plain_one_is_refused(tmp_path, text):
    """The message names both files."""
    plain = loaded(tmp_path, "// name: find(id)\n// access: read\n// columns: id\nRETURN $id AS id")
    forms = tmp_path / "search_clause"
    forms.mkdir()
    (forms / "find.cypher").write_text(text, encoding="utf-8")

    with pytest.raises(ValueError, match=rf"search_clause/find\.cypher: .*{tmp_path.name}/find\.cypher"):
        load_forms(tmp_path, "search_clause", plain)


def test_a_form_without_a_plain_one_is_refused(tmp_path):
    """A server without the clause could not run it."""
    (tmp_path / "search_clause").mkdir()
    text = "// name: find()\n// access: read\n// columns: id\nRETURN 1 AS id"
    (tmp_path / "search_clause" / "find.cypher").write_text(text, encoding="utf-8")

    with pytest.raises(ValueError, match=r"search_clause/find\.cypher"):
        load_forms(tmp_path, "search_clause", {})


def test_a_query_without_another_form_is_the_same_on_every_server():
    """Only those that gain by the SEARCH clause have one."""
    assert named("counts") is named("counts", form="search_clause")


def test_an_unknown_name_is_a_key_error():
    """A misspelt name fails at once."""
    with pytest.raises(KeyError):
        named("no_such_query")


def test_the_folders_of_the_package_are_found():
    """In a checkout they stand beside the package, in a wheel inside it."""
    assert queries.resource_folder("cypher").is_dir()
    assert queries.resource_folder("migrations").is_dir()
