"""Where a cited passage has what an answer says: spans of its text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.agents.answer import Answer, Citation, Trace
from gear_neo4j.agents.citing import apart, quoted
from gear_neo4j.agents.claims import claims
from gear_neo4j.agents.sentences import sentences_of, span_of
from gear_neo4j.domain import Fact, Hit, Hits, Passage, Span
from tests.fake_embedder import FakeEmbedder

QUESTION = "Where did Ada King live?"
TABLE = "Her houses:\n\n| town | from | until |\n|---|---|---|\n| Bath | 1815 | 1820 |\n| Wells |  | 1830 |"
PIECES = ["Ada ", "lived ", "in ", "Bath", ". ", "\n", "\n\n", "| a | b |\n", "|---|---|\n", "- ", "x: y\n", "!"]
TEXT = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def quotes(text, *passages, sentence=""):
    """What the passages say where an answer cites them, by their markers."""
    cited = (Citation(str(number), passage=one, sentence=sentence) for number, one in enumerate(passages, 1))
    hits = Hits(QUESTION, "naive", tuple(Hit(one, 1.0, rank) for rank, one in enumerate(passages, 1)))
    answer = Answer(QUESTION, text, hits, Trace(QUESTION, "toy"), "answerable", citations=tuple(cited))
    return [citation.quotes for citation in quoted(answer, embedder=FakeEmbedder).citations]


def passage(text, title=""):
    return Passage("p", title, text)


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("Bath [1].", "She had a cat. She lived\nin Bath. It rained.", ("She lived\nin Bath.",)),
        ("In Bath. [1]", "She had a cat. She lived in Bath.", ("She lived in Bath.",)),
        ("Wells [1].", "She had a cat. She lived in Bath.", ()),
        ("Bath.", "She lived in Bath.", ()),
        ("Bath [1]. It rained [1].", "It rained. She lived in Bath.", ("It rained.", "She lived in Bath.")),
        ("Bath [1]. In Bath [1].", "She lived in Bath.", ("She lived in Bath.",)),
        ("In Bath until 1820 [1].", TABLE, ("Bath | 1815 | 1820",)),
        ("In Wells until 1830 [1].", TABLE, ("Wells |  | 1830",)),
        ("In Bath [1].", "name: Ada King\ntown: Bath", ("name: Ada King\ntown: Bath",)),
        ("She lived in Bath [1].", "Bath, where 😀 sat. She lived in Bath.", ("She lived in Bath.",)),
    ],
)
def test_a_citation_quotes_the_sentences_that_have_the_words_of_the_answer(answer, text, expected):
    """Or the row of a table; a sentence for each of the answer, in the order of the passage."""
    assert [expected] == quotes(answer, passage(text, title="Ada King"))


def test_each_marker_quotes_its_own_passage():
    """Also several at one sentence."""
    texts = "Ada King lived in Bath.", "Bath is a spa.", "Ada King was in Bath. Wells is a city."

    assert [(texts[0],), (texts[1],), ("Wells is a city.",)] == quotes(
        "She lived in Bath [1, 2]. Wells is a city [3].", *map(passage, texts)
    )


def test_the_sentence_found_for_an_answer_without_citations_is_quoted():
    """However the passage breaks its lines."""
    assert [("She lived\nin Bath.",)] == quotes(
        "Bath", passage("A cat. She lived\nin Bath."), sentence="She lived in Bath."
    )


def test_a_fact_has_no_quotes():
    """It is shown as it is."""
    answer = Answer(
        QUESTION,
        "Bath [F1].",
        Hits(QUESTION, "naive", ()),
        Trace(QUESTION, "toy"),
        "answerable",
        citations=(Citation("F1", fact=Fact("Ada", "lived in", "Bath")),),
    )

    assert answer == quoted(answer, embedder=FakeEmbedder)


@given(TEXT)
def test_each_sentence_of_a_passage_is_found_in_its_text(text):
    """Whatever its lines, lists and tables; the span has the words of the sentence, or the cells of its row."""
    for sentence in sentences_of(passage(text)):
        span = span_of(sentence, text)
        assert span
        assert 0 <= span.start < span.end <= len(text)
        found = text[span.start : span.end]
        assert " ".join(found.split()) == sentence or all(word in sentence for word in found.replace("|", " ").split())


def test_an_item_of_a_list_is_quoted_as_it_stands():
    """Also one with a head, which is a fact for the rules."""
    text = "Norvik is a firm.\n\n- Founder: Ada Marlow\n- Town: Lund"
    items = [one for one in sentences_of(passage(text)) if one.startswith("- ")]

    assert ["- Founder: Ada Marlow", "- Town: Lund"] == items
    for item in items:
        span = span_of(item, text)
        assert item == text[span.start : span.end]


@given(TEXT, TEXT)
def test_no_text_and_no_answer_makes_it_fail(answer, text):
    """Spans are in order, within the text, and apart."""
    (found,) = quotes(f"{answer} [1].", passage(text))
    assert all(found)


@given(st.lists(st.builds(lambda start, length: Span(start, start + length), st.integers(0, 20), st.integers(1, 9))))
def test_spans_apart_do_not_overlap(spans):
    """None is invented, and none is left out that would fit."""
    kept = apart(spans)

    assert set(kept) <= set(spans)
    assert all(one.end <= other.start for one, other in pairwise(kept))
    assert all(any(one.start < span.end and span.start < one.end for one in kept) for span in spans)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One [1]. Two [2, F3].", [("One.", {"1"}), ("Two.", {"2", "F3"})]),
        ("One. [1] Two. Three [2]", [("One.", {"1"}), ("Three", {"2"})]),
        ("[1] One.", [("One.", {"1"})]),
        ("- One [1]\n- Two [2]", [("- One", {"1"}), ("- Two", {"2"})]),
        ("Nothing.", []),
        ("", []),
    ],
)
def test_the_sentences_of_an_answer_have_the_markers_in_them_and_right_behind_them(text, expected):
    """A sentence without a marker claims nothing of a passage."""
    assert expected == [(claim, set(labels)) for claim, labels in claims(text)]
