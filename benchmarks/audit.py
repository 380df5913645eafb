"""The cost of the audit record: ``python -m benchmarks.audit [--searches 300]``.

It measures entries a second from one caller that waits for each and from many at once, the verification of 100,000
entries, and searches of one client at two services over the same database, with and without a record, by turns.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from benchmarks.made import SyntheticCorpus
from benchmarks.measure import fresh_server, machine, spread
from benchmarks.scale import write_files
from benchmarks.service import PATIENCE, serving
from gear_neo4j import Gear, Settings
from gear_neo4j.server.local import LocalServer
from gear_neo4j.web.audit.recorder import Recorder
from gear_neo4j.web.audit.verifying import verified
from gear_neo4j.web.audit.writing import ChainWriter

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "audit.json"
PASSAGES = 1_724
ENTRIES = 100_000
WAITED = 2_000
CALLERS = 50
QUESTIONS = 100
WARM_UP = 20
ENTRY = {
    "request": "0" * 32,
    "who": {"key": "ada", "id": "0" * 16},
    "address": "127.0.0.1",
    "kind": "search",
    "what": {"passages": [f"default/passage-{number}" for number in range(10)]},
    "outcome": "done",
    "status": 200,
}


async def recorded(recorder: Recorder, *, entries: int, callers: int) -> float:
    """Entries a second by callers at once, each of whom waits for every entry."""

    async def call() -> None:
        for _ in range(entries // callers):
            await recorder.record(ENTRY)

    began = time.perf_counter()
    await asyncio.gather(*(call() for _ in range(callers)))
    return entries / (time.perf_counter() - began)


def written(folder: Path) -> dict[str, float]:
    """The rates of writing, and the time of verification."""
    recorder = Recorder(ChainWriter(folder))
    alone = asyncio.run(recorded(recorder, entries=WAITED, callers=1))
    together = asyncio.run(recorded(recorder, entries=ENTRIES - WAITED, callers=CALLERS))
    recorder.close()
    began = time.perf_counter()
    (report,) = verified(folder)
    seconds = time.perf_counter() - began
    assert not report.broken
    return {
        "entries_a_second_one_caller": round(alone),
        f"entries_a_second_{CALLERS}_callers": round(together),
        "entries_verified": report.last.number,
        "verification_seconds": round(seconds, 2),
        "megabytes": round(sum(file.stat().st_size for file in folder.glob("*.jsonl")) / 1e6, 1),
    }


async def searched(server: LocalServer, folder: Path, questions: Sequence[str], searches: int) -> dict[str, Any]:
    """Milliseconds of searches without and with a record, by turns."""
    variables = {"without": {}, "with": {"GEAR_SERVE_AUDIT": str(folder)}}
    times: dict[str, list[float]] = {name: [] for name in variables}
    async with AsyncExitStack() as stack:
        clients = {}
        for name, each in variables.items():
            url, _ = await stack.enter_async_context(serving(server, **each))
            clients[name] = await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=PATIENCE))
        for number in range(WARM_UP + searches):
            # Each is the first one every other time: it warms the database for the second.
            for name, client in sorted(clients.items(), reverse=bool(number % 2)):
                began = time.perf_counter()
                response = await client.post("/api/search", json={"question": questions[number % len(questions)]})
                response.raise_for_status()
                times[name].append(1_000 * (time.perf_counter() - began))
    return {name: spread(values[WARM_UP:]) for name, values in times.items()}


def measured(settings: Settings, server: LocalServer, *, passages: int, searches: int) -> dict[str, Any]:
    """All figures."""
    corpus = SyntheticCorpus(passages)
    connected = replace(settings, uri=server.uri, username=server.username, password=server.password)
    with tempfile.TemporaryDirectory() as name, Gear.connect(connected) as gear:
        folder = Path(name)
        write_files(corpus, folder / "corpus")
        gear.ingest([folder / "corpus"])
        questions = [question.question for question in corpus.questions(QUESTIONS)]
        search_ms = asyncio.run(searched(server, folder / "service", questions, searches))
        figures = {"passages": passages, "search_ms": search_ms, **written(folder / "audit")}
        return {"machine": machine(server.version), **figures}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.audit", description=__doc__)
    parser.add_argument("--searches", type=int, default=300, help="of each service (default: %(default)s)")
    parser.add_argument("--passages", type=int, default=PASSAGES, help="of the corpus (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the result goes (default: %(default)s)")
    options = parser.parse_args()
    settings = replace(Settings.load(), uri=None, name="bench-audit", database=None)
    with fresh_server(settings) as server:
        report = measured(settings, server, passages=options.passages, searches=options.searches)
    options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data=report)


if __name__ == "__main__":
    main()
