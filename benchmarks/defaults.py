"""The default retriever beside others: ``python -m benchmarks.defaults DATASET_DIR...``; tables of docs/scout.md.

Each question is asked as it is, in lower case, and with a wrong letter. What the default weighs was chosen on the even
questions (counted from 0); the odd ones are the result. The triples are the data set's, or those of the rules.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
from rich.progress import track

from benchmarks.scout import misspelt
from gear_neo4j import Base, Gear, Settings
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.evaluate.metrics import recall

KS = (2, 5, 10, 20)
RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "defaults.json"
SYSTEMS: Mapping[str, str | Base] = {
    "auto": "auto",
    "weighted": Base(base="weighted"),
    "sbert": Base(base="sbert"),
    "naive": "naive",
}
FORMS: Mapping[str, Callable[[str], str]] = {"as written": str, "lower case": str.lower, "wrong letter": misspelt}
HALVES = {"even": slice(0, None, 2), "odd": slice(1, None, 2), "all": slice(None)}


def measure(gear: Gear, queries: Sequence[datasets.EvaluationQuery]) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Recall in percent at each k, by form, system and half."""
    asks = {name: gear.retriever(recipe) for name, recipe in SYSTEMS.items()}
    recalls: dict[tuple[str, str], list[list[float]]] = {(form, name): [] for form in FORMS for name in asks}
    for query in track(queries, "questions"):
        for form, change in FORMS.items():
            for name, retriever in asks.items():
                ids = [hit.passage.id for hit in retriever.retrieve(change(query.question), k=max(KS))]
                recalls[form, name].append([100 * recall(ids, query.gold, k=k) for k in KS])
    return {
        form: {
            name: {
                half: np.array(recalls[form, name])[part].mean(axis=0).round(1).tolist()
                for half, part in HALVES.items()
            }
            for name in asks
        }
        for form in FORMS
    }


def behind(rows: Mapping[str, Mapping[str, Sequence[float]]], half: str) -> list[float]:
    """How many points the best other system is ahead of the default at each k; negative if the default leads.

    Example:
        >>> behind({"auto": {"odd": [50.0]}, "sbert": {"odd": [47.0]}, "naive": {"odd": [51.5]}}, "odd")
        [1.5]
    """
    best = np.max([row[half] for name, row in rows.items() if name != "auto"], axis=0)
    return (best - np.array(rows["auto"][half])).round(1).tolist()  # type: ignore[no-any-return]


def table(results: Mapping[str, Mapping[str, Any]]) -> str:
    """The systems of a data set as a table in Markdown."""
    lines = [f"| | {' | '.join(HALVES)} |", "|---|---|---|---|"]
    for form, rows in results.items():
        for name, row in rows.items():
            cells = " | ".join(" / ".join(f"{value:.1f}" for value in row[half]) for half in HALVES)
            lines.append(f"| {name}, {form} | {cells} |")
        ahead = " | ".join(" / ".join(f"{value:+.1f}" for value in behind(rows, half)) for half in HALVES)
        lines.append(f"| *best of the others, ahead of auto by* | {ahead} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.defaults", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DATASET_DIR")
    parser.add_argument("--extract", choices=get_args(datasets.Triples), help="default: the data set's, else rules")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for folder in options.folders:
        extract = options.extract or ("given" if (folder / "triples.jsonl").exists() else "rules")
        dataset = datasets.load(folder, triples=cast("datasets.Triples", extract))
        name = f"evaluate-{dataset.name}" + ("" if extract == "given" else f"-{extract}")
        with Gear.connect(replace(Settings.load(), uri=None, name=name)) as gear:
            runs.provide(gear, dataset, synonyms=True)
            results[f"{dataset.name}, {extract}"] = measure(gear, dataset.queries)
        print(f"\n{dataset.name}, {extract}: recall at {', '.join(map(str, KS))}\n")
        print(table(results[f"{dataset.name}, {extract}"]), flush=True)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
