"""Exact match and F1: computed by hand, and properties that hold for any answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.evaluate.answers import exact_match, f1, normalised

texts = st.text(st.sampled_from("aA thex.,-yesno 1é鲁"), max_size=20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Beatles", "beatles"),
        ("an apple a day", "apple day"),
        ("U.S.A.", "usa"),
        ("A. A. Milne", "milne"),
        ("a-the-b", "atheb"),
        ("Theatre", "theatre"),
        ("  ", ""),
        ("the", ""),
        ("«Éclair»", "«éclair»"),
        ("鲁迅。", "鲁迅。"),
    ],
)
def test_normalisation_is_the_official_one(text, expected):
    """Punctuation is removed before articles, and only ASCII punctuation and English articles."""
    assert expected == normalised(text)


@pytest.mark.parametrize(
    ("answer", "gold", "em", "score"),
    [
        ("Edinburgh", ["Edinburgh"], 1, 1),
        ("the edinburgh.", ["Edinburgh!"], 1, 1),
        ("Edinburgh Scotland", ["Edinburgh"], 0, 2 / 3),
        ("Edinburgh", ["Leith", "Edinburgh Scotland", "University of Edinburgh"], 0, 2 / 3),
        ("b b c", ["b c c"], 0, 2 / 3),
        ("Leith", ["Edinburgh"], 0, 0),
        ("", ["Edinburgh"], 0, 0),
        ("", [""], 1, 1),
        ("the", ["a"], 1, 1),
        ("yes", ["Yes."], 1, 1),
        ("yes it is", ["yes"], 0, 0),
        ("yes", ["yes it is"], 0, 0),
        ("no", ["yes"], 0, 0),
        ("noanswer", ["noanswer here"], 0, 0),
    ],
)
def test_em_and_f1_by_hand(answer, gold, em, score):
    """The best gold answer counts, repeated words count each time, and yes and no are never half right."""
    assert (em, score) == (exact_match(answer, gold), pytest.approx(f1(answer, gold)))


@pytest.mark.parametrize("metric", [exact_match, f1])
def test_without_a_gold_answer_there_is_nothing_to_compare(metric):
    """This is an error, not a 0 that would count as a wrong answer."""
    with pytest.raises(ValueError, match="no gold answer"):
        metric("Edinburgh", [])


@given(texts, texts)
def test_neither_side_is_the_better_one(one, other):
    """Both are symmetric and between 0 and 1, and F1 is 1 exactly if the words are the same."""
    assert f1(one, [other]) == f1(other, [one])
    assert exact_match(one, [other]) == exact_match(other, [one])
    assert exact_match(one, [other]) <= f1(one, [other]) <= 1
    assert 1 == exact_match(one, [one]) == f1(one, [one])


@given(texts, st.lists(texts, min_size=1, max_size=3), texts)
def test_another_gold_answer_never_makes_it_worse(answer, gold, more):
    """The maximum counts; their order does not matter."""
    assert f1(answer, gold) <= f1(answer, [*gold, more]) == f1(answer, [more, *gold])
    assert exact_match(answer, gold) <= exact_match(answer, [*gold, more])


@given(texts)
def test_what_is_normalised_is_plain(text):
    """No punctuation, no capitals and no double spaces."""
    once = normalised(text)

    assert once == once.lower().strip()
    assert "  " not in once
    assert not set(once) & set(".,-")
