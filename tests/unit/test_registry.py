"""Recipes by name: what is refused, and the messages."""

import os
import sys
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import ValidationError

import gear_neo4j
from gear_neo4j import AgentRecipe, Beam, Crag, GearAgent, GraphRagLocal, Naive, RetrieverRecipe, Scout, SyncGE, option
from gear_neo4j.cli.choice import Choice
from gear_neo4j.cli.reference import PAGE, page
from gear_neo4j.errors import SettingsError
from gear_neo4j.recipes.registry import AGENTS, EXTRACTORS, RETRIEVERS, Registry
from tests.processes import run

BUILT_IN = {
    "retriever": ["auto", "naive", "sync", "scout", "paths", "subgraph", "base", "hipporag", "hipporag2", "rerank"],
    "agent": [
        *("search", "gear", "paths", "kgt", "pattern", "template", "cypher", "ircot", "crag", "selfrag"),
        *("graphrag-local", "graphrag-global", "planner", "plain"),
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
    """Without any import by the caller."""
    assert BUILT_IN[registry.kind] == [entry.name for entry in registry if not entry.own]


@pytest.mark.parametrize("registry", [RETRIEVERS, AGENTS, EXTRACTORS])
def test_every_option_has_a_description_and_every_recipe_a_summary(registry):
    """``--help`` and the docs show them."""
    for entry in registry:
        assert entry.summary, entry.name
        assert all(field.description for field in entry.recipe.model_fields.values()), entry.name


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
    """The content of a report makes the same retriever again."""
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
        (lambda: Choice("scout", "graphrag-local").make(), "graphrag-local works over subgraph only, not scout"),
        (lambda: GearAgent(over=SyncGE(base_k=5)), "gear reads step_k passages a round (10): leave base_k of sync out"),
        (lambda: Choice("scout", "kgt").make(), "kgt uses no retriever: leave out --retriever"),
        (
            lambda: Choice("scout", "crag", [("width", "3")]).make(),
            "crag over scout has no option 'width': its options are max_tokens, ",
        ),
        (
            lambda: Choice("hipporag2", options=[("width", "3")]).make(),
            "hipporag2 has no option 'width': choose a retriever that has it with --retriever (naive, sync)",
        ),
        (
            lambda: Choice(None, options=[("base", "sbert")]).make(),
            "auto has no option 'base': choose a retriever that has it with --retriever (naive, sync, paths, base, ",
        ),
        (
            lambda: Choice(None, "paths", [("max_tokens", "9")]).make(),
            "paths over paths has no option 'max_tokens': its options are over.base, ",
        ),
        (
            lambda: Registry("agent", AgentRecipe).register(Unnamed),
            "Unnamed cannot be registered: derive it from AgentRecipe",
        ),
        (lambda: RETRIEVERS.register(Unnamed), "Unnamed has no name: set name: ClassVar[str]"),
        (lambda: RETRIEVERS.register(Naif)(print), "there is a retriever 'naive' already: choose another name"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_line(make, message):
    """The line lists the valid ones."""
    with pytest.raises(SettingsError) as refused:
        make()

    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_options_reach_the_one_of_a_chain_that_has_them():
    """Agent, retriever, first stage, in any order."""
    given = [("max_tokens", "900"), ("width", "3"), ("damping", "0.5"), ("base", "scout")]

    made = Choice("naive", "crag", given).make()

    assert Crag(max_tokens=900, over=Naive(base=Scout(damping=0.5), beam=Beam(width=3))) == made
    assert "crag over naive over scout" == made.title


def test_recipes_are_values():
    """Equal options make equal, immutable recipes."""
    assert {Scout(), Scout(damping=0.6)} == {Scout()}
    with pytest.raises(ValidationError, match="frozen"):
        Scout().damping = 0.1


def test_an_option_of_a_users_own_is_checked_like_ours():
    """With the same messages."""

    class Newest(RetrieverRecipe):
        """The passages ingested last."""

        name: ClassVar[str] = "newest"
        limit: int = option(5, "passages", least=1)

    with pytest.raises(SettingsError, match="newest's limit is 0: it must be at least 1"):
        Newest(limit=0)


def test_a_broken_plugin_does_not_hide_the_ones_behind_it(tmp_path):
    """Its error appears if it is requested, for an unknown name, and in the doctor; all others work."""
    for name, code in {
        "a_broken": "import module_that_is_missing",
        "b_exits": "raise ValueError('two\\nlines')",
        "c_good": GOOD_PLUGIN,
    }.items():
        (tmp_path / f"{name}.py").write_text(code)
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(f"[gear_neo4j.retrievers]\n{name} = {name}\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    ended = run([sys.executable, "-c", LOOKUPS], env=environment, cwd=Path(gear_neo4j.__file__).parents[1])

    good, scout, broken, unknown, *findings = ended.stdout.splitlines()
    reason = (
        "the retriever 'a_broken' of the package a_broken could not be loaded (ModuleNotFoundError: No module named "
    )
    assert ("c_good", "scout") == (good, scout), ended.stderr
    assert broken.startswith(f"{reason}'module_that_is_missing'): choose one of auto, ")
    assert unknown.startswith("there is no retriever 'nothing': choose one of auto, ")
    assert all(reason in line for line in (unknown, findings[0]))
    assert "(ValueError: two lines)" in findings[1]


GOOD_PLUGIN = """
from typing import ClassVar
from gear_neo4j import RetrieverRecipe, register_retriever
class Good(RetrieverRecipe):
    name: ClassVar[str] = "c_good"
register_retriever(Good)(print)
"""
LOOKUPS = """
from gear_neo4j.errors import SettingsError
from gear_neo4j.gear.doctor import about_plugins
from gear_neo4j.recipes.registry import RETRIEVERS
for name in ("c_good", "scout", "a_broken", "nothing"):
    try:
        print(RETRIEVERS.recipe(name).name)
    except SettingsError as error:
        print(error)
for finding in about_plugins():
    print(finding.level, finding.detail)
"""


def test_the_page_on_recipes_is_what_the_recipes_say():
    """``python -m gear_neo4j.cli.reference`` writes its tables."""
    text = PAGE.read_text(encoding="utf-8")

    assert page(text) == text
