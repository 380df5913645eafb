"""Ablation of scout: ``python -m benchmarks.scout DATASET_DIR [--extract rules|both]``; the tables of docs/scout.md.

All systems run each question in turn, in one process, so that their latencies are comparable. The parts were chosen on
the even questions of musique_train100 (counted from 0); the odd ones are held out. ``--extract`` uses the triples of
the rules instead of those of the data set, or both.
"""

import argparse
import json
import random
import re
import string
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
from rich.progress import track

from benchmarks.rivals.exported_scout import ExportedScout
from gear_neo4j import Base, Gear, Scout, Settings
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.graph.read.adjacency import AdjacencyReader
from gear_neo4j.graph.read.pagerank_queries import NamedEntity, PageRankQueries
from gear_neo4j.retrieval.scout import ScoutGraph, ScoutRetriever
from gear_neo4j.settings import DEFAULT_NAME

KS = (2, 5, 10, 15)
RESAMPLES = 10_000
RESULTS = Path(__file__).with_name("scout.json")
EXPORTED = "scout over the exported graph"
AS_SPELT = "scout, names as spelt"
# The number of passages in the overlap of two systems.
FIRST = 10
Recalls = npt.NDArray[np.float64]
Ask = Callable[[str], Sequence[str]]

PARTS: Mapping[str, Scout] = {
    "without names": Scout(name_weight=0),
    "without the remainder": Scout(remainder=0),
    "without triples as seeds": Scout(triples=0),
    "without passages as seeds": Scout(passage_weight=0),
    "damping 0.5, as in HippoRAG": Scout(damping=0.5),
    "without words": Scout(words=0),
    "names alone": Scout(triples=0, passage_weight=0, remainder=0, words=0),
    "HippoRAG 2's seeds and names": Scout(damping=0.5, remainder=0),
}


class AsSpelt(PageRankQueries):
    """Entities by their keys only."""

    def similar(self, *_: object, **__: object) -> tuple[dict[str, NamedEntity], set[str]]:
        """None."""
        return {}, set()


class Unlinked(AdjacencyReader):
    """The edges of a graph without synonym edges."""

    follows_synonyms = False


def systems(gear: Gear) -> dict[str, Ask]:
    """The measured systems, by name."""
    graph = gear.graph
    linked = ScoutGraph(graph.store, graph.pagerank, graph.edges, gear.embedder)
    unlinked = replace(linked, edges=Unlinked(graph.database))
    retrievers = {
        "sbert": gear.retriever(Base(base="sbert")),
        "naive": gear.retriever("naive"),
        "hipporag2": gear.retriever("hipporag2"),
        "scout": ScoutRetriever(linked),
        AS_SPELT: ScoutRetriever(replace(linked, pagerank=AsSpelt(graph.database))),
        EXPORTED: ExportedScout(gear, options=Scout()),
        **{name: ScoutRetriever(linked, options=options) for name, options in PARTS.items()},
        "without synonym edges": ScoutRetriever(unlinked),
    }

    def ask(name: str, question: str) -> list[str]:
        return [hit.passage.id for hit in retrievers[name].retrieve(question, k=max(KS))]

    asks: dict[str, Ask] = {name: lambda question, name=name: ask(name, question) for name in retrievers}  # type: ignore[misc]
    return asks | {
        "questions in lower case": lambda question: ask("scout", question.lower()),
        "a name with a wrong letter": lambda question: ask("scout", misspelt(question)),
        "the same, names as spelt": lambda question: ask(AS_SPELT, misspelt(question)),
    }


def misspelt(question: str) -> str:
    """The question with a letter left out, added, changed or swapped in the longest word that has a capital.

    Example:
        >>> misspelt("Who wrote Brand?"), misspelt("Who wrote it?")
        ('Who wrote Brsand?', 'Who wrote it?')
    """
    words = [match for match in re.finditer(r"[^\W\d_]{5,}", question) if match.start() and match[0][0].isupper()]
    if not words:
        return question
    longest = max(words, key=lambda match: len(match[0]))
    chance = random.Random(question)
    index = longest.start() + chance.randrange(1, len(longest[0]) - 1)
    before, after = question[:index], question[index:]
    letter = chance.choice(string.ascii_lowercase)
    mistakes = (after[1:], letter + after, letter + after[1:], after[1] + after[0] + after[2:])
    return before + chance.choice(mistakes)


def measure(
    gear: Gear, queries: Sequence[datasets.EvaluationQuery]
) -> tuple[dict[str, Recalls], dict[str, float], float]:
    """Recall of each question at each k, shape (questions, 4), the median milliseconds, by name; the mean overlap.

    The overlap is that of scout's first ten passages with those of scout over the exported graph, in percent.
    """
    asks = systems(gear)
    recalls: dict[str, list[list[float]]] = {name: [] for name in asks}
    overlaps: list[float] = []
    times: dict[str, list[float]] = {name: [] for name in asks}
    for ask in asks.values():
        ask(queries[0].question)
    for query in track(queries, "questions"):
        rankings: dict[str, Sequence[str]] = {}
        for name, ask in asks.items():
            started = time.perf_counter()
            rankings[name] = ask(query.question)
            times[name].append(1_000 * (time.perf_counter() - started))
            recalls[name].append([recall(rankings[name], query.gold, k=k) for k in KS])
        overlaps.append(len({*rankings["scout"][:FIRST]} & {*rankings[EXPORTED][:FIRST]}) / FIRST)
    return (
        {name: 100 * np.array(rows) for name, rows in recalls.items()},
        {name: round(median(samples), 1) for name, samples in times.items()},
        round(100 * fmean(overlaps), 1),
    )


def interval(values: Recalls) -> list[list[float]]:
    """The 95 % bootstrap interval of the mean at each k, over questions drawn with replacement."""
    chance = np.random.default_rng(0)
    means = values[chance.integers(len(values), size=(RESAMPLES, len(values)))].mean(axis=1)
    return np.percentile(means, [2.5, 97.5], axis=0).T.round(1).tolist()  # type: ignore[no-any-return]


def report(recalls: Mapping[str, Recalls], times: Mapping[str, float], overlap: float) -> dict[str, Any]:
    """The report: means on the development half, on the held-out half, and on all; with intervals."""
    halves = {"even": slice(0, None, 2), "odd": slice(1, None, 2), "all": slice(None)}
    rows = {
        name: {half: values[part].mean(axis=0).round(1).tolist() for half, part in halves.items()}
        | {"interval": interval(values), "ms": times[name]}
        for name, values in recalls.items()
    }
    ahead = {
        rival: {
            half: {
                "points": (recalls["scout"] - recalls[rival])[part].mean(axis=0).round(1).tolist(),
                "interval": interval((recalls["scout"] - recalls[rival])[part]),
            }
            for half, part in halves.items()
            if half != "even"
        }
        for rival in (EXPORTED, "hipporag2", "naive", "sbert")
    }
    return {"ks": list(KS), "systems": rows, "scout_ahead_of": ahead, "overlap_with_exported": overlap}


def table(results: Mapping[str, Any]) -> str:
    """The systems as a table in Markdown."""
    lines = ["| | even: chosen on | odd: held out | all | ms |", "|---|---|---|---|---|"]
    for name, row in results["systems"].items():
        cells = [" / ".join(f"{value:.1f}" for value in row[half]) for half in ("even", "odd", "all")]
        lines.append(f"| {name} | {' | '.join(cells)} | {row['ms']:.0f} |")
    for rival, halves in results["scout_ahead_of"].items():
        for half, gain in halves.items():
            gains = (
                f"@{k} {points:+.1f} ({low:+.1f} to {high:+.1f})"
                for k, points, (low, high) in zip(KS, gain["points"], gain["interval"], strict=True)
            )
            lines.append(f"\nscout - {rival}, {half}: {', '.join(gains)}")
    lines.append(f"\noverlap of the first ten with {EXPORTED}: {results['overlap_with_exported']:.1f} %")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scout", description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--extract", choices=get_args(datasets.Triples), default="given", help="default: %(default)s")
    options = parser.parse_args()
    dataset = datasets.load(options.dataset, triples=options.extract)
    settings = Settings.load()
    if not settings.uri and settings.name == DEFAULT_NAME:
        suffix = "" if options.extract == "given" else f"-{options.extract}"
        settings = replace(settings, name=f"evaluate-{dataset.name}{suffix}")
    with Gear.connect(settings) as gear:
        runs.provide(gear, dataset, synonyms=True)
        measured = {"questions": len(dataset.queries)} | report(*measure(gear, dataset.queries))
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    results[f"{dataset.name}, triples {options.extract}"] = measured
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(table(measured))


if __name__ == "__main__":
    main()
