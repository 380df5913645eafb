"""Runs a BERT from the files of sentence-transformers with ONNX Runtime: without torch, it loads in 0.1 s."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gear_neo4j.models.onnx_graph import INPUTS, OUTPUT, Bert, bert_graph

Vectors = npt.NDArray[np.float32]
POOLINGS = ("mean", "cls")


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder:
    """The parameters of an encoder: plain values, which can be stored as JSON.

    Args:
        weights: a safetensors file.
        tokenizer: the content of ``tokenizer.json``.
        tokens: maximum number of tokens; longer texts are cut.
        prompt: a prefix of each text.
        pooling: ``mean`` or ``cls``.
    """

    bert: Bert
    weights: str
    tokenizer: str
    tokens: int
    prompt: str
    pooling: str


def load_runtime() -> Any:
    """ONNX Runtime, with its telemetry off unless the environment says otherwise."""
    # Read at import: with telemetry on, that makes an id of this machine and a database of events to send.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


class OnnxEncoder:
    """An open encoder; several threads may use it at once.

    Raises:
        ImportError, OSError, ValueError, RuntimeError: it cannot be run.
    """

    def __init__(self, encoder: Encoder) -> None:
        # Imported late: commands that embed nothing need it as little as the runtime.
        from tokenizers import Tokenizer

        onnxruntime = load_runtime()
        self._prompt, self._pooling = encoder.prompt, encoder.pooling
        self._counter = Tokenizer.from_str(encoder.tokenizer)
        self._counter.no_truncation()
        self._counter.no_padding()
        self._tokenizer = Tokenizer.from_str(encoder.tokenizer)
        self._tokenizer.enable_truncation(encoder.tokens)
        self._tokenizer.enable_padding()
        # The session uses their memory, which is mapped from the file, so they must live as long.
        self._weights = _read_weights(Path(encoder.weights))
        self.dimension = int(self._weights["embeddings.word_embeddings.weight"].shape[1])
        options = onnxruntime.SessionOptions()
        # Threads that spin while they wait would take more CPU time than a question does.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # The variable that torch uses, and that Ray sets for its processes; 0 means one thread per core.
        threads = os.environ.get("OMP_NUM_THREADS", "")
        options.intra_op_num_threads = int(threads) if threads.isdecimal() else 0
        options.log_severity_level = 3
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(weight) for weight in self._weights.values()]
        options.add_external_initializers(list(self._weights), values)
        graph = bert_graph(encoder.bert, {name: weight.shape for name, weight in self._weights.items()})
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def count(self, text: str) -> int:
        """The number of tokens of a text, however long."""
        return len(self._counter.encode(text).ids)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text, not normalised; the texts are one batch."""
        tokens = self._tokenizer.encode_batch([self._prompt + text for text in texts])
        rows = ([one.ids for one in tokens], [one.attention_mask for one in tokens], [one.type_ids for one in tokens])
        inputs = {name: np.array(row, dtype=np.int64) for name, row in zip(INPUTS, rows, strict=True)}
        (states,) = self._session.run([OUTPUT], inputs)
        if self._pooling == "cls":
            return np.asarray(states[:, 0])
        mask = inputs["attention_mask"][:, :, None].astype(np.float32)
        return np.asarray((states * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1e-9))


def _read_weights(file: Path) -> dict[str, npt.NDArray[Any]]:
    """The weights in a safetensors file, mapped into memory, without those of the pooler."""
    data = np.asarray(np.memmap(file, dtype=np.uint8, mode="r"))
    start = 8 + int.from_bytes(data[:8].tobytes(), "little")
    header = json.loads(data[8:start].tobytes())
    weights = {}
    for name, tensor in header.items():
        if name.startswith(("embeddings.", "encoder.")) and tensor["dtype"] == "F32":
            begin, end = tensor["data_offsets"]
            weights[name] = data[start + begin : start + end].view("<f4").reshape(tensor["shape"])
    return weights
