"""Passages longer than the model reads: ``python -m benchmarks.long_passages DIR...``; a table of docs/documents.md.

Neighbouring passages of a data set are joined to longer ones, which the packaged model embeds cut after its 256 tokens,
or in parts. The passages are then ranked by their cosine to the question.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gear_neo4j import SentenceTransformerEmbedder, Settings
from gear_neo4j.domain import Passage
from gear_neo4j.evaluate import datasets
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.ingestion.lines import to_passage
from gear_neo4j.models.embeddings import Vectors

KS = (2, 5, 10)
JOINED = (1, 4, 10)


class Cut(SentenceTransformerEmbedder):
    """The model without parts: what comes after its first tokens does not count."""

    @property
    def reads(self) -> None:
        """Any number of tokens, as far as the parts are concerned."""


def joined(passages: Sequence[Passage], number: int) -> tuple[list[str], dict[str, str]]:
    """The contents of ``number`` passages each, and the name of the joined passage for each id."""
    groups = [passages[start : start + number] for start in range(0, len(passages), number)]
    names = {passage.id: str(index) for index, group in enumerate(groups) for passage in group}
    return ["\n".join([group[0].title, *(passage.text for passage in group)]) for group in groups], names


def measure(dataset: datasets.Dataset, vectors: Vectors, questions: Vectors, names: dict[str, str]) -> str:
    """Recall in percent at each k."""
    rows = []
    for query, scores in zip(dataset.queries, questions @ vectors.T, strict=True):
        ranking = [str(index) for index in np.argsort(-scores)[: max(KS)]]
        gold = list(dict.fromkeys(names[id] for id in query.gold))
        rows.append([100 * recall(ranking, gold, k=k) for k in KS])
    return " / ".join(f"{value:.1f}" for value in np.mean(rows, axis=0))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.long_passages", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    home = Settings.load().home
    print(f"| joined passages | cut: recall at {', '.join(map(str, KS))} | in parts |\n|---|---|---|", flush=True)
    for folder in parser.parse_args().folders:
        dataset = datasets.load(folder)
        passages = [to_passage(json.loads(line)) for line in (folder / "corpus.jsonl").open(encoding="utf-8")]
        for number in JOINED:
            contents, names = joined(passages, number)
            cells = []
            for embedder in (Cut(home=home), SentenceTransformerEmbedder(home=home)):
                questions = embedder.embed([query.question for query in dataset.queries])
                cells.append(measure(dataset, embedder.embed(contents), questions, names))
            print(f"| {dataset.name}, {number} each | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
