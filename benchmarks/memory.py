"""The memory of an ingest by rules as the corpus grows: ``python -m benchmarks.memory DATASET_DIR``.

The passages of the data set are repeated with other titles up to each size. Vectors need no model, whose weights would
hide the growth. Each size has its own process and server; the figure is the peak of the client.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.made import WordVectors
from benchmarks.measure import fresh_server, in_own_process, machine, peak_megabytes
from gear_neo4j import Gear
from gear_neo4j.settings import Settings

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "memory.json"
SIZES = (2_000, 8_000, 32_000)


def repeated(corpus: Path) -> Iterator[dict[str, Any]]:
    """The passages of a corpus, repeatedly; from the second time on, id and title contain the round."""
    rows = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    yield from rows
    round = 1
    while True:
        for row in rows:
            yield row | {"id": f"{row['id']}-{round}", "title": f"{row['title']} {round}"}
        round += 1


def measure(settings: Settings, source: Path) -> dict[str, Any]:
    """One ingest, in a separate process."""
    with Gear.connect(settings, embedder=WordVectors()) as gear:
        connected = peak_megabytes()
        started = time.perf_counter()
        report = gear.ingest([source])
        seconds = time.perf_counter() - started
    return {
        "passages": report.passages_written,
        "triples": report.triples_extracted,
        "connected_mb": connected,
        "peak_mb": peak_megabytes(),
        "passages_a_second": round(report.passages_written / seconds, 1),
    }


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("dataset", type=Path)
    corpus = parser.parse_args().dataset / "corpus.jsonl"
    settings = replace(Settings.load(), uri=None, name="bench-memory", database=None)
    figures = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder, fresh_server(settings) as server:
            source = Path(folder) / "passages.jsonl"
            with source.open("w", encoding="utf-8") as lines:
                lines.writelines(json.dumps(row) + "\n" for row in islice(repeated(corpus), size))
            connected = replace(settings, uri=server.uri, username=server.username, password=server.password)
            figures.append(in_own_process(measure, connected, source).result())
            print(json.dumps(figures[-1]), flush=True)
    results = {"machine": machine(settings.neo4j_version), "ingests": figures}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
