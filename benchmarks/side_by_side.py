"""Concurrent writers: ``python -m benchmarks.side_by_side``.

One, two and four writers, each with its own connection and passages, write passages and triples with shared entities
through a proxy that adds the latency of a network or of a cluster's commit. If they wait for each other, the rate is
below that many times one writer's. The cores used by the server show whether its processor is the limit.
"""

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import numpy as np
from rich.console import Console

from benchmarks.distance import Distance
from benchmarks.made import SyntheticCorpus, WordVectors
from benchmarks.measure import cpu_seconds, fresh_server, machine
from gear_neo4j import Gear, Settings
from gear_neo4j.domain import Passage, Triple
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.writing import write_passages, write_triples
from gear_neo4j.models.embeddings import Vectors
from gear_neo4j.server.local import LocalServer

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "side_by_side.json"
WRITERS = (1, 2, 4)
# Like an extraction by a language model: one transaction for a passage, and one for its ten triples.
PASSAGES_A_BATCH = 1
BATCHES_A_WRITER = 40
WARMING = 10
ROUNDS = 3
Batch = list[tuple[Passage, list[Triple]]]


@dataclass(frozen=True, slots=True)
class Known:
    """An embedder with precomputed vectors: only writing is measured."""

    rows: dict[str, Vectors]
    name: str = WordVectors.name
    dimension: int = WordVectors.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text."""
        return np.array([self.rows[text] for text in texts], dtype=np.float32).reshape(len(texts), self.dimension)


def known(batches: Sequence[Batch]) -> Known:
    """An embedder for the texts of batches."""
    texts = [text for batch in batches for passage, triples in batch for text in _texts(passage, triples)]
    return Known(dict(zip(texts, WordVectors().embed(texts), strict=True)))


def _texts(passage: Passage, triples: Sequence[Triple]) -> list[str]:
    return [passage.content, *(triple.text for triple in triples)]


def write(graph: Graph, batches: Sequence[Batch], embedder: Known) -> None:
    """What an ingest does with each batch."""
    for batch in batches:
        write_passages(graph, [passage for passage, _ in batch], embedder=embedder)
        triples = [triple for _, some in batch for triple in some]
        write_triples(graph, triples, completed=[passage.id for passage, _ in batch], embedder=embedder)


def measured(server: LocalServer, seconds: float, shares: Sequence[Sequence[Batch]]) -> tuple[float, float]:
    """Triples per second of concurrent writers with a share each, and the cores used by the server."""
    port = urlsplit(server.uri).port
    assert port is not None
    settings = Settings(username=server.username, password=server.password)
    embedders = [known(share) for share in shares]
    with Distance(port, seconds=seconds) as distance, ThreadPoolExecutor(len(shares)) as pool:
        far = replace(settings, uri=distance.uri)
        gears = [Gear.connect(far, embedder=embedder) for embedder in embedders]
        for gear in gears:
            gear.graph.record()
        started, busy = time.perf_counter(), cpu_seconds(server.pid)
        work = [
            pool.submit(write, gear.graph, share, embedder)
            for gear, share, embedder in zip(gears, shares, embedders, strict=True)
        ]
        for future in work:
            future.result()
        spent, busy = time.perf_counter() - started, cpu_seconds(server.pid) - busy
        for gear in gears:
            gear.close()
    return sum(len(triples) for share in shares for batch in share for _, triples in batch) / spent, busy / spent


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.side_by_side", description=__doc__)
    parser.add_argument("--milliseconds", type=float, nargs="+", default=[0, 25], help="one way")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="gear-side-"))
    settings = replace(Settings.load(), uri=None, name="bench-side", database=None, home=home)
    runs = len(options.milliseconds) * options.rounds * sum(WRITERS) + WARMING
    parts = SyntheticCorpus(runs * BATCHES_A_WRITER * PASSAGES_A_BATCH).batches(size=PASSAGES_A_BATCH)
    shares = ([next(parts) for _ in range(BATCHES_A_WRITER)] for _ in range(runs))
    found: dict[tuple[float, int], list[tuple[float, float]]] = {}
    with fresh_server(settings) as server:
        near = replace(settings, uri=server.uri, username=server.username, password=server.password)
        with Gear.connect(near, embedder=WordVectors()) as gear:
            gear.corpus.prepare()
            # Warm up plans and the just-in-time compiler.
            for _ in range(WARMING):
                share = next(shares)
                write(gear.graph, share, known(share))
        for _ in range(options.rounds):
            for milliseconds, writers in product(options.milliseconds, WRITERS):
                outcome = measured(server, milliseconds / 1_000, [next(shares) for _ in range(writers)])
                found.setdefault((milliseconds, writers), []).append(outcome)
    shutil.rmtree(home)
    rates = {key: median(rate for rate, _ in outcomes) for key, outcomes in found.items()}
    results = {
        "machine": machine(settings.neo4j_version),
        "rows": [
            {
                "milliseconds_one_way": milliseconds,
                "writers": writers,
                "triples_a_second": round(rate),
                "times_one_writer": round(rate / rates[milliseconds, WRITERS[0]], 2),
                "server_cores_busy": round(median(busy for _, busy in found[milliseconds, writers]), 2),
            }
            for (milliseconds, writers), rate in rates.items()
        ],
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data=results)


if __name__ == "__main__":
    main()
