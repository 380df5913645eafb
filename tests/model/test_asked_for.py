"""What a question asks for, and what it says of it: over a graph of people, cars, calls and incidents."""

import pytest

from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner, PropertySchema
from gear_neo4j.graph.read.typegraph import Tie
from gear_neo4j.retrieval.patterns.condition import Condition
from gear_neo4j.retrieval.patterns.hints import Hints
from gear_neo4j.retrieval.patterns.pattern import Constraint, Edge, Pattern
from gear_neo4j.retrieval.patterns.phrases import Phrases
from gear_neo4j.retrieval.patterns.scoring import Scorer
from gear_neo4j.retrieval.patterns.target import target_labels
from gear_neo4j.retrieval.patterns.weights import WEIGHTS
from tests.pattern_search import search_over

SCHEMA = GraphSchema(
    labels={
        "Person": {"name": PropertySchema("name", distinct=900)},
        "Officer": {
            "name": PropertySchema("name", distinct=300),
            "rank": PropertySchema("rank", distinct=4),
        },
        "Vehicle": {
            "plate": PropertySchema("plate", distinct=700),
            "make": PropertySchema("make", distinct=40),
        },
        "Incident": {
            "number": PropertySchema("number", distinct=5_000),
            "outcome": PropertySchema("outcome", distinct=9),
            "day": PropertySchema("day", "date", stored_as_text=True, least=2020, greatest=2026, distinct=900),
        },
        "Place": {"address": PropertySchema("address", distinct=3_000)},
        "Email": {"address": PropertySchema("address", distinct=600)},
        "Phone": {"line": PropertySchema("line", distinct=600)},
        "PhoneCall": {
            "day": PropertySchema("day", "date", stored_as_text=True, least=2020, greatest=2026, distinct=900),
            "duration": PropertySchema("duration", "number", greatest=900, distinct=300),
        },
    },
    types={
        "INVOLVED_IN": {},
        "PART_OF": {},
        "HAPPENED_AT": {},
        "INVESTIGATED_BY": {},
        "HAS_EMAIL": {},
        "HAS_PHONE": {},
        "CALLED": {},
        "KNOWS": {},
    },
    ties=(
        Tie("Vehicle", "INVOLVED_IN", "Incident", 900),
        Tie("Person", "PART_OF", "Incident", 800),
        Tie("Incident", "HAPPENED_AT", "Place", 5_000),
        Tie("Incident", "INVESTIGATED_BY", "Officer", 5_000),
        Tie("Person", "HAS_EMAIL", "Email", 600),
        Tie("Person", "HAS_PHONE", "Phone", 600),
        Tie("PhoneCall", "CALLED", "Phone", 900),
        Tie("Person", "KNOWS", "Person", 700),
    ),
    names={
        "Person": "name",
        "Officer": "name",
        "Vehicle": "plate",
        "Incident": "number",
        "Place": "address",
        "Email": "address",
        "Phone": "line",
    },
)
VALUES = [
    ("Person", "name", "Rose Miller"),
    ("Person", "name", "Ivo Brandt"),
    ("Officer", "rank", "Chief Inspector"),
    ("Officer", "rank", "Sergeant"),
    ("Vehicle", "make", "Lancia"),
    ("Incident", "outcome", "Closed without a result"),
    ("Incident", "outcome", "Offender given a written warning"),
    ("Incident", "outcome", "Offender given a fine"),
    ("Place", "address", "12 Mill Lane"),
]


@pytest.fixture(scope="module")
def search():
    return search_over(SCHEMA, VALUES)


def best(search, question):
    """The first candidate for a question."""
    return search.find(question).ranked[0]


def asked(search, question):
    """The label of the answer."""
    candidate = best(search, question)
    return candidate.pattern.labels[candidate.target]


def conditions(search, question):
    """The conditions of the first candidate: labels, properties and what they are compared with."""
    pattern = best(search, question).pattern
    return {
        (condition.owner.name, condition.property, condition.texts or condition.bounds)
        for condition in (constraint.condition for constraint in pattern.on_nodes)
    }


@pytest.mark.parametrize(
    ("question", "label"),
    [
        # A value before a noun describes what is asked for, and does not name it.
        ("Which Lancia vehicles were involved in incidents?", "Vehicle"),
        ("Can you identify the Lancia vehicles involved in incidents?", "Vehicle"),
        # Of two nouns, the last one is asked for; a word joined by a hyphen only describes.
        ("Which incident places are known for vehicles?", "Place"),
        ("Which vehicle-related incidents happened at 12 Mill Lane?", "Incident"),
        # A relative clause asks for nothing.
        ("Which emails are from people who know Rose Miller?", "Email"),
        ("List the emails of Ivo Brandt, who knows Rose Miller", "Email"),
        ("Who are the officers who investigated incidents at 12 Mill Lane?", "Officer"),
        ("Which incidents happened at places where Rose Miller was part of an incident?", "Incident"),
        ("Tell me who knows Rose Miller", "Person"),
        # A phone is no phone call.
        ("Which phones were called on 2024-05-03?", "Phone"),
        ("Which phone calls lasted 20 seconds?", "PhoneCall"),
        # The word in the place of the answer counts, even if it is only like the label.
        ("Which cars were part of incident investigations?", "Vehicle"),
        ("Which places had incidents with Rose Miller?", "Place"),
    ],
)
def test_the_answer_is_what_the_question_asks_for(search, question, label):
    """And not the node that it says most of."""
    assert label == asked(search, question)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which calls lasted exactly 86 seconds?", ("PhoneCall", "duration", (("=", 86.0),))),
        ("Which phones got 86-second calls?", ("PhoneCall", "duration", (("=", 86.0),))),
        ("Which calls took more than 5 minutes?", ("PhoneCall", "duration", ((">", 5.0),))),
        ("List the calls from August 15, 2024", ("PhoneCall", "day", (("=", 20240815.0),))),
        ("List the calls from August 15, 2024 on", ("PhoneCall", "day", ((">=", 20240815.0),))),
        ("List the calls since August 15, 2024", ("PhoneCall", "day", ((">=", 20240815.0),))),
        (
            "List the calls from August 15, 2024 to August 20, 2024",
            ("PhoneCall", "day", ((">=", 20240815.0), ("<=", 20240820.0))),
        ),
        ("Which incidents were investigated by Chief Inspectors?", ("Officer", "rank", ("Chief Inspector",))),
        ("Which incidents were closed with no result?", ("Incident", "outcome", ("Closed without a result",))),
        (
            "Which incidents ended with a written warning of the offender?",
            ("Incident", "outcome", ("Offender given a written warning",)),
        ),
    ],
)
def test_what_it_says_becomes_a_condition(search, question, said):
    """Units name what they measure, a day is a day, ranks have a plural, and a value may be said in part."""
    assert said in conditions(search, question)


@pytest.mark.parametrize(("owner", "other"), [("Ivo Brandt", "Rose Miller"), ("Rose Miller", "Ivo Brandt")])
def test_of_two_people_the_one_beside_the_answer_has_what_is_asked_for(search, owner, other):
    """Emails of Ivo, who knows Rose, are not Rose's."""
    pattern = best(search, f"List the emails of {owner}, who knows {other}").pattern
    names = {constraint.index: constraint.condition.texts for constraint in pattern.on_nodes}
    (start,) = [edge.start for edge in pattern.edges if edge.type == "HAS_EMAIL"]

    assert (owner,) == names[start]


def test_two_people_in_the_order_of_the_question_get_more_points(search):
    """From the answer outward, wherever it stands."""
    question = "List the emails of Ivo Brandt, who knows Rose Miller"
    reading = search.reader.read(question)
    likeness = search.likenesses.of(reading)
    wanted = target_labels(reading, likeness, schema=SCHEMA, likenesses=search.likenesses)
    scorer = Scorer(Hints(reading, likeness, wanted), SCHEMA)
    numbers = {literal.conditions[0].texts[0]: number for number, literal in enumerate(reading.literals)}

    def points(*names):
        on_nodes = [
            Constraint(node, reading.literals[numbers[name]].conditions[0], numbers[name])
            for node, name in enumerate(names, start=1)
        ]
        edges = (Edge(1, 0, "HAS_EMAIL", True), Edge(1, 2, "KNOWS", True))
        pattern = Pattern(("Email", "Person", "Person"), edges, on_nodes=tuple(on_nodes))
        return dict(scorer.answers.ranked(pattern))[0]

    # Whom Ivo knows is about Ivo: the order and the relative clause say the same.
    expected = 2 * (WEIGHTS.order + WEIGHTS.behind)
    assert expected == pytest.approx(points("Ivo Brandt", "Rose Miller") - points("Rose Miller", "Ivo Brandt"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("an offender who was given a written warning", ["Offender given a written warning"]),
        # Two outcomes have as many of these words.
        ("the offender was given something", []),
        ("closed without any result", ["Closed without a result"]),
        ("closed shops and, as one would expect from all that was said before, no good result", []),
        ("a vehicle and an incident", []),
        ("", []),
    ],
)
def test_a_value_is_said_by_most_of_its_words_together(text, found):
    """Of the schema's words alone, none is."""
    texts = [value for label, _, value in VALUES if label == "Incident"] + ["Vehicle incident"]
    values = [Condition(Owner("label", "Incident"), "outcome", "is", (value,)) for value in texts]
    phrases = Phrases(values, plain=frozenset({"vehicl", "incid"}))

    assert found == [phrase.condition.texts[0] for phrase in phrases.find(text.replace(",", " ").split())]
