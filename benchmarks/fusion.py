"""Fusion by rank and by score: ``python -m benchmarks.fusion DATASET_DIR...``; a table of docs/results.md.

Fusion of passages by words and by meaning, and of a beam search with its first passages. Weights were chosen on the
even questions (counted from 0); the odd ones are the result. The triples are the data set's, or those of the rules.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.progress import track

from gear_neo4j import Base, Gear, Naive, Settings
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.retrieval.first_stage import RankerStage
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.rankers import Weighted

KS = (2, 5, 10, 15)
WEIGHTS = (0.5, 0.6, 0.7, 0.8, 0.9)
RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "fusion.json"
Ask = Callable[[str], Sequence[str]]


def systems(gear: Gear) -> dict[str, Ask]:
    """The measured systems, by name."""
    rankers = {name: Base(base=name) for name in ("fulltext", "sbert", "hybrid")}
    walks = {f"naive over {base}": Naive(base=base) for base in ("hybrid", "weighted")}
    return {
        **{name: by_retriever(gear, recipe) for name, recipe in (rankers | walks).items()},
        **{f"weighted, {weight} by meaning": by_weight(gear, weight) for weight in WEIGHTS},
        **{f"naive over hybrid, {weight} by passage": by_path(gear, weight) for weight in WEIGHTS},
    }


def by_retriever(gear: Gear, recipe: Base | Naive) -> Ask:
    """The passages of a retriever."""
    retriever = gear.retriever(recipe)
    return lambda question: [hit.passage.id for hit in retriever.retrieve(question, k=max(KS))]


def by_weight(gear: Gear, weight: float) -> Ask:
    """Words and meaning, fused by score."""
    stage = RankerStage(gear.graph.store, lambda: Weighted(meaning=weight))
    return lambda question: [item.id for item in stage.rank(Question(question, embedder=gear.embedder), k=max(KS))]


def by_path(gear: Gear, weight: float) -> Ask:
    """The passages of a beam search and of its base, by their cosine and the score of the best path through them."""
    retriever = gear.retriever("naive")

    def ask(question: str) -> list[str]:
        hits = retriever.retrieve(question, k=max(KS))
        best: dict[str, float] = {}
        for path in hits.paths:
            for id in path.passage_ids:
                best[id] = max(best.get(id, 0.0), path.scores[-1])
        ids = list(dict.fromkeys([*best, *(hit.passage.id for hit in hits)]))
        vector = Question(question, embedder=gear.embedder).vector
        cosines = gear.graph.pagerank.compare(ids, keys=[], vectors=[], query=vector).passages
        score = {id: weight * cosines[id][0] + (1 - weight) * best.get(id, 0.0) for id in ids}
        return sorted(ids, key=lambda id: (-score[id], id))

    return ask


def measure(gear: Gear, queries: Sequence[datasets.EvaluationQuery]) -> dict[str, Any]:
    """Recall in percent at each k on the even questions, the odd ones and all, by system."""
    asks = systems(gear)
    recalls: dict[str, list[list[float]]] = {name: [] for name in asks}
    for query in track(queries, "questions"):
        for name, ask in asks.items():
            ranking = ask(query.question)
            recalls[name].append([100 * recall(ranking, query.gold, k=k) for k in KS])
    halves = {"even": slice(0, None, 2), "odd": slice(1, None, 2), "all": slice(None)}
    return {
        name: {
            half: [round(fmean(column), 1) for column in zip(*rows[part], strict=True)] for half, part in halves.items()
        }
        for name, rows in recalls.items()
    }


def table(results: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """The systems as a table in Markdown."""
    lines = ["| | even: chosen on | odd: held out | all |", "|---|---|---|---|"]
    for name, halves in results.items():
        cells = [" / ".join(f"{value:.1f}" for value in halves[half]) for half in ("even", "odd", "all")]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fusion", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DATASET_DIR")
    results = {}
    for folder in parser.parse_args().folders:
        given = (folder / "triples.jsonl").exists()
        dataset = datasets.load(folder, triples="given" if given else "rules")
        name = f"evaluate-{dataset.name}" + ("" if given else "-rules")
        with Gear.connect(replace(Settings.load(), uri=None, name=name)) as gear:
            runs.provide(gear, dataset, synonyms=True)
            results[dataset.name] = measure(gear, dataset.queries)
        print(f"\n{dataset.name}: recall at {', '.join(map(str, KS))}\n\n{table(results[dataset.name])}")
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
