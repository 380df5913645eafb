"""Synonym edges by products of matrices and by the vector index: ``python -m benchmarks.synonyms DATASET_DIR``.

On one database, whose entities are embedded first; the edges of one method are deleted before the other begins. Then
the products alone for a million synthetic names, in a separate process: the time of a sample of its batches,
extrapolated.
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.measure import fresh_gear, in_own_process, machine, peak_megabytes
from gear_neo4j import Gear
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.graph.queries import Query
from gear_neo4j.ingestion.synonyms import ENTITIES_A_BATCH, Names, write_synonyms
from gear_neo4j.settings import Settings

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "synonyms.json"
DIMENSION = 384
MANY = 1_000_000
SAMPLE = 4
EDGES = Query("edges", "MATCH (a:Entity)-[s:SYNONYM]->(b) RETURN a.key AS a, b.key AS b")
UNLINK = Query(
    "unlink",
    "MATCH (e:Entity) REMOVE e.synonymsLinked WITH e MATCH (e)-[s:SYNONYM]->() DELETE s",
    writes=True,
)


def measure(gear: Gear, *, most_in_memory: int) -> tuple[float, set[tuple[str, str]]]:
    """The seconds of linking all entities, and the edges."""
    gear.graph.database.run(UNLINK)
    started = time.perf_counter()
    for _ in write_synonyms(gear.graph, embedder=gear.embedder, most_in_memory=most_in_memory):
        pass
    seconds = time.perf_counter() - started
    return seconds, {(row["a"], row["b"]) for row in gear.graph.database.run(EDGES)}


def many(count: int) -> dict[str, Any]:
    """The products for ``count`` synthetic names, from a sample of batches."""
    vectors = np.random.default_rng(0).standard_normal((count, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    keys = [f"name {index}" for index in range(count)]
    every = np.ones(count, dtype=bool)
    names = Names(keys, vectors, range(count), every, every)
    started = time.perf_counter()
    for batch in range(SAMPLE):
        names.pairs(range(batch * ENTITIES_A_BATCH, (batch + 1) * ENTITIES_A_BATCH))
    seconds = (time.perf_counter() - started) * count / (SAMPLE * ENTITIES_A_BATCH)
    return {"entities": count, "hours": round(seconds / 3600, 2), "mb": peak_megabytes()}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.synonyms", description=__doc__)
    parser.add_argument("dataset", type=Path)
    dataset = datasets.load(parser.parse_args().dataset)
    settings = replace(Settings.load(), uri=None, name="bench-synonyms", database=None)
    with fresh_gear(settings) as gear:
        runs.provide(gear, dataset, synonyms=True)
        entities = gear.corpus.counts().entities
        by_index, approximate = measure(gear, most_in_memory=0)
        in_memory, exact = measure(gear, most_in_memory=entities)
    results = {
        "machine": machine(settings.neo4j_version),
        "dataset": dataset.name,
        "entities": entities,
        "seconds": {"by index": round(by_index, 1), "in memory": round(in_memory, 1)},
        "times": round(by_index / in_memory, 1),
        "edges": {"by index": len(approximate), "in memory": len(exact), "both": len(approximate & exact)},
        "many": in_own_process(many, MANY).result(),
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data=results)


if __name__ == "__main__":
    main()
