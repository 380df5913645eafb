"""What a client of a service may choose, and what only its operator may."""

from typing import ClassVar

import pytest

from gear_neo4j.agents.crag import Crag
from gear_neo4j.agents.gear import GearAgent
from gear_neo4j.errors import SettingsError
from gear_neo4j.gear.requests import requested_agent, requested_retriever
from gear_neo4j.recipes.recipe import AgentRecipe, RetrieverRecipe, option
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS
from gear_neo4j.retrieval.naive import Naive
from gear_neo4j.retrieval.scout import Scout

DEEP = {"name": "naive"}
for _ in range(1_000):
    DEEP = {"name": "naive", "base": DEEP}


def test_every_retriever_and_agent_can_be_chosen_by_its_name():
    """The defaults are always allowed."""
    retrievers = [requested_retriever(entry.name) for entry in RETRIEVERS]
    offered = [entry.name for entry in AGENTS if not entry.recipe.operator_only]
    agents = [requested_agent(name, seconds=60) for name in offered]

    assert [entry.recipe() for entry in RETRIEVERS] == retrievers
    assert offered == [agent.name for agent in agents]
    assert {"cypher"} == {entry.name for entry in AGENTS} - set(offered)


def test_options_are_those_of_the_recipe():
    """The first stage has its own field."""
    assert Naive(base="sbert", base_k=30) == requested_retriever({"name": "naive", "base_k": 30}, base="sbert")
    assert Naive(base=Scout(rounds=2)) == requested_retriever("naive", base={"name": "scout", "rounds": 2})


def test_an_agent_begins_no_call_after_its_time():
    """A shorter time from the caller is kept."""
    assert GearAgent(max_steps=2, max_seconds=30) == requested_agent("gear", max_steps=2, seconds=30)
    assert Crag(max_seconds=5) == requested_agent({"name": "crag", "max_seconds": 5}, seconds=30)
    assert Crag(max_seconds=30) == requested_agent({"name": "crag", "max_seconds": 500}, seconds=30)


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
        requested_agent(choice, seconds=60)

    assert "\n" not in str(refused.value)


@pytest.fixture
def registered():
    """Recipes of a third party, with and without declared limits."""

    class Loose(RetrieverRecipe):
        """Declares no limits."""

        name: ClassVar[str] = "loose"
        many: int = option(5, "how many")
        folder: str = option("", "any text")

    class Strict(AgentRecipe):
        """Declares limits."""

        name: ClassVar[str] = "strict"
        calls: int = option(2, "calls of a model", client_most=3)
        mode: str | int = option("local", "where it looks", operator_only=lambda mode: mode == "remote")

    RETRIEVERS.register(Loose)(lambda session, recipe: None)
    AGENTS.register(Strict)(lambda session, recipe: None)
    yield Loose, Strict
    RETRIEVERS.remove("loose")
    AGENTS.remove("strict")


def test_an_option_declares_its_bounds_for_clients_or_gets_the_default(registered):
    """Third parties' options, too; Python and the command line are not limited."""
    loose, strict = registered

    assert loose(many=1_000) == requested_retriever({"name": "loose", "many": 1_000})
    assert strict(calls=3, mode="local") == requested_agent({"name": "strict", "calls": 3, "mode": "local"}, seconds=9)
    refused = {
        "loose's many is 1001: here it may be at most 1000": lambda: requested_retriever(
            {"name": "loose", "many": 1_001}
        ),
        "loose's folder is for the operator": lambda: requested_retriever({"name": "loose", "folder": "/etc"}),
        "strict's calls is 4: here it may be at most 3": lambda: requested_agent(
            {"name": "strict", "calls": 4}, seconds=9
        ),
        "strict's mode may not be remote here": lambda: requested_agent(
            {"name": "strict", "mode": "remote"}, seconds=9
        ),
    }
    for message, ask in refused.items():
        with pytest.raises(SettingsError, match=message):
            ask()
    assert (1_001, 4) == (loose(many=1_001).many, strict(calls=4).calls)
