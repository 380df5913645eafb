"""Scout in a large graph: ``python -m benchmarks.large_scout [--passages 150000] [--keep]``.

The corpus is made (``benchmarks/made.py``; ten triples a passage, with hubs), on a local server of its own, with
vectors that cost nothing to make. Every question is put twice: the first round reads a cold store. Then a passage is
written and the next search is timed, and the slowest questions run again with the cost of each query. Prints a table
and writes docs/benchmarks/large_scout.json; absolute times are of that machine only.
"""

import argparse
import json
import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.made import SyntheticCorpus, TwoHopQuestion, WordVectors
from benchmarks.measure import (
    current_megabytes,
    fresh_server,
    in_own_process,
    kept_server,
    machine,
    peak_megabytes,
    spread,
)
from benchmarks.patterns import costs, slowest
from benchmarks.scale import load, write_files
from gear_neo4j import Gear, Scout, Settings
from gear_neo4j.domain import Hits
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.server.local import LocalServer

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "large_scout.json"
SERVER = "bench-scout"
PASSAGES = 150_000
# From here on the local server gets more memory.
LARGE = 50_000
QUESTIONS = 200
SLOWEST = 5
K = 10


@dataclass(frozen=True, slots=True)
class Search:
    """One search: its milliseconds by part, without the encoding of the question, and its recall."""

    question: str
    parts: dict[str, float]
    recall: float

    @property
    def total(self) -> float:
        """The milliseconds of the whole search."""
        return sum(self.parts.values())


def search(retriever: Retriever, question: TwoHopQuestion) -> Search:
    """Put one question."""
    hits: Hits = retriever.retrieve(question.question, k=K)
    parts = {part: spent for part, spent in hits.milliseconds.items() if part != "encode"}
    return Search(question.question, parts, recall([hit.passage.id for hit in hits], question.gold, k=K))


def measure(settings: Settings, corpus: SyntheticCorpus) -> dict[str, Any]:
    """All searches, in a process that did not load the corpus."""
    questions = corpus.questions(QUESTIONS)
    with Gear.connect(settings, embedder=WordVectors()) as gear:
        retriever = gear.retriever(Scout())
        rounds = {
            name: [search(retriever, question) for question in track(questions, f"{name} round")]
            for name in ("first", "second")
        }
        # Before anything is written, whose memory is that of an ingest.
        client = {"now": current_megabytes(), "peak": peak_megabytes()}
        by_time = sorted(rounds["second"], key=lambda one: -one.total)
        return {
            "triples": corpus.triples,
            "questions": len(questions),
            "recall_at_10": round(100 * fmean(one.recall for one in rounds["second"]), 1),
            "ms": {name: spread([one.total for one in searches]) for name, searches in rounds.items()},
            "parts_ms": {
                part: spread([one.parts[part] for one in rounds["second"]]) for part in rounds["second"][0].parts
            },
            "client_mb": client,
            "after_a_write_ms": round(_after_a_write(gear, retriever, questions[0]), 1),
            "slowest": costs(gear, [one.question for one in by_time[:SLOWEST]], Scout()),
            "machine": machine(gear.graph.version),
        }


def _after_a_write(gear: Gear, retriever: Retriever, question: TwoHopQuestion) -> float:
    """The milliseconds of the first search after a passage was written."""
    with tempfile.TemporaryDirectory() as folder:
        line = {"id": "made-later", "title": "Later", "text": "Later, Marie Curie was born in Warsaw."}
        (Path(folder) / "later.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
        gear.ingest([folder])
    return search(retriever, question).total


def run(settings: Settings, server: LocalServer, corpus: SyntheticCorpus) -> dict[str, Any]:
    """Load the corpus unless the server holds it, then measure in a process of its own."""
    loaded = server.home / "loaded.json"
    if not loaded.exists():
        with tempfile.TemporaryDirectory() as folder:
            write_files(corpus, Path(folder) / "corpus")
            figures = in_own_process(load, settings, Path(folder) / "corpus").result()
        loaded.write_text(json.dumps(figures), encoding="utf-8")
    results: dict[str, Any] = in_own_process(measure, settings, corpus).result()
    return results


def table(results: dict[str, Any]) -> Table:
    """The times of both rounds, and of each part of the second."""
    view = Table(title=f"scout, {results['triples']:,} triples, {results['questions']} questions: ms", box=None)
    view.add_column("")
    for column in ("p50", "p95", "most"):
        view.add_column(column, justify="right")
    lines = {f"{name} round": spent for name, spent in results["ms"].items()} | results["parts_ms"]
    for name, spent in lines.items():
        view.add_row(name, *(f"{spent[key]:.0f}" for key in ("median", "p95", "most")))
    client = results["client_mb"]
    view.caption = (
        f"R@{K} {results['recall_at_10']}; after a write {results['after_a_write_ms']:.0f} ms; "
        f"client {client['now']} MB, at most {client['peak']}"
    )
    return view


def main() -> None:
    """Load, ask, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_scout", description=__doc__)
    parser.add_argument("--passages", type=int, default=PASSAGES, help="how many (default: %(default)s)")
    parser.add_argument("--keep", action="store_true", help="keep the server with its data for the next run")
    options = parser.parse_args()
    if options.passages > LARGE:
        os.environ.setdefault("GEAR_LOCAL_HEAP", "3g")
        os.environ.setdefault("GEAR_LOCAL_PAGECACHE", "5g")
    settings = replace(Settings.load(), uri=None, name=f"{SERVER}-{options.passages}", database=None)
    with (kept_server if options.keep else fresh_server)(settings) as server:
        results = run(settings, server, SyntheticCorpus(options.passages))
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    console = Console()
    console.print(table(results))
    console.print(slowest(results))


if __name__ == "__main__":
    main()
