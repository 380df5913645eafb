"""ColBERTv2 (Santhanam et al., NAACL 2022): one vector per token, and passages ranked by late interaction.

Neo4j cannot index several vectors per node, so the vectors are stored in a file outside the database, stamped with the
model and the passages. Every search scans all of them, which suits corpora of some ten thousand passages.
"""

import json
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gear_neo4j.domain import Passage
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.graph.read.store import IndexHits
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.fusion import Ranked, ranked
from gear_neo4j.retrieval.rank.rankers import NOTHING
from gear_neo4j.text.files import draft_of

MODEL = "colbert-ir/colbertv2.0"
PASSAGES_A_BATCH = 64
Tokens = npt.NDArray[np.float32]
Half = npt.NDArray[np.float16]
Starts = npt.NDArray[np.int64]


class TokenEncoder(Protocol):
    """Encodes texts as one vector per token, each of length 1."""

    @property
    def name(self) -> str:
        """The model's name."""

    def queries(self, texts: Sequence[str]) -> list[Tokens]:
        """One matrix per question: shape (tokens, dimension)."""

    def passages(self, texts: Sequence[str]) -> list[Tokens]:
        """One matrix per passage: shape (tokens, dimension)."""


class PyLateEncoder:
    """A ColBERT model through PyLate, loaded when it is first needed.

    Raises:
        SettingsError: the extra ``[colbert]`` is not installed.
    """

    def __init__(self, name: str = MODEL) -> None:
        try:
            from pylate import models
        except ImportError as error:
            raise SettingsError("ColBERT needs the extra: pip install 'gear-neo4j[colbert]'") from error
        self.name = name
        self._model = models.ColBERT(model_name_or_path=name)

    def queries(self, texts: Sequence[str]) -> list[Tokens]:
        """One matrix per question."""
        return self._encode(texts, query=True)

    def passages(self, texts: Sequence[str]) -> list[Tokens]:
        """One matrix per passage."""
        return self._encode(texts, query=False)

    def _encode(self, texts: Sequence[str], *, query: bool) -> list[Tokens]:
        matrices = self._model.encode(list(texts), is_query=query, show_progress_bar=False)
        return [np.asarray(matrix, dtype=np.float32) for matrix in matrices]


def max_sim(query: Tokens, passages: Tokens, starts: Starts) -> npt.NDArray[np.float32]:
    """Late interaction: for each passage the sum, over the query's tokens, of the best cosine to one of its tokens.

    ``passages`` holds the tokens of all passages one after the other, ``starts`` the offset of each passage.

    Example:
        >>> query = np.eye(2, dtype=np.float32)
        >>> tokens = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
        >>> [round(float(score), 2) for score in max_sim(query, tokens, np.array([0, 2]))]
        [2.0, 1.4]
    """
    best = np.maximum.reduceat(passages @ query.T, starts, axis=0)
    return np.asarray(best.sum(axis=1), dtype=np.float32)


class ColBERT:
    """Late interaction over the title and text of all passages; a search needs no query to the database.

    Args:
        folder: where the vectors are stored; they are recomputed for another model or other passages.
    """

    name = "colbert"
    needs = frozenset[str]()

    def __init__(self, passages: Iterable[Passage], *, encoder: TokenEncoder, folder: Path) -> None:
        self._encoder = encoder
        contents = {passage.id: passage.content for passage in passages}
        self._ids = list(contents)
        self._tokens, self._starts = _load_or_index(contents, encoder, folder)

    @property
    def bytes(self) -> int:
        """The memory of its vectors, which a search holds twice more as larger numbers."""
        return 3 * self._tokens.nbytes

    def depth(self, k: int) -> int:
        """k itself."""
        return k

    def rank(self, question: Question, _lookup: IndexHits = NOTHING, *, k: int) -> list[Ranked]:
        """At most k passages by late interaction; scores are sums of cosines, comparable within one search only."""
        if not self._ids:
            return []
        query = self._encoder.queries([question.text])[0]
        scores = max_sim(query, self._tokens.astype(np.float32), self._starts)
        order = sorted(range(len(self._ids)), key=lambda index: (-scores[index], self._ids[index]))[:k]
        return ranked(self.name, [(self._ids[index], float(scores[index])) for index in order])


def _load_or_index(contents: dict[str, str], encoder: TokenEncoder, folder: Path) -> tuple[Half, Starts]:
    """The vectors of all tokens and the offset of each passage: from the folder, or computed and stored there."""
    stamp = blake2b(json.dumps([encoder.name, contents]).encode(), digest_size=16).hexdigest()
    file = folder / "tokens.npz"
    if file.is_file():
        with np.load(file) as stored:
            if str(stored["stamp"]) == stamp:
                return stored["tokens"], stored["starts"]
    texts = list(contents.values())
    batches = [texts[index : index + PASSAGES_A_BATCH] for index in range(0, len(texts), PASSAGES_A_BATCH)]
    matrices = [matrix for batch in batches for matrix in encoder.passages(batch)]
    starts = np.cumsum([0, *(len(matrix) for matrix in matrices)], dtype=np.int64)[:-1]
    tokens = np.concatenate(matrices).astype(np.float16) if matrices else np.empty((0, 0), dtype=np.float16)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with draft_of(file) as draft, draft.open("wb") as out:
            np.savez(out, stamp=np.array(stamp), tokens=tokens, starts=starts)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error} (GEAR_HOME moves it)") from error
    return tokens, starts
