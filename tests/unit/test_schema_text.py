"""The schema in a prompt contains the labels that the question is about, even if there are many."""

from gear_neo4j.adoption.survey import Label, Property, Survey, Type
from gear_neo4j.agents.schema import schema_text

MANY = 500


def test_what_a_question_is_linked_to_fits_whatever_else_there_is():
    """Only some of 500 labels and types fit; the linked ones come first, although they are the rarest."""
    labels = {
        name: Label(name, MANY - number, 1, {"name": Property("name", 1, examples=[f"example {number}"])})
        for number, name in enumerate(f"Label{number}" for number in range(MANY))
    }
    types = {f"TYPE_{n}": Type(f"TYPE_{n}", MANY - n, {f"Label{n}": 1}, {"Label0": 1}) for n in range(MANY)}
    survey = Survey(MANY, labels, types)
    wanted = {f"Label{MANY - 1}", f"TYPE_{MANY - 1}"}

    without, linked = schema_text(survey), schema_text(survey, linked=wanted)

    assert not any(name in without for name in wanted)
    assert linked.startswith(f"(:Label{MANY - 1}) 1 node: ")
    assert f"(:Label{MANY - 1})-[:TYPE_{MANY - 1}]->(:Label0)" in linked
    assert len(linked) < 9_000
