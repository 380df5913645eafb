"""Rules that cannot be seen in a single module: what only one module may do."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import gear_neo4j
from gear_neo4j.graph.fragments import resource_folder

PACKAGE = Path(gear_neo4j.__file__).parent
QUERIES = frozenset(path.stem for path in resource_folder("cypher").glob("*.cypher"))
OUTSIDE = [path for path in sorted(PACKAGE.rglob("*.py")) if (PACKAGE / "graph") not in path.parents]
RUNS = frozenset({"call", "stream", "run", "execute"})


def violations(source):
    """The lines of a module that bypass the graph: a query by name, the database's methods, the query files."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and (calls_query(node) or uses_database(node.func)):
            yield node.lineno, ast.unparse(node.func)
        elif isinstance(node, ast.ImportFrom) and node.module == "gear_neo4j.graph.queries":
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name == "named")


def calls_query(node):
    """Whether a call passes the name of a query file to ``call`` or ``stream``; the agents' steps have other names."""
    name = node.args[0] if node.args else None
    return (
        isinstance(node.func, ast.Attribute)
        and node.func.attr in ("call", "stream")
        and isinstance(name, ast.Constant)
        and name.value in QUERIES
    )


def uses_database(function):
    """Whether a function runs something on a database, such as ``self._database.call``."""
    return (
        isinstance(function, ast.Attribute)
        and function.attr in RUNS
        and ast.unparse(function.value).endswith("database")
    )


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_the_graph_calls_queries_by_name(path):
    """Any other call would bypass the scope that the graph applies."""
    assert [] == list(violations(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "source",
    [
        'self._store.database.call("counts")',
        'other.stream("all_passages")',
        "database.call(name, **parameters)",
        "gear.database.execute(statement)",
        "from gear_neo4j.graph.queries import Query, named",
    ],
)
def test_a_way_around_the_graph_is_noticed(source):
    """A test of the rule itself."""
    assert 1 == len(list(violations(source)))


@pytest.mark.parametrize("source", ['run.call("answer", ask)', "graph.store.counts()", "run.calls(batches)"])
def test_what_only_looks_like_a_query_passes(source):
    """The agents' runs have their own ``call``."""
    assert [] == list(violations(source))


def test_the_record_of_the_store_is_read_in_one_module():
    """All other modules use the typed record."""
    readers = [
        path.relative_to(PACKAGE).as_posix()
        for path in sorted(PACKAGE.rglob("*.py"))
        if "store_info" in path.read_text(encoding="utf-8")
    ]
    assert ["graph/schema/record.py"] == readers


FLOORS = [
    [name.strip() for name in line.split("|")]
    for line in tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]["layers"]
]
PROVIDER = PACKAGE / "__init__.py"


def floor(module):
    """The layer of a module, 0 at the top; None if it is in none."""
    return next((n for n, names in enumerate(FLOORS) if any(f"{module}.".startswith(f"{one}.") for one in names)), None)


def names_above(source, module):
    """The lines of a module that name a higher layer in a string."""
    own = floor(module)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = node.value.partition(":")[0]
            other = floor(named) if re.fullmatch(r"gear_neo4j(\.\w+)+", named) else None
            if other is not None and own is not None and other < own:
                yield node.lineno, named


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_floor_names_a_higher_one_by_a_string(path):
    """Import-linter sees only imports; the package itself names modules that lower layers need."""
    module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")

    assert path == PROVIDER or [] == list(names_above(path.read_text(encoding="utf-8"), module))


def test_a_name_of_a_higher_floor_is_noticed():
    """A test of the rule itself."""
    assert [(1, "gear_neo4j.gear.agents")] == list(
        names_above('X = "gear_neo4j.gear.agents"', "gear_neo4j.recipes.registry")
    )
    assert [(1, "gear_neo4j.cli.main")] == list(names_above('X = "gear_neo4j.cli.main:cli"', "gear_neo4j.gear.front"))
    assert [] == list(names_above('X = "gear_neo4j.mcp.work"', "gear_neo4j.mcp.calls"))
    assert [] == list(names_above('X = "gear_neo4j.graph.database"', "gear_neo4j.gear.front"))


PRINTERS = frozenset({"cli/printing.py", "cli/screen.py", "wire/__main__.py", "server/launcher.py", "server/jars.py"})
STREAMS = frozenset({"stdout", "stderr", "__stdout__", "__stderr__"})


def prints(source):
    """The lines of a module that print by themselves: with click, rich or Python."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module in ("rich", "rich.console"):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module in ("click", "sys"):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name in STREAMS | {"echo", "secho"})
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("click", "sys"):
            if node.attr in STREAMS | {"echo", "secho", "echo_via_pager"}:
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "traceback.print_exc"):
            yield node.lineno, ast.unparse(node.func)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_one_module_prints(path):
    """Launcher and jars are separate programs that print into a log; the printed schema contains only our text."""
    if path.relative_to(PACKAGE).as_posix() not in PRINTERS:
        assert [] == list(prints(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "source",
    [
        "click.echo(title)",
        "from click import echo",
        "print(title)",
        "sys.stderr.write(title)",
        "from rich.console import Console",
        "from rich import print",
        "traceback.print_exc()",
    ],
)
def test_a_way_around_the_printing_module_is_noticed(source):
    """A test of the rule itself."""
    assert 1 == len(list(prints(source)))


TESTS = Path(__file__).parents[1]
# By module: other ways to start a process there, with the reason.
STARTERS = {
    "processes.py": "it starts all others",
    "unit/test_processes.py": "it sends itself a signal",
    "unit/test_house.py": "it names what starts processes",
    "unit/test_heads.py": "in the texts that it forbids are some of these names",
}
STARTS = re.compile(
    r"\bsubprocess\b|\bmultiprocessing\.(Process|Pool|get_context)\b|import get_context|\bProcessPoolExecutor\b"
    r"|create_subprocess_|\bos\.(fork|forkpty|system|popen|posix_spawnp?|spawn\w+|exec\w+)\b|\bpty\.(fork|spawn)\b"
)


@pytest.mark.parametrize("path", sorted(TESTS.rglob("*.py")), ids=lambda path: str(path.relative_to(TESTS)))
def test_every_process_of_the_tests_is_started_in_one_module(path):
    """There it receives signals, has a time limit, and leaves nothing behind."""
    if path.relative_to(TESTS).as_posix() not in STARTERS:
        assert [] == STARTS.findall(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("source", ["import subprocess", "os.fork()", "asyncio.create_subprocess_exec(name)"])
def test_a_process_beside_them_is_noticed(source):
    """A test of the rule itself."""
    assert STARTS.search(source)
