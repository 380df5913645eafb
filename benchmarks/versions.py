"""This version and an earlier commit in turn: ``python -m benchmarks.versions COMMIT DATASET_DIR``.

Each fills its own server. A round of searches is ``gear evaluate --retriever naive`` in a separate process, and the
same for a principal who may read everything. A round of ingests writes a tenth of the data set into a fresh database,
for which the schema is created and all queries are planned, and then the rest, with vectors that need no model. Every
other round, this version goes first.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measure import fresh_server, machine
from gear_neo4j.server.local import LocalServer
from gear_neo4j.settings import Settings

REPOSITORY = Path(__file__).parents[1]
RESULTS = REPOSITORY / "docs" / "benchmarks" / "versions.json"
PARTS = ("p50", "p95", "expand", "scoped", "tenth", "rest")
ROUNDS = 6
EVALUATE = "from gear_neo4j.cli.main import main; main()"
INGEST = """
import sys, time
from benchmarks.made import WordVectors
from gear_neo4j import Gear, Settings
files = sys.argv[1:]
with Gear.connect(Settings.load(), embedder=WordVectors()) as gear:
    for corpus, triples in zip(files[::2], files[1::2]):
        started = time.perf_counter()
        gear.ingest([corpus], triples=[triples])
        print(time.perf_counter() - started)
"""


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """A folder with the files of a commit."""
    with tempfile.TemporaryDirectory(prefix="gear-versions-") as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "--detach", "--quiet", tree, commit], cwd=REPOSITORY, check=True)
        try:
            yield tree
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=REPOSITORY, check=True)


def run(tree: Path, server: LocalServer, script: str, *arguments: object) -> str:
    """The output of a script that the version in ``tree`` runs with a server."""
    environment = os.environ | {
        "NEO4J_URI": server.uri,
        "NEO4J_USERNAME": server.username,
        "NEO4J_PASSWORD": server.password,
    }
    # With -c, Python looks for modules in the working directory first: the tree's package, not the installed one.
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def evaluate(tree: Path, dataset: Path, server: LocalServer) -> dict[str, Any]:
    """Recall, and latency in milliseconds, of the version in ``tree``."""
    report, scoped = (evaluation(tree, dataset, server, *scope) for scope in ((), ("--as", "group:legal")))
    latency = report["latency_ms"]
    return {
        "recall": report["recall"],
        "p50": latency["p50"],
        "p95": latency["p95"],
        "expand": latency["expand"]["p50"],
        "scoped": scoped["latency_ms"]["p50"],
    }


def evaluation(tree: Path, dataset: Path, server: LocalServer, *scope: str) -> dict[str, Any]:
    """The report of ``gear evaluate``."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        run(tree, server, EVALUATE, "evaluate", dataset, "--retriever", "naive", *scope, "--json", file.name)
        return dict(json.loads(Path(file.name).read_text(encoding="utf-8")))


def ingest(tree: Path, dataset: Path, settings: Settings) -> dict[str, Any]:
    """The seconds that the version in ``tree`` takes to write a tenth of a data set, and then the rest."""
    with fresh_server(settings) as server, tempfile.TemporaryDirectory() as folder:
        files = list(parts(dataset, Path(folder)))
        tenth, rest = map(float, run(tree, server, INGEST, *files).split())
    return {"tenth": tenth, "rest": rest}


def parts(dataset: Path, folder: Path) -> Iterator[Path]:
    """Write a tenth of the passages with their triples, and the rest: two files of each."""
    names = ("corpus.jsonl", "triples.jsonl")
    lines = {name: (dataset / name).read_text(encoding="utf-8").splitlines(keepends=True) for name in names}
    cut = len(lines["corpus.jsonl"]) // 10
    for part, share in (("tenth", slice(cut)), ("rest", slice(cut, None))):
        for name in names:
            file = folder / f"{part}-{name}"
            file.write_text("".join(lines[name][share]), encoding="utf-8")
            yield file


def by_turns(
    trees: dict[str, Path], rounds: int, measure: Callable[[str], dict[str, Any]], *, shown: str
) -> dict[str, list[dict[str, Any]]]:
    """The figures of each round by version; every other round, the last version goes first."""
    reports: dict[str, list[dict[str, Any]]] = {name: [] for name in trees}
    for number in track(range(rounds), shown):
        for name in list(trees)[:: -1 if number % 2 else 1]:
            reports[name].append(measure(name))
    return reports


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("commit")
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    settings = replace(Settings.load(), uri=None, name="bench-versions", database=None)
    dataset = options.dataset.resolve()
    with checked_out(options.commit) as earlier:
        trees = {options.commit: earlier, "this version": REPOSITORY}
        with ExitStack() as stack:
            servers = {
                name: stack.enter_context(fresh_server(replace(settings, name=f"{settings.name}-{index}")))
                for index, name in enumerate(trees)
            }
            for name, tree in trees.items():
                evaluate(tree, dataset, servers[name])
            searches = by_turns(
                trees, options.rounds, lambda name: evaluate(trees[name], dataset, servers[name]), shown="searches"
            )
        ingests = by_turns(trees, options.rounds, lambda name: ingest(trees[name], dataset, settings), shown="ingests")
    reports = {name: [a | b for a, b in zip(searches[name], ingests[name], strict=True)] for name in trees}
    results = {
        "machine": machine(settings.neo4j_version),
        "dataset": dataset.name,
        "rounds": options.rounds,
        "versions": {name: _figures(rounds) for name, rounds in reports.items()},
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print(_table(results["versions"]))


def _figures(reports: list[dict[str, Any]]) -> dict[str, Any]:
    rounds = {part: [round(report[part], 1) for report in reports] for part in PARTS}
    spreads = {part: {"median": median(values), "rounds": values} for part, values in rounds.items()}
    return {"recall": reports[-1]["recall"], **spreads}


def _table(versions: dict[str, Any]) -> Table:
    table = Table("median (lowest to highest), ms; ingests in s", *PARTS, "R@5")
    for name, figures in versions.items():
        spreads = [
            f"{figures[part]['median']:.1f} ({min(figures[part]['rounds'])} to {max(figures[part]['rounds'])})"
            for part in PARTS
        ]
        table.add_row(name, *spreads, f"{figures['recall']['5']:.1f}")
    return table


if __name__ == "__main__":
    main()
