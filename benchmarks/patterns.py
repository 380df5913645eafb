"""Questions to an adopted graph by ``paths``: ``python -m benchmarks.patterns [GRAPH_DIR] [--relationships 1500000]``.

Without a folder, the graph is synthetic (``benchmarks/made_graph.py``), on its own local server, with vectors that need
no model; its questions have one to three relationships, conditions and counts, and name ordinary nodes and hubs. With a
folder in the format of ``gear evaluate``, the odd questions are asked, on the server of that command. Every question is
asked twice, because the server plans each form of a pattern once. Then the slowest run again with the cost of each
query. Prints tables and writes docs/benchmarks/patterns.json; absolute times are for this machine only.
"""

import argparse
import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.adoption import adopt
from benchmarks.made import WordVectors
from benchmarks.made_graph import MadeGraph, make
from benchmarks.measure import current_megabytes, disk_megabytes, in_own_process, kept_server, peak_megabytes
from benchmarks.searches import (
    ROUNDS,
    sized_server,
    slowest,
    slowest_table,
    summary,
    time_rounds,
    time_search,
    times_table,
)
from gear_neo4j import Gear, Settings
from gear_neo4j.evaluate import knowledge
from gear_neo4j.retrieval.paths import Paths
from gear_neo4j.server import local
from gear_neo4j.server.local import LocalServer

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "patterns.json"
SERVER = "bench-patterns"
RELATIONSHIPS = 1_500_000
QUESTIONS = 200


def written_megabytes(settings: Settings, server: LocalServer) -> dict[str, int]:
    """The disk usage of the database; a stopping server writes all of it."""
    local.stop(name=settings.name, home=settings.home)
    megabytes = disk_megabytes(server)
    local.start(name=settings.name, home=settings.home, version=settings.neo4j_version)
    return megabytes


def measure(settings: Settings, server: LocalServer, graph: MadeGraph) -> dict[str, Any]:
    """All measurements; an empty database gets the graph first."""
    kept = server.home / "adopted.json"
    if not kept.exists():
        make(settings, graph)
        before = written_megabytes(settings, server)
        adopted = in_own_process(adopt, settings).result()
        disk = {"before": before, "adopted": written_megabytes(settings, server)}
        kept.write_text(json.dumps({"graph": asdict(graph), "adopt": adopted, "disk_mb": disk}), encoding="utf-8")
    with Gear.connect(settings, embedder=WordVectors()) as gear:
        return {
            "machine": {"python": platform.python_version(), "neo4j": gear.graph.version, "cpus": os.cpu_count()},
            **json.loads(kept.read_text("utf-8")),
            **ask(gear, graph.questions(QUESTIONS)),
            "client_mb": {"now": current_megabytes(), "peak": peak_megabytes()},
        }


def measure_folder(settings: Settings, folder: Path) -> dict[str, Any]:
    """The odd questions of a graph with questions, which is imported if the server lacks it."""
    dataset = knowledge.load(folder)
    with Gear.connect(settings) as gear:
        knowledge.provide(gear, dataset)
        return {
            "machine": {"python": platform.python_version(), "neo4j": gear.graph.version, "cpus": os.cpu_count()},
            "graph": {"relationships": sum(type.relationships for type in gear.overlay.survey().types.values())},
            **ask(gear, [question.question for question in dataset.questions[1::2]]),
            "client_mb": {"now": current_megabytes(), "peak": peak_megabytes()},
        }


def ask(gear: Gear, questions: Sequence[str]) -> dict[str, Any]:
    """All questions, twice, and the cost of the slowest."""
    retriever = gear.retriever("paths")
    # The first question reads the names and values of the graph.
    opening = time_search(retriever, questions[0])
    rounds = time_rounds(retriever, questions)
    hits = [timing.hits for timing in rounds[ROUNDS[0]]]
    return {
        "opening_ms": round(opening.total),
        "questions": len(questions),
        "answered": sum(bool(one.entities) or one.figure is not None for one in hits),
        "ms": {name: summary(timings) for name, timings in rounds.items()},
        "slowest": slowest(gear, rounds[ROUNDS[-1]], Paths()),
    }


def run_folder(folder: Path) -> dict[str, Any]:
    """The figures of a graph with questions, on the server of ``gear evaluate``, which keeps its data."""
    settings = replace(Settings.load(), uri=None, name=f"evaluate-{folder.name}", database=None)
    with kept_server(settings):
        return measure_folder(settings, folder)


def run_made(relationships: int, *, keep: bool) -> dict[str, Any]:
    """The figures of a synthetic graph; a large one gets a server with more memory."""
    settings = replace(Settings.load(), uri=None, name=f"{SERVER}-{relationships}", database=None)
    with sized_server(settings, size=relationships, keep=keep) as server:
        return measure(settings, server, MadeGraph(relationships))


def main() -> None:
    """Create or import, adopt, ask, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.patterns", description=__doc__)
    parser.add_argument("graph", nargs="?", type=Path, metavar="GRAPH_DIR", help="a graph with questions of its own")
    parser.add_argument("--relationships", type=int, default=RELATIONSHIPS, help="how many (default: %(default)s)")
    parser.add_argument("--keep", action="store_true", help="keep the server with its data for the next run")
    options = parser.parse_args()
    results = run_folder(options.graph) if options.graph else run_made(options.relationships, keep=options.keep)
    known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    known[options.graph.name if options.graph else "made"] = results
    RESULTS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    console = Console()
    title = f"{results['graph']['relationships']:,} relationships, {results['questions']} questions"
    console.print(times_table(title, results["ms"]))
    console.print(slowest_table(results["slowest"]))


if __name__ == "__main__":
    main()
