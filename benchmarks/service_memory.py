"""Memory of a service that many callers fill: ``python -m benchmarks.service_memory [--minutes 10]``.

``gear serve`` runs in a separate process, over a local server and the real embedding model. Each of many keys uses each
of many filters for searches that keep data in memory: bm25, HippoRAG, the names of paths; and for scout, which keeps
none. Each pair of a key and a filter is a separate scope. Refusals must say why; everything else is an error.
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from benchmarks.made import SyntheticCorpus
from benchmarks.measure import current_megabytes, fresh_server, machine, spread
from benchmarks.service import LONGEST_WAIT, PATIENCE, serving
from benchmarks.soak_record import by_quarter, slopes
from gear_neo4j import Gear, Settings
from gear_neo4j.server.local import LocalServer
from gear_neo4j.web.keys import add_key

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "service_memory.json"
PASSAGES = 5_000
CLIENTS = 8
SAMPLE = 2.0
# The searches, by path and fields of the request.
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "bm25": ("/api/search", {"retriever": "base", "base": "bm25"}),
    "hipporag2": ("/api/search", {"retriever": "hipporag2"}),
    "paths": ("/api/paths", {}),
    "scout": ("/api/search", {"retriever": "scout"}),
}


@dataclass(slots=True)
class Record:
    """The measurements of the clients; times in milliseconds."""

    statuses: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    refusals: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    scopes: set[tuple[int, int]] = field(default_factory=set)
    memory: list[dict[str, float]] = field(default_factory=list)


def write_corpus(folder: Path, corpus: SyntheticCorpus, *, filters: int) -> None:
    """The corpus as JSONL; a passage has the number of its part, for filters."""
    with (folder / "corpus.jsonl").open("w") as out:
        for number, (passage, facts) in enumerate(pair for batch in corpus.batches() for pair in batch):
            row = {"id": passage.id, "title": passage.title, "text": passage.text}
            triples = [[triple.subject, triple.predicate, triple.object] for triple in facts]
            out.write(json.dumps({**row, "metadata": {"part": number % filters}, "triples": triples}) + "\n")


async def ask_on(
    url: str, secrets: Sequence[str], questions: Sequence[str], *, seed: int, filters: int, record: Record
) -> None:
    """Use every key and filter in turn, for one search after the other, until cancelled."""
    chance = random.Random(seed)
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
        while True:
            key, part, name = chance.randrange(len(secrets)), chance.randrange(filters), chance.choice(list(ASKED))
            path, fields = ASKED[name]
            # Some filters admit one part of fifty, and some nearly all.
            body = {
                "question": chance.choice(questions),
                **fields,
                "where": f"part {chance.choice(['=', '!='])} {part}",
            }
            record.scopes.add((key, part))
            started = time.perf_counter()
            response = await client.post(path, json=body, headers={"X-API-Key": secrets[key]})
            record.statuses[name][str(response.status_code)] += 1
            if response.status_code == 200:
                record.times[name].append(1_000 * (time.perf_counter() - started))
            else:
                await _note(response, record)


async def _note(response: httpx.Response, record: Record) -> None:
    """Count a refusal by its reason, and an error; wait if the service says so."""
    problem = response.json()
    known = response.status_code in (422, 429, 504)
    (record.refusals if known else record.errors)[f"{response.status_code} {problem['detail'][:100]}"] += 1
    if "retry-after" in response.headers:
        await asyncio.sleep(min(LONGEST_WAIT, float(response.headers["retry-after"])))


async def fill(
    url: str, pid: int, secrets: Sequence[str], questions: Sequence[str], options: argparse.Namespace
) -> Record:
    """All clients at once until the time is up, with samples of the memory."""
    record, began = Record(), time.perf_counter()
    clients = [
        asyncio.create_task(ask_on(url, secrets, questions, seed=seed, filters=options.filters, record=record))
        for seed in range(options.clients)
    ]
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE, headers={"X-API-Key": secrets[0]}) as client:
        while (seconds := time.perf_counter() - began) < 60 * options.minutes:
            kept = await _kept_megabytes(client)
            record.memory.append({"seconds": round(seconds), "service_mb": current_megabytes(pid), "kept_mb": kept})
            failed = next((task for task in clients if task.done()), None)
            if failed:
                failed.result()
            await asyncio.sleep(SAMPLE)
    for task in clients:
        task.cancel()
    await asyncio.gather(*clients, return_exceptions=True)
    return record


async def _kept_megabytes(client: httpx.AsyncClient) -> float:
    """The memory of indexes, as the service reports it."""
    lines = (await client.get("/metrics")).text.splitlines()
    return next(float(line.split()[1]) / 2**20 for line in lines if line.startswith("gear_memory_bytes "))


async def measured(settings: Settings, server: LocalServer, options: argparse.Namespace) -> dict[str, Any]:
    """The figures of one run."""
    corpus = SyntheticCorpus(options.passages)
    connected = replace(settings, uri=server.uri, username=server.username, password=server.password)
    with Gear.connect(connected) as gear, tempfile.TemporaryDirectory() as folder:
        write_corpus(Path(folder), corpus, filters=options.filters)
        file = Path(folder, "corpus.jsonl")
        gear.ingest([file], triples=[file])
        keys = Path(folder, "keys.json")
        secrets = [add_key(keys, f"key{n}", principals=[f"user:{n}"]) for n in range(options.keys)]
        questions = [question.question for question in corpus.questions(200)]
        variables = {"GEAR_SERVE_KEYS_FILE": str(keys), "GEAR_SERVE_MEMORY": str(options.memory)}
        async with serving(server, **variables) as (url, process):
            record = await fill(url, process.pid, secrets, questions, options)
    return {
        "machine": machine(server.version),
        **{name: getattr(options, name) for name in ("passages", "keys", "filters", "clients", "minutes")},
        "memory_mib": options.memory,
        "scopes_asked": len(record.scopes),
        "statuses": {name: dict(counts) for name, counts in record.statuses.items()},
        "refusals": dict(record.refusals),
        "errors": dict(record.errors),
        "ms": {name: spread(times) for name, times in record.times.items()},
        "memory_by_quarter": by_quarter(record.memory),
        "memory_slope_mb_an_hour": slopes(record.memory),
        "memory": record.memory,
    }


def main() -> None:
    """Fill, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service_memory", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long (default: %(default)s)")
    parser.add_argument("--passages", type=int, default=PASSAGES, help="how large the corpus is (default: %(default)s)")
    parser.add_argument("--keys", type=int, default=200, help="how many keys (default: %(default)s)")
    parser.add_argument("--filters", type=int, default=50, help="how many filters of each (default: %(default)s)")
    parser.add_argument("--clients", type=int, default=CLIENTS, help="how many ask at once (default: %(default)s)")
    parser.add_argument("--memory", type=int, default=1_024, help="GEAR_SERVE_MEMORY, in MiB (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the result goes (default: %(default)s)")
    options = parser.parse_args()
    settings = replace(Settings.load(), uri=None, name="bench-service-memory", database=None)
    with fresh_server(settings) as server:
        report = asyncio.run(measured(settings, server, options))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data={key: value for key, value in report.items() if key != "memory"})


if __name__ == "__main__":
    main()
