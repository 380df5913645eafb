"""BERT as an ONNX graph, without its weights, which stay in the model's own file.

The exporter of torch needs the package onnx, which takes 31 MB, and copies every weight into a second file. The numbers
in this module are the field numbers in ``onnx.proto``: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "states"
FLOAT, INT64 = 1, 7
# Version 20 of the operators is the first with Gelu.
IR_VERSION, OPERATORS = 9, 20
# Added to the attention score of padding tokens, so that their weight becomes 0.
HIDDEN = 1e9
Attribute = int | float | Sequence[int]
Shapes = Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bert:
    """The parameters of a BERT that do not follow from the shapes of its weights."""

    layers: int
    heads: int
    epsilon: float


def bert_graph(bert: Bert, shapes: Shapes) -> bytes:
    """The graph from the :data:`INPUTS`, one row per text, to the states of all tokens.

    Args:
        shapes: the shape of each weight by its name. The session needs the weights under the same names.
    """
    return _BertGraph(bert, shapes).whole()


class _Graph:
    """An ONNX graph, written node by node."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []

    def node(self, kind: str, *inputs: str, output: str = "", **attributes: Attribute) -> str:
        """Add an operator and return the name of its output."""
        name = output or f"node{len(self._nodes)}"
        parts = [*(_bytes(1, one) for one in inputs), _bytes(2, name), _bytes(4, kind)]
        parts += [_bytes(5, _attribute(*one)) for one in attributes.items()]
        self._nodes.append(b"".join(parts))
        return name

    def integers(self, *values: int) -> str:
        """Add a constant list."""
        return self._constant([len(values)], INT64, struct.pack(f"<{len(values)}q", *values))

    def number(self, value: float) -> str:
        """Add a constant number."""
        return self._constant([], FLOAT, struct.pack("<f", value))

    def weight(self, name: str, shape: Sequence[int]) -> None:
        """Declare a weight that is passed to the session; ONNX requires a file name, but never opens the file."""
        outside = _bytes(13, _bytes(1, "location") + _bytes(2, "none")) + _integer(14, 1)
        self._tensors.append(_tensor(name, FLOAT, shape) + outside)

    def model(self, *, width: int) -> bytes:
        """The whole model, whose output rows have that width."""
        axes = ("texts", "tokens")
        parts = [*(_bytes(1, node) for node in self._nodes), _bytes(2, "bert")]
        parts += [_bytes(5, tensor) for tensor in self._tensors]
        parts += [_bytes(11, _declared(name, INT64, axes)) for name in INPUTS]
        parts.append(_bytes(12, _declared(OUTPUT, FLOAT, (*axes, width))))
        return _integer(1, IR_VERSION) + _bytes(7, b"".join(parts)) + _bytes(8, _integer(2, OPERATORS))

    def _constant(self, shape: Sequence[int], kind: int, data: bytes) -> str:
        name = f"constant{len(self._tensors)}"
        self._tensors.append(_tensor(name, kind, shape) + _bytes(9, data))
        return name


class _BertGraph(_Graph):
    """The layers of BERT; between them the tokens of all texts are the rows of one matrix."""

    def __init__(self, bert: Bert, shapes: Shapes) -> None:
        super().__init__()
        for name, shape in shapes.items():
            self.weight(name, shape)
        self._bert = bert
        self._width = shapes["embeddings.word_embeddings.weight"][1]
        self._rows = self.integers(-1, self._width)
        extent = self.node("Shape", INPUTS[0])
        self._by_text = self.node("Concat", extent, self.integers(self._width), axis=0)
        head = self.integers(bert.heads, self._width // bert.heads)
        self._by_head = self.node("Concat", extent, head, axis=0)
        self._scale = self.number((self._width // bert.heads) ** -0.5)
        padding = self.node("Sub", self.node("Cast", INPUTS[1], to=FLOAT), self.number(1.0))
        self._hidden = self.node("Unsqueeze", self.node("Mul", padding, self.number(HIDDEN)), self.integers(1, 2))

    def whole(self) -> bytes:
        """The model."""
        tokens = self._embeddings()
        for layer in range(self._bert.layers):
            tokens = self._layer(tokens, f"encoder.layer.{layer}")
        self.node("Reshape", tokens, self._by_text, output=OUTPUT)
        return self.model(width=self._width)

    def _embeddings(self) -> str:
        length = self.node("Shape", INPUTS[0], start=1)
        positions = self.node(
            "Slice", "embeddings.position_embeddings.weight", self.integers(0), length, self.integers(0)
        )
        words = self.node("Gather", "embeddings.word_embeddings.weight", INPUTS[0])
        types = self.node("Gather", "embeddings.token_type_embeddings.weight", INPUTS[2])
        tokens = self.node("Add", self.node("Add", words, types), positions)
        return self._normalised(self.node("Reshape", tokens, self._rows), "embeddings.LayerNorm")

    def _layer(self, tokens: str, name: str) -> str:
        seen = self._linear(self._attention(tokens, f"{name}.attention.self"), f"{name}.attention.output.dense")
        tokens = self._normalised(self.node("Add", tokens, seen), f"{name}.attention.output.LayerNorm")
        wide = self.node("Gelu", self._linear(tokens, f"{name}.intermediate.dense"))
        added = self.node("Add", tokens, self._linear(wide, f"{name}.output.dense"))
        return self._normalised(added, f"{name}.output.LayerNorm")

    def _attention(self, tokens: str, name: str) -> str:
        queries = self._heads(tokens, f"{name}.query", order=(0, 2, 1, 3))
        keys = self._heads(tokens, f"{name}.key", order=(0, 2, 3, 1))
        values = self._heads(tokens, f"{name}.value", order=(0, 2, 1, 3))
        scores = self.node("Mul", self.node("MatMul", queries, keys), self._scale)
        weights = self.node("Softmax", self.node("Add", scores, self._hidden), axis=-1)
        seen = self.node("Transpose", self.node("MatMul", weights, values), perm=(0, 2, 1, 3))
        return self.node("Reshape", seen, self._rows)

    def _heads(self, tokens: str, name: str, *, order: Sequence[int]) -> str:
        return self.node("Transpose", self.node("Reshape", self._linear(tokens, name), self._by_head), perm=order)

    def _linear(self, tokens: str, name: str) -> str:
        return self.node("Gemm", tokens, f"{name}.weight", f"{name}.bias", transB=1)

    def _normalised(self, tokens: str, name: str) -> str:
        return self.node(
            "LayerNormalization", tokens, f"{name}.weight", f"{name}.bias", axis=-1, epsilon=self._bert.epsilon
        )


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*parts, value))


def _integer(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return _bytes(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _integer(20, 1)
    if isinstance(value, int):
        return _bytes(1, name) + _integer(3, value) + _integer(20, 2)
    return _bytes(1, name) + b"".join(_integer(8, one) for one in value) + _integer(20, 7)


def _tensor(name: str, kind: int, shape: Sequence[int]) -> bytes:
    return b"".join(_integer(1, length) for length in shape) + _integer(2, kind) + _bytes(8, name)


def _declared(name: str, kind: int, axes: Sequence[str | int]) -> bytes:
    lengths = (_bytes(2, axis) if isinstance(axis, str) else _integer(1, axis) for axis in axes)
    shape = _bytes(2, b"".join(_bytes(1, length) for length in lengths))
    return _bytes(1, name) + _bytes(2, _bytes(1, _integer(1, kind) + shape))
