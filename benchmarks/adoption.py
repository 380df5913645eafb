"""A large graph adopted, kept up to date and released: ``python -m benchmarks.adoption [--relationships 200000]``.

The graph is made on a local server of its own: people with many films and cities between them, a few of which are hubs.
A process of its own adopts it, with vectors that cost nothing to make, while this one searches over another connection.
Prints a table and writes docs/benchmarks/adoption.json; absolute times are of that machine only.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.made import WordVectors, random_word
from benchmarks.measure import fresh_server, in_own_process, peak_megabytes, spread, timed
from gear_neo4j import Gear, Naive, Settings
from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.errors import GearError
from gear_neo4j.graph.queries import Query
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.server.connection import connect

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "adoption.json"
SERVER = "bench-adoption"
RELATIONSHIPS = 200_000
BATCH = 10_000
LABELS = ("Person", "Company", "City", "Film", "Award")
TYPES = ("KNOWS", "WORKS_AT", "LIVES_IN", "ACTED_IN", "OWNS", "RECEIVED", "FOUNDED", "NEAR")
NODES_A_HUB = 2_500
TO_HUBS = 0.1
SEARCHES = 200
PAUSE = 0.1
# One node in ten has a text, and so becomes a passage.
PROFILE = Profile(name="made", entities={label: Entities(names=("name",), text=("about",)) for label in LABELS})

MAKE_INDEX = "CREATE INDEX made IF NOT EXISTS FOR (n:Made) ON (n.number)"
MAKE_NODES = Query(
    "make_nodes",
    "UNWIND $rows AS row CREATE (n:Made {number: row.number, name: row.name, about: row.about}) SET n:$(row.label)",
    frozenset({"rows"}),
    writes=True,
)
MAKE_RELATIONSHIPS = Query(
    "make_relationships",
    "UNWIND $rows AS row MATCH (a:Made {number: row[0]}) MATCH (b:Made {number: row[1]}) "
    "CREATE (a)-[:$(row[2]) {since: row[3]}]->(b)",
    frozenset({"rows"}),
    writes=True,
)


def node(number: int) -> dict[str, object]:
    """A node of the graph, determined by its number."""
    label = LABELS[number % len(LABELS)]
    name = " ".join(random_word(number, salt) for salt in range(2)).title()
    about = f"{name} is told of in a text of its own, which has words like {random_word(number % 1013, 2)}."
    return {"number": number, "label": label, "name": name, "about": about if number % 10 == 0 else None}


def relationships(count: int, nodes: int) -> Iterator[list[list[object]]]:
    """Batches of rows: start, end, type and a year; a tenth of them ends at a hub."""
    random = np.random.default_rng(0)
    hubs = max(1, nodes // NODES_A_HUB)
    for done in range(0, count, BATCH):
        size = min(BATCH, count - done)
        starts, ends = random.integers(nodes, size=(2, size))
        ends = np.where(random.random(size) < TO_HUBS, random.integers(hubs, size=size), ends)
        kinds = [TYPES[place] for place in random.integers(len(TYPES), size=size)]
        years = random.integers(1900, 2027, size=size)
        yield [list(row) for row in zip(starts.tolist(), ends.tolist(), kinds, years.tolist(), strict=True)]


def make(settings: Settings, count: int) -> dict[str, int]:
    """The graph, in the empty database of the settings; says how large it is."""
    nodes = max(2, count // 4)
    with connect(settings) as database:
        database.execute(MAKE_INDEX)
        for start in track(range(0, nodes, BATCH), "nodes"):
            database.run(MAKE_NODES, rows=[node(number) for number in range(start, min(start + BATCH, nodes))])
        for rows in track(relationships(count, nodes), "relationships", total=-(-count // BATCH)):
            database.run(MAKE_RELATIONSHIPS, rows=rows)
    return {"nodes": nodes, "relationships": count}


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


def search(gear: Gear, nodes: int, number: int) -> float:
    """Milliseconds of one search, for the names of two nodes."""
    first, second = (str(node(place % nodes)["name"]) for place in (7_919 * number, 104_729 * number + 1))
    question = f"What joins {first} and {second}?"
    return timed(lambda: gear.search(question, retriever=Naive(base="fulltext")))


def search_while(running: "Future[dict[str, Any]]", gear: Gear, nodes: int) -> tuple[list[float], list[str]]:
    """The milliseconds of searches until a run ends, and the errors after the first success."""
    times: list[float] = []
    failed: list[str] = []
    number = 0
    while not running.done():
        number += 1
        try:
            times.append(search(gear, nodes, number))
        except GearError as error:
            # Searches fail until the first passages are written.
            if times:
                failed.append(str(error))
        time.sleep(PAUSE)
    return times, failed


def measure(settings: Settings, count: int) -> dict[str, Any]:
    """All measurements, on an empty database."""
    size = make(settings, count)
    with Gear.connect(settings, embedder=WordVectors()) as gear:
        running = in_own_process(adopt, settings)
        during, failed = search_while(running, gear, size["nodes"])
        first = running.result()
        afterwards = []
        for number in track(range(1, SEARCHES + 1), "searching"):
            afterwards.append(search(gear, size["nodes"], number))
            time.sleep(PAUSE)
        return {
            "machine": {"python": platform.python_version(), "neo4j": gear.graph.version, "cpus": os.cpu_count()},
            "graph": size,
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
    """Make, measure, print, write; the server and its data are gone afterwards."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adoption", description=__doc__)
    parser.add_argument("--relationships", type=int, default=RELATIONSHIPS, help="how many (default: %(default)s)")
    count = parser.parse_args().relationships
    settings = replace(Settings.load(), uri=None, name=SERVER, database=None)
    with fresh_server(settings):
        results = measure(settings, count)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print(table(results))


if __name__ == "__main__":
    main()
