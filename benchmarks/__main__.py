"""``make bench``: batched expansion against one query a beam, composed against encoded scores, and the writing rate.

Everything runs in one process on one machine in one go, turn by turn, on the questions of a data set; absolute times
are of that machine only. Prints a table and writes benchmarks/results.json.
"""

import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.rivals import one_query_a_beam
from gear_neo4j import Beam, Gear, Settings
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.evaluate.metrics import percentile, recall
from gear_neo4j.graph import local
from gear_neo4j.graph.connection import connect
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.store import prepare
from gear_neo4j.ingestion.lines import PassageTriples, parsed, read_lines, to_triples
from gear_neo4j.ingestion.reading import TRIPLES_A_BATCH
from gear_neo4j.ingestion.writing import write_passages, write_triples
from gear_neo4j.models.embeddings import Vectors
from gear_neo4j.retrieval.beam import beam_search
from gear_neo4j.retrieval.question import Question

RESULTS = Path(__file__).with_name("results.json")
WRITING_SERVER = "bench-writing"
ROUNDS = 3


class RandomEmbedder:
    """Random unit vectors of the model's dimension at no cost, so that writing is measured without embedding."""

    name = "random"
    dimension = 384

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)

    def embed(self, texts: list[str]) -> Vectors:
        """One row a text."""
        rows = self._random.standard_normal((len(texts), self.dimension), dtype=np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def timed(work: Callable[[], object]) -> float:
    """Milliseconds that some work takes."""
    started = time.perf_counter()
    work()
    return 1_000 * (time.perf_counter() - started)


def spread(milliseconds: list[float]) -> dict[str, float]:
    """Median, p5 and p95."""
    figures = {"median": median(milliseconds), "p5": percentile(milliseconds, 5), "p95": percentile(milliseconds, 95)}
    return {key: round(value, 2) for key, value in figures.items()}


def expansion(gear: Gear, dataset: datasets.Dataset) -> dict[str, Any]:
    """One expansion step of the ten start beams of each question, batched and one query a beam, in turn."""
    beam = Beam()
    base = gear.retriever("base")
    batched, singly = [], []
    for query in track(dataset.queries, "expansion"):
        vector = Question(query.question, embedder=gear.embedder).vector
        passages = [hit.passage.id for hit in base.retrieve(query.question, k=15)]
        start = gear.store.start_triples(passages, query=vector, limit=beam.width)
        paths = beam_search(start, expand=lambda paths: [[] for _ in paths], beam=beam)
        ids = [[triple.id for triple in path.triples] for path in paths]
        for _ in range(ROUNDS):
            batched.append(
                timed(lambda: gear.store.expand(ids, query=vector, limit=beam.width, scoring="composed", hub=beam.hub))  # noqa: B023
            )
            singly.append(
                timed(lambda: one_query_a_beam(gear.database, paths, vector, neighbours=beam.neighbours))  # noqa: B023
            )
    ratios = [slow / fast for slow, fast in zip(singly, batched, strict=True)]
    return {"batched_ms": spread(batched), "one_query_a_beam_ms": spread(singly), "ratio": spread(ratios)}


def scoring(gear: Gear, dataset: datasets.Dataset) -> dict[str, Any]:
    """The whole expansion of each question with composed and with encoded scores, in turn, and the recall of both."""
    found: dict[str, list[float]] = {"composed": [], "encoded": []}
    recalls: dict[str, list[float]] = {"composed": [], "encoded": []}
    retrievers = {name: gear.retriever("naive", score=name) for name in ("composed", "encoded")}
    for query in track(dataset.queries, "scoring"):
        for name, retriever in retrievers.items():
            hits = retriever.retrieve(query.question, k=15)
            found[name].append(hits.milliseconds["expand"])
            recalls[name].append(recall([hit.passage.id for hit in hits], query.gold, k=15))
    ratios = [slow / fast for slow, fast in zip(found["encoded"], found["composed"], strict=True)]
    return {
        "composed_ms": spread(found["composed"]),
        "encoded_ms": spread(found["encoded"]),
        "ratio": spread(ratios),
        "recall_at_15": {name: round(100 * fmean(values), 2) for name, values in recalls.items()},
    }


def writing(settings: Settings, dataset: datasets.Dataset) -> dict[str, Any]:
    """All triples of the data set into an empty database, three times, with vectors that cost nothing to make."""
    embedder = RandomEmbedder()
    found = [parsed(line, to_triples) for line in read_lines(dataset.folder / "triples.jsonl")]
    groups = [one for one in found if isinstance(one, PassageTriples)]
    rates = []
    for _ in track(range(ROUNDS), "writing"):
        with connect(settings) as database:
            wipe = "MATCH (n:Triple|Entity|Passage) WITH n LIMIT 10000 DETACH DELETE n RETURN count(*) AS deleted"
            while database.run(Query("wipe", wipe, writes=True))[0]["deleted"]:
                pass
            prepare(database, model=embedder.name, dimension=embedder.dimension)
            passages = [parsed(line, datasets.to_passage) for line in read_lines(dataset.folder / "corpus.jsonl")]
            for start in range(0, len(passages), 256):
                write_passages(database, passages[start : start + 256], embedder=embedder)
            triples = [triple for group in groups for triple in group.triples]
            started = time.perf_counter()
            for start in range(0, len(triples), TRIPLES_A_BATCH):
                batch = triples[start : start + TRIPLES_A_BATCH]
                write_triples(database, batch, completed=[one.passage_id for one in batch], embedder=embedder)
            rates.append(len(triples) / (time.perf_counter() - started))
    rounded = sorted(round(rate) for rate in rates)
    return {"triples": len(triples), "a_second": {"median": rounded[1], "least": rounded[0], "most": rounded[2]}}


def main() -> None:
    """Measure, print, write."""
    dataset = datasets.load(Path(sys.argv[1]))
    settings = Settings.load()
    own = replace(settings, uri=None, name=f"evaluate-{dataset.name}")
    with Gear.connect(own) as gear:
        runs.provide(gear, dataset)
        runs.ask(gear.retriever(), dataset.queries, k=15)
        results = {
            "machine": {"python": platform.python_version(), "neo4j": gear.database.version, "cpus": os.cpu_count()},
            "dataset": dataset.name,
            "questions": len(dataset.queries),
            "expansion": expansion(gear, dataset),
            "scoring": scoring(gear, dataset),
        }
    results["writing"] = writing(replace(settings, uri=None, name=WRITING_SERVER), dataset)
    local.stop(name=WRITING_SERVER, home=settings.home)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print(_table(results))


def _table(results: dict[str, Any]) -> Table:
    expansion, scoring, writing = results["expansion"], results["scoring"], results["writing"]
    table = Table(title=f"{results['dataset']}, {results['questions']} questions", box=None, header_style="bold")
    for column in ("", "ours", "the other way", "ratio, median (p5 to p95)"):
        table.add_column(column)
    for label, part, ours, theirs in (
        ("one expansion step: batched / one query a beam", expansion, "batched_ms", "one_query_a_beam_ms"),
        ("whole expansion: composed / encoded scores", scoring, "composed_ms", "encoded_ms"),
    ):
        ratio = part["ratio"]
        table.add_row(
            label,
            f"{part[ours]['median']:.1f} ms",
            f"{part[theirs]['median']:.1f} ms",
            f"{ratio['median']:.1f} ({ratio['p5']:.1f} to {ratio['p95']:.1f})",
        )
    both = scoring["recall_at_15"]
    table.add_row("R@15: composed / encoded scores", f"{both['composed']:.1f}", f"{both['encoded']:.1f}", "")
    rate = writing["a_second"]
    table.add_row(
        "triples written a second, without embedding", f"{rate['median']:,} ({rate['least']:,} to {rate['most']:,})"
    )
    return table


if __name__ == "__main__":
    main()
