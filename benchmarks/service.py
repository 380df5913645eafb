"""Clients of a service under load: ``python -m benchmarks.service [--minutes 10] [--clients 50]``.

``gear serve`` runs in a separate process, over a local server and the real embedding model. Clients search without a
pause, each over its own connection, and wait as long as a 429 says; meanwhile documents are ingested and forgotten.
Everything except an answer or a 429 is an error. At the end the service gets SIGTERM while clients continue.
"""

import argparse
import asyncio
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from benchmarks.made import SyntheticCorpus
from benchmarks.measure import current_megabytes, fresh_server, machine, spread
from benchmarks.scale import write_files
from benchmarks.soak_record import by_quarter, slopes
from gear_neo4j import Gear, Settings
from gear_neo4j.server.local import LocalServer

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "service.json"
PASSAGES = 1_724
QUESTIONS = 200
DOCUMENT = 40
SAMPLE = 5.0
PATIENCE = 120.0
LONGEST_WAIT = 5.0


@dataclass(slots=True)
class Record:
    """The measurements of the clients; times in milliseconds."""

    statuses: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    searches: list[float] = field(default_factory=list)
    jobs: Counter[str] = field(default_factory=Counter)
    memory: list[dict[str, float]] = field(default_factory=list)
    unanswered: int = 0


async def search_on(url: str, questions: Sequence[str], record: Record, stop: asyncio.Event) -> None:
    """Search until stopped; after a refusal, wait as long as the service says."""
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
        for question in itertools.cycle(questions):
            if stop.is_set():
                return
            started = time.perf_counter()
            try:
                response = await client.post("/api/search", json={"question": question})
            except httpx.TransportError as error:
                record.errors[f"{type(error).__name__}"] += 1
                continue
            record.statuses[str(response.status_code)] += 1
            if response.status_code == 200:
                record.searches.append(1_000 * (time.perf_counter() - started))
            elif response.status_code == 429:
                await asyncio.sleep(_wait(response))
            else:
                record.errors[f"{response.status_code} {response.json()['code']}"] += 1


async def send_on(url: str, record: Record, stop: asyncio.Event) -> None:
    """Upload a document, wait for its job, and remove it, until stopped; the last one is removed, too."""
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
        for turn in itertools.count():
            if stop.is_set():
                return
            facts = (f"Person {turn}-{n} works at Company {n}. It makes Thing {turn}." for n in range(DOCUMENT))
            text = "\n\n".join(facts)
            file = (f"load-{turn}.txt", text.encode())
            sent = await _admitted(partial(client.post, "/api/documents", files=[("files", file)]))
            await _ended(client, sent, "ingest", record)
            source = f"/api/documents/{file[0]}"
            gone = await _admitted(partial(client.delete, source, params={"collection": "default"}))
            await _ended(client, gone, "forget", record)


async def _admitted(send: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
    """The response to a request that is repeated while too many others run."""
    while (response := await send()).status_code == 429:
        await asyncio.sleep(_wait(response))
    return response


def _wait(refusal: httpx.Response) -> float:
    return min(LONGEST_WAIT, float(refusal.headers["retry-after"]))


async def _ended(client: httpx.AsyncClient, accepted: httpx.Response, task: str, record: Record) -> None:
    if accepted.status_code != 202:
        record.errors[f"{task}: {accepted.status_code}"] += 1
        return
    state = "waiting"
    while state in ("waiting", "running"):
        await asyncio.sleep(0.5)
        state = (await client.get(accepted.headers["location"])).json()["state"]
    record.jobs[f"{task} {state}"] += 1


async def end_under_load(url: str, process: "subprocess.Popen[bytes]", questions: Sequence[str], record: Record) -> int:
    """SIGTERM while clients wait for answers; counts the clients without an answer, and returns the exit status."""

    async def search(question: str) -> bool:
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
            response = await client.post("/api/search", json={"question": question})
            return response.status_code in (200, 429)

    clients = [asyncio.create_task(search(question)) for question in questions[:16]]
    await asyncio.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    answered = await asyncio.gather(*clients, return_exceptions=True)
    record.unanswered = sum(answer is not True for answer in answered)
    return await asyncio.to_thread(process.wait, PATIENCE)


async def load(
    url: str,
    server: LocalServer,
    process: "subprocess.Popen[bytes]",
    *,
    clients: int,
    minutes: float,
    questions: Sequence[str],
) -> tuple[Record, int]:
    """All clients at once until the time is up; then the shutdown under load."""
    record, stop, began = Record(), asyncio.Event(), time.perf_counter()
    work = [search_on(url, questions[n % len(questions) :], record, stop) for n in range(clients)]
    tasks = [asyncio.create_task(task) for task in (*work, send_on(url, record, stop))]
    while (seconds := time.perf_counter() - began) < 60 * minutes:
        memory = {"service_mb": current_megabytes(process.pid), "server_mb": current_megabytes(server.pid)}
        record.memory.append({"seconds": round(seconds), **memory})
        await asyncio.sleep(SAMPLE)
    stop.set()
    await asyncio.gather(*tasks)
    return record, await end_under_load(url, process, questions, record)


@asynccontextmanager
async def serving(server: LocalServer, **variables: str) -> AsyncIterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """``gear serve`` over a server, once it is ready; ``variables`` are added to its environment."""
    with tempfile.TemporaryDirectory(prefix="gear-service-") as home:
        environment = {
            **os.environ,
            "NEO4J_URI": server.uri,
            "NEO4J_USERNAME": server.username,
            "NEO4J_PASSWORD": server.password,
            "GEAR_HOME": home,
            "PYTHONUNBUFFERED": "1",
            **variables,
        }
        program = [sys.executable, "-c", "from gear_neo4j.cli.process import run; run()", "serve", "--port", "0"]
        process = subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            assert process.stdout is not None
            line = (await asyncio.to_thread(process.stdout.readline)).decode()
            url = line.split(" at ")[1].split(";")[0].strip()
            async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
                while (await client.get("/readyz")).status_code != 200:
                    await asyncio.sleep(0.5)
            yield url, process
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()


async def measured(settings: Settings, server: LocalServer, *, clients: int, minutes: float) -> dict[str, Any]:
    """The figures of one run."""
    corpus = SyntheticCorpus(PASSAGES)
    connected = replace(settings, uri=server.uri, username=server.username, password=server.password)
    with Gear.connect(connected) as gear, tempfile.TemporaryDirectory() as folder:
        write_files(corpus, Path(folder) / "corpus")
        gear.ingest([Path(folder) / "corpus"])
        before = gear.corpus.counts()
        questions = [question.question for question in corpus.questions(QUESTIONS)]
        async with serving(server) as (url, process):
            record, status = await load(url, server, process, clients=clients, minutes=minutes, questions=questions)
        after = gear.corpus.counts()
    half = len(record.searches) // 2
    return {
        "machine": machine(server.version),
        "clients": clients,
        "minutes": minutes,
        "statuses": dict(record.statuses),
        "errors": dict(record.errors),
        "jobs": dict(record.jobs),
        "search_ms": {"first_half": spread(record.searches[:half]), "second_half": spread(record.searches[half:])},
        "memory_by_quarter": by_quarter(record.memory),
        "memory_slope_mb_an_hour": slopes(record.memory),
        "as_before": before == after,
        "at_the_end": {"unanswered": record.unanswered, "exit_status": status},
        "memory": record.memory,
    }


def main() -> None:
    """Load, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long (default: %(default)s)")
    parser.add_argument("--clients", type=int, default=50, help="how many search at once (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the result goes (default: %(default)s)")
    options = parser.parse_args()
    settings = replace(Settings.load(), uri=None, name="bench-service", database=None)
    with fresh_server(settings) as server:
        report = asyncio.run(measured(settings, server, clients=options.clients, minutes=options.minutes))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data={key: value for key, value in report.items() if key != "memory"})


if __name__ == "__main__":
    main()
