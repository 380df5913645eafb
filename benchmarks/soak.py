"""Concurrent searches, ingestion and deletion: ``python -m benchmarks.soak [--minutes 10] [--restart-every 0]``.

A few threads search, two ingest batches of passages under their own names, and one forgets what was ingested. The
server is restarted from time to time, if requested. Every error counts, except those during a restart that say that the
server is away. The memory of client and server is sampled throughout. Everything happens on loopback, on a separate
local server that is deleted afterwards.
"""

import argparse
import itertools
import json
import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from rich.console import Console

from benchmarks.made import SyntheticCorpus, WordVectors
from benchmarks.measure import current_megabytes, fresh_server
from benchmarks.scale import write_batch, write_files
from benchmarks.soak_record import Record, Retries, plot
from gear_neo4j import Gear, Naive, Settings
from gear_neo4j.errors import NothingFound
from gear_neo4j.graph.queries import Query
from gear_neo4j.retrieval.rank.rankers import BaseName
from gear_neo4j.server import local

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "soak.json"
PASSAGES = 1_724
A_BATCH = 40
SEARCHERS = 4
BASES: tuple[BaseName, BaseName] = ("fulltext", "sbert")
INGESTERS = 2
SAMPLE = 5.0
# The server's memory: heap in use after the last collection of old objects, heap size, code and buffers, and mapped
# index pages; the system can reclaim the last.
MEMORY = Query(
    "memory",
    "CALL dbms.queryJmx('java.lang:name=G1 Old Gen,type=MemoryPool') YIELD attributes AS old "
    "CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes AS memory "
    "CALL dbms.queryJmx('java.nio:name=direct,type=BufferPool') YIELD attributes AS direct "
    "CALL dbms.queryJmx('java.nio:name=mapped,type=BufferPool') YIELD attributes AS mapped "
    "RETURN old.CollectionUsage.value.properties.used AS live, "
    "memory.HeapMemoryUsage.value.properties.committed AS heap, "
    "memory.NonHeapMemoryUsage.value.properties.committed + direct.MemoryUsed.value AS code_and_buffers, "
    "mapped.MemoryUsed.value AS mapped",
)


def search_repeatedly(gear: Gear, questions: list[str], base: BaseName, record: Record, stop: threading.Event) -> None:
    """Search until stopped."""
    for question in itertools.cycle(questions):
        if stop.is_set():
            return
        started = time.perf_counter()
        with record.count("search"):
            gear.search(question, retriever=Naive(base=base))
            record.searches.append(1_000 * (time.perf_counter() - started))


def ingest_repeatedly(
    gear: Gear, folder: Path, number: int, written: "Queue[str]", record: Record, stop: threading.Event
) -> None:
    """Ingest small corpora under separate sources until stopped; each is queued to be forgotten."""
    for turn in itertools.count():
        if stop.is_set():
            return
        source = f"soak-{number}-{turn}"
        corpus, triples = folder / f"{source}.jsonl", folder / f"{source}-triples.jsonl"
        (batch,) = itertools.islice(SyntheticCorpus(PASSAGES, seed=1 + number + 2 * turn).batches(size=A_BATCH), 1)
        with corpus.open("w") as texts, triples.open("w") as facts:
            write_batch(batch, texts, facts, source=source)
        with record.count("ingest"):
            gear.ingest([corpus], triples=[triples])
        written.put(source)
        corpus.unlink()
        triples.unlink()


def forget_repeatedly(gear: Gear, written: "Queue[str]", record: Record, last: threading.Event) -> None:
    """Forget ingested sources, until the last one in the queue is gone; failures are retried."""
    while not (last.is_set() and written.empty()):
        try:
            source = written.get(timeout=0.2)
        except Empty:
            continue
        before = record.done["forget"]
        with record.count("forget"), suppress(NothingFound):
            # An ingest that a restart interrupted may have written nothing.
            gear.corpus.forget(source)
        if record.done["forget"] == before:
            written.put(source)


def memory(gear: Gear, server: local.LocalServer) -> dict[str, int]:
    """Megabytes used by client and server, and the server's own figures."""
    theirs = {f"server_{key}_mb": value // 2**20 for key, value in gear.graph.database.run(MEMORY)[0].items()}
    return {"client_mb": current_megabytes(), "server_mb": current_megabytes(server.pid), **theirs}


def restarted(settings: Settings, server: local.LocalServer) -> local.LocalServer:
    """Stop the server and start it again on the same port."""
    local.stop(name=server.name, home=settings.home)
    port = int(server.uri.rpartition(":")[2])
    return local.start(name=server.name, home=settings.home, version=server.version, port=port)


def watch(
    gear: Gear, settings: Settings, server: local.LocalServer, record: Record, *, minutes: float, restart_every: float
) -> None:
    """Sample the memory until the time is up, and restart the server every so many minutes; 0 for never."""
    restarts = 0
    while record.seconds < 60 * minutes:
        if restart_every and record.seconds > 60 * restart_every * (restarts + 1):
            restarts += 1
            with record.restart():
                server = restarted(settings, server)
        record.memory.append({"seconds": round(record.seconds), **memory(gear, server)})
        time.sleep(SAMPLE)


def soak(settings: Settings, server: local.LocalServer, *, minutes: float, restart_every: float = 0) -> dict[str, Any]:
    """Run all threads; afterwards the database should have the same content as before."""
    corpus, record, written = SyntheticCorpus(PASSAGES), Record(), Queue[str]()
    stop, last = threading.Event(), threading.Event()
    folder = Path(tempfile.mkdtemp(prefix="gear-soak-"))
    logging.getLogger("neo4j").addHandler(Retries(record))
    logging.getLogger("neo4j").propagate = False
    connected = replace(settings, uri=server.uri, username=server.username, password=server.password)
    with Gear.connect(connected, embedder=WordVectors()) as gear:
        write_files(corpus, folder / "corpus")
        gear.ingest([folder / "corpus"])
        before = gear.corpus.counts()
        questions = [question.question for question in corpus.questions(200)]
        forgetter = threading.Thread(target=partial(forget_repeatedly, gear, written, record, last))
        work: list[Callable[[], None]] = []
        work += [partial(search_repeatedly, gear, questions[n:], BASES[n % 2], record, stop) for n in range(SEARCHERS)]
        work += [partial(ingest_repeatedly, gear, folder, n, written, record, stop) for n in range(INGESTERS)]
        threads = [threading.Thread(target=loop) for loop in work]
        record.started = time.perf_counter()
        for thread in [forgetter, *threads]:
            thread.start()
        try:
            watch(gear, settings, server, record, minutes=minutes, restart_every=restart_every)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
            last.set()
            forgetter.join()
        after = gear.corpus.counts()
    shutil.rmtree(folder)
    return {**record.report(minutes=minutes), "before": asdict(before), "after": asdict(after)}


def main() -> None:
    """Soak, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long (default: %(default)s)")
    parser.add_argument("--restart-every", type=float, default=0, help="minutes between restarts; 0 for none (default)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the result goes (default: %(default)s)")
    options = parser.parse_args()
    settings = replace(Settings.load(), uri=None, name="bench-soak", database=None)
    with fresh_server(settings) as server:
        report = soak(settings, server, minutes=options.minutes, restart_every=options.restart_every)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    plot(report, options.out.with_suffix(".png"))
    Console().print_json(data={key: value for key, value in report.items() if key != "memory"})


if __name__ == "__main__":
    main()
