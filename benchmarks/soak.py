"""Concurrent searches, ingestion and deletion: ``python -m benchmarks.soak [--minutes 10]``.

A few threads search, two ingest batches of passages under names of their own, and one forgets what was ingested. Every
error counts, also one that would go away when tried again; memory of client and server is taken all along. Everything
happens on loopback, on a local server of its own that is gone afterwards.
"""

import argparse
import itertools
import json
import logging
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from queue import Empty, Queue
from statistics import median
from typing import Any

from rich.console import Console

from benchmarks.made import SyntheticCorpus, WordVectors
from benchmarks.measure import current_megabytes, fresh_server, spread
from benchmarks.scale import write_batch, write_files
from gear_neo4j import Gear, Naive, Settings
from gear_neo4j.graph.queries import Query
from gear_neo4j.retrieval.rankers import BaseName
from gear_neo4j.server import local

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "soak.json"
PASSAGES = 1_724
A_BATCH = 40
SEARCHERS = 4
BASES: tuple[BaseName, BaseName] = ("fulltext", "sbert")
INGESTERS = 2
SAMPLE = 5.0
# Of the server's memory: what its heap held after the last collection of old objects, what it has for its heap, for
# code and buffers, and what of the indexes is mapped; the last is the system's to take back.
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


@dataclass(slots=True)
class Tally:
    """The counts so far."""

    done: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    retried: Counter[str] = field(default_factory=Counter)
    searches: list[float] = field(default_factory=list)
    memory: list[dict[str, float]] = field(default_factory=list)


class Retries(logging.Handler):
    """Counts the retries of the driver, such as after a deadlock, which are not visible otherwise."""

    def __init__(self, tally: Tally) -> None:
        super().__init__(logging.WARNING)
        self._tally = tally

    def emit(self, record: logging.LogRecord) -> None:
        """Count one retry."""
        kind = "deadlock" if "DeadlockDetected" in record.getMessage() else "other"
        if "retried" in record.getMessage():
            self._tally.retried[kind] += 1


def search_repeatedly(gear: Gear, questions: list[str], base: BaseName, tally: Tally, stop: threading.Event) -> None:
    """Search until stopped."""
    for question in itertools.cycle(questions):
        if stop.is_set():
            return
        started = time.perf_counter()
        with counted("search", tally):
            gear.search(question, retriever=Naive(base=base))
        tally.searches.append(1_000 * (time.perf_counter() - started))


def ingest_repeatedly(
    gear: Gear, folder: Path, number: int, written: "Queue[str]", tally: Tally, stop: threading.Event
) -> None:
    """Ingest small corpora under sources of their own until stopped."""
    for turn in itertools.count():
        if stop.is_set():
            return
        source = f"soak-{number}-{turn}"
        corpus, triples = folder / f"{source}.jsonl", folder / f"{source}-triples.jsonl"
        (batch,) = itertools.islice(SyntheticCorpus(PASSAGES, seed=1 + number + 2 * turn).batches(size=A_BATCH), 1)
        with corpus.open("w") as texts, triples.open("w") as facts:
            write_batch(batch, texts, facts, source=source)
        with counted("ingest", tally):
            gear.ingest([corpus], triples=[triples])
            written.put(source)
        corpus.unlink()
        triples.unlink()


def forget_repeatedly(gear: Gear, written: "Queue[str]", tally: Tally, stop: threading.Event) -> None:
    """Forget ingested sources, until stopped and none is left."""
    while not (stop.is_set() and written.empty()):
        try:
            source = written.get(timeout=0.2)
        except Empty:
            continue
        with counted("forget", tally):
            gear.corpus.forget(source)


@contextmanager
def counted(name: str, tally: Tally) -> Iterator[None]:
    """Count a success or an error."""
    try:
        yield
    except Exception as error:
        tally.errors[f"{name}: {type(error).__name__}: {str(error)[:120]}"] += 1
    else:
        tally.done[name] += 1


def memory(gear: Gear, server: local.LocalServer) -> dict[str, int]:
    """Megabytes that client and server have in use, and the server's own figures."""
    theirs = {f"server_{key}_mb": value // 2**20 for key, value in gear.graph.database.run(MEMORY)[0].items()}
    return {"client_mb": current_megabytes(), "server_mb": current_megabytes(server.pid), **theirs}


def by_quarter(samples: Sequence[dict[str, float]]) -> dict[str, list[float]]:
    """The median of each figure in each quarter of the time."""
    quarters = [samples[len(samples) * n // 4 : len(samples) * (n + 1) // 4] for n in range(4)]
    keys = [key for key in samples[0] if key != "seconds"] if samples else []
    return {key: [median(sample[key] for sample in quarter) for quarter in quarters if quarter] for key in keys}


def soak(settings: Settings, server: local.LocalServer, minutes: float) -> dict[str, Any]:
    """Run all threads; afterwards the database should hold what it held before."""
    corpus, tally, stop, written = SyntheticCorpus(PASSAGES), Tally(), threading.Event(), Queue[str]()
    folder = Path(tempfile.mkdtemp(prefix="gear-soak-"))
    logging.getLogger("neo4j").addHandler(Retries(tally))
    logging.getLogger("neo4j").propagate = False
    with Gear.connect(settings, embedder=WordVectors()) as gear:
        write_files(corpus, folder / "corpus")
        gear.ingest([folder / "corpus"])
        before = gear.corpus.counts()
        questions = [question.question for question in corpus.questions(200)]
        work: list[Callable[[], None]] = [partial(forget_repeatedly, gear, written, tally, stop)]
        work += [partial(search_repeatedly, gear, questions[n:], BASES[n % 2], tally, stop) for n in range(SEARCHERS)]
        work += [partial(ingest_repeatedly, gear, folder, n, written, tally, stop) for n in range(INGESTERS)]
        threads = [threading.Thread(target=loop) for loop in work]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        while (at := time.perf_counter() - started) < 60 * minutes:
            tally.memory.append({"seconds": round(at), **memory(gear, server)})
            time.sleep(SAMPLE)
        stop.set()
        for thread in threads:
            thread.join()
        after = gear.corpus.counts()
    shutil.rmtree(folder)
    half = len(tally.searches) // 2
    return {
        "minutes": minutes,
        "done": dict(tally.done),
        "errors": dict(tally.errors),
        "retried_by_the_driver": dict(tally.retried),
        "search_ms": {"first_half": spread(tally.searches[:half]), "second_half": spread(tally.searches[half:])},
        "memory_by_quarter": by_quarter(tally.memory),
        "memory": tally.memory,
        "as_before": before == after,
    }


def main() -> None:
    """Soak, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the result goes (default: %(default)s)")
    options = parser.parse_args()
    settings = replace(Settings.load(), uri=None, name="bench-soak", database=None)
    with fresh_server(settings) as server:
        report = soak(settings, server, options.minutes)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data={key: value for key, value in report.items() if key != "memory"})


if __name__ == "__main__":
    main()
