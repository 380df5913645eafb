"""Times searches by part, and shows what the slowest cost the server."""

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.progress import track
from rich.table import Table

from benchmarks.measure import fresh_server, kept_server, spread
from gear_neo4j import Gear, RetrieverRecipe, Settings
from gear_neo4j.domain import Hits
from gear_neo4j.gear.session import Session
from gear_neo4j.graph.connection.query_profiles import QueryProfile
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.server.local import LocalServer

ROUNDS = ("first", "second")
SLOWEST = 5
# Triples or relationships above which a local server gets more memory.
LARGE = 500_000


@dataclass(frozen=True, slots=True)
class Timing:
    """A search: its hits, and its milliseconds by part, without the encoding of the question."""

    hits: Hits
    parts: dict[str, float]

    @property
    def total(self) -> float:
        """The milliseconds of the whole search."""
        return sum(self.parts.values())


def time_search(retriever: Retriever, question: str, *, k: int = 10) -> Timing:
    """One search."""
    hits = retriever.retrieve(question, k=k)
    return Timing(hits, {part: spent for part, spent in hits.milliseconds.items() if part != "encode"})


def time_rounds(retriever: Retriever, questions: Sequence[str], *, k: int = 10) -> dict[str, list[Timing]]:
    """All questions, in two rounds: the first reads a cold store, and plans its queries."""
    return {
        name: [time_search(retriever, question, k=k) for question in track(questions, f"{name} round")]
        for name in ROUNDS
    }


def summary(timings: Sequence[Timing]) -> dict[str, Any]:
    """The spread of the whole and of each part."""
    parts: dict[str, list[float]] = defaultdict(list)
    for timing in timings:
        parts["whole"].append(timing.total)
        for part, spent in timing.parts.items():
            parts[part].append(spent)
    return {part: spread(spent) for part, spent in parts.items()}


def slowest(gear: Gear, timings: Sequence[Timing], recipe: RetrieverRecipe) -> list[dict[str, Any]]:
    """The cost of each query of the slowest questions: rows, db hits, and operators that scan."""
    by_time = sorted(timings, key=lambda timing: -timing.total)
    questions = list(dict.fromkeys(timing.hits.question for timing in by_time))[:SLOWEST]
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


def times_table(title: str, rounds: dict[str, dict[str, Any]]) -> Table:
    """The times of both rounds, one line per part."""
    view = Table(title=f"{title}: ms without the encoding of the question", box=None, header_style="bold")
    view.add_column("")
    for name in ROUNDS:
        for column in ("p50", "p95", "most"):
            view.add_column(f"{name} {column}", justify="right")
    for part in rounds[ROUNDS[0]]:
        figures = (rounds[name].get(part, {}) for name in ROUNDS)
        cells = [f"{of.get(key, 0):.0f}" for of in figures for key in ("median", "p95", "most")]
        view.add_row(part, *cells)
    return view


def slowest_table(costs: Sequence[dict[str, Any]]) -> Table:
    """The most expensive query of each of the slowest questions."""
    view = Table(title="the slowest questions, each with its most expensive query", box=None, header_style="bold")
    for column in ("question", "query", "rows", "db hits", "scans"):
        view.add_column(column, justify="right" if column in ("rows", "db hits") else "left")
    for entry in costs:
        worst = max(entry["queries"], key=lambda query: query["db_hits"])
        scans = ", ".join(worst["scans"])
        view.add_row(entry["question"], worst["query"], f"{worst['rows']:,}", f"{worst['db_hits']:,}", scans)
    return view


@contextmanager
def sized_server(settings: Settings, *, size: int, keep: bool) -> Iterator[LocalServer]:
    """A local server with enough memory for a graph of this size; without ``keep``, its data is deleted afterwards."""
    if size > LARGE:
        os.environ.setdefault("GEAR_LOCAL_HEAP", "3g")
        os.environ.setdefault("GEAR_LOCAL_PAGECACHE", "5g")
    with (kept_server if keep else fresh_server)(settings) as server:
        yield server
