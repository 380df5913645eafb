"""The confidence of patterns, and how often they are right: ``python -m benchmarks.confidence GRAPH_DIR...``.

For each question, the pattern of the first entity with its features, and whether that entity is right. A logistic
regression over the even questions of all graphs gives the coefficients of ``retrieval/patterns/confidence.py``; the
table shows only the odd questions: by confidence, their number and the share that is right.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measure import fresh_gear, machine
from gear_neo4j.evaluate import knowledge
from gear_neo4j.gear import Gear
from gear_neo4j.retrieval.patterns.confidence import NAMES, features, probability
from gear_neo4j.retrieval.patterns.description import description
from gear_neo4j.retrieval.patterns.finder import PatternFinder
from gear_neo4j.settings import Settings

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "confidence.json"
BINS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
# A penalty on large coefficients; small compared with hundreds of questions.
RIDGE = 1.0
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A question's first entity: the features of its pattern, and whether it is right."""

    even: bool
    features: tuple[float, ...]
    right: bool


def measure(folder: Path, settings: Settings) -> list[Case]:
    """The cases of one graph."""
    with fresh_gear(settings) as gear:
        knowledge.provide(gear, knowledge.load(folder))
        return list(cases(gear, folder))


def cases(gear: Gear, folder: Path) -> Iterator[Case]:
    """A case for each question whose answer is nodes and that gets any."""
    entities = knowledge.AnswerEntities(gear.graph.lexicon.every_node())
    finder = PatternFinder(gear.graph, embedder=gear.embedder)
    schema = gear.graph.patterns.schema()
    assert schema is not None
    for number, question in enumerate(track(knowledge.load(folder).questions, folder.name)):
        wanted = entities.wanted(question.question, question.answer)
        found = finder.find(question.question).entities if wanted else ()
        patterns = {
            description(candidate.pattern, candidate.target, schema): candidate
            for candidate in reversed(finder.candidates(question.question).ranked)
        }
        if found and found[0].pattern in patterns:
            candidate = patterns[found[0].pattern]
            right = entities.is_first(wanted, knowledge.Retrieved((), found))
            yield Case(number % 2 == 0, features(candidate.evidence, candidate.margin), right)


def fit(rows: Array, right: Array) -> Array:
    """Coefficients of a logistic regression, the constant first, by Newton's method."""
    inputs = np.column_stack([np.ones(len(rows)), rows])
    penalty = np.diag([0.0, *[RIDGE] * rows.shape[1]])
    weights = np.zeros(inputs.shape[1])
    for _ in range(50):
        shares = 1 / (1 + np.exp(-inputs @ weights))
        gradient = inputs.T @ (right - shares) - penalty @ weights
        curvature = (inputs * (shares * (1 - shares))[:, None]).T @ inputs + penalty
        weights += np.linalg.solve(curvature, gradient)
    return weights


def report(all_cases: Sequence[Case]) -> dict[str, Any]:
    """The coefficients from the even questions, and the calibration on the odd ones."""
    even, odd = ([case for case in all_cases if case.even is half] for half in (True, False))
    weights = fit(np.array([case.features for case in even]), np.array([float(case.right) for case in even]))
    constant, *coefficients = weights.tolist()
    sure = np.array([probability(case.features, constant=constant, coefficients=coefficients) for case in odd])
    right = np.array([float(case.right) for case in odd])
    bins = []
    for low, high in pairwise(BINS):
        inside = (sure >= low) & (sure < high if high < 1 else sure <= high)
        if inside.any():
            bins.append(
                {
                    "from": low,
                    "to": high,
                    "questions": int(inside.sum()),
                    "confidence": round(100 * float(sure[inside].mean()), 1),
                    "right": round(100 * float(right[inside].mean()), 1),
                }
            )
    return {
        "constant": round(float(weights[0]), 2),
        "coefficients": dict(zip(NAMES, np.round(weights[1:], 2).tolist(), strict=True)),
        "even": len(even),
        "odd": len(odd),
        "brier": round(float(np.mean((sure - right) ** 2)), 3),
        "brier_of_the_mean": round(float(np.mean((right.mean() - right) ** 2)), 3),
        "bins": bins,
    }


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.confidence", description=__doc__)
    parser.add_argument("graphs", nargs="+", type=Path)
    settings = replace(Settings.load(), uri=None, name="bench-confidence", database=None)
    found = [case for folder in parser.parse_args().graphs for case in measure(folder, settings)]
    results = {"machine": machine(settings.neo4j_version), **report(found)}
    console = Console()
    console.print({key: results[key] for key in ("constant", "coefficients", "brier", "brier_of_the_mean")})
    table = Table("confidence", "odd questions", "mean confidence %", "right %")
    for row in results["bins"]:
        name = f"{row['from']:.2f} to {row['to']:.2f}"
        table.add_row(name, str(row["questions"]), str(row["confidence"]), str(row["right"]))
    console.print(table)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
