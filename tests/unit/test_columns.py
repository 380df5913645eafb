"""The columns of a query: read from its text, and used in Python only if the query has them."""

import ast
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gear_neo4j
from gear_neo4j.graph.columns import bare, columns_of
from gear_neo4j.graph.fragments import resource_folder
from gear_neo4j.graph.queries import load

QUERIES = load(resource_folder("cypher"))
MODULES = sorted(Path(gear_neo4j.__file__).parent.rglob("*.py"))
NAMES = st.text(string.ascii_lowercase, min_size=1, max_size=8)
EXPRESSIONS = st.sampled_from(
    (
        "n.id",
        "n[$key]",
        "count(*)",
        "[n IN [1, 2] | n]",
        "{a: 1, b: n {.id, .text}}",
        "COLLECT { MATCH (m) RETURN m.id AS x }",
        "CASE WHEN n.a THEN 'x, RETURN y' END",
        "reduce(s = 0, x IN [1] | s + x)",
        "EXISTS { (n)-->() }",
    )
)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("MATCH (n) RETURN n", ("n",)),
        ("MATCH (n) RETURN n.id AS id, n.text AS text ORDER BY id SKIP 1 LIMIT $limit", ("id", "text")),
        ("RETURN DISTINCT 1 AS one", ("one",)),
        ("CYPHER 25\nMATCH (n) RETURN n.a\n  AS\n  a", ("a",)),
        ("MATCH (n) CALL (n) { RETURN 1 AS x, 2 AS y } RETURN x, y AS limit", ("x", "limit")),
        ("CALL () { UNWIND [1] AS x CALL (x) { RETURN 2 AS y } RETURN y } RETURN y", ("y",)),
        ("RETURN COLLECT { MATCH (t) RETURN t.id LIMIT 3 } AS ids", ("ids",)),
        ("MATCH (n) RETURN n {.id, text: left(n.text, 3)} AS node, [n.a, n.b] AS pair", ("node", "pair")),
        ("RETURN 'a, b AS c' AS x, \"RETURN\" AS y // AS z", ("x", "y")),
        ("RETURN 1 AS x /* the user's */, '}' AS y", ("x", "y")),
        ("RETURN 1 AS x UNION RETURN 2 AS x", ("x",)),
        ("SHOW INDEXES YIELD name, type WHERE name = 'x' RETURN name, type AS kind", ("name", "kind")),
        ("SHOW INDEXES YIELD name, labelsOrTypes AS labels ORDER BY name", ("name", "labels")),
        ("CALL db.info() YIELD name, id AS key", ("name", "key")),
        ("CALL db.labels() YIELD label DELETE label", ()),
        ("CALL db.labels() YIELD label WITH label SET label.x = 1, label.y = 2", ()),
        ("CALL db.awaitIndexes($seconds)", ()),
        ("MATCH (n) CALL (n) { RETURN 1 AS x } SET n.x = x", ()),
    ],
)
def test_the_columns_are_those_of_the_last_clause_that_gives_rows(text, columns):
    """Brackets, literals and comments are ignored."""
    assert columns == columns_of(text)


@pytest.mark.parametrize("text", ["RETURN count(*)", "RETURN *", "MATCH (n) RETURN n.id", "RETURN 1 AS `id`"])
def test_an_expression_without_a_plain_alias_is_no_column_that_can_be_declared(text):
    """A declared column is a word."""
    assert [False] == [column.isidentifier() for column in columns_of(text)]


@given(st.dictionaries(NAMES, EXPRESSIONS, min_size=1, max_size=6))
def test_each_alias_is_a_column_whatever_its_expression(items):
    """In order."""
    text = "MATCH (n) RETURN " + ", ".join(f"{expression} AS {alias}" for alias, expression in items.items())

    assert tuple(items) == columns_of(f"{text} ORDER BY n.id LIMIT 3")


@given(st.text())
def test_any_text_can_be_read(text):
    """No text takes long or fails; the rest contains no comment."""
    columns_of(text)

    assert "//" not in bare(text)


def uses(source):
    """Each use of a column as (queries, column), where one function holds both the use and the queries' calls.

    A name for rows of several queries in that function counts as a row of any of them; a name that can also be
    something else is skipped.
    """
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    return {use for function in functions for use in uses_in(function)}


def uses_in(function):
    """The same for one function."""
    values = bindings(function)
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=row, slice=ast.Constant(value=str(column))):
                several = shapes(row, values) or set()
                if {"row"} == {shape for shape, _ in several}:
                    yield frozenset(query for _, query in several), column


def bindings(function):
    """All values of each name in a function; None for a value that is not written there."""
    values, plain = {}, set()
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name() as name], value=value) | ast.NamedExpr(target=name, value=value):
                pass
            case (
                ast.For(target=ast.Name() as name, iter=rows) | ast.comprehension(target=ast.Name() as name, iter=rows)
            ):
                value = ast.Subscript(value=rows, slice=ast.Constant(value=0))
            case _:
                continue
        plain.add(name)
        values.setdefault(name.id, []).append(value)
    for node in ast.walk(function):
        match node:
            case ast.arg(arg=name):
                values.setdefault(name, []).append(None)
            case ast.Name(id=name, ctx=ast.Store()) if node not in plain:
                values.setdefault(name, []).append(None)
    return values


def shapes(node, values, within=frozenset()):
    """The possible meanings of an expression: the rows of a query, or a row; None if it can be anything."""
    match node:
        case ast.Call(func=ast.Attribute(attr="call" | "stream"), args=[ast.Constant(value=query)]) if query in QUERIES:
            return {("rows", query)}
        case (
            ast.Call(func=ast.Name(id="list" | "sorted" | "iter"), args=[rows, *_])
            | ast.Subscript(value=rows, slice=ast.Slice())
        ):
            return shapes(rows, values, within)
        case (
            ast.Call(func=ast.Name(id="next"), args=[rows, *_])
            | ast.Subscript(value=rows, slice=ast.Constant(value=int()) | ast.UnaryOp())
        ):
            several = shapes(rows, values, within)
            return several and {("row", query) if shape == "rows" else ("value", query) for shape, query in several}
        case ast.IfExp(body=value, orelse=ast.List(elts=[]) | ast.Dict(keys=[])) | ast.NamedExpr(value=value):
            return shapes(value, values, within)
        case ast.Name(id=name) if name in within:
            return set()
        case ast.Name(id=name) if name in values:
            each = [shapes(value, values, within | {name}) for value in values[name]]
            return None if None in each else set().union(*each)
    return None


@pytest.mark.parametrize(
    "body",
    [
        "return self.database.call('node_labels', ids=[])[0]['x']",
        "return [row['x'] for row in database.stream('node_labels', ids=ids)]",
        "rows = database.call('node_labels', ids=ids) if ids else []\n    return {row['x']: row for row in rows[:3]}",
        "for row in sorted(database.call('node_labels')):\n        print(row['x'])",
        "while (rows := database.call('node_labels')) and rows[0]['x']:\n        pass",
        "rows = database.call('node_labels')\n    rows = sorted(rows)\n    row = next(iter(rows))\n    return row['x']",
    ],
)
def test_a_use_is_found_where_its_query_can_be_told(body):
    """In the same function, through names, loops and functions that preserve rows."""
    assert {(frozenset({"node_labels"}), "x")} == uses(f"def labels(self, database, ids):\n    {body}\n")


@pytest.mark.parametrize(
    "body",
    [
        "return rows[0]['x']",
        "rows = database.call('node_labels')\n    return [row['x'] for row in other]",
        "row = database.call('node_labels')[0]\n    row = read(row)\n    return row['x']",
        "return [value['x'] for value in database.call('node_labels')[0]]",
        "rows = database.call(name)\n    return rows[0]['x']",
        "for number, row in enumerate(database.call('node_labels')):\n        print(row['x'])",
    ],
)
def test_a_use_whose_query_cannot_be_told_is_passed_over(body):
    """Nothing is guessed."""
    assert set() == uses(f"def labels(database, rows, other, name):\n    {body}\n")


def test_a_name_for_rows_of_two_queries_may_use_the_columns_of_both():
    """The check does not track which of them it holds."""
    loops = "[row['x'] for row in database.call('ties')] + [row['y'] for row in database.call('node_labels')]"

    both = frozenset({"ties", "node_labels"})
    assert {(both, "x"), (both, "y")} == uses(f"def labels(database):\n    return {loops}\n")


@pytest.mark.parametrize("module", MODULES, ids=lambda file: file.stem)
def test_each_column_that_python_reads_is_one_of_its_query(module):
    """A misspelt column would fail only when its line runs."""
    unknown = {
        (queries, column)
        for queries, column in uses(module.read_text("utf-8"))
        if not any(column in QUERIES[query].columns for query in queries)
    }

    assert set() == unknown


def test_many_columns_are_read_where_their_query_can_be_told():
    """Otherwise the test above would check too little."""
    assert len({use for module in MODULES for use in uses(module.read_text("utf-8"))}) > 30
