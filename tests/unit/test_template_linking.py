"""The values that a question states, and the parameters of a template that they belong to."""

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.graph.guard.template import Parameter
from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner, PropertyRef, PropertySchema
from gear_neo4j.retrieval.patterns.question_reader import QuestionReader
from gear_neo4j.retrieval.templates.linking import linked, stated_in
from tests.pattern_search import ValuesInMemory

SCHEMA = GraphSchema(
    {
        "Person": {"name": PropertySchema("name", distinct=9), "town": PropertySchema("town", distinct=9)},
        "Call": {"day": PropertySchema("day", "date", True, distinct=9, form="d/m/y")},
    },
    {},
    (),
    {"Person": "name"},
)
VALUES = [("Person", "name", "Ada Wells"), ("Person", "name", "Kelso"), ("Person", "town", "Kelso")]
NAME, TOWN, DAY = Parameter("name", "Person.name"), Parameter("town", "Person.town"), Parameter("day", "Call.day")


@pytest.fixture(scope="module")
def reader():
    """A reader of questions about people, their towns and their calls."""
    known = [*VALUES, ("Call", "day", "5/08/2017"), ("Call", "day", "15/08/2017")]
    values = ValuesInMemory((PropertyRef(Owner("label", label), name), text) for label, name, text in known)
    return QuestionReader(SCHEMA, values)


@pytest.mark.parametrize(
    ("parameters", "question", "values"),
    [
        ([NAME], "Whom did ada wells call?", {"name": "Ada Wells"}),
        ([NAME, TOWN], "Does Ada Wells live in Kelso?", {"name": "Ada Wells", "town": "Kelso"}),
        ([TOWN, NAME], "Does Ada Wells live in Kelso?", {"name": "Ada Wells", "town": "Kelso"}),
        ([DAY], "Who called on August 5, 2017?", {"day": "5/08/2017"}),
        ([DAY], "Who called on 05/08/2017?", {"day": "5/08/2017"}),
        ([Parameter("day", "date")], "Who called on 2017-08-05?", {"day": "2017-08-05"}),
        ([Parameter("most", "integer")], "Which three towns are the largest?", {"most": 3}),
        ([Parameter("size", "number")], "Which towns have 2.5 million people?", {"size": 2_500_000.0}),
        ([Parameter("word")], "Who said 'good grief'?", {"word": "good grief"}),
        ([], "Who called?", {}),
    ],
)
def test_each_value_of_a_question_is_that_of_its_parameter(reader, parameters, question, values):
    """As the graph spells it."""
    assert values == linked(parameters, stated_in(reader.read(question)), reader)


@pytest.mark.parametrize(
    ("parameters", "question"),
    [
        ([], "Whom did Ada Wells call?"),
        ([NAME], "Who called?"),
        ([NAME], "Did Ada Wells call on 5/08/2017?"),
        ([NAME], "Did 'Nobody Known' call?"),
        ([NAME, Parameter("other", "Person.name")], "Did Ada Wells call Kelso?"),
        ([DAY], "Who called after 5/08/2017?"),
        ([DAY], "Who called on 6/08/2017?"),
        ([Parameter("day", "date")], "Who called on 5/08/2017?"),
        ([Parameter("most", "integer")], "Which towns have more than 3 people?"),
        ([Parameter("name", "Person.nmae")], "Whom did Ada Wells call?"),
        ([NAME], "Who lives outside of towns other than Kelso?"),
    ],
)
def test_what_is_not_certain_is_not_linked(reader, parameters, question):
    """Too many values or too few, two ways to assign them, a range, an ambiguous date, or a property that is gone."""
    assert linked(parameters, stated_in(reader.read(question)), reader) is None


@given(st.text(max_size=80), st.dates(date(1900, 1, 1), date(2090, 12, 31)))
def test_values_never_overlap(reader, text, day):
    """Whatever stands around them."""
    stated = stated_in(reader.read(f"{text} {day.isoformat()} {text}"))

    assert all(one.end <= other.start for one, other in pairwise(stated))
    assert all(one.end > one.start for one in stated)
