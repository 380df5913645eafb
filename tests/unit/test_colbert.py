"""ColBERT's late interaction and its index, with an encoder of three lines instead of the model."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.domain import Passage
from gear_neo4j.errors import SettingsError
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.colbert import ColBERT, PyLateEncoder, max_sim


class Letters:
    """A vector per word, the same for equal words; counts the passages that it encodes."""

    def __init__(self, name="letters"):
        self.name = name
        self.encoded = 0

    def queries(self, texts):
        return [np.stack([self._word(word) for word in text.lower().split()]) for text in texts]

    def passages(self, texts):
        self.encoded += len(texts)
        return self.queries(texts)

    def _word(self, word):
        seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "big")
        vector = np.random.default_rng(seed).standard_normal(64)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


PASSAGES = [
    Passage("a", "", "hinton studied in edinburgh"),
    Passage("b", "", "bread and butter"),
    Passage("c", "", "edinburgh"),
]


def asked(text):
    return Question(text, embedder=None)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(1, 4), st.integers(0, 10_000))
def test_late_interaction_is_its_definition(lengths, words, seed):
    """Compared with two loops over tokens."""
    chance = np.random.default_rng(seed)
    query = chance.standard_normal((words, 3)).astype(np.float32)
    matrices = [chance.standard_normal((length, 3)).astype(np.float32) for length in lengths]
    starts = np.cumsum([0, *lengths])[:-1]

    found = max_sim(query, np.concatenate(matrices), starts)

    expected = [sum(max(float(token @ word) for token in matrix) for word in query) for matrix in matrices]
    assert expected == pytest.approx(found.tolist(), abs=1e-4)


def test_passages_are_ranked_by_the_words_they_share(tmp_path):
    """Both words, then one, then none; scores fall; k limits."""
    base = ColBERT(PASSAGES, encoder=Letters(), folder=tmp_path)

    found = base.rank(asked("hinton edinburgh"), k=3)

    assert ["a", "c", "b"] == [item.id for item in found]
    assert found[0].score == pytest.approx(2, abs=0.01)
    assert ["a"] == [item.id for item in base.rank(asked("hinton edinburgh"), k=1)]


def test_the_index_is_kept_and_made_anew_when_model_or_passages_change(tmp_path):
    """Nothing is encoded twice, and no stale index is used."""
    for passages, name, encoded in (
        (PASSAGES, "one", 3),
        (PASSAGES, "one", 0),
        (PASSAGES, "two", 3),
        (PASSAGES[:2], "two", 2),
        ([*PASSAGES[:1], Passage("b", "", "another text")], "two", 2),
    ):
        encoder = Letters(name)
        base = ColBERT(passages, encoder=encoder, folder=tmp_path / "index")
        assert encoded == encoder.encoded
        assert len(passages) == len(base.rank(asked("edinburgh"), k=9))


def test_a_corpus_without_passages_finds_nothing(tmp_path):
    """An empty corpus is not an error."""
    assert [] == ColBERT([], encoder=Letters(), folder=tmp_path).rank(asked("x"), k=3)


def test_without_the_extra_one_line_says_what_to_install():
    """PyLate pins a version of sentence-transformers, so it is not among our dependencies."""
    with pytest.raises(SettingsError, match=r"gear-neo4j\[colbert\]"):
        PyLateEncoder()
