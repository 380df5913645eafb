"""BM25 in memory: the order of rank-bm25 on a normal corpus, and sensible results in its degenerate cases."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

import gear_neo4j
from gear_neo4j.domain import Passage
from gear_neo4j.evaluate import datasets
from gear_neo4j.ingestion.lines import parsed, read_lines, to_passage
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.bm25 import BM25, words
from tests.examples import examples

DEMO = Path(gear_neo4j.__file__).parent / "demo"


class NoModel:
    """An embedding model that must not be called."""

    name = "none"
    dimension = 1

    def embed(self, texts):
        """Fail: BM25 needs no vector."""
        raise AssertionError(f"asked to embed {texts}")


def asked(text):
    return Question(text, embedder=NoModel())


def corpus(*texts):
    return [Passage(f"p{i}", "", text) for i, text in enumerate(texts, start=1)]


def found(passages, question, k=10):
    return [item.id for item in BM25(passages).rank(asked(question), k=k)]


def demo_passages():
    return [parsed(line, to_passage) for line in read_lines(DEMO / "corpus.jsonl")]


@pytest.mark.parametrize("question", [query.question for query in datasets.load(DEMO).queries])
def test_a_normal_corpus_is_ranked_as_by_rank_bm25(question):
    """Ids and scores equal those of BM25Okapi, best first."""
    passages = demo_passages()
    scores = BM25Okapi([words(passage.content) for passage in passages]).get_scores(words(question))
    expected = sorted(zip([passage.id for passage in passages], scores, strict=True), key=lambda one: -one[1])[:10]

    actual = BM25(passages).rank(asked(question), k=10)

    assert [id for id, _ in expected] == [item.id for item in actual]
    assert [pytest.approx(score) for _, score in expected] == [item.score for item in actual]


def test_a_hit_names_its_list_and_rank():
    """The fusion needs these."""
    actual = BM25(demo_passages()).rank(asked("Nobel Prize"), k=3)

    assert [("bm25", 1), ("bm25", 2), ("bm25", 3)] == [(s.name, s.rank) for item in actual for s in item.sources]


def test_the_title_is_searched_too():
    """It is part of a passage's content."""
    passages = [Passage("p1", "Curie", "Born in Warsaw."), *corpus("x", "y", "z")[1:]]

    assert ["p1"] == found(passages, "curie")


def test_only_passages_that_share_a_word_are_returned():
    """A larger k adds no others."""
    assert ["p2"] == found(corpus("red apple", "green pear", "blue plum"), "a pear", k=3)


@pytest.mark.parametrize("texts", [[], ["?!", "...", ""]])
def test_a_corpus_without_words_has_no_hits(texts):
    """Neither an empty corpus nor one of punctuation is an error."""
    assert [] == found(corpus(*texts), "anything")


def test_a_question_without_words_has_no_hits():
    """No passage shares a word with it."""
    assert [] == found(corpus("one text", "another"), "?!")


def test_a_corpus_of_one_passage_is_found():
    """Its words are in every passage, so BM25 gives them no weight."""
    assert ["p1"] == found(corpus("Curie was born in Warsaw"), "Where was Curie born?")


def test_of_two_passages_the_one_that_shares_more_words_comes_first():
    """Their scores are all 0, because BM25 gives no weight to a word in one of two passages."""
    assert ["p2", "p1"] == found(corpus("red apple", "green pear"), "red green pear")


def test_of_two_passages_the_one_that_shares_all_words_comes_before_the_one_that_shares_fewer():
    """For BM25, a word in both passages has a negative weight, larger in the shorter passage."""
    actual = found(corpus("Paris is in France where many rivers flow", "Paris is nice"), "Is Paris nice?")

    assert ["p2", "p1"] == actual


def test_equal_texts_are_ordered_by_id():
    """In whatever order they arrived."""
    passages = [Passage(id, "", text) for id, text in [("c", "x y"), ("a", "x y"), ("b", "x y"), ("d", "z")]]

    assert ["a", "b", "c"] == found(passages, "x")


@settings(deadline=None, max_examples=examples(150))
@given(
    st.lists(st.text(st.sampled_from("ab ?ß鲁\u0301\ud800"), max_size=12) | st.text(max_size=12), max_size=6),
    st.text(st.sampled_from("ab ?ß鲁\u0301\ud800"), min_size=1) | st.text(min_size=1),
    st.integers(1, 5),
)
def test_any_corpus_can_be_asked_anything(texts, question, k):
    """At most k different passages, ranked from 1, each with a word of the question, or nothing; never an error."""
    passages = corpus(*texts)

    actual = BM25(passages).rank(asked(f"{question}a"), k=k)

    contents = {passage.id: passage.content for passage in passages}
    assert len(actual) <= k
    assert len({item.id for item in actual}) == len(actual)
    assert all(set(words(contents[item.id])) & set(words(asked(f"{question}a").text)) for item in actual)
    assert list(range(1, len(actual) + 1)) == [item.sources[0].rank for item in actual]
