"""Passages cut into strips: nothing lost or repeated, by the definitions of the three ways."""

from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.domain import Passage
from gear_neo4j.retrieval.strips import decompose, says_something, strips_of

SENTENCES = [f"Sentence number {index} tells of thing {index} at some length." for index in range(12)]
LONG = " ".join(SENTENCES)
words = st.lists(st.sampled_from(["a", "harbour.", "Ana", "built", "why?", "it.", "1921"]), max_size=150).map(" ".join)


def passage(text):
    return Passage("p", "", text)


def test_a_text_of_120_words_in_each_way():
    """Whole; three sentences each; windows of fifty words, the last joined by a short rest."""
    text = " ".join(SENTENCES)
    assert [text] == decompose(passage(text), how="selection")
    assert [" ".join(SENTENCES[at : at + 3]) for at in range(0, 12, 3)] == decompose(passage(text), how="excerption")
    assert [50, 50, 20] == [len(one.split()) for one in decompose(passage(text), how="fixed_num")]
    assert [50, 59] == [len(one.split()) for one in decompose(passage("word " * 109), how="fixed_num")]
    assert [9] == [len(one.split()) for one in decompose(passage("word " * 9), how="fixed_num")]


def test_fragments_join_what_came_before_and_a_sentence_counts_once():
    """Fragments of five words or fewer; an abbreviation without a following space ends no sentence."""
    text = "Ana Petkova designed the harbour of Varna. In 1921. Ana Petkova designed the harbour of Varna. In 1921."
    assert ["Ana Petkova designed the harbour of Varna. In 1921."] == decompose(passage(text), how="excerption")


def test_an_empty_passage_has_no_strips_and_order_is_that_of_the_document():
    """A strip that a later passage repeats belongs to the first."""
    found = strips_of(
        [passage("  "), passage("One thing."), passage("One thing."), passage("Two things.")], how="selection"
    )
    assert [(1, "One thing."), (3, "Two things.")] == [(one.passage, one.text) for one in found]


@given(words)
def test_windows_are_the_text_and_excerpts_lose_no_word(text):
    """For any text."""
    assert text.split() == " ".join(decompose(passage(text), how="fixed_num")).split()
    assert set(text.split()) == set(" ".join(decompose(passage(text), how="excerption")).split())


def test_what_is_too_short_says_nothing():
    """Four words, or four characters in a script without spaces."""
    assert [False, True, True, False] == [
        says_something(one) for one in ("Yes, he did", "He was born here", "鲁迅是作家", "鲁迅")
    ]
