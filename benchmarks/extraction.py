"""Recall over the triples of the rules, given triples, and both: ``python -m benchmarks.extraction DATASET_DIR...``.

Each data set is ingested once for each kind of triples that it can have, with synonym edges, on its own server. The
rules were chosen on the even questions, counted from 0: the odd ones are reported separately. The rate of the rules is
for their code alone, the rate of the ingest for everything: embeddings, triples and indexes.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

from rich.console import Console
from rich.table import Table

from benchmarks.measure import fresh_gear, machine, peak_megabytes
from gear_neo4j import Base, Gear, HippoRag2, Naive, RetrieverRecipe, Scout
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.extraction.rules import RuleExtractor
from gear_neo4j.ingestion.reading import read_passages
from gear_neo4j.settings import Settings

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "extraction.json"
KS = (2, 5, 10, 15)
SYSTEMS: dict[str, RetrieverRecipe] = {
    "sbert": Base(base="sbert"),
    "hybrid": Base(base="hybrid"),
    "naive": Naive(),
    "scout": Scout(),
    "hipporag2": HippoRag2(),
}
Recalls = dict[str, list[float]]


def rate_of_rules(dataset: datasets.Dataset) -> float:
    """Passages per second of the rules alone, on one core."""
    passages = [passage for batch in read_passages([dataset.folder / "corpus.jsonl"]) for passage in batch.passages]
    extractor = RuleExtractor()
    extractor.extract(passages[0])
    started = time.perf_counter()
    for passage in passages:
        extractor.extract(passage)
    return len(passages) / (time.perf_counter() - started)


def measure(dataset: datasets.Dataset, settings: Settings) -> dict[str, Any]:
    """Counts, rate of the ingest, and recall of every system, over the triples of the data set."""
    with fresh_gear(settings) as gear:
        gear.embedder.embed(["loaded before the clock starts"])
        started = time.perf_counter()
        runs.provide(gear, dataset)
        seconds = time.perf_counter() - started
        gear.corpus.link_synonyms()
        counts = gear.corpus.counts()
        systems = {name: _recalls(gear, recipe, dataset.queries) for name, recipe in SYSTEMS.items()}
    return {
        "triples": counts.triples,
        "entities": counts.entities,
        "synonyms": counts.synonyms,
        "passages_a_second": round(counts.passages / seconds, 1),
        "client_mb": peak_megabytes(),
        "recall": systems,
    }


def _recalls(gear: Gear, recipe: RetrieverRecipe, queries: Sequence[datasets.EvaluationQuery]) -> Recalls:
    retriever = gear.retriever(recipe)
    rankings = [[hit.passage.id for hit in retriever.retrieve(query.question, k=max(KS))] for query in queries]
    pairs = list(zip(rankings, queries, strict=True))
    parts = {"all": pairs, "even": pairs[0::2], "odd": pairs[1::2]}
    return {
        part: [round(100 * fmean(recall(ranking, query.gold, k=k) for ranking, query in some), 1) for k in KS]
        for part, some in parts.items()
    }


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__)
    parser.add_argument("datasets", nargs="+", type=Path)
    settings = replace(Settings.load(), uri=None, name="bench-extraction", database=None)
    results: dict[str, Any] = {"machine": machine(settings.neo4j_version), "datasets": {}}
    for folder in parser.parse_args().datasets:
        given = (folder / "triples.jsonl").is_file()
        kinds = [kind for kind in get_args(datasets.Triples) if given or kind == "rules"]
        loaded = {kind: datasets.load(folder, triples=kind) for kind in kinds}
        figures: dict[str, Any] = {"rules_a_second": round(rate_of_rules(loaded["rules"]))}
        for kind, dataset in loaded.items():
            figures[kind] = measure(dataset, settings)
            Console().print(_table(f"{dataset.name}, triples: {kind}", figures[kind]))
        results["datasets"][loaded["rules"].name] = figures
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _table(title: str, figures: dict[str, Any]) -> Table:
    table = Table("R@" + "/".join(map(str, KS)), "all", "even", "odd", title=title)
    for name, parts in figures["recall"].items():
        table.add_row(name, *(" / ".join(f"{value:.1f}" for value in parts[part]) for part in ("all", "even", "odd")))
    table.caption = ", ".join(f"{key} {value}" for key, value in figures.items() if key != "recall")
    return table


if __name__ == "__main__":
    main()
