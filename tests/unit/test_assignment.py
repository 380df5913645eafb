"""Options of recipes set from text: how names are resolved, and how values are read."""

from typing import ClassVar, Literal

import pytest

from gear_neo4j import Beam, Crag, GearAgent, Naive, Planner, Scout, SelfRag, SyncGE
from gear_neo4j.agents.paths import PathAgent
from gear_neo4j.errors import SettingsError
from gear_neo4j.recipes.assignment import assign, options_of, reachable
from gear_neo4j.recipes.recipe import RetrieverRecipe, option
from gear_neo4j.recipes.registry import AGENTS, EXTRACTORS, RETRIEVERS
from gear_neo4j.retrieval.auto import Auto
from gear_neo4j.retrieval.paths import Paths
from gear_neo4j.retrieval.walk.walk import Walk
from gear_neo4j.roles.evaluators import Thresholds


def pairs(*texts):
    return [(name, value) for name, _, value in (text.partition("=") for text in texts)]


@pytest.mark.parametrize(
    ("recipe", "texts", "expected"),
    [
        (Naive(), ["width=20"], Naive(beam=Beam(width=20))),
        (Naive(), ["beam.width=20", "beam.hub=9", "base_k=4"], Naive(beam=Beam(width=20, hub=9), base_k=4)),
        (Naive(), ["base=sbert", "diverse=false"], Naive(base="sbert", beam=Beam(diverse=False))),
        (Naive(), ["diverse=off"], Naive(beam=Beam(diverse=False))),
        (Naive(), ['base={"name": "scout", "damping": 0.2}'], Naive(base=Scout(damping=0.2))),
        (Naive(), ["base.base=sbert", "base=naive"], Naive(base=Naive(base="sbert"))),
        # The recipe's own option comes before that of its base.
        (Paths(base=Scout()), ["damping=0.5"], Paths(base=Scout(), walk=Walk(damping=0.5))),
        (Paths(base=Scout()), ["base.damping=0.5"], Paths(base=Scout(damping=0.5))),
        (Naive(base=Naive()), ["base_k=4"], Naive(base=Naive(), base_k=4)),
        (GearAgent(), ["width=3", "max_steps=2"], GearAgent(over=SyncGE(base=Auto(), beam=Beam(width=3)), max_steps=2)),
        (GearAgent(), ["max_seconds=9"], GearAgent(max_seconds=9.0)),
        (
            Crag(),
            ["evaluator_model=7", "evaluator=cross-encoder"],
            Crag(evaluator="cross-encoder", evaluator_model="7"),
        ),
        (Crag(), ['thresholds={"upper": 0.4, "lower": 0.1}'], Crag(thresholds=Thresholds(0.4, 0.1))),
        (Planner(), ["tools=naive, kgt"], Planner(tools=("naive", "kgt"))),
        (SelfRag(), ['labels=["yes, but", "no"]'], SelfRag(labels=("yes, but", "no"))),
        (SelfRag(), ["labels="], SelfRag()),
    ],
)
def test_a_name_finds_its_option_and_a_text_is_read_as_its_type(recipe, texts, expected):
    """The full name, or an unambiguous part of it, in any order."""
    assert expected == assign(recipe, pairs(*texts)) == assign(recipe, pairs(*reversed(texts)))


@pytest.mark.parametrize(
    ("recipe", "texts", "message"),
    [
        (
            PathAgent(over=Paths(base=Scout())),
            ["damping=0.5"],
            "damping is an option of more than one part of paths over paths over scout: give over.walk.damping or "
            "over.base.damping",
        ),
        (Naive(), ["widht=3"], "naive has no option 'widht': did you mean width? its options are base, base_k, beam."),
        (Naive(), ["beam=3"], "naive has no option 'beam'"),
        (Naive(), ["=3"], "naive has no option ''"),
        (Naive(), ["name=x"], "naive has no option 'name'"),
        (Crag(), ["over=scout"], "crag over auto has no option 'over'"),
        (Naive(), ["width=3", "beam.width=4"], "beam.width is set twice: give it once"),
        (Naive(), ["base=sbert", "base=bm25"], "base is set twice: give it once"),
        (Naive(), ["width=0"], "the beam's width is 0: it must be at least 1"),
        (Naive(), ["width=1.5"], "the beam's width is 1.5: it must be a valid integer"),
        (Naive(), ["width="], "the beam's width is '': it must be a valid integer"),
        (Naive(), ["width=" + "[" * 100_000], "the beam's width is '[["),
        (Naive(), ["width=" + "1" * 5_000], "the beam's width is '11"),
        (Naive(), ["base=5"], "5 is not a known retriever"),
        (Scout(), ["damping=NaN"], "scout's damping is nan: it must be a finite number"),
        (Scout(), ["damping=1e999"], "scout's damping is inf: it must be "),
        (Crag(), ["thresholds=4"], "crag's thresholds is 4: it must be a dictionary"),
    ],
)
def test_what_cannot_be_set_is_refused_in_one_line(recipe, texts, message):
    """The line lists the valid ones."""
    with pytest.raises(SettingsError) as refused:
        assign(recipe, pairs(*texts))

    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_a_choice_is_read_as_one_of_its_values():
    """Texts or numbers."""

    class Told(RetrieverRecipe):
        """One option is a digit as text, the other a number."""

        name: ClassVar[str] = "told"
        text: Literal["1", "2"] = option("1", "a digit")
        number: Literal[1, 2] = option(1, "a number")

    assert Told(text="2", number=2) == assign(Told(), pairs("text=2", "number=2"))


@pytest.mark.parametrize("registry", [RETRIEVERS, AGENTS, EXTRACTORS])
def test_every_option_can_be_set_to_its_default(registry):
    """By the text that is shown."""
    for entry in registry:
        recipe = entry.recipe()
        given = [(option.name, option.default) for option in options_of(entry.recipe) if option.default]
        assert recipe == assign(recipe, given), entry.name
        assert {option.name for option in options_of(entry.recipe)} <= {option.name for option in reachable(recipe)}
