"""Citations of passages that do not say what the answer does are moved to the passage that says it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.agents.answer import Answer, Citation, Trace
from gear_neo4j.agents.correcting import corrected
from gear_neo4j.domain import Fact, Hit, Hits, Passage
from gear_neo4j.roles.citations import relabelled
from gear_neo4j.roles.parsers import parse_answer
from tests.fake_embedder import FakeEmbedder

QUESTION = "Where did Ada King live?"
PASSAGES = (
    Passage("p1", "Ada King", "Ada King wrote letters. She had a cat."),
    Passage("p2", "Ada's houses", "She lived in Bath until 1820. It rained."),
    Passage("p3", "Wells", "Wells is a city. Ada King was there as a child."),
)


def answered(text, *, passages=PASSAGES, facts=(), question=QUESTION):
    """What a model answered, with the citations that its text has."""
    draft = parse_answer(text, passages=len(passages), facts=len(facts))
    citations = [Citation(str(number), passage=passages[number - 1]) for number in draft.passages]
    citations += [Citation(f"F{number}", fact=facts[number - 1]) for number in draft.facts]
    hits = Hits(question, "naive", tuple(Hit(one, 1.0, rank) for rank, one in enumerate(passages, 1)))
    return Answer(question, draft.text, hits, Trace(question, "toy"), "answerable", citations=tuple(citations))


def mended(text, **fields):
    """The text after the correction, and each citation's marker, passage and sentence."""
    answer = corrected(answered(text, **fields), embedder=FakeEmbedder)
    return answer.text, [(one.marker, one.passage.id if one.passage else "", one.sentence) for one in answer.citations]


def test_a_citation_moves_to_the_passage_that_says_it():
    """Its sentence shows why, and that the model did not cite it."""
    assert mended("Bath [1]") == ("Bath [2]", [("2", "p2", "She lived in Bath until 1820.")])


@pytest.mark.parametrize(
    "text",
    [
        "Bath [2]",
        # Nothing says it.
        "Oxford [1]",
        # The words of the question are no evidence, and a verdict has none.
        "Ada King [3]",
        "Yes [3]",
        # Together, the cited ones say it all.
        "Bath, and Wells as a child [2, 3]",
        "In Bath [1, 2]",
        # Half of it is in the cited passage: it may be said in other words.
        "She had a cat in Bath [1]",
        "Bath",
    ],
)
def test_a_citation_that_may_be_right_stays(text):
    """The correction is for what is certainly wrong."""
    before = answered(text)

    assert before == corrected(before, embedder=FakeEmbedder)


def test_a_fact_counts_as_what_is_cited():
    """A passage beside a fact that says it stays, because it may lead there."""
    before = answered("Bath [1] [F1]", facts=(Fact("Ada King", "lived in", "Bath"),))

    assert before == corrected(before, embedder=FakeEmbedder)


def test_one_citation_of_several_moves():
    """The others stay as they are, in the order of the model."""
    assert mended("She lived in Bath [1]. Wells is a city [3].") == (
        "She lived in Bath [2]. Wells is a city [3].",
        [("2", "p2", "She lived in Bath until 1820."), ("3", "p3", "")],
    )


def test_a_marker_that_one_sentence_needs_stays():
    """It is right there, though wrong elsewhere."""
    text = "She had a cat [1]. She lived in Bath [1]."

    assert mended(text) == (text, [("1", "p1", "")])


def test_two_wrong_markers_for_one_passage_become_one_citation():
    """And a marker in the text for each sentence."""
    text, citations = mended("In Bath [1]. Until 1820 [3].")

    assert "In Bath [2]. Until 1820 [2]." == text
    assert [("2", "p2", "She lived in Bath until 1820.")] == citations


@given(
    st.lists(st.sampled_from(["Bath", "Wells", "cat", "1820", "Oxford", "lived", "[1]", "[2]", "[3]", "[2, 3]", "."]))
    .map(" ".join)
    .filter(lambda text: parse_answer(f"So {text}", passages=3, facts=0).text.strip())
)
def test_markers_and_citations_agree_and_the_words_stay(text):
    """Whatever the model wrote."""
    before = answered(f"So {text}")
    after = corrected(before, embedder=FakeEmbedder)

    assert before.plain == after.plain
    labels = parse_answer(after.text, passages=3, facts=0).passages
    assert set(map(str, labels)) == {one.marker for one in after.citations}
    assert all(one.passage == PASSAGES[int(one.marker) - 1] for one in after.citations)
    assert after == corrected(after, embedder=FakeEmbedder)


def test_labels_are_changed_in_markers_only():
    """Not in other numbers, code or links."""
    assert "In 1 year [2], `a[1]` and [1](x) [F1]." == relabelled("In 1 year [1], `a[1]` and [1](x) [F1].", {"1": "2"})
