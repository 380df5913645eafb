"""Chains of possessives: which words are a step, what each step means, and which pattern takes them in order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.graph.read.graph_schema import GraphSchema, PropertySchema
from gear_neo4j.graph.read.typegraph import Tie
from gear_neo4j.retrieval.patterns.cypher import Compiler
from gear_neo4j.retrieval.patterns.possessives import PossessiveReader
from tests.pattern_search import search_over

NAMED = {"name": PropertySchema("name", distinct=900)}
SCHEMA = GraphSchema(
    labels={
        "Person": {**NAMED, "height": PropertySchema("height", "number", greatest=210, distinct=60)},
        "Town": NAMED,
        "Trade": NAMED,
    },
    types={"PARENTS": {}, "SPOUSE": {}, "MANAGES": {}, "PUPIL_OF": {}, "PLACE_OF_BIRTH": {}, "HAS_TRADE": {}},
    ties=(
        Tie("Person", "PARENTS", "Person", 500),
        Tie("Person", "SPOUSE", "Person", 200),
        Tie("Person", "MANAGES", "Person", 200),
        Tie("Person", "PUPIL_OF", "Person", 200),
        Tie("Person", "PLACE_OF_BIRTH", "Town", 800),
        Tie("Person", "HAS_TRADE", "Trade", 800),
    ),
    names={"Person": "name", "Town": "name", "Trade": "name"},
)
VALUES = [
    ("Person", "name", "Ada Brandt"),
    ("Person", "name", "Tilda Moss"),
    ("Person", "name", "Otto Hughes"),
    ("Town", "name", "Lund"),
]
TEXT = st.text(alphabet="abc 'ofthes’?", max_size=40)


@pytest.fixture(scope="module")
def search():
    return search_over(SCHEMA, VALUES)


def chains(search, question):
    """The words of each chain, from the name outwards, and the best element of each step."""
    reading = search.reader.read(question)
    found, _ = PossessiveReader(SCHEMA, search.likenesses).read(reading, search.likenesses.of(reading))
    return [
        [
            (
                " ".join(word.text for word in reading.words[step.first : step.last + 1]),
                max(step.fits, key=lambda element: step.fits[element]).name,
            )
            for step in chain
        ]
        for chain in found.chains.values()
    ]


def taken(search, question):
    """The steps of the best pattern from its name to its answer: types, with ``<`` if stored from end to start."""
    best = search.find(question).ranked[0]
    node = best.pattern.on_nodes[0].index
    steps, before = [], None
    while node != best.target:
        ((edge, node, forward),) = [way for way in best.pattern.ways[node] if way[0] != before]
        before = edge
        steps.append(("" if forward else "<") + best.pattern.edges[edge].type)
    return steps


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What is Ada Brandt's husband's trade?", [[("husband's", "SPOUSE"), ("trade", "Trade")]]),
        ("the trade of the husband of Ada Brandt", [[("husband", "SPOUSE"), ("trade", "Trade")]]),
        ("the trade of Tilda Moss' mother", [[("mother", "PARENTS"), ("trade", "Trade")]]),
        ("the trade of Otto Hughes's mother", [[("mother", "PARENTS"), ("trade", "Trade")]]),
        ("the place of birth of Ada Brandt’s dad", [[("dad", "PARENTS"), ("place of birth", "PLACE_OF_BIRTH")]]),
        ("Ada Brandt's dad's place of birth", [[("dad's", "PARENTS"), ("place of birth", "PLACE_OF_BIRTH")]]),
        # A name for the husband is the husband, and his height is no step.
        ("What is the name of the husband of Ada Brandt?", [[("husband", "SPOUSE")]]),
        ("What is the height of Ada Brandt's husband?", [[("husband", "SPOUSE")]]),
        ("Who are the parents of Ada Brandt and of Tilda Moss?", [[("parents", "PARENTS")]]),
        ("Who lives in the town of Lund?", []),
        ("Who knows Ada Brandt?", []),
        ("Ada Brandt's", []),
        ("of Ada Brandt", []),
    ],
)
def test_each_possessive_is_a_step(search, question, found):
    """In the order of the steps from the name, whichever way it is said."""
    assert found == chains(search, question)


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        ("What is the trade of Ada Brandt's mother?", ["PARENTS", "HAS_TRADE"]),
        ("What is Ada Brandt's husband's mother's trade?", ["SPOUSE", "PARENTS", "HAS_TRADE"]),
        ("the spouse of the mother of Ada Brandt's husband", ["SPOUSE", "PARENTS", "SPOUSE"]),
        # One step is taken against its relationship.
        ("Who is Ada Brandt's manager?", ["<MANAGES"]),
        ("the trade of Ada Brandt's manager", ["<MANAGES", "HAS_TRADE"]),
        ("the trade of Ada Brandt's pupil", ["<PUPIL_OF", "HAS_TRADE"]),
        ("the place of birth of Tilda Moss's other half", ["SPOUSE", "PLACE_OF_BIRTH"]),
        ("What is the name of the mother of Ada Brandt's husband?", ["SPOUSE", "PARENTS"]),
    ],
)
def test_the_best_pattern_takes_the_steps_in_order(search, question, steps):
    """Job of the mother, not mother of those with the job."""
    assert steps == taken(search, question)


def test_a_guess_is_not_taken_for_certain(search):
    """A sweetheart may be a spouse, which no word of the schema says."""
    sure = search.find("the trade of Ada Brandt's spouse").ranked[0]
    guess = search.find("the trade of Ada Brandt's sweetheart").ranked[0]

    assert sure.pattern.types == guess.pattern.types
    assert guess.evidence.unused.phrases == ("sweetheart",)
    assert guess.confidence < sure.confidence


def test_a_chain_may_come_back(search):
    """The parents of the husband of a mother: each relationship may be taken twice, so each has its own MATCH."""
    chain = search.find("the spouse of Ada Brandt's spouse").ranked[0]
    shown = Compiler(SCHEMA).shown(chain.pattern, chain.target, limit=5).statement

    assert 2 == shown.count("MATCH")


@given(before=TEXT, after=TEXT)
def test_any_text_around_a_name_can_be_read(search, before, after):
    """Steps are words of the question that do not overlap and are not the name."""
    reading = search.reader.read(f"{before} Ada Brandt {after}")
    found, likeness = PossessiveReader(SCHEMA, search.likenesses).read(reading, search.likenesses.of(reading))
    for chain in found.chains.values():
        words = [index for step in chain for index in range(step.first, step.last + 1)]
        assert len(words) == len(set(words))
        assert all(reading.words[index].literal is None for index in words)
    assert likeness.keys() <= set(range(len(reading.words)))
