"""Communities of a data set: build time, determinism, and the reports that an update writes again.

``python -m benchmarks.communities DATASET_DIR``: first the data set without its last fifty passages, on its own server,
with reports by a scripted model; then these fifty and an update; then the deletion of every thirtieth passage.
"""

import argparse
import json
import tempfile
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.agents import ScriptedModel
from benchmarks.measure import fresh_server, machine
from gear_neo4j import Gear, Settings
from gear_neo4j.communities.build import BuildReport
from gear_neo4j.graph.queries import Query

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "communities.json"
SERVER = "bench-communities"
ADDED = 50
ONE_IN = 30
DANGLING = Query(
    "dangling",
    "MATCH (c:__GearCommunity) WHERE NOT EXISTS { (c)-[:PARENT_OF*0..25]->()<-[:IN_COMMUNITY]-() } "
    "RETURN count(*) AS communities",
)


def timed_build(gear: Gear, *, afresh: bool = True) -> tuple[BuildReport, float]:
    """A build or an update, and its duration in seconds."""
    started = time.perf_counter()
    built = gear.communities.build(afresh=afresh)
    return built, round(time.perf_counter() - started, 2)


def measure(gear: Gear, folder: Path, target: Path) -> dict[str, Any]:
    """The figures, in order of measurement."""
    corpus = (folder / "corpus.jsonl").read_text("utf-8").splitlines(keepends=True)
    (target / "most.jsonl").write_text("".join(corpus[:-ADDED]), "utf-8")
    (target / "last.jsonl").write_text("".join(corpus[-ADDED:]), "utf-8")
    known = {str(json.loads(line)["id"]) for line in corpus[:-ADDED]}
    facts = (folder / "triples.jsonl").read_text("utf-8").splitlines(keepends=True)
    for name, wanted in (("most-facts", True), ("last-facts", False)):
        lines = [line for line in facts if (str(json.loads(line)["id"]) in known) is wanted]
        (target / f"{name}.jsonl").write_text("".join(lines), "utf-8")
    gear.ingest([target / "most.jsonl"], triples=[target / "most-facts.jsonl"])
    built, seconds = timed_build(gear)
    first = gear.communities.read()
    again, seconds_again = timed_build(gear)
    sizes = [community.size for community in first.communities.values() if not first.below.get(community.id)]
    calls = gear.communities.report().usage.calls
    gear.ingest([target / "last.jsonl"], triples=[target / "last-facts.jsonl"])
    updated, seconds_update = timed_build(gear, afresh=False)
    calls_update = gear.communities.report().usage.calls
    ids = [str(json.loads(line)["id"]) for line in corpus[::ONE_IN]]
    deleted = gear.graph.corpus.delete_passages(ids)
    gear.graph.communities.delete_empty()
    return {
        "entities": built.nodes,
        "communities": sum(built.levels),
        "levels": built.levels,
        "largest_without_parts": max(sizes),
        "build_s": seconds,
        "build_again": {"s": seconds_again, "new": again.new, "gone": again.gone},
        "reports": calls,
        "added_passages": ADDED,
        "update": {"s": seconds_update, "new": updated.new, "gone": updated.gone, "reports": calls_update},
        "deleted": asdict(deleted),
        "dangling_after_deletion": gear.graph.database.run(DANGLING)[0]["communities"],
    }


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.communities", description=__doc__)
    parser.add_argument("dataset", type=Path)
    folder = parser.parse_args().dataset
    settings = replace(Settings.load(), uri=None, name=SERVER)
    with (
        fresh_server(settings),
        tempfile.TemporaryDirectory() as target,
        Gear.connect(settings, chat=ScriptedModel()) as gear,
    ):
        version = machine(gear.graph.version)
        results = {"machine": version, "dataset": folder.resolve().name, **measure(gear, folder, Path(target))}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data=results)


if __name__ == "__main__":
    main()
