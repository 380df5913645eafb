"""A BERT that ONNX Runtime runs from the files of sentence-transformers, without torch and in a tenth of a second."""

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
    """All that turns a text into a vector: plain values, which a file can hold.

    Args:
        weights: a file of safetensors.
        tokenizer: as ``tokenizer.json`` has it.
        tokens: a longer text is cut.
        prompt: stands before each text.
        pooling: ``mean`` or ``cls``.
    """

    bert: Bert
    weights: str
    tokenizer: str
    tokens: int
    prompt: str
    pooling: str


class OnnxEncoder:
    """An encoder that is open; several threads may use it at once.

    Raises:
        ImportError, OSError, ValueError, RuntimeError: it cannot be run.
    """

    def __init__(self, encoder: Encoder) -> None:
        # Neither is needed by a command that embeds nothing.
        import onnxruntime
        from tokenizers import Tokenizer

        self._prompt, self._pooling = encoder.prompt, encoder.pooling
        self._tokenizer = Tokenizer.from_str(encoder.tokenizer)
        self._tokenizer.enable_truncation(encoder.tokens)
        self._tokenizer.enable_padding()
        # The session looks at their memory, which is the file's: they must live as long.
        self._weights = _read_weights(Path(encoder.weights))
        self.dimension = int(self._weights["embeddings.word_embeddings.weight"].shape[1])
        options = onnxruntime.SessionOptions()
        # Threads that wait for more work would take more time of the processor than one question does.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # As torch does, and as Ray sets it for each of its processes; 0 is as many as there are cores.
        threads = os.environ.get("OMP_NUM_THREADS", "")
        options.intra_op_num_threads = int(threads) if threads.isdecimal() else 0
        options.log_severity_level = 3
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(weight) for weight in self._weights.values()]
        options.add_external_initializers(list(self._weights), values)
        graph = bert_graph(encoder.bert, {name: weight.shape for name, weight in self._weights.items()})
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text, of any length; the texts are one batch."""
        tokens = self._tokenizer.encode_batch([self._prompt + text for text in texts])
        rows = ([one.ids for one in tokens], [one.attention_mask for one in tokens], [one.type_ids for one in tokens])
        inputs = {name: np.array(row, dtype=np.int64) for name, row in zip(INPUTS, rows, strict=True)}
        (states,) = self._session.run([OUTPUT], inputs)
        if self._pooling == "cls":
            return np.asarray(states[:, 0])
        mask = inputs["attention_mask"][:, :, None].astype(np.float32)
        return np.asarray((states * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1e-9))


def _read_weights(file: Path) -> dict[str, npt.NDArray[Any]]:
    """The weights in a file of safetensors, which is mapped into memory; what only pools is left out."""
    data = np.asarray(np.memmap(file, dtype=np.uint8, mode="r"))
    start = 8 + int.from_bytes(data[:8].tobytes(), "little")
    header = json.loads(data[8:start].tobytes())
    weights = {}
    for name, tensor in header.items():
        if name.startswith(("embeddings.", "encoder.")) and tensor["dtype"] == "F32":
            begin, end = tensor["data_offsets"]
            weights[name] = data[start + begin : start + end].view("<f4").reshape(tensor["shape"])
    return weights
