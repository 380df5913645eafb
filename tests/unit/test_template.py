"""Templates as their owners write them: declarations, values, and queries that do more than read."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.errors import GearError, GuardError, InputError
from gear_neo4j.graph.guard.template import LONGEST_VALUE, Parameter, Template
from tests.hostile import attacks

ATTACKS = attacks("http://127.0.0.1:9", "file:///a")
CALLS = """
// The calls of a day.
// $day (date): the day of the call
//$most ( integer )

MATCH (c:Call) // $other
WHERE c.day = $day AND c.note <> '$quoted'
RETURN c.id AS id LIMIT $most
"""


def parsed(text, *, name="calls", description="the calls of a day"):
    return Template.parse(name, description, text)


def test_the_first_comments_declare_parameters():
    """Other comments and texts in quotes do not; what is sent has no comments, and its own LIMIT."""
    template = parsed(CALLS)

    assert (Parameter("day", "date", "the day of the call"), Parameter("most", "integer")) == template.parameters
    expected = "MATCH (c:Call)\nWHERE c.day = $day AND c.note <> '$quoted'\nRETURN c.id AS id LIMIT $most"
    assert expected == template.statement
    assert CALLS.strip() == template.text


def test_a_parameter_without_a_declaration_is_a_text():
    """Each once, in the order of the query; dynamic labels are no parameters of their own."""
    template = parsed("MATCH (n:$any($labels) {name: $name}) WHERE n.other = $name RETURN n")

    assert [("labels", "text"), ("name", "text")] == [(one.name, one.kind) for one in template.parameters]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// $day (date)\nMATCH (n) RETURN n", "declares \\$day, but the query does not use it"),
        ("// $day (dat)\nMATCH (n {day: $day}) RETURN n", "kind 'dat': did you mean date\\? use text, integer"),
        ("MATCH (n {day: $`day`}) RETURN n", "the parameter \\$`day`"),
        ("MATCH (n {day: $1}) RETURN n", "the parameter \\$1"),
        ("MATCH (n {day: 'a}) RETURN n", "never closed"),
        ("", "there is no query"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(text, message):
    """With what to do."""
    with pytest.raises(GearError, match=message) as refused:
        parsed(text)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "description"), [("", "x"), ("1st", "x"), ("a b", "x"), ("a" * 65, "x"), ("a", " "), ("a", "x" * 301)]
)
def test_a_name_and_a_description_are_needed(name, description):
    """Neither may be endless."""
    with pytest.raises(InputError):
        parsed("MATCH (n) RETURN n", name=name, description=description)


@pytest.mark.parametrize("reply", [reply for _, reason, reply in ATTACKS if "parameter" not in reason])
def test_a_hostile_template_is_refused(reply):
    """A template may do no more than a query of a model."""
    with pytest.raises(GuardError):
        parsed(reply)


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n) WHERE n.name =~ $pattern RETURN n",
        "UNWIND range(1, $most) AS n RETURN n",
        "RETURN replace('aaaa', 'a', $text) AS text",
    ],
)
def test_a_parameter_is_no_way_around_the_bounds(text):
    """A pattern, a range or a replacement that nobody has checked."""
    with pytest.raises(GuardError):
        parsed(text)


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("text", "O'Hara\n", "O'Hara\n"),
        ("Person.name", "Ana", "Ana"),
        ("integer", "-3", -3),
        ("integer", 7, 7),
        ("number", "1.5", 1.5),
        ("date", "2024-05-31", date(2024, 5, 31)),
        ("date", date(2024, 5, 31), date(2024, 5, 31)),
    ],
)
def test_a_value_is_sent_as_its_kind(kind, given, expected):
    """Texts of the command line are read."""
    assert expected == Parameter("p", kind).value(given)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("text", 3),
        ("text", None),
        ("text", "a" * (LONGEST_VALUE + 1)),
        ("text", "\ud800"),
        ("integer", "1.5"),
        ("integer", True),
        ("integer", "9" * 19),
        ("number", "nan"),
        ("number", "1e999"),
        ("number", []),
        ("date", "31.5.2024"),
    ],
)
def test_a_value_of_another_kind_is_refused(kind, given):
    """The message names the parameter."""
    with pytest.raises(InputError, match="p is .*: it must be"):
        Parameter("p", kind).value(given)


def test_every_parameter_needs_a_value():
    """And no other may have one."""
    template = parsed("MATCH (n {name: $name, day: $day}) RETURN n")

    with pytest.raises(InputError, match="needs a value for day"):
        template.bind({"name": "Ana"})
    with pytest.raises(InputError, match="no parameter 'nmae': did you mean name\\?"):
        template.bind({"nmae": "Ana"})
    assert {"name": "Ana", "day": "Monday"} == template.bind({"day": "Monday", "name": "Ana"})


@given(st.text(max_size=200))
def test_any_text_is_a_template_or_is_refused(text):
    """Nothing else is raised, and no template has a line of another statement."""
    try:
        template = parsed(f"{text}\nMATCH (n {{name: $name}}) RETURN n")
    except GearError:
        return
    assert ["name"] == [one.name for one in template.parameters if one.name == "name"]
    assert template.statement.endswith("RETURN n LIMIT 101")


@given(kind=st.sampled_from(["text", "integer", "number", "date", "A.b"]), value=st.text(max_size=30))
def test_any_value_is_of_its_kind_or_is_refused(kind, value):
    """A value that is taken is taken again unchanged."""
    parameter = Parameter("p", kind)
    try:
        taken = parameter.value(value)
    except InputError:
        return
    assert taken == parameter.value(taken)
