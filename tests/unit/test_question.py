"""A question is checked once and encoded once, and its times are measured."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.errors import InputError
from gear_neo4j.models.embeddings import Embedder, SentenceTransformerEmbedder
from gear_neo4j.retrieval.question import Question


class CountingEmbedder:
    """A small embedding model that records its texts."""

    name = "counting"
    dimension = 2

    def __init__(self):
        self.texts = []

    def embed(self, texts):
        """The same vector for every text."""
        self.texts.extend(texts)
        return np.tile(np.array([0.6, 0.8], dtype=np.float32), (len(texts), 1))


@pytest.mark.parametrize("text", ["", "  ", "\n\t\u3000"])
def test_a_blank_question_is_refused(text):
    """The message says what to do."""
    with pytest.raises(InputError, match="ask something"):
        Question(text, embedder=CountingEmbedder())


def test_a_question_is_encoded_when_first_needed_and_only_once():
    """The model is the slowest part of a search."""
    embedder = CountingEmbedder()
    question = Question("  Who?\n", embedder=embedder)
    assert [] == embedder.texts

    vectors = [question.vector, question.vector]

    assert ["Who?"] == embedder.texts
    assert [pytest.approx([0.6, 0.8])] * 2 == vectors
    assert ["encode"] == list(question.milliseconds)


@settings(deadline=None)
@given(st.text(st.characters(), min_size=1).filter(str.strip))
def test_any_question_becomes_encodable(text):
    """Half of a surrogate pair, as a terminal may pass it, becomes a question mark."""
    actual = Question(text, embedder=CountingEmbedder()).text

    assert actual == actual.encode().decode()


def test_the_times_of_one_part_are_added_up():
    """Even if the part fails."""
    question = Question("Who?", embedder=CountingEmbedder())
    with question.timed("base"):
        pass
    first = question.milliseconds["base"]
    with pytest.raises(KeyError), question.timed("base"):
        raise KeyError("base")

    assert question.milliseconds["base"] > first > 0


def test_the_embedding_models_keep_to_the_protocol():
    """Any class with name, dimension and embed; the packaged model conforms without being loaded."""
    assert isinstance(CountingEmbedder(), Embedder)
    assert "all-MiniLM-L6-v2" == SentenceTransformerEmbedder().name
    assert "my/model" == SentenceTransformerEmbedder("my/model").name
