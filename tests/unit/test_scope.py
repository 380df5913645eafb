"""Filters and scopes: filters have the right meaning, errors point at the character, no scope is widened."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.errors import SettingsError
from gear_neo4j.filters import (
    MOST_CONDITIONS,
    All,
    AnyOf,
    Condition,
    Not,
    both,
    conjunction_of,
    filter_json,
    parse_filter,
)
from gear_neo4j.scope import EVERYTHING, Scope, checked_name
from tests.scopes import compares

VALUES = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = VALUES | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
FIELDS = st.sampled_from(["year", "team", "a-b", "größe", "from", "x y", "`"]) | st.text(min_size=1, max_size=5).filter(
    # The words of filters are refused as fields.
    lambda name: name.strip() and name not in ("and", "or", "not")
)
CONDITIONS = st.one_of(
    st.builds(
        lambda field, values: Condition(field, "in", tuple(values)), FIELDS, st.lists(SCALARS, min_size=1, max_size=3)
    ),
    st.builds(Condition, FIELDS, st.just("exists")),
    st.builds(
        lambda field, sign, value: Condition(field, sign, (value,)),
        FIELDS,
        st.sampled_from(["gt", "gte", "lt", "lte"]),
        SCALARS,
    ),
)
FILTERS = st.recursive(
    CONDITIONS,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(lambda parts: All(tuple(parts)), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: AnyOf(tuple(parts)), st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=6,
)


def holds(filter, item):
    """Whether a filter matches a passage whose fields all have this value."""
    match filter:
        case Condition(_, operator, values):
            return compares(item, operator, values)
        case Not(part):
            return not holds(part, item)
        case All(parts):
            return all(holds(part, item) for part in parts)
        case AnyOf(parts):
            return any(holds(part, item) for part in parts)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("year = 2020", {"year": 2020}),
        ("year == 2020", {"year": {"eq": 2020}}),
        ("year != 2020", {"not": {"year": 2020}}),
        ("year>=2020", {"year": {"gte": 2020}}),
        ("Year < -1.5e3", {"Year": {"lt": -1500.0}}),
        ("team in [\"a\", 'b']", {"team": ["a", "b"]}),
        ("team not in [1, true]", {"not": {"team": [1, True]}}),
        ("draft exists", {"draft": {"exists": True}}),
        ("not draft exists", {"draft": {"exists": False}}),
        ("NOT (a = 1 OR b = 2) AND c = 3", {"and": [{"not": {"or": [{"a": 1}, {"b": 2}]}}, {"c": 3}]}),
        ("android = 1 and notes = 2 and order = 3", {"and": [{"android": 1}, {"notes": 2}, {"order": 3}]}),
        ("`from` = 'x'", {"from": "x"}),
        (r"name = 'O\'Hara \\ \"x\"'", {"name": 'O\'Hara \\ "x"'}),
        ("名前 = '鲁迅'", {"名前": "鲁迅"}),
    ],
)
def test_a_filter_means_the_same_as_text_and_as_json(text, same):
    """And as JSON text; a field named like a keyword is in backticks."""
    assert parse_filter(text) == parse_filter(same) == parse_filter(json.dumps(same))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "wrong at its end: expected .*a field"),
        ("year", "wrong at its end: expected .*="),
        ("year >=", "wrong at its end: expected a number, a quoted text or true or false"),
        ("year >= and", "wrong at character 9, 'and': expected a number"),
        ("year 2020", "wrong at character 6, '2020'"),
        ("year = 1 b", "wrong at character 10, 'b': expected the end, and or or"),
        ("((a = 1)", r"wrong at its end: expected \)"),
        ("a in []", r"wrong at character 7, '\]': expected a number"),
        ("a in [1", r"wrong at its end: expected , or \]"),
        ("a not b", "wrong at character 7, 'b': expected in"),
        ("a = 'x", "wrong at character 5"),
        ("a ; DROP", "wrong at character 3, ';'"),
        ("a = 99999999999999999999", "more than 64 bits"),
        (f"a = {'9' * 5_000}", "more than 64 bits"),
        (f"a in [1, -{'9' * 5_000}]", "more than 64 bits"),
        (f'{{"a": {"9" * 5_000}}}', "more than 64 bits"),
        ({"a": 10**5_000}, "more than 64 bits"),
        ({"a": {"exists": 10**5_000}}, "a.exists is no value of JSON"),
        ("x" * 10_001, "longer than 10,000 characters"),
        ("not " * 2_000 + "a = 1", "nested too deeply|longer than"),
        ("`not` = 1", "a field of the filter is named 'not'"),
        ('{"a":', "not JSON: .* at character"),
        ({}, "give an object"),
        ([], "give an object"),
        (3, "give an object"),
        ({"a": None}, "compares 'a' with null"),
        ({"a": []}, "empty list"),
        ({"a": {}}, "says nothing about 'a'"),
        ({"a": [[1]]}, r"compares 'a' with \[1\]"),
        ({"a": {"gte": [1]}}, r"compares 'a' with \[1\]"),
        ({"a": {"near": 1}}, "the operator 'near' for 'a': choose one of in, gt"),
        ({"a": {"exists": 1}}, "a.exists is 1: give true or false"),
        ({"a": {"in": 1}}, "a.in is 1: give a list"),
        ({"and": []}, "and is .*: give a list of objects"),
        ({"or": [3]}, "or is 3: give an object"),
        ({"not": []}, "not is .*: give an object"),
        ({" ": 1}, "blank or longer"),
        ({"a": "\ud800"}, "no database can hold"),
        ({"a": list(range(MOST_CONDITIONS + 1))}, "more than 500 conditions"),
        (
            {"or": [{"and": [{f"a{index}": 1}, {f"b{index}": 1}]} for index in range(10)]},
            "more than 500 conditions",
        ),
    ],
)
def test_a_wrong_filter_is_refused_in_a_line_with_the_character_at_fault(text, message):
    """And what was expected there."""
    with pytest.raises(SettingsError, match=message) as refused:
        parse_filter(text)

    assert "\n" not in str(refused.value)


@given(FILTERS)
def test_a_filter_survives_json(filter):
    """Its meaning does: a list of one part becomes that part."""
    try:
        conjunction_of(filter)
    except SettingsError:
        return
    again = parse_filter(json.loads(json.dumps(filter_json(filter))))

    for item in (True, 0, 1, 2020, 0.5, "", "a", "2020"):
        assert holds(filter, item) == holds(again, item)


@pytest.mark.parametrize("wrapped", ["public = {}", "public in [0, {}]", "not public >= {}", "a = 2 and a != {}"])
def test_truth_is_not_one(wrapped):
    """Python considers them equal; databases do not, so neither do filters, scopes and caches."""
    true, one, real = (Scope(where=parse_filter(wrapped.format(value))) for value in ("true", "1", "1.0"))

    assert 3 == len({true, one, real})
    assert not one.admits(true)
    assert not true.admits(one)
    assert {"and": [true.json["where"], one.json["where"]]} == true.narrowed(where=one.where).json["where"]


@given(FILTERS)
def test_the_normal_form_holds_where_the_filter_holds(filter):
    """All clauses, each through one of its conditions."""
    try:
        clauses = conjunction_of(filter)
    except SettingsError:
        return

    for item in (True, 0, 1, 2020, 0.5, "", "a", "2020"):
        normal = all(any(negated != holds(condition, item) for condition, negated in clause) for clause in clauses)
        assert normal == holds(filter, item)


@given(st.text(max_size=60))
def test_any_text_is_a_filter_or_refused(text):
    """Nothing else happens."""
    with suppress(SettingsError):
        assert conjunction_of(parse_filter(text))


NAMES = st.none() | st.lists(st.sampled_from(["a", "b", "c"]), max_size=3)
SCOPES = st.builds(
    lambda collections, principals, where, strict: EVERYTHING.narrowed(
        collections=collections, principals=principals, where=where, strict=strict
    ),
    NAMES,
    NAMES,
    st.sampled_from([None, "a = 1", "b = 2"]),
    st.booleans(),
)


@given(SCOPES, SCOPES)
def test_a_scope_is_narrowed_and_never_widened(first, second):
    """Both conditions apply afterwards, in any order."""
    narrowed = first.narrowed(**second.json)

    assert first.admits(narrowed) or first.where != narrowed.where
    for names in ("collections", "principals"):
        mine, theirs, left = (getattr(scope, names) for scope in (first, second, narrowed))
        assert left == (theirs if mine is None else mine if theirs is None else mine & theirs)
    assert narrowed.strict == (first.strict or second.strict)
    assert both(first.where, second.where) == narrowed.where
    assert narrowed == first & second


@given(SCOPES)
def test_a_scope_comes_back_from_its_json(scope):
    """As in traces and saved searches."""
    assert scope == EVERYTHING.narrowed(**json.loads(json.dumps(scope.json)))
    assert EVERYTHING.admits(scope)
    assert scope.admits(scope)
    assert scope.admits(EVERYTHING) == scope.is_everything


def test_one_name_is_not_taken_for_its_letters():
    """A text is an iterable of texts, too."""
    assert Scope(collections=frozenset({"legal"})) == EVERYTHING.narrowed(collections="legal")


@pytest.mark.parametrize("name", ["", " ", " legal", "legal\n", "a\x1b[2J", "x" * 201, 3, None])
def test_a_name_that_cannot_be_used_is_refused(name):
    """Before it is written anywhere."""
    with pytest.raises(SettingsError):
        checked_name(name, kind="principal")
    with pytest.raises(SettingsError):
        checked_name("legal/hr", kind="collection")
