"""The query files: what a file must say of itself, and that all of ours do."""

import re

import pytest

from gear_neo4j.graph import queries
from gear_neo4j.graph.queries import Query, load, named, resource_folder

OURS = sorted(resource_folder("cypher").rglob("*.cypher"))
TWINS = sorted((resource_folder("cypher") / "search_clause").glob("*.cypher"))


def loaded(tmp_path, text, name="find.cypher"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return load(tmp_path)


def test_a_query_is_loaded_with_its_parameters_and_access(tmp_path):
    """The comment lines are not part of the text that is sent."""
    text = (
        "// name: find(ids, limit)\n// access: read\n// Finds $nothing.\n"
        "MATCH (n)\n  // and $no more\nWHERE n.id IN $ids RETURN n LIMIT $limit\n"
    )

    actual = loaded(tmp_path, text)

    body = "MATCH (n)\nWHERE n.id IN $ids RETURN n LIMIT $limit"
    assert {"find": Query("find", body, frozenset({"ids", "limit"}), writes=False)} == actual


def test_a_query_that_writes_says_so(tmp_path):
    """It is sent to the leader of a cluster."""
    assert loaded(tmp_path, "// name: find()\n// access: write\nCREATE ()")["find"].writes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// name: other()\n// access: read\nRETURN 1", "declares the name other"),
        ("// name: find()\n// access: read\nRETURN $id", r"declares \[\] but uses \['id'\]"),
        ("// name: find(id, k)\n// access: read\nRETURN $id", r"declares \['id', 'k'\] but uses \['id'\]"),
        ("// name: find(ids)\n// access: read\nRETURN $id", r"declares \['ids'\] but uses \['id'\]"),
        ("// name: find()\nRETURN 1\nLIMIT 1", "first lines must be"),
        ("// name: find()\n// access: append\nRETURN 1", "first lines must be"),
        ("// access: read\n// name: find()\nRETURN 1", "first lines must be"),
        ("// name: find\n// access: read\nRETURN 1", "first lines must be"),
        ("RETURN 1", "first lines must be"),
        ("// name: find()\n// access: read", "first lines must be"),
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
        "RETURN 'costs $5 or $amount', $id",
        'RETURN "costs $amount", $id',
        "RETURN 'it''s $amount', $id",
        r"RETURN 'it\'s $amount', $id",
        "MATCH (n) RETURN n.`$amount`, $id",
        "// $amount\nRETURN $id",
        "RETURN $id // not $amount",
        "RETURN $id /* not\n$amount */",
    ],
)
def test_parameters_in_literals_and_comments_do_not_count(tmp_path, body):
    """Only $id is a parameter of the query."""
    actual = loaded(tmp_path, f"// name: find(id)\n// access: read\n{body}")

    assert {"id"} == actual["find"].parameters


@pytest.mark.parametrize("file", OURS, ids=lambda file: str(file.relative_to(resource_folder("cypher"))))
def test_each_of_our_files_is_static(file):
    """Nothing in it is filled in by Python: values are parameters, labels are written out."""
    assert [] == re.findall(r"\{\w*\}|\$\{|%[sdr(]|<%|\{\{", file.read_text("utf-8"))


def test_all_of_our_files_are_loaded():
    """One query a file, in both folders."""
    folder = resource_folder("cypher")

    assert {file.stem for file in folder.glob("*.cypher")} == set(load(folder))
    assert {file.stem for file in TWINS} == set(load(folder / "search_clause"))
    assert len(OURS) > len(TWINS) > 0


@pytest.mark.parametrize("name", [file.stem for file in TWINS])
def test_each_form_with_the_search_clause_has_a_twin(name):
    """The same name, parameters and access, so that the caller need not know which is sent."""
    plain, search = named(name), named(name, search_clause=True)

    assert (plain.parameters, plain.writes) == (search.parameters, search.writes)
    assert "SEARCH" in search.text
    assert "SEARCH" not in plain.text


def test_a_query_without_another_form_is_the_same_on_every_server():
    """Only those that gain by the SEARCH clause have one."""
    assert named("counts") is named("counts", search_clause=True)


def test_an_unknown_name_is_a_key_error():
    """A misspelt name fails at once."""
    with pytest.raises(KeyError):
        named("no_such_query")


def test_the_folders_of_the_package_are_found():
    """In a checkout they stand beside the package, in a wheel inside it."""
    assert queries.resource_folder("cypher").is_dir()
    assert queries.resource_folder("migrations").is_dir()
