"""Measures time, memory and disk usage."""

import os
import platform
import resource
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from gear_neo4j import Gear
from gear_neo4j.evaluate.metrics import percentile
from gear_neo4j.server import local
from gear_neo4j.server.local import LocalServer
from gear_neo4j.server.server_folder import ServerFolder
from gear_neo4j.settings import Settings

PACKAGES = ("neo4j-rust-ext", "rank-bm25", "sentence-transformers", "neo4j-graphrag", "langchain-neo4j", "igraph")


def timed(work: Callable[[], object]) -> float:
    """The milliseconds of a call."""
    started = time.perf_counter()
    work()
    return 1_000 * (time.perf_counter() - started)


def spread(milliseconds: Sequence[float]) -> dict[str, float]:
    """Median, p5, p95, maximum and count."""
    if not milliseconds:
        return {"count": 0}
    values = list(milliseconds)
    figures = {
        "median": median(values),
        "p5": percentile(values, 5),
        "p95": percentile(values, 95),
        "most": max(values),
    }
    return {"count": len(values), **{key: round(value, 2) for key, value in figures.items()}}


def current_megabytes(process: int | None = None) -> int:
    """The memory that a process (default: this one) has in use; 0 if unknown."""
    status = Path(f"/proc/{process or 'self'}/status")
    if not status.exists():
        return 0
    line = next(text for text in status.read_text("ascii").splitlines() if text.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


def peak_megabytes(process: int | None = None) -> int:
    """The peak memory of a process (default: this one); off Linux, of this one only."""
    status = Path(f"/proc/{process or 'self'}/status")
    if status.exists():
        # On Linux, getrusage starts from the memory of the parent at the fork.
        line = next(text for text in status.read_text("ascii").splitlines() if text.startswith("VmHWM"))
        return int(line.split()[1]) // 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024 if platform.system() == "Darwin" else 1024)


def cpu_seconds(process: int) -> float:
    """The processor time of a process, over all cores (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def disk_megabytes(server: LocalServer) -> dict[str, int]:
    """The disk usage of a local server's database: the store, the vector and text indexes, the logs."""
    data = server.home / "neo4j" / "data"
    store = data / "databases" / "neo4j"
    indexes = _size(store / "schema")
    return {"store": _size(store) - indexes, "indexes": indexes, "logs": _size(data / "transactions")}


def in_own_process(work: Callable[..., Any], *arguments: object) -> "Future[Any]":
    """Start a call in a new process, so that its memory can be measured separately."""
    pool = ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"))
    future = pool.submit(work, *arguments)
    pool.shutdown(wait=False)
    return future


@contextmanager
def fresh_server(settings: Settings) -> Iterator[LocalServer]:
    """A local server without data, by the name in the settings; stopped and removed afterwards.

    Data that an interrupted run left under this name is removed first, because it would distort the results.
    """
    local.stop(name=settings.name, home=settings.home)
    shutil.rmtree(ServerFolder.of(settings.name, home=settings.home).path, ignore_errors=True)
    server = local.start(name=settings.name, home=settings.home, version=settings.neo4j_version)
    try:
        yield server
    finally:
        local.stop(name=settings.name, home=settings.home)
        shutil.rmtree(server.home)


@contextmanager
def kept_server(settings: Settings) -> Iterator[LocalServer]:
    """A local server by the name in the settings, with the data of the previous run; stopped afterwards."""
    server = local.start(name=settings.name, home=settings.home, version=settings.neo4j_version)
    try:
        yield server
    finally:
        local.stop(name=settings.name, home=settings.home)


@contextmanager
def fresh_gear(settings: Settings) -> Iterator[Gear]:
    """A Gear over an empty local server, which is deleted afterwards."""
    with fresh_server(settings) as server:
        connected = replace(settings, uri=server.uri, username=server.username, password=server.password)
        with Gear.connect(connected) as gear:
            yield gear


def machine(neo4j: str) -> dict[str, object]:
    """The machine, with the versions of the measured packages."""
    versions: dict[str, object] = {"python": platform.python_version(), "neo4j": neo4j, "cpus": os.cpu_count()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) // 1_000_000
