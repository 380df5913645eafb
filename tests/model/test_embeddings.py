"""The default embedding model: its vectors do not depend on their batch; and its number format."""

import gc
from types import SimpleNamespace

import numpy as np
import pytest

from gear_neo4j import SentenceTransformerEmbedder
from gear_neo4j.errors import SettingsError
from gear_neo4j.models.embeddings import open_embedder
from gear_neo4j.settings import Settings


def test_a_text_has_the_same_vector_whatever_stands_beside_it():
    """To the precision of the model on this processor; including texts of 40 and 41 characters."""
    texts = [
        "Ada",
        "a long text " * 20,
        "x" * 40,
        "y" * 41,
        "Ada",
        "",
        "Warsaw on the Vistula, where she was born once",
    ]
    embedder = SentenceTransformerEmbedder(dtype="float32")

    together = embedder.embed(texts)

    assert (len(texts), embedder.dimension) == together.shape
    assert np.allclose(1, np.linalg.norm(together, axis=1), atol=1e-3)
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    assert np.allclose(together, alone, atol=1e-3)


@pytest.mark.parametrize("by_onnx", [False, True])
def test_what_comes_late_in_a_long_text_counts(by_onnx, home):
    """With torch and without; a text that the model reads whole has the vector of that text alone."""
    embedder = SentenceTransformerEmbedder(home=home if by_onnx else None, dtype="float32")
    harbour = "The ferry to Varna leaves the harbour at noon. "
    bread = "Bread is made of flour, water, salt and yeast. " * 30
    question, late, cut, short, alone = embedder.embed(
        ["When does the ferry to Varna leave?", f"Notes\n{bread}{harbour * 30}", f"Notes\n{bread}", harbour, bread[:47]]
    )

    assert question @ late > question @ cut + 0.1
    assert np.allclose(short, embedder.embed([harbour])[0], atol=1e-6)
    assert np.linalg.norm(late) == pytest.approx(1, abs=1e-5)
    assert alone @ cut > 0.8


def test_the_embedding_model_computes_in_what_is_asked_for():
    """In half precision, the vectors are almost the same; an unknown format is named."""
    texts = ["Ana Petkova designed the harbour of Varna.", "A recipe for bread."]
    whole, half = (SentenceTransformerEmbedder(dtype=kind).embed(texts) for kind in ("float32", "bfloat16"))

    assert ((whole * half).sum(axis=1) > 0.999).all()
    assert np.allclose(1, np.linalg.norm(half, axis=1), atol=1e-6)
    assert not (whole == half).all()
    with pytest.raises(SettingsError, match="GEAR_EMBEDDING_DTYPE is 'int4': it must be auto, float32 or bfloat16"):
        open_embedder(Settings(embedding_dtype="int4"))


@pytest.mark.parametrize("told", [{}, {"avx512_f": True}, {"avx512_bf16": True}, {"amx_bf16": True}])
def test_unasked_the_embedding_model_computes_in_half_the_bits_where_the_processor_is_made_for_it(told, monkeypatch):
    """Elsewhere bfloat16 is slower than float32; the test fakes the machine's capabilities."""
    monkeypatch.setattr("torch.cpu.get_capabilities", lambda: told, raising=False)
    expected = "bfloat16" if any(name.endswith("bf16") for name in told) else "float32"

    unasked, asked = (SentenceTransformerEmbedder(dtype=dtype).embed(["Ana"]) for dtype in ("auto", expected))

    # The two formats differ by a thousandth.
    assert np.allclose(unasked, asked, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("device", "batch_size", "batches"),
    [
        ("cpu", None, {"names": 128, "triples": 16, "passages": 16}),
        ("cuda", None, {"names": 1_024, "triples": 512, "passages": 128}),
        ("cuda", 8, {"names": 1_024, "triples": 8, "passages": 8}),
    ],
)
def test_a_gpu_gets_larger_batches(device, batch_size, batches):
    """In a third of the time; without a GPU here, the real model is behind a fake that reports one."""
    texts = {
        "names": "Ada",
        "triples": "Ada Lovelace wrote to Charles Babbage in London",
        "passages": "She met him. " * 20,
    }
    real, sizes = SentenceTransformerEmbedder(dtype="float32"), {}

    def encode(given, **options):
        sizes[given[0]] = max(len(given), sizes.get(given[0], 0))
        return np.repeat(real._model.encode(given[:1], **options), len(given), axis=0)

    embedder = SentenceTransformerEmbedder(batch_size=batch_size, dtype="float32")
    embedder._model = SimpleNamespace(
        device=SimpleNamespace(type=device),
        encode=encode,
        get_embedding_dimension=lambda: real.dimension,
        max_seq_length=256,
    )

    found = [embedder.embed([text] * 1_100)[-1] for text in texts.values()]

    assert batches == {name: sizes[text] for name, text in texts.items()}
    assert np.allclose(real.embed([*texts.values()]), found, atol=1e-3)


@pytest.mark.parametrize("collects", [True, False])
def test_no_garbage_is_looked_for_while_the_model_is_loaded(collects):
    """There is none; afterwards the collector is as the caller set it."""
    passes = []

    def on_pass(phase, _):
        passes.append(phase)

    embedder = SentenceTransformerEmbedder()
    (gc.enable if collects else gc.disable)()
    gc.callbacks.append(on_pass)
    try:
        assert 384 == embedder.dimension
        assert collects == gc.isenabled()
    finally:
        gc.callbacks.remove(on_pass)
        gc.enable()
    # The first collection once it is enabled again.
    assert len(passes) <= 2
