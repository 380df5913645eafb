"""Composed and encoded scores, and batched expansion and one query per beam, compared on a data set.

``python -m benchmarks.scoring DATASET_DIR``: whole expansions, in turn in one run, with the recall of both.
"""

import argparse
import json
import re
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.progress import track

from benchmarks.measure import machine, spread, timed
from benchmarks.rivals.beams import walk_encoding
from benchmarks.rivals.vector_cypher import VectorCypher
from benchmarks.steps import Times, Walk, compare, ranking, summary
from gear_neo4j import Base, Beam, Gear, Naive, Settings
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.graph.queries import Query, named
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.retriever import Retriever

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "scoring.json"
K = 15
ROUNDS = 3
NOTHING = Query("nothing", "RETURN 1 AS one")
COSINE = re.compile(r"vector\.similarity\.cosine\([^()]*\)")
TWO_HOPS = "VectorCypherRetriever, two hops"


def steps(gear: Gear, dataset: datasets.Dataset) -> dict[str, Any]:
    """The expansion of each question, and its step alone, batched and with one query per beam, in turn."""
    base = gear.retriever("base")
    times: list[Times] = []
    for query in track(dataset.queries, "steps"):
        passages = [hit.passage.id for hit in base.retrieve(query.question, k=K)]
        walk = Walk.begin(gear, query.question, passages=passages, beam=Beam())
        times += [compare(gear, walk, hub=False) for _ in range(ROUNDS)]
    return summary(times)


def scores(gear: Gear, dataset: datasets.Dataset) -> dict[str, Any]:
    """The whole expansion of each question with composed and with encoded scores, in turn, and the recall of both.

    Also GeAR's own method: encoded scores, and one query per beam.
    """
    found: dict[str, list[float]] = {"composed": [], "encoded": [], "encoded, one query a beam": []}
    base = gear.retriever("base")
    recalls: dict[str, list[float]] = {"composed": [], "encoded": []}
    retrievers = {
        "composed": gear.retriever(Naive(score="composed")),
        "encoded": gear.retriever(Naive(score="encoded")),
    }
    for query in track(dataset.queries, "scores"):
        for name, retriever in retrievers.items():
            hits = retriever.retrieve(query.question, k=K)
            found[name].append(hits.milliseconds["expand"])
            recalls[name].append(recall([hit.passage.id for hit in hits], query.gold, k=K))
        passages = [hit.passage.id for hit in base.retrieve(query.question, k=K)]
        vector = Question(query.question, embedder=gear.embedder).vector
        singly = partial(walk_encoding, gear.graph.database, passages, vector, beam=Beam(), embedder=gear.embedder)
        found["encoded, one query a beam"].append(timed(singly))
    ratios = {
        name: [slow / fast for slow, fast in zip(times, found["composed"], strict=True)]
        for name, times in found.items()
    }
    return {
        "ms": {name: spread(times) for name, times in found.items()},
        "ratio_to_composed": {name: spread(times) for name, times in ratios.items() if name != "composed"},
        "recall_at_15": {name: round(100 * fmean(values), 2) for name, values in recalls.items()},
    }


def parts(gear: Gear, dataset: datasets.Dataset) -> dict[str, Any]:
    """The parts of an expansion: an empty query, and its own query with and without cosines, in turn."""
    whole = named("start_paths")
    constant = COSINE.sub("0.8", whole.text)
    queries = {
        "a query that does nothing": NOTHING,
        "without cosines": replace(whole, name="without_cosines", text=constant),
        "whole": whole,
    }
    base, beam = gear.retriever("base"), Beam()
    samples: dict[str, list[float]] = {name: [] for name in queries}
    for query in track(dataset.queries, "parts"):
        passages = [hit.passage.id for hit in base.retrieve(query.question, k=K)]
        vector = Question(query.question, embedder=gear.embedder).vector
        parameters = {"passages": passages, "limit": beam.width, **ranking(vector, beam, hub=beam.hub).parameters}
        for _ in range(ROUNDS):
            for name, statement in queries.items():
                arguments = {key: parameters[key] for key in statement.parameters}
                samples[name].append(timed(partial(gear.graph.database.run, statement, **arguments)))
    return {name: spread(times) for name, times in samples.items()}


def searches(gear: Gear, dataset: datasets.Dataset) -> dict[str, Any]:
    """Whole searches, in turn, without the time to encode the question, which each does just before.

    A search after an encoding is slower, because the threads of the model still occupy the processors. The first round
    warms up.
    """
    ours = {
        "naive over hybrid": gear.retriever(Naive(base="hybrid")),
        "naive over sbert": gear.retriever(Naive(base="sbert")),
        "naive over sbert, half as many": gear.retriever(Naive(base="sbert", base_k=7, beam=Beam(width=5))),
        "sbert": gear.retriever(Base(base="sbert")),
        "scout": gear.retriever("scout"),
    }
    rival = VectorCypher(gear)
    times: dict[str, list[float]] = {name: [] for name in (*ours, TWO_HOPS)}
    recalls: dict[str, list[float]] = {name: [] for name in times}
    for turn in track(range((1 + ROUNDS) * len(dataset.queries)), "searches"):
        query = dataset.queries[turn % len(dataset.queries)]
        measured = {name: _search(retriever, query.question) for name, retriever in ours.items()}
        vector = Question(query.question, embedder=gear.embedder).vector
        started = time.perf_counter()
        ids = rival.search(vector, k=10)
        measured[TWO_HOPS] = ids, 1_000 * (time.perf_counter() - started)
        if turn >= len(dataset.queries):
            for name, (ids, spent) in measured.items():
                times[name].append(spent)
                recalls[name].append(recall(ids, query.gold, k=10))
    return {name: {"ms": spread(times[name]), "recall_at_10": round(100 * fmean(recalls[name]), 1)} for name in times}


def _search(retriever: Retriever, question: str) -> tuple[list[str], float]:
    """The ten best passages, and the milliseconds of the search after the encoding."""
    started = time.perf_counter()
    hits = retriever.retrieve(question, k=10)
    spent = 1_000 * (time.perf_counter() - started) - hits.milliseconds.get("encode", 0.0)
    return [hit.passage.id for hit in hits], spent


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scoring", description=__doc__)
    parser.add_argument("dataset", type=Path)
    dataset = datasets.load(parser.parse_args().dataset)
    settings = replace(Settings.load(), uri=None, name=f"evaluate-{dataset.name}")
    with Gear.connect(settings) as gear:
        runs.provide(gear, dataset)
        # Warm up.
        runs.ask(gear.retriever(), dataset.queries, k=K)
        results = {
            "machine": machine(gear.graph.version),
            "dataset": dataset.name,
            "questions": len(dataset.queries),
            "step": steps(gear, dataset),
            "expansion": scores(gear, dataset),
            "parts": parts(gear, dataset),
            "searches": searches(gear, dataset),
        }
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data=results)


if __name__ == "__main__":
    main()
