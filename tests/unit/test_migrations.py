"""The migration files: how they are split into statements, checksummed, named and ordered."""

from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.errors import MigrationError
from gear_neo4j.graph.fragments import resource_folder
from gear_neo4j.graph.schema.indexes import expected_indexes
from gear_neo4j.graph.schema.migration_files import Migration, load, statements_of, variant
from gear_neo4j.graph.schema.migrations import INDEX_FILTERS, PASSES


def folder_of(tmp_path, *names, text="RETURN 1;"):
    for name in names:
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        (" \n\n", ()),
        ("CREATE (a);", ("CREATE (a)",)),
        ("CREATE (a)", ("CREATE (a)",)),
        ("CREATE (a);\nCREATE (b);\n", ("CREATE (a)", "CREATE (b)")),
        ("CREATE (a);\nCREATE (b)", ("CREATE (a)", "CREATE (b)")),
        ("CREATE (a);\r\nCREATE (b);\r\n", ("CREATE (a)", "CREATE (b)")),
        ("CREATE (a); \t\nCREATE (b);", ("CREATE (a)", "CREATE (b)")),
        ("CREATE (a {t: 'x; y'});\nCREATE (b);", ("CREATE (a {t: 'x; y'})", "CREATE (b)")),
        ("CREATE (a)\n  -[:R]->(b);", ("CREATE (a)\n  -[:R]->(b)",)),
        ("// Why.\nCREATE (a);\n// And; why.\nCREATE (b);", ("// Why.\nCREATE (a)", "// And; why.\nCREATE (b)")),
        (";\n;\nCREATE (a);;\n", ("CREATE (a);",)),
    ],
)
def test_a_file_is_cut_at_semicolons_that_end_a_line(text, expected):
    """Those inside a line stay, comments belong to the next statement, and the last semicolon is optional."""
    assert expected == statements_of(text)


@settings(deadline=None)
@given(st.lists(st.text("ab;'/ ").map(lambda text: f"CREATE {text} (x)"), max_size=5))
def test_statements_that_are_put_together_come_apart_again(statements):
    """Whatever their lines contain."""
    assert tuple(statements) == statements_of(";\n".join(statements))


def test_the_checksum_is_the_crc32_of_the_statements_one_after_the_other():
    """In decimal, like neo4j-migrations."""
    migration = Migration("001", "words", "V001__words.cypher", ("// Wörter\nCREATE (a)", "CREATE (b)"))

    assert str(crc32("// Wörter\nCREATE (a)CREATE (b)".encode())) == migration.checksum
    assert migration.checksum.isdecimal()


@pytest.mark.parametrize(
    "changed",
    [
        ("// why not\nCREATE (a)", "CREATE (b)"),
        ("// why\nCREATE (A)", "CREATE (b)"),
        ("CREATE (b)", "// why\nCREATE (a)"),
        ("// why\nCREATE (a)",),
        ("// why\nCREATE (a ${dimension})", "CREATE (b)"),
    ],
)
def test_the_checksum_tells_a_changed_file(changed):
    """Even if only a comment, the order or a placeholder changed."""
    one = Migration("1", "w", "V1__w.cypher", ("// why\nCREATE (a)", "CREATE (b)"))

    assert one.checksum != Migration("1", "w", "V1__w.cypher", changed).checksum


def test_the_checksum_of_a_file_does_not_depend_on_its_line_ends(tmp_path):
    """A checkout on Windows has the same migrations."""
    (tmp_path / "unix").mkdir()
    (tmp_path / "windows").mkdir()
    (tmp_path / "unix" / "V1__w.cypher").write_bytes(b"// why\nCREATE (a)\n  -->(b);\nCREATE (c);\n")
    (tmp_path / "windows" / "V1__w.cypher").write_bytes(b"// why\r\nCREATE (a)\r\n  -->(b);\r\nCREATE (c);\r\n")

    assert load(tmp_path / "unix")[0].checksum == load(tmp_path / "windows")[0].checksum


def test_versions_are_ordered_as_numbers(tmp_path):
    """V2 comes before V10, and V2_1 between V2 and V3."""
    names = ["V10__j.cypher", "V2__b.cypher", "V3__c.cypher", "V2_1__b_more.cypher", "V001__a.cypher"]

    actual = [migration.version for migration in load(folder_of(tmp_path, *names))]

    assert ["001", "2", "2.1", "3", "10"] == actual


def test_a_file_name_says_version_and_description(tmp_path):
    """Underscores become spaces and points."""
    actual = load(folder_of(tmp_path, "V001_2__two_words.cypher"))

    assert (Migration("001.2", "two words", "V001_2__two_words.cypher", ("RETURN 1",)),) == actual


@pytest.mark.parametrize(
    "name",
    ["001__words.cypher", "V1_words.cypher", "V__words.cypher", "Vx__words.cypher", "V1__.cypher", "V1__a-b.cypher"],
)
def test_a_bad_name_is_refused(tmp_path, name):
    """The message shows a good one."""
    with pytest.raises(MigrationError, match="V001__words"):
        load(folder_of(tmp_path, name))


@pytest.mark.parametrize(
    ("one", "other"),
    [("V1__a.cypher", "V1__b.cypher"), ("V1__a.cypher", "V001__b.cypher"), ("V1_2__a.cypher", "V1_02__b.cypher")],
)
def test_two_files_of_one_version_are_refused(tmp_path, one, other):
    """Even if the number is written in two ways, because their order would be arbitrary."""
    with pytest.raises(MigrationError, match="same version"):
        load(folder_of(tmp_path, one, other))


def test_other_files_and_an_empty_folder_are_no_migrations(tmp_path):
    """Only .cypher files count."""
    assert () == load(folder_of(tmp_path, "README.md"))


def test_our_migrations_are_numbered_from_one_without_a_gap():
    """Each has a statement or a pass in Python, and none ends with only a comment."""
    ours = load()

    assert [f"{number:03}" for number in range(1, len(ours) + 1)] == [migration.version for migration in ours]
    for migration in ours:
        assert migration.statements or migration.source in PASSES
        assert all(not statement.splitlines()[-1].startswith("//") for statement in migration.statements)


def test_every_index_that_is_verified_is_made_by_a_migration():
    """By its name, and no others are created."""
    made = [line.split(" IF NOT EXISTS ")[0].split()[-1] for line in creating_lines()]

    assert sorted(index.name for index in expected_indexes(384)) == sorted(made)


def test_a_variant_creates_what_its_migration_creates():
    """It only adds filter properties; the database keeps the checksum of the migration."""
    for file in (resource_folder("migrations") / INDEX_FILTERS).glob("*.cypher"):
        (migration,) = (one for one in load() if one.source == file.name)
        better = variant(file.name, folder=INDEX_FILTERS)

        assert [plain(text) for text in migration.statements] == [plain(text) for text in better]


def plain(statement):
    """A statement without comments, Cypher version and the filter properties of an index."""
    lines = [line for line in statement.splitlines() if not line.startswith(("//", "CYPHER 25", "WITH ["))]
    return "\n".join(lines)


def creating_lines():
    """The line of each statement that begins with CREATE."""
    lines = (line for migration in load() for statement in migration.statements for line in statement.splitlines())
    return [line for line in lines if line.startswith("CREATE ")]
