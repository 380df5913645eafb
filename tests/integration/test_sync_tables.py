"""Tables as sources of a sync: each row is a document, identified by its key."""

import csv
import sqlite3
from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from gear_neo4j import Table
from gear_neo4j.errors import ExitCode, InputError, SettingsError
from tests.commands import one_line
from tests.graphs import opened

pytestmark = pytest.mark.one_server_line

ROWS = [
    {"id": 1, "name": "Wheel", "about": "A wheel for spinning yarn.", "year": 1764, "price": 12.5},
    {"id": 2, "name": "Engine", "about": "An engine that runs on steam.", "year": 1712, "price": 900.0},
    {"id": 3, "name": "Loom", "about": "A loom that weaves patterns from cards.", "year": 1804, "price": 310.0},
]
COLUMNS = ("id", "name", "about", "year", "price")


def write_parquet(path, rows):
    parquet.write_table(pa.Table.from_pylist(rows), path)


def write_feather(path, rows):
    feather.write_feather(pa.Table.from_pylist(rows), path)


def write_csv(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def write_sqlite(path, rows):
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE products (id INTEGER, name TEXT, about TEXT, year INTEGER, price REAL)")
        connection.executemany("INSERT INTO products VALUES (:id, :name, :about, :year, :price)", rows)
    connection.close()


KINDS = {
    "products.parquet": write_parquet,
    "products.feather": write_feather,
    "products.csv": write_csv,
    "shop.db": write_sqlite,
}


@pytest.fixture
def store(server, database, counting):
    """A Gear over an empty database that counts its embeddings."""
    with opened(server, counting) as gear:
        yield gear


def table(path, **options):
    """A table from a file or a database."""
    if path.suffix == ".db":
        options = {"table": "products", **options}
    source = f"sqlite:///{path}" if path.suffix == ".db" else str(path)
    return Table(
        source=source, **{"key": "id", "text": ("about",), "title": "name", "metadata": ("year", "price")} | options
    )


@pytest.mark.parametrize("name", KINDS)
def test_rows_come_change_and_go(store, counting, tmp_path, name):
    """Only changed rows are embedded; filters can use the metadata."""
    path = tmp_path / name
    KINDS[name](path, ROWS)
    first = store.corpus.sync([table(path)])
    later = store.scoped(where="year >= 1764").search("Which machine weaves patterns?", retriever="base")
    counting.texts.clear()
    changed = [ROWS[0], ROWS[1] | {"about": "An engine that runs on oil."}, {**ROWS[2], "id": 4, "about": "A mill."}]
    KINDS[name](path, changed)

    second = store.corpus.sync([table(path)])
    third = store.corpus.sync([table(path)])

    assert (3, 3) == (first.new, first.passages_written)
    assert {"Wheel", "Loom"} == {hit.passage.title for hit in later}
    assert later[0].passage.source.endswith("#3")
    assert {"year": 1804, "price": 310.0} == dict(later[0].passage.metadata)
    assert (1, 1, 1, 1) == (second.new, second.changed, second.deleted, second.unchanged)
    texts = [text for text in counting.texts if text.startswith(("Engine\n", "Loom\n", "Wheel\n"))]
    assert ["Engine\nAn engine that runs on oil.", "Loom\nA mill."] == sorted(texts)
    assert third.is_empty
    assert 3 == store.corpus.counts().passages


def test_rows_under_other_keys_keep_their_vectors(store, counting, tmp_path):
    """As when a row is inserted at the top of a sheet with row numbers."""
    path = tmp_path / "products.csv"
    write_csv(path, ROWS)
    store.corpus.sync([table(path)])
    counting.texts.clear()
    write_csv(path, [{**ROWS[0], "id": 1, "about": "A mill."}, *({**row, "id": row["id"] + 1} for row in ROWS)])

    report = store.corpus.sync([table(path)])

    assert (1, 3, 0, 0, 1) == (report.new, report.moved, report.changed, report.deleted, report.passages_written)
    assert "Wheel\nA mill." == counting.texts[0]
    assert not [text for text in counting.texts if "spinning yarn" in text]
    assert [f"{tmp_path.name}/products.csv#{n}" for n in range(1, 5)] == [
        one.source for one in store.corpus.sources().sources
    ]
    assert store.corpus.sync([table(path)]).is_empty


def test_a_query_names_its_rows_and_its_login_stays_out(store, tmp_path):
    """Two text columns are joined by a blank line."""
    write_sqlite(tmp_path / "shop.db", ROWS)
    query = "SELECT id, name, about FROM products WHERE year < 1800"
    asked = table(tmp_path / "shop.db", table="old", query=query, text=("name", "about"), title=None, metadata=())
    store.corpus.sync([asked])

    [source, _] = [one.source for one in store.corpus.sources().sources]
    assert source == f"sqlite:///{tmp_path}/shop.db/old#1"
    [hit] = store.search("spinning yarn", k=1, retriever="base")
    assert ("", "Wheel\n\nA wheel for spinning yarn.") == (hit.passage.title, hit.passage.text)
    login = Table(source="postgresql://ada:secret@db/shop", table="t", key="id", text=("about",))
    with pytest.raises((InputError, SettingsError)) as refused:
        store.corpus.sync([login])
    assert "secret" not in str(refused.value)


def test_values_of_any_kind_become_metadata_or_nothing(store, tmp_path):
    """Dates become texts, decimals numbers; nested values are left out."""
    row = {
        "id": "a",
        "about": "Text.",
        "day": date(2024, 5, 31),
        "price": Decimal("9.50"),
        "tags": ["a"],
        "deep": {"x": 1},
    }
    write_parquet(tmp_path / "t.parquet", [row])
    metadata = ("day", "price", "tags", "deep")
    store.corpus.sync([table(tmp_path / "t.parquet", title=None, metadata=metadata)])

    [hit] = store.search("Text", retriever="base")
    assert {"day": "2024-05-31", "price": 9.5, "tags": ["a"]} == dict(hit.passage.metadata)


def test_rows_that_cannot_be_used_are_named_and_the_rest_is_read(store, tmp_path):
    """Without a key, with a duplicate key, without text."""
    rows = [*ROWS[:1], {**ROWS[1], "id": 1}, {**ROWS[1], "id": None}, {**ROWS[2], "about": None}]
    write_parquet(tmp_path / "t.parquet", rows)
    problems = []
    report = store.corpus.sync([table(tmp_path / "t.parquet")], on_problem=problems.append)

    assert (1, 3) == (report.passages_written, report.problems)
    assert [problem.reason for problem in problems] == [
        "another row has this key: only the first is read",
        "row 3 has no key that can be used: None",
        "holds no text",
    ]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: table(folder / "t.parquet", text=("nothing",)), "has no column 'nothing': it has id, name"),
        (lambda folder: table(folder / "none.parquet"), "does not exist"),
        (lambda folder: table(folder / "t.txt"), "is no table that can be read"),
        (lambda folder: table(folder / "broken.parquet"), "broken.parquet: "),
        (lambda folder: table(folder / "none.db"), "does not exist"),
        (lambda folder: table(folder / "shop.db", table="missing"), "missing cannot be read: no such table: missing"),
        (lambda folder: table(folder / "shop.db", query="SELECT FROM"), "syntax error"),
        (lambda _: Table(source="nosuch://x", table="t", key="id", text=("a",)), "nosuch"),
    ],
)
def test_a_table_that_cannot_be_read_costs_one_line(store, tmp_path, make, message):
    """No file is created for a missing database."""
    write_parquet(tmp_path / "t.parquet", ROWS)
    write_sqlite(tmp_path / "shop.db", ROWS)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(InputError) as refused:
        store.corpus.sync([make(tmp_path)])

    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    "options",
    [{"text": ()}, {"key": ""}, {"text": "about"}, {"metadata": "year"}, {"query": "SELECT 1"}],
)
def test_a_table_says_at_once_what_it_lacks(options):
    """Before anything is opened."""
    with pytest.raises(SettingsError):
        Table(**{"source": "t.parquet", "key": "id", "text": ("about",)} | options)


def test_the_command_takes_tables(gear, tmp_path):
    """The message says which option needs which."""
    write_parquet(tmp_path / "t.parquet", ROWS)
    columns = ("--key", "id", "--text", "about", "--title", "name", "--metadata", "year")
    code, out, _ = gear("sync", tmp_path / "t.parquet", *columns)

    assert (0, True) == (code, out.startswith("documents: 3 new; 3 passages written; "))
    found = gear("search", "Which machine weaves patterns?", "--where", "year > 1800")
    assert (0, True) == (found[0], "Loom" in found[1])
    assert one_line(gear("sync", tmp_path, "--text", "about"), "--key", exit_code=ExitCode.ERROR)
    assert one_line(gear("sync", tmp_path, "--key", "id"), "--text", exit_code=ExitCode.ERROR)
    assert one_line(gear("sync", tmp_path, *columns[:4], "--query", "SELECT 1"), "--table", exit_code=ExitCode.ERROR)
