"""Texts that are longer than an embedding model reads: their parts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.models.long_texts import LONGER, parts_of, pooled

WORDS = st.lists(st.text("abcé鲁\n", min_size=1, max_size=12), max_size=60).map(" ".join)


def words(text):
    return len(text.split())


@given(text=WORDS, reads=st.integers(2, 20))
def test_the_parts_of_a_text_are_its_text(text, reads):
    """Nothing is lost or added but the repeated title; a short text stays whole."""
    parts = parts_of(text, reads=reads, count=words)
    if words(text) <= LONGER * reads:
        assert [text] == parts
    elif len(parts) > 1:
        title, _, rest = text.partition("\n")
        bare = [part.removeprefix(f"{title}\n") for part in parts]
        repeated = all(part.startswith(f"{title}\n") for part in parts)
        assert "".join((rest if repeated else text).split()) == "".join("".join(bare if repeated else parts).split())


def test_parts_are_about_as_long_as_the_model_reads():
    """And equally long: a last part of a few words would count as much as the others."""
    text = " ".join(f"word{number}" for number in range(1_000))
    parts = parts_of(text, reads=256, count=words)

    assert 4 == len(parts)
    assert max(map(len, parts)) - min(map(len, parts)) < 20
    assert max(map(words, parts)) < LONGER * 256


def test_a_text_without_spaces_is_divided_anywhere():
    """As Chinese is written."""
    assert ["鲁" * 4] * 3 == parts_of("鲁" * 12, reads=4, count=len)


@given(sizes=st.lists(st.integers(1, 5), min_size=1, max_size=8))
def test_each_text_gets_the_sum_of_its_parts(sizes):
    """The first part counts twice."""
    vectors = np.arange(2 * sum(sizes), dtype=np.float32).reshape(-1, 2)
    rows = pooled(vectors, sizes)
    start = 0
    for row, size in zip(rows, sizes, strict=True):
        assert (vectors[start : start + size].sum(axis=0) + vectors[start]).tolist() == row.tolist()
        start += size
