"""Texts that are longer than an embedding model reads, or should read: their parts, and what is cut."""

import re

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from gear_neo4j.models.long_texts import LONGER, legible, parts_of, pooled

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


@given(st.text(st.sampled_from("abf019-_ gÄ"), max_size=60))
@example("x" + "a1" * 20)
@example("0f5c9a7e-1b2c-4d3e-8f90-a1b2c3d4e5f6")
def test_only_long_hexadecimal_numbers_are_cut(text):
    """Words, dates, telephone numbers and what contains a letter beyond f stay; the rest of the text, too."""
    cut = legible(text)

    long = re.findall(r"[0-9a-f]{20,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", text)
    assert cut == text or (long and len(cut) < len(text))
    assert not re.search(r"(?:^|[ -])[0-9a-f]{20,}(?:$|[ -])", cut)
    assert "2017-08-01 +44 161 496 0000" in legible(f"{text} 2017-08-01 +44 161 496 0000")
