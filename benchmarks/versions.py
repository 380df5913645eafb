"""Searches of this version and of an earlier commit by turns: ``python -m benchmarks.versions COMMIT DATASET_DIR``.

Both read one database on one server, which the earlier version fills, so this one must still read it. Each round runs
``gear evaluate --retriever naive`` of each version in a process of its own; every other round, this version goes first.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measure import fresh_server, machine
from gear_neo4j.server.local import LocalServer
from gear_neo4j.settings import Settings

REPOSITORY = Path(__file__).parents[1]
RESULTS = REPOSITORY / "docs" / "benchmarks" / "versions.json"
PARTS = ("p50", "p95", "expand")
ROUNDS = 6


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


def evaluate(tree: Path, dataset: Path, server: LocalServer) -> dict[str, Any]:
    """Recall, and latency in milliseconds, of the version in ``tree``."""
    environment = os.environ | {
        "NEO4J_URI": server.uri,
        "NEO4J_USERNAME": server.username,
        "NEO4J_PASSWORD": server.password,
    }
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        # With -c, Python looks for modules in the working directory first: the tree's package, not the installed one.
        run = [sys.executable, "-c", "from gear_neo4j.cli.main import main; main()"]
        options = ["evaluate", str(dataset), "--retriever", "naive", "--json", file.name]
        subprocess.run([*run, *options], cwd=tree, env=environment, check=True, capture_output=True)
        report = json.loads(Path(file.name).read_text(encoding="utf-8"))
    latency = report["latency_ms"]
    return {
        "recall": report["recall"],
        "p50": latency["p50"],
        "p95": latency["p95"],
        "expand": latency["expand"]["p50"],
    }


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("commit")
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    settings = replace(Settings.load(), uri=None, name="bench-versions", database=None)
    dataset = options.dataset.resolve()
    reports: dict[str, list[dict[str, Any]]] = {options.commit: [], "this version": []}
    with checked_out(options.commit) as earlier, fresh_server(settings) as server:
        trees = {options.commit: earlier, "this version": REPOSITORY}
        evaluate(earlier, dataset, server)
        for number in range(options.rounds):
            for name in list(trees)[:: -1 if number % 2 else 1]:
                reports[name].append(evaluate(trees[name], dataset, server))
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
    table = Table("ms, median (lowest to highest)", *PARTS, "R@5")
    for name, figures in versions.items():
        spreads = [
            f"{figures[part]['median']:.1f} ({min(figures[part]['rounds'])} to {max(figures[part]['rounds'])})"
            for part in PARTS
        ]
        table.add_row(name, *spreads, f"{figures['recall']['5']:.1f}")
    return table


if __name__ == "__main__":
    main()
