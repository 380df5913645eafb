"""Vectors of triples: each text is embedded once, and a vector does not depend on its batch."""

import gc
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.domain import Fact
from gear_neo4j.models.triple_vectors import ComposedVectors, encode, triple_vectors
from tests.fake_embedder import FakeEmbedder

NAMES = st.text(min_size=1)
FACTS = st.lists(st.builds(Fact, NAMES, NAMES, NAMES), max_size=12)


class Counting(FakeEmbedder):
    """Counts how often each text is embedded."""

    def __init__(self):
        self.counts = Counter()

    def embed(self, texts):
        self.counts.update(texts)
        return super().embed(texts)


@pytest.mark.parametrize("source", ["encoded", "composed"])
@given(facts=FACTS)
def test_a_vector_does_not_depend_on_the_triples_beside_it(source, facts):
    """Of length 1, in order, and the same alone, and with room for only one part."""
    together = triple_vectors(FakeEmbedder(), source)(facts)
    alone = [triple_vectors(FakeEmbedder(), source)([fact])[0] for fact in facts]

    assert (len(facts), FakeEmbedder.dimension) == together.shape
    assert np.float32 == together.dtype
    assert np.allclose(1, np.linalg.norm(together, axis=1), atol=1e-5)
    assert all(np.allclose(one, other, atol=1e-5) for one, other in zip(together, alone, strict=True))
    if source == "composed":
        assert np.allclose(together, ComposedVectors(FakeEmbedder(), most=1)(facts), atol=1e-5)


@given(FACTS)
def test_an_encoded_text_is_embedded_once(facts):
    """For any number of triples."""
    embedder = Counting()

    vectors = encode([*facts, *facts], embedder)

    assert {fact.text: 1 for fact in facts} == embedder.counts
    assert np.array_equal(vectors[: len(facts)], vectors[len(facts) :])


def test_a_name_is_embedded_once_for_all_batches_that_it_is_in():
    """The third batch needs one new part; a dropped part is embedded again."""
    embedder = Counting()
    vectors = ComposedVectors(embedder, most=3)

    vectors([Fact("Ada", "knows", "Bob")])
    vectors([Fact("Bob", "knows", "Ada")])
    assert {"Ada": 1, "knows": 1, "Bob": 1} == embedder.counts
    vectors([Fact("Ada", "knows", "Cid")])
    assert {"Ada": 1, "knows": 1, "Bob": 1, "Cid": 1} == embedder.counts
    vectors([Fact("Bob", "knows", "Cid")])
    assert {"Ada": 1, "knows": 1, "Bob": 2, "Cid": 1} == embedder.counts


def test_a_composed_vector_is_the_sum_of_its_parts_the_predicate_at_seven_tenths():
    """In the direction of that sum."""
    embedder = FakeEmbedder()
    subject, predicate, object = embedder.embed(["Ada Lovelace", "wrote to", "Babbage"])

    (vector,) = ComposedVectors(embedder)([Fact("Ada Lovelace", "wrote to", "Babbage")])

    total = subject + 0.7 * predicate + object
    assert np.allclose(total / np.linalg.norm(total), vector, atol=1e-5)


def test_parts_that_cancel_out_still_give_a_vector():
    """Neo4j's index refuses a zero vector, so the subject represents the triple."""

    class Opposites(FakeEmbedder):
        dimension = 2

        def embed(self, texts):
            table = {"up": [0, 1], "down": [0, -1]}
            return np.array([table.get(text, [0, 0]) for text in texts], dtype=np.float32).reshape(-1, 2)

    (vector,) = ComposedVectors(Opposites())([Fact("up", "and", "down")])

    assert [0, 1] == vector.tolist()


def test_a_kept_part_does_not_keep_the_vectors_of_its_batch():
    """Room for one part is room for one part."""
    batches = []

    class Watched(FakeEmbedder):
        def embed(self, texts):
            vectors = super().embed(texts)
            batches.append(weakref.ref(vectors))
            return vectors

    vectors = ComposedVectors(Watched(), most=1)
    vectors([Fact("Ada", "knows", "Bob")])
    gc.collect()

    assert [None] == [batch() for batch in batches]


def test_threads_share_the_parts():
    """Sixteen batches in eight threads, with room for few parts: the same vectors as in one."""
    batches = [
        [Fact(f"name {(7 * batch + n) % 40}", f"verb {n % 5}", f"name {(batch + 3 * n) % 40}") for n in range(30)]
        for batch in range(16)
    ]
    expected = [ComposedVectors(FakeEmbedder())(batch) for batch in batches]
    shared = ComposedVectors(FakeEmbedder(), most=10)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(shared, batches))

    assert all(np.allclose(one, other, atol=1e-5) for one, other in zip(expected, found, strict=True))
