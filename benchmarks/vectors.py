"""Adoption with encoded and with composed vectors of triples: ``python -m benchmarks.vectors GRAPH_DIR...``.

Each graph is imported once, on its own server, and adopted twice: first with composed vectors, so that the encoded ones
get the benefit of a warm server. The seconds are for the whole adoption, with the default embedding model, until the
vector index is online. Recall is that of the answers' entities among the nearest triples, and among the first 20 of the
retrievers.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measure import fresh_gear, machine, peak_megabytes
from gear_neo4j import Gear, Naive, Paths
from gear_neo4j.domain import VectorSource
from gear_neo4j.evaluate import knowledge
from gear_neo4j.settings import Settings

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "vectors.json"
KS = {"nearest": (5, 20, 50), "naive": (20,), "paths": (20,)}


def measure(folder: Path, settings: Settings) -> dict[str, Any]:
    """Seconds and recall with either kind of vectors."""
    dataset = knowledge.load(folder)
    with fresh_gear(settings) as gear:
        gear.embedder.embed(["loaded before the clock starts"])
        gear.overlay.import_csv([folder / name for name in knowledge.FILES])
        profile = gear.overlay.propose()
        results: dict[str, Any] = {}
        for source in reversed(get_args(VectorSource)):
            started = time.perf_counter()
            report = gear.overlay.adopt(profile, vectors=source)
            gear.graph.await_online()
            seconds = time.perf_counter() - started
            results[source] = {
                "seconds": round(seconds, 1),
                "passages": report.passages_written,
                "triples": report.triples_written,
                "triples_a_second": round(report.triples_written / seconds),
                "client_mb": peak_megabytes(),
                "recall": _recalls(gear, dataset),
            }
            gear.overlay.release()
    return {**results, "times": round(results["encoded"]["seconds"] / results["composed"]["seconds"], 1)}


def _recalls(gear: Gear, dataset: knowledge.KnowledgeGraph) -> Mapping[str, Mapping[str, list[float]]]:
    """Recall by system and question half, one figure per ``k``; the halves are the even and the odd questions."""
    entities = knowledge.AnswerEntities(gear.graph.lexicon.every_node())
    wanted = {question.question: entities.wanted(question.question, question.answer) for question in dataset.questions}
    questions = [question for question, names in wanted.items() if names]
    rows: dict[str, list[list[float]]] = {}
    for name, ask in knowledge.retrievers(gear, [Naive(), Paths()]).items():
        rows[name] = []
        for question in track(questions, f"{dataset.name}: {name}"):
            # The vectors do not affect the entities that patterns find.
            answer = knowledge.Retrieved(ask(question).triples)
            rows[name].append([100 * entities.recall(wanted[question], answer, k=k) for k in KS[name]])
    halves = {"all": slice(None), "even": slice(0, None, 2), "odd": slice(1, None, 2)}
    return {name: {half: _means(values[part]) for half, part in halves.items()} for name, values in rows.items()}


def _means(rows: Sequence[Sequence[float]]) -> list[float]:
    return [round(fmean(column), 1) for column in zip(*rows, strict=True)]


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vectors", description=__doc__)
    parser.add_argument("graphs", nargs="+", type=Path)
    settings = replace(Settings.load(), uri=None, name="bench-vectors", database=None)
    results: dict[str, Any] = {"machine": machine(settings.neo4j_version), "graphs": {}}
    for folder in parser.parse_args().graphs:
        results["graphs"][folder.resolve().name] = figures = measure(folder, settings)
        Console().print(_table(folder.resolve().name, figures))
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _table(title: str, figures: Mapping[str, Any]) -> Table:
    table = Table("", "seconds", "triples", *KS, title=title, caption=f"{figures['times']} times")
    for source in get_args(VectorSource):
        row = figures[source]
        recalls = (" / ".join(map(str, row["recall"][name]["all"])) for name in KS)
        table.add_row(source, str(row["seconds"]), f"{row['triples']:,}", *recalls)
    return table


if __name__ == "__main__":
    main()
