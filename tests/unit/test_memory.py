"""The gist memory and the last ranking, which is a function of the trace alone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.agents.answer import Step, Trace
from gear_neo4j.agents.memory import GistMemory
from gear_neo4j.agents.ranking import after, final_ranking
from gear_neo4j.agents.trace import read_trace, trace_json, write_trace
from gear_neo4j.domain import Fact, Path, make_triple
from gear_neo4j.errors import InputError
from gear_neo4j.usage import Usage

NAMES = st.sampled_from(["Curie", "curie", " CURIE", "Warsaw", "Straße", "STRASSE", "鲁迅"])
FACTS = st.lists(st.builds(Fact, NAMES, st.sampled_from(["born in", "Born  in"]), NAMES), max_size=12)
IDS = st.lists(st.sampled_from([f"p{i}" for i in range(8)]), unique=True, max_size=8).map(tuple)


@given(FACTS, FACTS)
def test_a_memory_grows_by_what_is_new_and_keeps_its_order(first, second):
    """Nothing known is lost or moved, nothing is known twice, and learning the same again changes nothing."""
    memory = GistMemory().extended(first)
    grown = memory.extended(second)

    assert memory.facts == grown.facts[: len(memory.facts)]
    assert len(grown.facts) == len({fact.text.casefold().replace(" ", "") for fact in grown.facts})
    assert grown == grown.extended([*first, *second])


def traced(steps, links, selected=()):
    """A trace whose steps each gained one fact."""
    gained = [Fact(f"s{number}", "p", "o") for number in range(len(links))]
    made = tuple(
        Step(number, f"q{number}", ranking=ranking, gist=tuple(gained[number - 1 : number]))
        for number, ranking in enumerate(steps, start=1)
    )
    return Trace("q1", "test", made, tuple(links), selected)


@given(st.lists(IDS, min_size=1, max_size=3), st.data())
def test_the_ranking_holds_what_the_lists_hold_and_a_selection_leads_it(steps, data):
    """Every passage of a step or link once; the chosen ones first, in the order of their choice."""
    links = data.draw(st.lists(IDS, min_size=len(steps), max_size=len(steps)))
    everything = {id for ids in (*steps, *links) for id in ids}
    selected = tuple(data.draw(st.lists(st.sampled_from(sorted(everything)), unique=True)) if everything else ())

    ranking = [item.id for item in final_ranking(traced(steps, links, selected))]

    assert everything == set(ranking)
    assert len(ranking) == len(everything)
    assert list(selected) == ranking[: len(selected)]


def test_a_run_that_had_ended_earlier_has_only_its_own_lists():
    """After one step the lists of the second step and of its facts are gone."""
    trace = traced([("a", "b"), ("c",)], [("d",), ("e",)])

    assert {"a", "b", "d"} == {item.id for item in final_ranking(after(trace, 1))}
    assert {"a", "b", "c", "d", "e"} == {item.id for item in final_ranking(after(trace, 2))}


def test_a_trace_comes_back_from_its_file_as_it_was(tmp_path):
    """Triples, paths, verdicts, times and tokens included."""
    triple = make_triple("p1", "Curie", "born in", "Warsaw")
    step = Step(
        1,
        "Where?",
        base=("p1",),
        proximal=(Fact("Curie", "was born in", "Warsaw"),),
        linked=(triple, None),
        paths=(Path((triple,), 0.5, (0.5,)),),
        ranking=("p1", "p2"),
        gist=(Fact("Curie", "born in", "Warsaw"),),
        answerable=False,
        reason="missing",
        rewrite="When?",
        failures=("gist: bad",),
        milliseconds={"read": 1.5},
        usage={"reader": Usage(1, 10, 5)},
    )
    trace = Trace("Where?", "model", (step,), (("p1",),), ("p2",), {"p1": "Curie"}, "Warsaw [1]")

    write_trace(trace, tmp_path / "trace.json")

    assert trace == read_trace(tmp_path / "trace.json")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "gear-neo4j trace 1"}', "\x00", '{"kind": 1, "steps": 3}'])
def test_a_file_that_is_no_trace_is_told_in_one_line(tmp_path, text):
    """Also one that is missing, and one that cannot be written."""
    (tmp_path / "trace.json").write_text(text)

    with pytest.raises(InputError, match="is not a trace"):
        read_trace(tmp_path / "trace.json")
    with pytest.raises(InputError, match="cannot be read"):
        read_trace(tmp_path / "none.json")
    with pytest.raises(InputError, match="cannot be written"):
        write_trace(Trace("q", "m"), tmp_path)


def test_a_trace_is_plain_json():
    """Nothing in it needs this program to be read."""
    assert "q1" == json.loads(json.dumps(trace_json(traced([("a",)], [()]))))["question"]
