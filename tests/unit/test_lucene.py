"""Free text for Lucene: nothing is left that Lucene reads as an operator."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.retrieval.lucene import MOST_TERMS, lucene_query
from tests.examples import examples

SPECIAL = set('+-&|!(){}[]^"~*?:\\/')
PIECES = st.sampled_from([*sorted(SPECIAL), " ", "a", "AND", "OR", "NOT", "TO", "&&", "||"])
TEXTS = st.text() | st.lists(PIECES).map("".join) | st.lists(PIECES).map(" ".join) | st.text(st.characters())
PROPERTIES = settings(deadline=None, max_examples=examples(300))


@PROPERTIES
@given(TEXTS)
def test_no_special_character_is_left(text):
    """None of those in the documentation of Lucene's query parser."""
    assert set() == SPECIAL & set(lucene_query(text))


@PROPERTIES
@given(TEXTS)
def test_no_operator_is_left(text):
    """AND, OR, NOT and TO are operators only in capitals."""
    assert set() == {"AND", "OR", "NOT", "TO", "&&", "||"} & set(lucene_query(text).split())


@PROPERTIES
@given(TEXTS)
def test_letters_and_combining_marks_are_kept(text):
    """Only their case may change: texts of any script can be searched."""
    assert letters(text) == letters(lucene_query(text))


@PROPERTIES
@given(TEXTS)
def test_each_term_comes_once(text):
    """A repeated term would weigh more and use up clauses."""
    terms = lucene_query(text).split()

    assert list(dict.fromkeys(terms)) == terms


def test_a_long_text_is_cut_after_400_terms():
    """The first terms are kept."""
    words = [f"w{i}" for i in range(1_000)]

    assert words[:MOST_TERMS] == lucene_query(" ".join(words)).split()
    assert 400 == MOST_TERMS


@pytest.mark.parametrize(
    "text",
    [
        "".join(map(chr, range(0x4E00, 0x4E00 + 1_500))),
        ",".join(f"w{i}" for i in range(1_500)),
        " ".join(f"a{i},b{i};c{i}" for i in range(400)),
    ],
    ids=["Chinese", "commas", "commas and spaces"],
)
def test_a_long_text_is_cut_also_where_lucene_finds_many_words_in_a_term(text):
    """Lucene splits Chinese characters and parts around a comma into words, and refuses more than 512."""
    assert len(re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", lucene_query(text))) <= 512


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("?!", ""),
        ('title:"Nobel Prize"~2 AND (physics OR chemistry)^3', "title nobel prize 2 and physics or chemistry 3"),
        ("AC/DC's T*", "ac dc's t"),
        ("[a TO z]", "a to z"),
        ("\x00null\x1f", "null"),
        ("Где родился Толстой?", "где родился толстой"),
        ("हिन्दी भाषा", "हिन्दी भाषा"),
        ("鲁迅", "鲁迅"),
    ],
)
def test_examples(text, expected):
    """User input, and what Lucene gets."""
    assert expected == lucene_query(text)


def letters(text):
    """The letters and combining marks of a text, without their case."""
    return {character for character in text.casefold() if unicodedata.category(character)[0] in "LM"}
