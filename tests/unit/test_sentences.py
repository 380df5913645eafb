"""Sentences as answers: which are read, which are chosen, and how they are cited."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.agents.search import best_sentences
from gear_neo4j.agents.sentences import LONGEST_SENTENCE, Sentence, nearest_sentences, sentences_of
from gear_neo4j.domain import Passage
from tests.fake_embedder import FakeEmbedder

TEXTS = st.text(max_size=300)


def passage(text, title="Rivers"):
    return Passage("p1", title, text)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("The Elbe is long. It ends in the North Sea.", ["The Elbe is long.", "It ends in the North Sea."]),
        ("# Elbe\n\nIt is long.\n\n- by ship\n- by rail", ["It is long.", "- by ship", "- by rail"]),
        ("| river | km |\n|---|---|\n| Elbe | 1,094 |\n| Oder | |", ["river: Elbe, km: 1,094", "river: Oder"]),
        ("黄河很长。它流入渤海。", ["黄河很长。", "它流入渤海。"]),
        ("Twice. Twice.", ["Twice."]),
        ("", []),
    ],
)
def test_a_passage_consists_of_sentences_and_rows(text, sentences):
    assert sentences == sentences_of(passage(text))


def test_a_long_line_is_shortened():
    (line,) = sentences_of(passage("word " * 500))

    assert (LONGEST_SENTENCE, "…") == (len(line), line[-1])


def test_a_sentence_is_compared_below_the_title_of_its_passage():
    """*It* is the Elbe where the title says so."""
    elbe, oder = passage("It is long.", "Elbe"), passage("It is long.", "Oder")
    scores = [sentence.score for sentence in nearest_sentences("Elbe long", [elbe, oder], embedder=FakeEmbedder())]

    assert scores[0] > scores[1]


@given(st.lists(TEXTS, max_size=5))
def test_any_passages_give_at_most_one_sentence_each(texts):
    """Its words are those of the passage; without a sentence, there is none."""
    passages = [passage(text) for text in texts]
    sentences = nearest_sentences("Which river is long?", passages, embedder=FakeEmbedder())
    best = best_sentences(sentences, most=3)

    assert len(best) == len({sentence.passage for sentence in best}) == min(3, len({one.passage for one in sentences}))


def test_the_first_passage_wins_between_equal_sentences():
    sentences = [Sentence(4, "a", 0.5), Sentence(0, "b", 0.5), Sentence(0, "c", 0.4), Sentence(1, "d", 0.9)]

    assert ["d", "b"] == [sentence.text for sentence in best_sentences(sentences, most=2)]
