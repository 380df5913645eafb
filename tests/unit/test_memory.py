"""The gist memory and the final ranking, which is a function of the trace alone."""

from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.agents.answer import Step, Trace
from gear_neo4j.agents.memory import GistMemory
from gear_neo4j.agents.ranking import after, final_ranking
from gear_neo4j.domain import Fact

NAMES = st.sampled_from(["Curie", "curie", " CURIE", "Warsaw", "Straße", "STRASSE", "鲁迅"])
FACTS = st.lists(st.builds(Fact, NAMES, st.sampled_from(["born in", "Born  in"]), NAMES), max_size=12)
IDS = st.lists(st.sampled_from([f"p{i}" for i in range(8)]), unique=True, max_size=8).map(tuple)


@given(FACTS, FACTS)
def test_a_memory_grows_by_what_is_new_and_keeps_its_order(first, second):
    """Nothing is lost, moved or doubled, and learning the same again changes nothing."""
    memory = GistMemory().extended(first)
    grown = memory.extended(second)

    assert memory.facts == grown.facts[: len(memory.facts)]
    assert len(grown.facts) == len({fact.text.casefold().replace(" ", "") for fact in grown.facts})
    assert grown == grown.extended([*first, *second])


def traced(steps, links, selected=()):
    """A trace in which each step added one fact."""
    gained = [Fact(f"s{number}", "p", "o") for number in range(len(links))]
    made = tuple(
        Step(number, f"q{number}", ranking=ranking, gist=tuple(gained[number - 1 : number]))
        for number, ranking in enumerate(steps, start=1)
    )
    return Trace("q1", "test", made, tuple(links), selected)


@given(st.lists(IDS, min_size=1, max_size=3), st.data())
def test_the_ranking_holds_what_the_lists_hold_and_a_selection_leads_it(steps, data):
    """Every passage of a step or link once; chosen ones come first, in the order of the choice."""
    links = data.draw(st.lists(IDS, min_size=len(steps), max_size=len(steps)))
    everything = {id for ids in (*steps, *links) for id in ids}
    selected = tuple(data.draw(st.lists(st.sampled_from(sorted(everything)), unique=True)) if everything else ())

    ranking = [item.id for item in final_ranking(traced(steps, links, selected))]

    assert everything == set(ranking)
    assert len(ranking) == len(everything)
    assert list(selected) == ranking[: len(selected)]


def test_a_fact_counts_for_the_passage_that_states_it():
    """The first one linked to it; those that are only similar come after all that the steps found."""
    trace = traced([("a", "b", "c")], [("c", "x", "b")])

    assert ["c", "a", "b", "x"] == [item.id for item in final_ranking(trace)]


def test_a_run_that_had_ended_earlier_has_only_its_own_lists():
    """After one step, the lists of the second step and of its facts are missing."""
    trace = traced([("a", "b"), ("c",)], [("d",), ("e",)])

    assert {"a", "b", "d"} == {item.id for item in final_ranking(after(trace, 1))}
    assert {"a", "b", "c", "d", "e"} == {item.id for item in final_ranking(after(trace, 2))}
