"""Scout in a large graph: ``python -m benchmarks.large_scout [--passages 150000] [--keep]``.

The corpus is synthetic (``benchmarks/made.py``; ten triples per passage, with hubs), on its own local server, with
vectors that need no model. Every question is asked twice: the first round reads a cold store. Then each is asked with a
wrong letter in a name, and in lower case. Finally ten passages are written, each followed by a search, and the slowest
questions run again with the cost of each query. Prints tables and writes docs/benchmarks/large_scout.json; absolute
times are for this machine only.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.progress import track

from benchmarks.made import SyntheticCorpus, TwoHopQuestion, WordVectors
from benchmarks.measure import current_megabytes, in_own_process, machine, peak_megabytes, spread
from benchmarks.scale import load, write_files
from benchmarks.scout import misspelt
from benchmarks.searches import (
    ROUNDS,
    Timing,
    sized_server,
    slowest,
    slowest_table,
    summary,
    time_rounds,
    time_search,
    times_table,
)
from gear_neo4j import Gear, Scout, Settings
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.server.local import LocalServer

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "large_scout.json"
SERVER = "bench-scout"
PASSAGES = 150_000
QUESTIONS = 200
# Misspelt names take another query.
WRITTEN = {"a name with a wrong letter": misspelt, "in lower case": str.lower}
K = 10
WRITES = 10


def measure(settings: Settings, corpus: SyntheticCorpus) -> dict[str, Any]:
    """All searches, in a process that did not load the corpus."""
    questions = corpus.questions(QUESTIONS)
    with Gear.connect(settings, embedder=WordVectors()) as gear:
        retriever = gear.retriever(Scout())
        rounds = time_rounds(retriever, [question.question for question in questions], k=K)
        # Before any write, which would add the memory of an ingest.
        client = {"now": current_megabytes(), "peak": peak_megabytes()}
        written = {
            name: [time_search(retriever, change(question.question), k=K) for question in track(questions, name)]
            for name, change in WRITTEN.items()
        }
        return {
            "triples": corpus.triples,
            "questions": len(questions),
            "recall_at_10": recall_at_10(rounds[ROUNDS[-1]], questions),
            "ms": {name: summary(timings) for name, timings in rounds.items()},
            "written": {
                name: {"ms": summary(timings), "recall_at_10": recall_at_10(timings, questions)}
                for name, timings in written.items()
            },
            "client_mb": client,
            "after_a_write_ms": spread(_after_a_write(gear, retriever, questions[:WRITES])),
            "slowest": slowest(gear, rounds[ROUNDS[-1]], Scout()),
            "machine": machine(gear.graph.version),
        }


def recall_at_10(timings: Sequence[Timing], questions: Sequence[TwoHopQuestion]) -> float:
    """The mean recall, in percent."""
    return round(
        100
        * fmean(
            recall([hit.passage.id for hit in timing.hits], question.gold, k=K)
            for timing, question in zip(timings, questions, strict=True)
        ),
        1,
    )


def _after_a_write(gear: Gear, retriever: Retriever, questions: Sequence[TwoHopQuestion]) -> list[float]:
    """The milliseconds of the first search after a passage is written, for each of some questions."""
    times = []
    for number, question in enumerate(questions):
        with tempfile.TemporaryDirectory() as folder:
            # Another text in each run: a stored passage is not written again.
            line = {"title": "Later", "text": f"Written at {time.time()} as number {number}."}
            (Path(folder) / "later.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
            gear.ingest([folder])
        times.append(time_search(retriever, question.question, k=K).total)
    return times


@contextmanager
def loaded_server(settings: Settings, corpus: SyntheticCorpus, *, keep: bool) -> Iterator[LocalServer]:
    """A local server with the corpus, which is loaded unless a kept server has it."""
    with sized_server(settings, size=corpus.triples, keep=keep) as server:
        loaded = server.home / "loaded.json"
        if not loaded.exists():
            with tempfile.TemporaryDirectory() as folder:
                write_files(corpus, Path(folder) / "corpus")
                figures = in_own_process(load, settings, Path(folder) / "corpus").result()
            loaded.write_text(json.dumps(figures), encoding="utf-8")
        yield server


def chosen(name: str, *, description: str | None) -> tuple[Settings, SyntheticCorpus, bool]:
    """The server, the corpus, and whether to keep the server, from the command line of a benchmark."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("--passages", type=int, default=PASSAGES, help="how many (default: %(default)s)")
    parser.add_argument("--keep", action="store_true", help="keep the server with its data for the next run")
    options = parser.parse_args()
    settings = replace(Settings.load(), uri=None, name=f"{SERVER}-{options.passages}", database=None)
    return settings, SyntheticCorpus(options.passages), options.keep


def main() -> None:
    """Load, ask, print, write."""
    settings, corpus, keep = chosen("large_scout", description=__doc__)
    with loaded_server(settings, corpus, keep=keep):
        results: dict[str, Any] = in_own_process(measure, settings, corpus).result()
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    console = Console()
    view = times_table(f"scout, {results['triples']:,} triples, {results['questions']} questions", results["ms"])
    client, written = results["client_mb"], results["after_a_write_ms"]
    view.caption = (
        f"R@{K} {results['recall_at_10']}; after a write p50 {written['median']:.0f} ms, most {written['most']:.0f}; "
        f"client {client['now']} MB, at most {client['peak']}"
    )
    for name, figures in results["written"].items():
        whole = figures["ms"]["whole"]
        view.caption += (
            f"\n{name}: p50 {whole['median']:.0f} ms, p95 {whole['p95']:.0f}; R@{K} {figures['recall_at_10']}"
        )
    console.print(view)
    console.print(slowest_table(results["slowest"]))


if __name__ == "__main__":
    main()
