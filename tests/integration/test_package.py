"""The package as released: built, unpacked elsewhere, and run from there."""

import os
import sys
import tarfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from tests import processes
from tests.processes import GEAR

pytestmark = pytest.mark.one_server_line

ROOT = Path(__file__).parents[2]
# Everything besides the modules, by folder: queries, pages, prompts, words, data of the demo.
BESIDE = {
    "cypher": "*.cypher",
    "migrations": "*.cypher",
    "adoption/profiles": "*.toml",
    "demo": "*.jsonl",
    "evaluate": "*.html",
    "explain": "*.html",
    "server": "*.conf",
    "mcp/static": "*",
    "web/static": "*",
}
CONSUMER = """
from gear_neo4j import Gear, Hits, Naive


def titles(gear: Gear, question: str) -> list[str]:
    hits: Hits = gear.search(question, k=3, retriever=Naive(base="bm25"))
    return [hit.passage.title for hit in hits]


wrong: int = titles
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the sdist; the wheel is built from the sdist, as on PyPI."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    processes.run(command, check=True)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


@pytest.fixture(scope="module")
def unpacked(built, tmp_path_factory):
    """The wheel, installed in a folder that comes before the working tree."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), str(built[0])]
    processes.run(command, check=True)
    return folder


def run(site, cwd, *command, **environment):
    """Run Python with the package from a folder."""
    settings = os.environ | {"PYTHONPATH": str(site), "COLUMNS": "200"} | environment
    return processes.run([sys.executable, *command], seconds=300, cwd=cwd, env=settings)


def test_the_wheel_holds_all_that_is_needed_and_nothing_else(built):
    """Every file of the working tree's package, with the queries and migrations; no tests, no benchmarks."""
    with zipfile.ZipFile(built[0]) as wheel:
        names = {name.removeprefix("gear_neo4j/") for name in wheel.namelist() if ".dist-info/" not in name}
        metadata = next(wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/METADATA"))
    listed = processes.run(["git", "ls-files", "gear_neo4j"], cwd=ROOT, check=True).stdout
    package = {name.removeprefix("gear_neo4j/") for name in listed.split()}
    queries = [file for folder in ("cypher", "migrations") for file in (ROOT / folder).rglob("*.cypher")]
    beside = {str(file.relative_to(ROOT)) for file in queries}

    assert package | beside == names
    assert [] == [
        folder for folder, pattern in BESIDE.items() if not any(Path(n).match(f"{folder}/{pattern}") for n in names)
    ]
    assert "py.typed" in names
    assert "Apache-2.0" == Parser().parsestr(metadata)["License-Expression"]


def test_the_sdist_is_small(built):
    """Sources, without environments and caches."""
    with tarfile.open(built[1]) as sdist:
        names = sdist.getnames()

    assert any(name.endswith("/cypher/start_paths.cypher") for name in names)
    assert [] == [name for name in names if "/.venv/" in name or "__pycache__" in name or ".egg-info" in name]
    assert built[0].stat().st_size < 2_000_000
    assert built[1].stat().st_size < 8_000_000


def test_the_demo_and_a_search_run_from_the_wheel(unpacked, server, empty, tmp_path):
    """With the module from the wheel, in another folder."""
    login = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password}
    login["GEAR_HOME"] = str(tmp_path / "home")
    where = run(unpacked, tmp_path, "-c", "import gear_neo4j; print(gear_neo4j.__file__)")
    demo = run(unpacked, tmp_path, *GEAR[1:], "demo", **login)
    search = run(unpacked, tmp_path, *GEAR[1:], "search", "Who studied at Edinburgh?", "--json", **login)

    assert where.stdout.startswith(str(unpacked)), where.stderr
    assert (0, True) == (demo.returncode, "the graph found every needed passage" in demo.stdout), demo.stderr
    assert (0, True) == (search.returncode, '"hits"' in search.stdout), search.stderr


def test_a_strict_type_checker_sees_the_types_of_the_wheel(unpacked, tmp_path):
    """Installed alone, the package is typed, so errors in a program are found."""
    venv.create(tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    purelib = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = processes.run([python, "-c", purelib], check=True).stdout.strip()
    (Path(site) / "wheel.pth").write_text(f"{unpacked}\n")
    (tmp_path / "consumer.py").write_text(CONSUMER)
    checked = run("", tmp_path, "-m", "mypy", "--strict", "--python-executable", str(python), "consumer.py")
    errors = [line for line in checked.stdout.splitlines() if ": error:" in line]

    assert 1 == len(errors), checked.stdout
    assert errors[0].startswith("consumer.py:10: error: Incompatible types in assignment")
