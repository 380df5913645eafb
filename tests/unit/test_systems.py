"""The requirements of a system before its first question."""

import json

import pytest

from gear_neo4j import Crag, GearAgent, HippoRag, HippoRag2, Naive, Scout
from gear_neo4j.evaluate.systems import System
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS


@pytest.mark.parametrize(
    ("retriever", "expected"), [(Naive(), False), (HippoRag(), True), (HippoRag2(), True), (Scout(), True)]
)
def test_only_what_walks_over_synonyms_needs_them(retriever, expected):
    """Linking them takes minutes."""
    assert expected == System(recipe=retriever).needs_synonyms


def test_an_agent_needs_synonyms_where_the_retriever_below_it_does():
    """At any depth."""
    assert not System(recipe=GearAgent(over=Naive())).needs_synonyms
    assert System(recipe=GearAgent()).needs_synonyms
    assert System(recipe=GearAgent(over=HippoRag2())).needs_synonyms
    assert System(recipe=Crag(over=Naive(base=Scout()))).needs_synonyms


@pytest.mark.parametrize("entry", [*RETRIEVERS, *AGENTS], ids=lambda entry: entry.name)
def test_every_system_can_be_written_as_json(entry):
    """Otherwise the error would appear only after all measurements."""
    assert entry.name == json.loads(json.dumps(System(recipe=entry.recipe()).to_json()))["retriever"]
