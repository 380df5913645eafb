"""What people write for what a graph has: codes, initials, broader words, names with their label, and clauses."""

import pytest

from gear_neo4j.graph.read.graph_schema import GraphSchema, PropertySchema
from gear_neo4j.graph.read.typegraph import Tie
from tests.pattern_search import search_over

CALLED = {"name": PropertySchema("name", distinct=900)}
SCHEMA = GraphSchema(
    labels={
        "Tenant": {
            "first": PropertySchema("first", distinct=300),
            "surname": PropertySchema("surname", distinct=400),
            "tax_no": PropertySchema("tax_no", distinct=900),
        },
        "Flat": {"address": PropertySchema("address", distinct=500)},
        "Phone": {"line": PropertySchema("line", distinct=900)},
        "Mail": {"inbox": PropertySchema("inbox", distinct=900)},
        "Report": {
            "number": PropertySchema("number", distinct=900),
            "outcome": PropertySchema("outcome", distinct=9),
            "hour": PropertySchema("hour", "time", stored_as_text=True, greatest=2359, distinct=400),
        },
        "Lake": {**CALLED, "depth": PropertySchema("depth", "number", greatest=900, distinct=80)},
        "Park": CALLED,
        "Canton": CALLED,
    },
    types={
        "KNOWS": {},
        "KNOWS_LW": {},
        "CURRENT_ADDRESS": {},
        "HAS_PHONE": {},
        "HAS_MAIL": {},
        "FILED": {},
        "IN_CANTON": {},
        "FEEDS": {},
        "BORDERS": {},
    },
    ties=(
        Tie("Tenant", "KNOWS", "Tenant", 900),
        Tie("Tenant", "KNOWS_LW", "Tenant", 300),
        Tie("Tenant", "CURRENT_ADDRESS", "Flat", 900),
        Tie("Tenant", "HAS_PHONE", "Phone", 900),
        Tie("Tenant", "HAS_MAIL", "Mail", 900),
        Tie("Tenant", "FILED", "Report", 700),
        Tie("Lake", "IN_CANTON", "Canton", 80),
        Tie("Park", "FEEDS", "Lake", 80),
        Tie("Canton", "BORDERS", "Canton", 80),
    ),
    names={
        "Tenant": "first + surname",
        "Flat": "address",
        "Phone": "line",
        "Mail": "inbox",
        "Report": "number",
        "Lake": "name",
        "Park": "name",
        "Canton": "name",
    },
)
VALUES = [
    ("Tenant", "first", "Rose"),
    ("Tenant", "first", "Ivo"),
    ("Tenant", "surname", "Moss"),
    ("Tenant", "surname", "Lind"),
    ("Tenant", "tax_no", "508-75-59"),
    ("Phone", "line", "4-(149)887"),
    ("Flat", "address", "12 Mill Lane"),
    ("Report", "outcome", "Action by another organisation"),
    ("Report", "outcome", "Closed"),
    ("Lake", "name", "Red"),
    ("Park", "name", "Red Lake"),
    ("Canton", "name", "Uri"),
]


@pytest.fixture(scope="module")
def search():
    return search_over(SCHEMA, VALUES)


def best(search, question):
    """The first candidate for a question."""
    return search.find(question).ranked[0]


def stated(search, question):
    """The values and properties of the first candidate's conditions, by the label of their node."""
    pattern = best(search, question).pattern
    found = (constraint.condition for constraint in pattern.on_nodes)
    return {(condition.owner.name, condition.property, *condition.texts) for condition in found}


def answer(search, question):
    """The label of the answer."""
    candidate = best(search, question)
    return candidate.pattern.labels[candidate.target]


def node_with(pattern, text):
    """The node for which a condition has a text."""
    (node,) = {constraint.index for constraint in pattern.on_nodes if text in constraint.condition.texts}
    return node


def linked(pattern, node):
    """The types of a node's relationships."""
    return {pattern.edges[edge].type for edge, _, _ in pattern.ways[node]}


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("who has the phone 4-(149)887", {("Phone", "line", "4-(149)887")}),
        ("Which tenant holds the tax number 508-75-59?", {("Tenant", "tax_no", "508-75-59")}),
        ("Which tenants have the last name Moss?", {("Tenant", "surname", "Moss")}),
        (
            "Which reports need action by another organization?",
            {("Report", "outcome", "Action by another organisation")},
        ),
    ],
)
def test_codes_and_spellings_are_values(search, question, values):
    """A word with a digit is no ordinary word, though it has no capital."""
    assert values == stated(search, question)


@pytest.mark.parametrize(
    ("question", "type"),
    [
        ("Who lives with Rose Moss?", "KNOWS_LW"),
        ("Which tenants are living with Rose Moss?", "KNOWS_LW"),
        ("Who is a friend of Rose Moss?", "KNOWS"),
        ("Who is acquainted with Rose Moss?", "KNOWS"),
        ("Which tenants have their home at 12 Mill Lane?", "CURRENT_ADDRESS"),
    ],
)
def test_initials_and_broader_words_name_relationships(search, question, type):
    """*Lives with* is what LW stands for, and a home is an address."""
    assert (type,) == tuple(best(search, question).pattern.types)


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("Where is Red Lake?", "Canton"),
        ("Which canton has the Red Lake?", "Canton"),
        # A part of a name describes what is asked for.
        ("Which Moss filed reports?", "Tenant"),
        ("Name the Moss who filed reports", "Tenant"),
        ("Which Moss knows Ivo Lind?", "Tenant"),
    ],
)
def test_what_is_asked_for(search, question, label):
    """The canton that holds a lake, and the one called Moss."""
    assert label == answer(search, question)


def test_a_name_with_its_label_is_a_name(search):
    """Red Lake is the park of this name, and the lake Red, of which the question decides."""
    assert {("Lake", "name", "Red")} == stated(search, "Which canton has the Red Lake?")
    assert {("Park", "name", "Red Lake")} == stated(search, "Which lakes are fed by Red Lake?")


def test_the_asked_name_is_the_answer(search):
    """Not whom it knows."""
    candidate = best(search, "Which Moss knows Ivo Lind?")

    assert node_with(candidate.pattern, "Moss") == candidate.target


def test_a_relative_clause_is_about_the_name_before_it(search):
    """The phone is Rose's; joined by *and*, it is that of the friend."""
    hers = best(search, "List the mails of friends of Rose Moss, who has the phone 4-(149)887").pattern
    theirs = best(search, "List the mails of those who know Rose Moss and have the phone 4-(149)887").pattern

    assert "HAS_PHONE" in linked(hers, node_with(hers, "Rose"))
    assert "HAS_PHONE" not in linked(theirs, node_with(theirs, "Rose"))


def test_of_two_nodes_of_a_label_the_far_one_is_the_answer(search):
    """Cantons that border cantons that border Uri."""
    candidate = best(search, "Which cantons border cantons that border Uri?")
    near = {end for _, end, _ in candidate.pattern.ways[node_with(candidate.pattern, "Uri")]}

    assert 2 == len(candidate.pattern.edges)
    assert candidate.target not in near


def test_one_node_has_one_time(search):
    """Two times are of two nodes."""
    pattern = best(search, "Which tenants filed a report at 20:21 and a report at 00:52?").pattern
    times = [constraint.index for constraint in pattern.on_nodes if constraint.condition.property == "hour"]

    assert 2 == len(set(times))


def test_an_adjective_before_a_noun_is_not_ignored(search):
    """Big lakes are not all lakes."""
    assert ("big",) == best(search, "How many big lakes are in Uri?").evidence.unused.phrases


@pytest.mark.parametrize(
    ("question", "picks", "supported"),
    [
        ("Which cantons have the deepest lake?", "", True),
        ("What is the lake with the highest depth?", "", True),
        ("Which parks feed the lake with the highest depth?", "Lake", True),
        ("Which parks feed the largest lake?", "Lake", True),
        ("Which cantons border the canton with the most lakes?", "Canton", True),
        ("What canton is the canton with the most lakes?", "", True),
        ("Which three parks feed the lake with the highest depth?", "", True),
        ("What are the three tenants with the most reports?", "", True),
        ("Which parks feed the lake with the highest average depth?", "Lake", False),
        ("Which is the smallest lake in the largest canton?", "", False),
    ],
)
def test_a_superlative_inside_a_question_picks_a_node(search, question, picks, supported):
    """If another label is asked for; several superlatives, or an order of both, are beyond patterns."""
    wanted = search.find(question).aggregation

    assert (picks, supported) == ((wanted.picks, wanted.supported) if wanted else ("", True))
