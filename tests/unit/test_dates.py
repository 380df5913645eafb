"""A date in a question, and the property with which it is compared."""

import pytest

from gear_neo4j.graph.read.graph_schema import GraphSchema, PropertySchema
from gear_neo4j.retrieval.patterns.question_reader import QuestionReader
from tests.pattern_search import ValuesInMemory


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Which orders were placed before 1 January 1997?", "orderDate"),
        ("Which orders were shipped before '1997-01-01'?", "shippedDate"),
    ],
)
def test_the_date_of_a_node_itself_is_meant_unless_a_word_names_another(question, meant):
    """The date of an order is its orderDate."""
    dates = {name: PropertySchema(name, "date") for name in ("requiredDate", "orderDate", "shippedDate")}
    values = ValuesInMemory([])
    reader = QuestionReader(GraphSchema({"Order": dates}, {}, (), {}), values)

    (literal,) = reader.read(question).literals

    assert (("<", 19970101.0),) == literal.conditions[0].bounds
    assert meant == max(literal.conditions, key=lambda condition: condition.prior).property
