"""Connections that keep a service waiting: ``python -m benchmarks.connections [--connections 2000] [--seconds 60]``.

``gear serve`` runs in a separate process, over a local server and the real embedding model. In turn, crowds of
connections send nothing, send half a head, send a byte now and then, send heads of 64 kB, and request more than they
read; closed ones reconnect. Meanwhile one client searches and another checks the health.
"""

import argparse
import asyncio
import itertools
import json
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from rich.console import Console

from benchmarks.made import SyntheticCorpus
from benchmarks.measure import current_megabytes, fresh_server, machine, spread
from benchmarks.scale import write_files
from benchmarks.service import PATIENCE, serving
from gear_neo4j import Gear, Settings
from gear_neo4j.server.local import LocalServer

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "connections.json"
PASSAGES = 1_724
HALF = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "
WHOLE = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
# Pause between two attempts to connect, and between two bytes of a slow connection.
PAUSE = 1.0
Writer = asyncio.StreamWriter
Reader = asyncio.StreamReader


@dataclass(slots=True)
class Served:
    """What the two clients measured meanwhile; times in milliseconds."""

    searches: list[float] = field(default_factory=list)
    probes: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    opened: int = 0
    closed: int = 0


async def silent(reader: Reader, _writer: Writer) -> None:
    """Send nothing."""
    await reader.read()


async def half(reader: Reader, writer: Writer) -> None:
    """Send half a head."""
    writer.write(HALF)
    await reader.read()


async def slow(_reader: Reader, writer: Writer) -> None:
    """Send a byte of a head now and then."""
    writer.write(HALF)
    while True:
        await asyncio.sleep(PAUSE)
        writer.write(b"x")
        await writer.drain()


async def large(reader: Reader, writer: Writer) -> None:
    """Send a head of 64 kB."""
    writer.write(HALF + b"x" * 65_536 + b"\r\n\r\n")
    await reader.read()
    await asyncio.sleep(PAUSE)


async def unread(_reader: Reader, writer: Writer) -> None:
    """Request more than the system buffers, and read nothing."""
    writer.write(5 * WHOLE)
    while True:
        await asyncio.sleep(5 * PAUSE)
        # Only this shows that it was closed.
        writer.write(WHOLE)
        await writer.drain()


CROWDS: dict[str, Callable[[Reader, Writer], Awaitable[None]]] = {
    "none": silent,
    "silent": silent,
    "half": half,
    "slow": slow,
    "large": large,
    "unread": unread,
}


async def stay(port: int, behave: Callable[[Reader, Writer], Awaitable[None]], served: Served) -> None:
    """A connection with this behaviour, which reconnects whenever it is closed, until cancelled."""
    while True:
        try:
            # It reads no more than this, whatever arrives.
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1_024)
        except OSError:
            await asyncio.sleep(PAUSE)
            continue
        served.opened += 1
        try:
            await behave(reader, writer)
        except OSError:
            pass
        finally:
            writer.transport.abort()
        served.closed += 1


async def search_on(url: str, questions: Sequence[str], served: Served) -> None:
    """Search until cancelled, with a new connection each time."""
    for question in itertools.cycle(questions):
        await _timed(url, served.searches, served, "POST", "/api/search", json={"question": question})


async def probe_on(url: str, served: Served) -> None:
    """Check the health four times a second until cancelled."""
    while True:
        await _timed(url, served.probes, served, "GET", "/healthz")
        await asyncio.sleep(0.25)


async def _timed(url: str, times: list[float], served: Served, method: str, path: str, **options: Any) -> None:
    started = time.perf_counter()
    try:
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
            status = str((await client.request(method, path, **options)).status_code)
    except httpx.TransportError as error:
        status = type(error).__name__
    served.statuses[f"{path} {status}"] += 1
    times.append(1_000 * (time.perf_counter() - started))


async def beside(url: str, questions: Sequence[str], name: str, options: argparse.Namespace) -> Served:
    """The measurements of the two clients during one crowd."""
    served, port = Served(), urlsplit(url).port
    assert port
    number = 0 if name == "none" else options.connections
    tasks = [asyncio.create_task(stay(port, CROWDS[name], served)) for _ in range(number)]
    tasks += [asyncio.create_task(search_on(url, questions, served)), asyncio.create_task(probe_on(url, served))]
    await asyncio.sleep(options.seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return served


async def measured(settings: Settings, server: LocalServer, options: argparse.Namespace) -> dict[str, Any]:
    """The figures of one run."""
    corpus, crowds = SyntheticCorpus(options.passages), {}
    connected = replace(settings, uri=server.uri, username=server.username, password=server.password)
    with Gear.connect(connected) as gear, tempfile.TemporaryDirectory() as folder:
        write_files(corpus, Path(folder) / "corpus")
        gear.ingest([Path(folder) / "corpus"])
    questions = [question.question for question in corpus.questions(200)]
    async with serving(server) as (url, process):
        for name in CROWDS:
            served = await beside(url, questions, name, options)
            crowds[name] = {
                "search_ms": spread(served.searches),
                "health_ms": spread(served.probes),
                "statuses": dict(served.statuses),
                "connections": {"opened": served.opened, "closed": served.closed},
                "service_mb": current_megabytes(process.pid),
            }
    chosen = {"connections": options.connections, "seconds": options.seconds}
    return {"machine": machine(server.version), **chosen, "crowds": crowds}


def main() -> None:
    """Crowd, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.connections", description=__doc__)
    parser.add_argument("--connections", type=int, default=2_000, help="how many of each kind (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=60, help="how long each kind (default: %(default)s)")
    parser.add_argument("--passages", type=int, default=PASSAGES, help="how large the corpus is (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the result goes (default: %(default)s)")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    settings = replace(Settings.load(), uri=None, name="bench-connections", database=None)
    with fresh_server(settings) as server:
        report = asyncio.run(measured(settings, server, options))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data=report)


if __name__ == "__main__":
    main()
