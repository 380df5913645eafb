"""What a caller of the service may choose, and what is for its operator."""

import pytest

from gear_neo4j.agents.crag import Crag
from gear_neo4j.agents.gear import GearAgent
from gear_neo4j.errors import SettingsError
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS
from gear_neo4j.retrieval.naive import Naive
from gear_neo4j.retrieval.scout import Scout
from gear_neo4j.web.choices import agent_of, retriever_of

DEEP = {"name": "naive"}
for _ in range(1_000):
    DEEP = {"name": "naive", "base": DEEP}


def test_every_retriever_and_agent_can_be_chosen_by_its_name():
    """The defaults are never too much."""
    retrievers = [retriever_of(entry.name) for entry in RETRIEVERS]
    offered = [entry.name for entry in AGENTS if not entry.recipe.operator_only]
    agents = [agent_of(name, seconds=60) for name in offered]

    assert [entry.recipe() for entry in RETRIEVERS] == retrievers
    assert offered == [agent.name for agent in agents]
    assert {"cypher"} == {entry.name for entry in AGENTS} - set(offered)


def test_options_are_those_of_the_recipe():
    """The first stage has a field of its own."""
    assert Naive(base="sbert", base_k=30) == retriever_of({"name": "naive", "base_k": 30}, base="sbert")
    assert Naive(base=Scout(rounds=2)) == retriever_of("naive", base={"name": "scout", "rounds": 2})


def test_an_agent_begins_no_call_after_its_time():
    """A shorter time of the caller's own stays."""
    assert GearAgent(max_steps=2, max_seconds=30) == agent_of("gear", max_steps=2, seconds=30)
    assert Crag(max_seconds=5) == agent_of({"name": "crag", "max_seconds": 5}, seconds=30)
    assert Crag(max_seconds=30) == agent_of({"name": "crag", "max_seconds": 500}, seconds=30)


@pytest.mark.parametrize(
    "choice",
    [
        {"name": "crag", "fallback": "web"},
        {"name": "crag", "evaluator": "cross-encoder", "evaluator_model": "someone/model"},
        {"name": "crag", "evaluator_model": "/etc/passwd"},
        {"name": "gear", "max_steps": 9},
        {"name": "gear", "step_k": 100_000},
        {"name": "gear", "over": {"name": "sync", "beam": {"width": 5_000}}},
        {"name": "gear", "over": {"name": "naive", "beam": {"length": 50}}},
        {"name": "gear", "over": {"name": "scout", "rounds": 100}},
        {"name": "paths", "over": {"name": "paths", "max_paths": 10**9}},
        "cypher",
        {"name": "cypher", "timeout": 5},
        {"name": "planner", "allow_cypher": True},
        {"name": "planner", "tools": ["paths", "cypher"]},
        {"name": "selfrag", "max_regenerations": 1_000},
        {"name": "planner", "tools": ["paths"] * 21},
        {"name": "planner", "tools": [{"name": "paths"}]},
        {"name": "planner", "concurrency": 64},
        {"name": "nosuch"},
        {"name": "gear", "nosuch": 1},
        {"name": "gear", "over": DEEP},
        {"name": ["gear"]},
        {"over": "naive"},
        {},
    ],
)
def test_what_costs_too_much_or_reaches_outside_is_refused(choice):
    """In one line, at any depth."""
    with pytest.raises(SettingsError) as refused:
        agent_of(choice, seconds=60)

    assert "\n" not in str(refused.value)
