"""The choice and order of facts around the named nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.domain import Triple
from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.read.pagerank_queries import Seed
from gear_neo4j.retrieval.walk.walk import Walk, choose


def fact(head, tail, score=0.5):
    return Seed(Triple(f"{head}-{tail}", head, "r", tail, "p"), score, (head, tail))


def chosen(facts, named, k=10, **options):
    return [one.triple.id for one in choose(facts, named, k=k, options=Walk(**options))]


def test_facts_about_the_named_come_first_the_nearest_to_the_question_leading():
    """One for each neighbour."""
    facts = [fact("a", "b", 0.1), fact("a", "c", 0.9), fact("c", "a", 0.8), fact("b", "d", 0.99)]

    assert ["a-c", "a-b"] == chosen(facts, [["a"]], direct=5)[:2]


def test_facts_about_new_entities_come_before_facts_that_repeat():
    """The second fact about c comes after the first about d."""
    facts = [fact("a", "b"), fact("b", "c", 0.6), fact("c", "b", 0.6), fact("b", "d", 0.1)]

    assert ["b-d", "c-b"] == [one for one in chosen(facts, [["a"]], direct=0) if one not in ("a-b", "b-c")]


def test_no_fact_no_choice_and_names_without_facts_give_the_first():
    """There is nothing to divide by."""
    assert [] == chosen([], [["a"]])
    assert ["x-y"] == chosen([fact("x", "y")], [["a"]])
    assert ["a-a"] == chosen([fact("a", "a")], [["a"]])


def test_a_fact_of_a_property_has_one_end():
    """A fact about a node weighs no more than one that leads on."""
    facts = [fact("a", "b"), fact("b", "b", 0.5), fact("b", "c", 0.5)]

    assert ["b-c", "b-b"] == [one for one in chosen(facts, [["a"]], direct=0) if one != "a-b"]


NODES = st.sampled_from("abcdefgh")


@given(
    ends=st.lists(st.tuples(NODES, NODES, st.floats(-1, 1)), max_size=25, unique_by=lambda one: one[:2]),
    named=st.lists(st.lists(NODES, min_size=1, max_size=3, unique=True), max_size=3),
    k=st.integers(1, 30),
)
def test_at_most_k_facts_each_once_and_always_the_same(ends, named, k):
    """In any graph."""
    facts = [fact(*one) for one in ends]

    found = chosen(facts, named, k=k)

    assert len(found) == len(set(found)) == min(k, len(facts))
    assert found == chosen(facts, named, k=k)


@pytest.mark.parametrize("options", [{"steps": 0}, {"damping": 1.0}, {"repeated": 0.0}, {"direct": -1}, {"scanned": 0}])
def test_settings_that_make_no_sense_are_refused(options):
    """Each message names the setting."""
    with pytest.raises(SettingsError):
        Walk(**options)
