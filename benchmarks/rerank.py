"""The default with a reranker: ``python -m benchmarks.rerank MODEL DATASET_DIR...``; a table of docs/choosing.md.

MODEL is a cross-encoder of sentence-transformers, or a folder with ``model.onnx`` and ``tokenizer.json``. Options were
chosen on the even questions of two sets (counted from 0); the odd ones are the result. Triples are those of the rules.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from gear_neo4j import Gear, Settings
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.models.cross_encoder import CrossEncoder, Reranker
from gear_neo4j.retrieval.auto import Auto
from gear_neo4j.retrieval.rerank import Rerank

KS = (2, 5, 10)
LONGEST = 512
HALVES = {"even": slice(0, None, 2), "odd": slice(1, None, 2)}
SYSTEMS = {
    "auto": Rerank(over=Auto(), weight=0, seconds=1_000),
    "reranked": Rerank(over=Auto(), seconds=1_000),
    "by the model alone": Rerank(over=Auto(), weight=10_000, seconds=1_000),
}


class OnnxReranker:
    """A cross-encoder in the format of ONNX."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self.name = folder.name
        self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.enable_padding()

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The score of each question and passage."""
        if not pairs:
            return []
        encoded = self._tokenizer.encode_batch(list(pairs))
        columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        inputs = {
            one.name: np.array([getattr(row, columns[one.name]) for row in encoded], dtype=np.int64)
            for one in self._session.get_inputs()
        }
        scores: Any = self._session.run(None, inputs)[0]
        return [float(score) for score in scores.reshape(len(pairs), -1)[:, 0]]


class Once:
    """Scores each pair once, and counts the time."""

    def __init__(self, reranker: Reranker) -> None:
        self.name = reranker.name
        self._reranker = reranker
        self._known: dict[tuple[str, str], float] = {}
        self.seconds: list[float] = []

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The score of each question and passage."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        started = time.perf_counter()
        self._known |= dict(zip(new, self._reranker.score(new) if new else (), strict=True))
        self.seconds += [(time.perf_counter() - started) / len(new)] * len(new) if new else []
        return [self._known[pair] for pair in pairs]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rerank", description=__doc__)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("folders", type=Path, nargs="+", metavar="DATASET_DIR")
    options = parser.parse_args()
    folder = Path(options.model)
    model = Once(OnnxReranker(folder) if (folder / "model.onnx").exists() else CrossEncoder(options.model))
    print(f"recall at {', '.join(map(str, KS))}\n\n| | {' | '.join(HALVES)} |\n|---|---|---|")
    for path in options.folders:
        dataset = datasets.load(path, triples="rules")
        settings = replace(Settings.load(), uri=None, name=f"evaluate-{dataset.name}-rules")
        with Gear.connect(settings, reranker=model) as gear:
            runs.provide(gear, dataset, synonyms=True)
            retrievers = {name: gear.retriever(recipe) for name, recipe in SYSTEMS.items()}
            rows: dict[str, list[list[float]]] = {name: [] for name in retrievers}
            for query in track(dataset.queries, dataset.name):
                for name, retriever in retrievers.items():
                    ids = [hit.passage.id for hit in retriever.retrieve(query.question, k=max(KS))]
                    rows[name].append([100 * recall(ids, query.gold, k=k) for k in KS])
        for name, recalls in rows.items():
            cells = (
                " / ".join(f"{value:.1f}" for value in np.array(recalls)[part].mean(axis=0)) for part in HALVES.values()
            )
            print(f"| {dataset.name}, {name} | {' | '.join(cells)} |", flush=True)
    print(f"\n{1_000 * float(np.median(model.seconds)):.0f} ms a passage in the median")


if __name__ == "__main__":
    main()
