"""Whether hits say why they were found: ``python -m benchmarks.reasons DATASET_DIR...``; a table of docs/scout.md.

Of the gold passages among the first ten, without the passage nearest to the question: the share with a path, and the
share whose path has the answer of the step that leads there. That is a step whose answer the passage's own step needs;
the first steps of a question, to which none leads, count for the share with a path only.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast, get_args

from rich.progress import track

from gear_neo4j import Base, Gear, Hits, Settings
from gear_neo4j.domain import entity_key
from gear_neo4j.evaluate import datasets, runs

K = 10


def judged(hits: Hits, query: datasets.EvaluationQuery, *, nearest: str) -> Iterator[tuple[str, str, bool]]:
    """The kind of each gold passage that counts, its path, and whether the path has the answer that leads there."""
    found = {hit.passage.id for hit in hits[:K]} - {nearest}
    for hop in query.decomposition:
        if hop.passage not in found:
            continue
        path = hits.path_to(hop.passage)
        text = entity_key(str(path or ""))
        led_by = [entity_key(query.decomposition[index].answer) for index in hop.references]
        yield ("later" if led_by else "first", str(path or ""), any(answer in text for answer in led_by))


def share(part: int, whole: int) -> str:
    """A share in percent.

    Example:
        >>> share(1, 8)
        '12.5 %'
    """
    return f"{100 * part / max(whole, 1):.1f} %"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reasons", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DATASET_DIR")
    parser.add_argument("--extract", choices=get_args(datasets.Triples), help="default: the data set's, else rules")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print the first N paths without the answer")
    options = parser.parse_args()
    for folder in options.folders:
        extract = options.extract or ("given" if (folder / "triples.jsonl").exists() else "rules")
        dataset = datasets.load(folder, triples=cast("datasets.Triples", extract))
        name = f"evaluate-{dataset.name}" + ("" if extract == "given" else f"-{extract}")
        counts, shown = Counter[str](), 0
        with Gear.connect(replace(Settings.load(), uri=None, name=name)) as gear:
            runs.provide(gear, dataset, synonyms=True)
            for query in track(dataset.queries, "questions"):
                hits = gear.search(query.question, k=K)
                nearest = gear.search(query.question, k=1, retriever=Base(base="sbert"))[0].passage.id
                for kind, path, has_answer in judged(hits, query, nearest=nearest):
                    counts += Counter({kind: 1, f"{kind} with a path": bool(path), f"{kind} answered": has_answer})
                    if kind == "later" and not has_answer and shown < options.show:
                        shown += 1
                        print(f"{query.question}\n  {path or 'no path'}")
        print(f"{dataset.name}, {extract}: gold passages among the first {K}, the nearest left out")
        for kind in ("first", "later"):
            print(f"  {kind} steps: {counts[kind]}, {share(counts[f'{kind} with a path'], counts[kind])} with a path")
        print(f"  with the answer that leads there: {share(counts['later answered'], counts['later'])}")


if __name__ == "__main__":
    main()
