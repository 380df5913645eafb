"""Recipes by name: what is refused, and in which words."""

from typing import ClassVar

import pytest
from pydantic import ValidationError

from gear_neo4j import AgentRecipe, Beam, Crag, GearAgent, GraphRagLocal, Naive, RetrieverRecipe, Scout, SyncGE, option
from gear_neo4j.cli.flag import flags_of
from gear_neo4j.cli.flags import agent_from, retriever_from
from gear_neo4j.cli.reference import PAGE, page
from gear_neo4j.errors import SettingsError
from gear_neo4j.recipes.registry import AGENTS, EXTRACTORS, RETRIEVERS, Registry

BUILT_IN = {
    "retriever": ["auto", "naive", "sync", "scout", "paths", "subgraph", "base", "hipporag", "hipporag2"],
    "agent": [
        *("gear", "paths", "kgt", "pattern", "cypher", "ircot", "crag", "selfrag"),
        *("graphrag-local", "graphrag-global", "planner"),
    ],
    "extractor": ["rules", "model"],
}


class Unnamed(RetrieverRecipe):
    """A recipe without a name."""


class Naif(RetrieverRecipe):
    """A recipe whose name is taken."""

    name: ClassVar[str] = "naive"


@pytest.mark.parametrize("registry", [RETRIEVERS, AGENTS, EXTRACTORS])
def test_all_built_in_recipes_are_registered(registry):
    """Nobody has to import them first."""
    assert BUILT_IN[registry.kind] == [entry.name for entry in registry if not entry.own]


@pytest.mark.parametrize("registry", [RETRIEVERS, AGENTS, EXTRACTORS])
def test_every_option_has_a_description_and_every_recipe_a_summary(registry):
    """They are what ``--help`` and the docs show."""
    for entry in registry:
        assert entry.summary, entry.name
        assert all(field.description for field in entry.recipe.model_fields.values()), entry.name


def test_no_option_belongs_to_a_retriever_and_to_an_agent():
    """A flag must not set both."""
    names = [{flag.name for entry in registry for flag in flags_of(entry.recipe)} for registry in (RETRIEVERS, AGENTS)]

    assert set() == names[0] & names[1]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("scout", Scout()),
        (Scout(damping=0.5), Scout(damping=0.5)),
        ({"name": "naive", "base": "bm25", "beam": {"width": 3}}, Naive(base="bm25", beam=Beam(width=3))),
        ({"name": "sync", "base": {"name": "scout"}}, SyncGE(base=Scout())),
    ],
)
def test_a_recipe_is_given_by_name_by_value_or_as_json(given, expected):
    """One reader for Python, the command line and a service."""
    assert expected == RETRIEVERS.recipe(given)


@pytest.mark.parametrize("recipe", [Scout(depth=7), Naive(base=Scout(), beam=Beam(length=3)), SyncGE()])
def test_a_recipe_reads_back_from_its_json(recipe):
    """What a report holds makes the same retriever again."""
    assert recipe == RETRIEVERS.recipe(recipe.model_dump(mode="json"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: RETRIEVERS.recipe("scuot"),
            "there is no retriever 'scuot': did you mean scout? choose one of auto, naive, ",
        ),
        (lambda: RETRIEVERS.recipe(3), "3 is not a known retriever: give a name or a recipe"),
        (lambda: Naive(widht=3), "naive has no option 'widht': its options are base, base_k, beam, score"),
        (lambda: Naive(base_k=0), "naive's base_k is 0: it must be at least 1"),
        (lambda: Naive(base="vector"), "there is no ranker or retriever 'vector': choose one of bm25, "),
        (lambda: Naive(score="best"), "naive's score is 'best': it must be composed, encoded or last"),
        (lambda: Naive(beam={"width": 0}), "the beam's width is 0: it must be at least 1"),
        (lambda: Scout(damping=1), "scout's damping is 1: it must be below 1"),
        (lambda: Scout(damping=float("nan")), "scout's damping is nan: it must be a finite number"),
        (lambda: Crag(over="nothing"), "there is no retriever 'nothing': choose one of auto, naive, "),
        (lambda: Crag(evaluator="cross-encoder"), "evaluator_model belongs to the evaluator cross-encoder: "),
        (lambda: GraphRagLocal(over=Scout()), "scout is given where subgraph belongs"),
        (lambda: agent_from("graphrag-local", "scout", {}), "graphrag-local works over subgraph only, not scout"),
        (lambda: GearAgent(over=SyncGE(base_k=5)), "gear reads step_k passages a round (10): leave base_k of sync out"),
        (lambda: agent_from("kgt", "scout", {}), "kgt uses no retriever: leave out --retriever"),
        (
            lambda: agent_from("crag", "scout", {"width": 3}),
            "--width is not an option of crag over scout: crag has --max-tokens, --max-seconds, --evaluator, ",
        ),
        (
            lambda: retriever_from("hipporag2", {"width": 3}),
            "--width is not an option of hipporag2: set --retriever to one that has it (naive, sync)",
        ),
        (
            lambda: retriever_from(None, {"base": "sbert"}),
            "--base is not an option of auto: set --retriever to one that has it (naive, sync, paths, base, hipporag)",
        ),
        (
            lambda: agent_from("paths", None, {"max_tokens": 9}),
            "--max-tokens is not an option of paths over paths: paths has no options; paths has --base, ",
        ),
        (
            lambda: Registry("agent", AgentRecipe, built_in="json").register(Unnamed),
            "Unnamed cannot be registered: derive it from AgentRecipe",
        ),
        (lambda: RETRIEVERS.register(Unnamed), "Unnamed has no name: set name: ClassVar[str]"),
        (lambda: RETRIEVERS.register(Naif)(print), "there is a retriever 'naive' already: choose another name"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_line(make, message):
    """The line says what there is instead."""
    with pytest.raises(SettingsError) as refused:
        make()

    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_flags_reach_the_first_of_a_chain_that_has_them():
    """Agent, retriever, first stage."""
    given = {"max_tokens": 900, "width": 3, "damping": 0.5, "base": "scout"}

    made = agent_from("crag", "naive", given)

    assert Crag(max_tokens=900, over=Naive(base=Scout(damping=0.5), beam=Beam(width=3))) == made
    assert "crag over naive over scout" == made.title


def test_recipes_are_values():
    """Equal options make equal recipes, which nobody can change."""
    assert {Scout(), Scout(damping=0.6)} == {Scout()}
    with pytest.raises(ValidationError, match="frozen"):
        Scout().damping = 0.1


def test_an_option_of_a_users_own_is_checked_like_ours():
    """By the same words."""

    class Newest(RetrieverRecipe):
        """The passages ingested last."""

        name: ClassVar[str] = "newest"
        limit: int = option(5, "passages", least=1)

    with pytest.raises(SettingsError, match="newest's limit is 0: it must be at least 1"):
        Newest(limit=0)


def test_the_page_on_recipes_is_what_the_recipes_say():
    """``python -m gear_neo4j.cli.reference`` writes its tables."""
    text = PAGE.read_text(encoding="utf-8")

    assert page(text) == text
