"""A large graph adopted, updated and released: ``python -m benchmarks.adoption [--relationships 200000]``.

The graph is synthetic (``benchmarks/made_graph.py``), on its own local server. A separate process adopts it, with
vectors that need no model, while this one searches over another connection. Prints a table and writes
docs/benchmarks/adoption.json; absolute times are for this machine only.
"""

import argparse
import json
import os
import platform
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.made import WordVectors
from benchmarks.made_graph import PROFILE, MadeGraph, make
from benchmarks.measure import fresh_server, in_own_process, peak_megabytes, spread, timed
from gear_neo4j import Gear, Naive, Settings
from gear_neo4j.errors import GearError
from gear_neo4j.ingestion.progress import Progress

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "adoption.json"
SERVER = "bench-adoption"
RELATIONSHIPS = 200_000
SEARCHES = 200
PAUSE = 0.1


def adopt(settings: Settings) -> dict[str, Any]:
    """Adopt the graph, in a separate process: seconds in total and by stage, counts written, and peak memory."""
    stages: dict[str, float] = {}
    started = last = time.perf_counter()

    def note(progress: Progress) -> None:
        nonlocal last
        now = time.perf_counter()
        stages[progress.stage] = stages.get(progress.stage, 0.0) + now - last
        last = now

    with Gear.connect(settings, embedder=WordVectors()) as gear:
        before = peak_megabytes()
        report = gear.overlay.adopt(PROFILE, on_progress=note)
    return {
        "seconds": round(time.perf_counter() - started, 1),
        "stages": {stage: round(seconds, 1) for stage, seconds in stages.items()},
        "passages": report.passages_written,
        "triples": report.triples_written,
        "peak_mb": peak_megabytes(),
        "before_mb": before,
    }


def release(settings: Settings) -> dict[str, Any]:
    """Release it, in a separate process."""
    with Gear.connect(settings, embedder=WordVectors()) as gear:
        started = time.perf_counter()
        gone = gear.overlay.release()
    seconds = round(time.perf_counter() - started, 1)
    return {"seconds": seconds, "passages": gone.passages, "triples": gone.triples, "peak_mb": peak_megabytes()}


def search(gear: Gear, graph: MadeGraph, number: int) -> float:
    """Milliseconds of one search, for the names of two nodes."""
    first, second = (str(graph.node(index % graph.nodes)["name"]) for index in (7_919 * number, 104_729 * number + 1))
    question = f"What joins {first} and {second}?"
    return timed(lambda: gear.search(question, retriever=Naive(base="fulltext")))


def search_while(running: "Future[dict[str, Any]]", gear: Gear, graph: MadeGraph) -> tuple[list[float], list[str]]:
    """The milliseconds of searches until a run ends, and the errors after the first success."""
    times: list[float] = []
    failed: list[str] = []
    number = 0
    while not running.done():
        number += 1
        try:
            times.append(search(gear, graph, number))
        except GearError as error:
            # Searches fail until the first passages are written.
            if times:
                failed.append(str(error))
        time.sleep(PAUSE)
    return times, failed


def measure(settings: Settings, graph: MadeGraph) -> dict[str, Any]:
    """All measurements, on an empty database."""
    make(settings, graph)
    with Gear.connect(settings, embedder=WordVectors()) as gear:
        running = in_own_process(adopt, settings)
        during, failed = search_while(running, gear, graph)
        first = running.result()
        afterwards = []
        for number in track(range(1, SEARCHES + 1), "searching"):
            afterwards.append(search(gear, graph, number))
            time.sleep(PAUSE)
        return {
            "machine": {"python": platform.python_version(), "neo4j": gear.graph.version, "cpus": os.cpu_count()},
            "graph": {"nodes": graph.nodes, "relationships": graph.relationships},
            "adopt": first | {"triples_a_second": round(first["triples"] / first["seconds"])},
            "search_ms": {"during": spread(during), "after": spread(afterwards)},
            "searches": {"during": len(during), "failed": len(failed), "errors": sorted(set(failed))[:5]},
            "again": in_own_process(adopt, settings).result(),
            "release": in_own_process(release, settings).result(),
        }


def table(results: dict[str, Any]) -> Table:
    """The results, one line per figure."""
    graph, first, again, removal = (results[key] for key in ("graph", "adopt", "again", "release"))
    view = Table(
        title=f"{graph['nodes']:,} nodes, {graph['relationships']:,} relationships", box=None, header_style="bold"
    )
    for column in ("", "seconds", "triples", "passages", "peak memory"):
        view.add_column(column, justify="left" if not column else "right")
    for label, figures in (("adopt", first), ("adopt again", again), ("release", removal)):
        counts = (f"{figures[key]:,}" for key in ("triples", "passages"))
        view.add_row(label, f"{figures['seconds']:.1f}", *counts, f"{figures['peak_mb']} MB")
    view.add_row("triples a second, without embedding", "", f"{first['triples_a_second']:,}")
    for label, key in (("while it runs", "during"), ("afterwards", "after")):
        figures = results["search_ms"][key]
        view.add_row(f"search {label}: {figures['median']:.0f} ms, p95 {figures['p95']:.0f} ms")
    view.add_row(f"searches while it runs: {results['searches']['during']}, failed {results['searches']['failed']}")
    return view


def main() -> None:
    """Create, measure, print, write; the server and its data are deleted afterwards."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adoption", description=__doc__)
    parser.add_argument("--relationships", type=int, default=RELATIONSHIPS, help="how many (default: %(default)s)")
    count = parser.parse_args().relationships
    settings = replace(Settings.load(), uri=None, name=SERVER, database=None)
    with fresh_server(settings):
        results = measure(settings, MadeGraph(count))
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print(table(results))


if __name__ == "__main__":
    main()
