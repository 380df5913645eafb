"""Reciprocal rank fusion, compared with a plain reference, and its ties."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.domain import FoundBy
from gear_neo4j.retrieval.rank.fusion import Ranked, combine, fuse, ranked

RANKINGS = st.dictionaries(
    st.sampled_from(["bm25", "fulltext", "graph", "sbert"]), st.lists(st.sampled_from("abcdefghijkl"), max_size=14)
)


def lists(**rankings):
    return {name: ranked(name, [(id, 1.0) for id in ids]) for name, ids in rankings.items()}


def reference(rankings, weights, k):
    """Exact scores and order: the sum of weight/(k + rank) for each id, without repetitions in a list."""
    ranks, scores = {}, {}
    for name, ids in rankings.items():
        for rank, id in enumerate(dict.fromkeys(ids), start=1):
            ranks.setdefault(id, []).append(rank)
            scores[id] = scores.get(id, 0) + weights.get(name, 1) * Fraction(1, k + rank)
    return [(id, float(scores[id])) for id in sorted(ranks, key=lambda id: (-scores[id], min(ranks[id]), id))]


@settings(deadline=None)
@given(RANKINGS, st.dictionaries(st.sampled_from(["bm25", "graph"]), st.fractions(0, 2)), st.integers(1, 100))
def test_any_lists_are_fused_as_the_formula_says(rankings, weights, k):
    """Order and scores equal a calculation with exact fractions."""
    expected = reference(rankings, weights, k)

    actual = fuse(lists(**rankings), weights=weights, k=k)

    assert [id for id, _ in expected] == [item.id for item in actual]
    assert [pytest.approx(score) for _, score in expected] == [item.score for item in actual]


def test_an_id_of_two_lists_wins():
    """The example of the specification: b is second and first, so it comes before a."""
    actual = fuse(lists(one=["a", "b", "c"], two=["b", "d"]))

    assert ["b", "a", "d", "c"] == [item.id for item in actual]
    assert 1 / 62 + 1 / 61 == pytest.approx(actual[0].score, rel=1e-15)


def test_equal_scores_are_ordered_by_id_when_their_best_ranks_are_equal():
    """Both are first once and second once; the order of the lists does not matter."""
    assert ["a", "b"] == [item.id for item in fuse(lists(one=["b", "a"], two=["a", "b"]))]


def test_equal_scores_of_the_same_ranks_in_other_lists_are_ordered_by_id():
    """All three have these ranks; the order of adding 1/61, 1/62 and 1/67 must not matter."""
    fill = ["v", "w", "x", "y"]
    for orders in itertools.permutations([("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]):
        rankings = {
            str(i): [first, second, *(f"{word}{i}" for word in fill), third]
            for i, (first, second, third) in enumerate(orders)
        }
        actual = [item.id for item in fuse(lists(**rankings)) if item.id in "abc"]

        assert ["a", "b", "c"] == actual


def test_equal_scores_are_ordered_by_the_better_best_rank():
    """1/63 + 1/140 is exactly 1/84 + 1/90; the id with a third rank comes before the one with a 24th."""
    one = [f"one{rank}" for rank in range(1, 81)]
    two = [f"two{rank}" for rank in range(1, 81)]
    one[3 - 1], two[80 - 1] = "best", "best"
    one[24 - 1], two[30 - 1] = "a", "a"

    actual = [item.id for item in fuse(lists(one=one, two=two)) if item.id in ("a", "best")]

    assert ["best", "a"] == actual


def test_a_repeated_id_keeps_its_first_rank_and_takes_no_other_rank():
    """The second a is ignored: b is second, not third."""
    assert fuse(lists(one=["a", "b"])) == fuse(lists(one=["a", "a", "b", "a"]))


def test_empty_lists_fuse_to_an_empty_list():
    """No lists and empty lists are not an error."""
    assert [] == fuse({})
    assert [] == fuse(lists(one=[], two=[]))


@pytest.mark.parametrize("k", [0, -1, -60])
def test_a_k_below_one_is_refused(k):
    """With k = -1 the first rank would divide by zero."""
    with pytest.raises(ValueError, match="at least 1"):
        fuse({}, k=k)


def test_the_sources_name_each_list_and_then_the_lists_it_was_made_of():
    """A fusion of a fusion still says where a passage was first found."""
    base = fuse(lists(bm25=["a", "b"], sbert=["b"]))

    actual = fuse({"base": base, "graph": ranked("graph", [("b", 1.0)])})

    expected = (FoundBy("base", 1), FoundBy("graph", 1), FoundBy("bm25", 2), FoundBy("sbert", 1))
    assert ("b", expected) == (actual[0].id, actual[0].sources)


def test_a_repeated_id_keeps_the_sources_of_its_first_rank():
    """The repetition and its sources are ignored."""
    first, again = Ranked("a", 2.0, (FoundBy("bm25", 1),)), Ranked("a", 1.0, (FoundBy("sbert", 9),))

    (actual,) = fuse({"base": [first, again]})

    assert (FoundBy("base", 1), FoundBy("bm25", 1)) == actual.sources


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["fulltext", "sbert"]),
        st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-8, 8).map(lambda eighths: eighths / 8)),
    )
)
def test_any_scores_are_combined_as_the_formula_says(scores):
    """Each id has the weighted sum of its scores, 0 for lists without it; every list with the id is a source."""
    weights = {"sbert": 0.75, "fulltext": 0.25}
    expected = {
        id: sum(weights[name] * of.get(id, 0) for name, of in scores.items()) for id in set().union(*scores.values())
    }

    actual = combine({name: ranked(name, [*of.items()]) for name, of in scores.items()}, weights=weights)

    assert [(id, expected[id]) for id in sorted(expected, key=lambda id: (-expected[id], id))] == [
        (item.id, item.score) for item in actual
    ]
    assert all(
        {name for name in scores if item.id in scores[name]} == {s.name for s in item.sources} for item in actual
    )
