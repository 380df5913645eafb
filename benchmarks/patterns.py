"""Questions to an adopted graph by ``paths``: ``python -m benchmarks.patterns [GRAPH_DIR] [--relationships 1500000]``.

Without a folder the graph is made on a local server of its own (``benchmarks/made_graph.py``), with vectors that cost
nothing to make; its questions have one to three relationships, conditions and counts, and name nodes anywhere and hubs.
Of a folder, as ``gear evaluate`` takes it, the odd questions are put, on the server of that command. Every question is
put twice: the server plans each form of a pattern once. Then the slowest run again with the cost of each query. Prints
tables and writes docs/benchmarks/patterns.json; absolute times are of that machine only.
"""

import argparse
import json
import os
import platform
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.adoption import adopt
from benchmarks.made import WordVectors
from benchmarks.made_graph import MadeGraph, make
from benchmarks.measure import (
    current_megabytes,
    disk_megabytes,
    fresh_server,
    in_own_process,
    kept_server,
    peak_megabytes,
    spread,
)
from gear_neo4j import Gear, RetrieverRecipe, Settings
from gear_neo4j.evaluate import knowledge
from gear_neo4j.gear.session import Session
from gear_neo4j.graph.profiles import QueryProfile
from gear_neo4j.retrieval.paths import Paths
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.server import local
from gear_neo4j.server.local import LocalServer

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "patterns.json"
SERVER = "bench-patterns"
RELATIONSHIPS = 1_500_000
# From here on the local server gets more memory.
LARGE = 500_000
QUESTIONS = 200
SLOWEST = 5
ROUNDS = ("first", "second")


@dataclass(frozen=True, slots=True)
class Timing:
    """The milliseconds of one question by part, without its encoding, and its number of entities."""

    question: str
    parts: dict[str, float]
    answers: int

    @property
    def total(self) -> float:
        """The milliseconds of the whole search."""
        return sum(self.parts.values())


def time_question(retriever: Retriever, question: str) -> Timing:
    """One search."""
    hits = retriever.retrieve(question)
    parts = {part: spent for part, spent in hits.milliseconds.items() if part != "encode"}
    return Timing(question, parts, len(hits.entities) + (hits.figure is not None))


def summary(timings: Sequence[Timing]) -> dict[str, Any]:
    """The spread of the whole and of each part."""
    parts: dict[str, list[float]] = defaultdict(list)
    for timing in timings:
        parts["whole"].append(timing.total)
        for part, spent in timing.parts.items():
            parts[part].append(spent)
    return {part: spread(spent) for part, spent in parts.items()}


def costs(gear: Gear, questions: Sequence[str], recipe: RetrieverRecipe = Paths()) -> list[dict[str, Any]]:
    """The cost of each query of some questions: rows, db hits and operators that scan."""
    runs: list[QueryProfile] = []
    graph = gear.graph.profiling(runs.append)
    session = Session(graph, embedder=gear.embedder, chat=lambda: gear.chat, settings=Settings.load())
    retriever = session.retriever(recipe)
    retriever.retrieve(questions[0])
    results = []
    for question in questions:
        runs.clear()
        retriever.retrieve(question)
        queries = [
            {"query": run.query, "rows": run.rows, "db_hits": run.db_hits, "scans": sorted(run.scans)} for run in runs
        ]
        results.append({"question": question, "queries": queries})
    return results


def written_megabytes(settings: Settings, server: LocalServer) -> dict[str, int]:
    """The disk usage of the database; a server that stops writes all of it."""
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
    """The odd questions of a graph with questions, which is imported if the server does not hold it."""
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
    # The names and values of the graph are read for the first question of all.
    opening = time_question(retriever, questions[0])
    rounds = {
        name: [time_question(retriever, question) for question in track(questions, f"{name} round")] for name in ROUNDS
    }
    by_time = sorted(rounds[ROUNDS[-1]], key=lambda timing: -timing.total)
    slowest = list(dict.fromkeys(timing.question for timing in by_time))[:SLOWEST]
    answered = sum(timing.answers > 0 for timing in rounds[ROUNDS[0]])
    return {
        "opening_ms": round(opening.total),
        "questions": len(questions),
        "answered": answered,
        "ms": {name: summary(timings) for name, timings in rounds.items()},
        "slowest": costs(gear, slowest),
    }


def table(results: dict[str, Any]) -> Table:
    """The times, a line for each part."""
    size = f"{results['graph']['relationships']:,} relationships, {results['questions']} questions"
    view = Table(title=f"{size}: ms without the encoding of the question", box=None, header_style="bold")
    view.add_column("")
    for name in ROUNDS:
        for column in ("p50", "p95", "most"):
            view.add_column(f"{name} {column}", justify="right")
    for part in results["ms"]["first"]:
        figures = (results["ms"][name].get(part, {}) for name in ROUNDS)
        cells = [f"{of.get(key, 0):.0f}" for of in figures for key in ("median", "p95", "most")]
        view.add_row(part, *cells)
    return view


def slowest(results: dict[str, Any]) -> Table:
    """The cost of the most expensive queries of the slowest questions."""
    view = Table(title="the slowest questions, each with its most expensive query", box=None, header_style="bold")
    for column in ("question", "query", "rows", "db hits", "scans"):
        view.add_column(column, justify="right" if column in ("rows", "db hits") else "left")
    for entry in results["slowest"]:
        worst = max(entry["queries"], key=lambda query: query["db_hits"])
        scans = ", ".join(worst["scans"])
        view.add_row(entry["question"], worst["query"], f"{worst['rows']:,}", f"{worst['db_hits']:,}", scans)
    return view


def run_folder(folder: Path) -> dict[str, Any]:
    """The figures of a graph with questions, on the server of ``gear evaluate``, which keeps its data."""
    settings = replace(Settings.load(), uri=None, name=f"evaluate-{folder.name}", database=None)
    with kept_server(settings):
        return measure_folder(settings, folder)


def run_made(relationships: int, *, keep: bool) -> dict[str, Any]:
    """The figures of a made graph; one that is large gets a server with more memory."""
    if relationships > LARGE:
        os.environ.setdefault("GEAR_LOCAL_HEAP", "3g")
        os.environ.setdefault("GEAR_LOCAL_PAGECACHE", "5g")
    settings = replace(Settings.load(), uri=None, name=f"{SERVER}-{relationships}", database=None)
    with (kept_server if keep else fresh_server)(settings) as server:
        return measure(settings, server, MadeGraph(relationships))


def main() -> None:
    """Make or import, adopt, ask, print, write."""
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
    console.print(table(results))
    console.print(slowest(results))


if __name__ == "__main__":
    main()
