"""Numbers, dates and times in any form that people write: what is written is read, and what is no number is not."""

import time
from datetime import date

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gear_neo4j.adoption.schema import property_schema
from gear_neo4j.adoption.survey import Property
from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner, PropertySchema
from gear_neo4j.retrieval.patterns.amounts import amounts_in
from gear_neo4j.retrieval.patterns.condition import Condition
from gear_neo4j.retrieval.patterns.conditions import dates_in, numbers_in, times_in
from gear_neo4j.retrieval.patterns.cypher import Compiler
from gear_neo4j.retrieval.patterns.description import description
from gear_neo4j.retrieval.patterns.pattern import Constraint, Pattern

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}
FORMS = [
    "{:,}",
    lambda number: f"{number:,}".replace(",", "\u202f"),
    lambda number: f"{number:,}".replace(",", "'"),
    lambda number: f"{number:,}".replace(",", " "),
    lambda number: f"{number:,}".replace(",", "."),
    "{}",
    "${:,}",
    "{:,} kg",
    "{:,}%",
]


def written(form, number):
    """A number in a form."""
    return form(number) if callable(form) else form.format(number)


def spelled(number):
    """A number below a million in English words."""
    ones = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    ones = [*ones.split(), "seventeen", "eighteen", "nineteen"]
    tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    if number >= 1_000:
        rest = f" {spelled(number % 1_000)}" if number % 1_000 else ""
        return f"{spelled(number // 1_000)} thousand{rest}"
    if number >= 100:
        return f"{ones[number // 100]} hundred" + (f" and {spelled(number % 100)}" if number % 100 else "")
    if number >= 20:
        return tens[number // 10 - 2] + (f"-{ones[number % 10]}" if number % 10 else "")
    return ones[number]


@given(st.sampled_from(FORMS), st.integers(0, 10**12))
def test_a_whole_number_is_read_in_any_form(form, number):
    """Except with one full stop, which separates decimals in English."""
    assume(form is not FORMS[4] or not 1_000 <= number < 1_000_000)
    text = f"companies with more than {written(form, number)} employees"

    assert [((">", float(number)),)] == [numbers.bounds for numbers in numbers_in(text)]


@given(st.integers(0, 10**9), st.integers(0, 99), st.booleans())
def test_decimals_are_read_with_either_sign(whole, hundredths, comma):
    """After grouped thousands, too."""
    english = f"{whole:,}.{hundredths:02}"
    text = english.translate(str.maketrans(",.", ".,")) if comma else english

    assert [whole + hundredths / 100] == pytest.approx([amount.value for amount in amounts_in(f"at {text} now")])


@given(st.integers(0, 999_999))
def test_numbers_in_words_are_read(number):
    """One alone counts nothing."""
    assert [float(number)] == [amount.value for amount in amounts_in(f"over {spelled(number)} people")]


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.sampled_from(["between {} and {}", "from {} to {}"]))
def test_a_range_has_both_ends(first, second, words):
    """In the order in which they stand."""
    (found,) = numbers_in(f"companies with {words.format(f'{first:,}', f'{second:,}')} employees")

    assert ((">=", float(first)), ("<=", float(second))) == found.bounds


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("over 2 million", (">", 2e6)),
        ("at least 3.5bn", (">=", 3.5e9)),
        ("mehr als 2,5 Millionen", (">", 2.5e6)),
        ("level != 3", ("<>", 3.0)),
        ("a size other than 3", ("<>", 3.0)),
        ("a size not equal to 3", ("<>", 3.0)),
        ("5k+", (">=", 5_000)),
        ("half a million", ("=", 5e5)),
        ("a temperature below -5", ("<", -5)),
        ("a temperature below −5 °C", ("<", -5)),
        ("employees >= 5000", (">=", 5_000)),
        ("employees ≤5000", ("<=", 5_000)),
        ("employees > 2000", (">", 2_000)),
        ("employees=2000", ("=", 2_000)),
        ("greater than or equal to 7", (">=", 7)),
        ("no more than 7", ("<=", 7)),
        ("7 or fewer", ("<=", 7)),
        ("more than 1.500.000", (">", 1.5e6)),
        ("mehr als 1.000,5", (">", 1_000.5)),
        ("größer als 7", (">", 7)),
        ("moins de 12", ("<", 12)),
        ("12,34,567 rupees", ("=", 1_234_567)),
        ("over 2 lakh", (">", 200_000)),
        ("less than 1.5 crore", ("<", 1.5e7)),
        ("more than $3m", (">", 3e6)),
        ("under €2.5bn", ("<", 2.5e9)),
        ("a depth of 3m", ("=", 3)),
        ("below minus 3 degrees", ("<", -3)),
        ("over one and a half million", (">", 1.5e6)),
        ("two and a half hours", ("=", 2.5)),
        ("a level that is not 3", ("<>", 3)),
        ("従業員300人以上", (">=", 300)),
        ("従業員300人未満", ("<", 300)),
        ("员工超过1,000人", (">", 1_000)),
        ("不超过5个", ("<=", 5)),
        ("员工超过300万", (">", 3e6)),
        ("売上3億円以上", (">=", 3e8)),
        ("mehr als 1.000 Einwohner", (">", 1_000)),
        ("a rating of 1.250", ("=", 1.25)),
        ("max. 7", ("<=", 7)),
        ("a minimum age of 18", (">=", 18)),
        ("values equal or greater than 7", (">=", 7)),
        ("values at or below 7", ("<=", 7)),
        ("a quarter of a million", ("=", 250_000)),
        ("heavier than 180kg", (">", 180)),
    ],
)
def test_comparisons_are_read_in_words_and_signs(text, bounds):
    """With scales, units and signs of their own."""
    assert [(bounds,)] == [numbers.bounds for numbers in numbers_in(f"things with {text}")]


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("between 5 and 10 million", (5e6, 1e7)),
        ("films of 1990-1995", (1990, 1995)),
        ("between 5-10 units", (5, 10)),
        ("zwischen 5 und 10", (5, 10)),
        ("entre 1.000.000 et 2.000.000", (1e6, 2e6)),
        ("1,000-2,000 employees", (1000.0, 2000.0)),
        ("1,000–2,500,000 employees", (1000.0, 2500000.0)),
        ("5 to 10 members", (5.0, 10.0)),
        ("between 3 & 5 stars", (3, 5)),
        ("between the ages of 18 and 65", (18, 65)),
        ("people aged 18-65", (18, 65)),
        ("between one and two million", (1e6, 2e6)),
    ],
)
def test_ranges_are_read_as_people_write_them(text, bounds):
    """A scale at the second end holds for both; a hyphen joins years."""
    assert [((">=", bounds[0]), ("<=", bounds[1]))] == [numbers.bounds for numbers in numbers_in(text)]


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("above 5 and below 10", ((">", 5), ("<", 10))),
        ("less than 10 but at least 5", ((">=", 5), ("<", 10))),
        ("born after 1950, and before 1960", ((">", 1950), ("<", 1960))),
    ],
)
def test_two_comparisons_that_are_joined_are_a_range(text, bounds):
    """Of one property; so *above 5 and below* is no *5 and below*."""
    assert [bounds] == [numbers.bounds for numbers in numbers_in(f"things with {text}")]


@pytest.mark.parametrize(
    "text", ["above 10 and below 5", "above 5 units and a price below 10", "more than 5, below 10"]
)
def test_other_comparisons_stand_alone(text):
    """They may be of two properties, or contradict one another."""
    assert [1, 1] == [len(numbers.bounds) for numbers in numbers_in(f"things with {text}")]


@pytest.mark.parametrize(
    "text",
    [
        "sizes not between 5 and 10",
        "a version between 1.2.3 and 2.0",
        "hosts between 10.0.0.1 and 10.0.0.20",
        "the host 192.168.100.200",
        "calls from 4-(149)887-3293",
        "the NHS number 821-24-9412",
        "calls at 22:26",
        "crimes on 31.12.2019",
        "Boeing 747s",
        "a 5th street",
    ],
)
def test_codes_are_no_numbers(text):
    """A wrong number looks like a right one: parts of codes are not read."""
    assert [] == list(numbers_in(text))


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("who won 3 to 5", [(("=", 3.0),), (("=", 5.0),)]),
        ("a ratio of 2 to 3", [(("=", 2.0),), (("=", 3.0),)]),
        ("from more than 5 to 10", [((">", 5.0),), (("=", 10.0),)]),
        ("10 to 5", [(("=", 10.0),), (("=", 5.0),)]),
    ],
)
def test_two_numbers_with_to_between_them_need_not_be_a_range(text, bounds):
    """Scores, ratios, and numbers that are compared or fall."""
    assert bounds == [numbers.bounds for numbers in numbers_in(text)]


@given(st.text(alphabet="0123456789.,-–/:'’ ()$%kKmM€ andtobetwenfrm", max_size=40))
def test_any_row_of_digits_and_signs_can_be_read(text):
    """Without an error; spans lie within the text."""
    for found in (*numbers_in(text), *dates_in(text), *times_in(text)):
        assert 0 <= found.start < found.end <= len(text)


@pytest.mark.parametrize(
    "part", ["1 000 ", "1,", "mehr als 1.000 ", "one hundred ", "twenty ", "from 5 to ", "1/1/2017 ", "between 1-", "-"]
)
def test_a_long_question_costs_no_time(part):
    """The longest that a service takes, of one part over and over."""
    text = part * (4_000 // len(part))
    started = time.perf_counter()
    for read in (numbers_in, dates_in, times_in):
        list(read(text))

    assert 5 > time.perf_counter() - started


DATES = [
    "{:%Y-%m-%d}",
    "{:%Y/%m/%d}",
    "{:%d.%m.%Y}",
    "{:%d/%m/%Y}",
    "{0.day}/{0.month}/{0.year}",
    lambda day: f"{day:%B} {day.day}, {day.year}",
    lambda day: f"{day.day} {day:%b} {day.year}",
    lambda day: f"{day.day}th of {day:%B} {day.year}",
    lambda day: f"{day.day}. {MONTHS['de'].split()[day.month - 1]} {day.year}",
    lambda day: f"{day.day} {MONTHS['fr'].split()[day.month - 1]} {day.year}",
    lambda day: f"{day.day} de {MONTHS['es'].split()[day.month - 1]} de {day.year}",
    "'{:%Y-%m-%d} 00:00:00.000'",
    "{:%Y-%m-%dT10:30:00Z}",
]


@given(st.sampled_from(DATES), st.dates(date(1000, 1, 1), date(2099, 12, 31)))
def test_a_date_is_read_in_any_form(form, day):
    """As a number; no part of it is read as another number."""
    text = f"matches after {written(form, day)} in Rome"
    number = float(f"{day:%Y%m%d}")

    assert [((">", number),)] == [found.bounds for found in dates_in(text)]
    assert [] == list(numbers_in(text.replace(written(form, day), "")))


def test_a_date_with_strokes_may_have_its_month_first():
    """If both orders are possible; otherwise the one that is."""
    assert [(("=", 20170108.0),)] == [found.others for found in dates_in("on 1/8/2017")]
    assert [((("=", 20170825.0),), ())] == [(found.bounds, found.others) for found in dates_in("on 8/25/2017")]
    assert [()] == [found.others for found in dates_in("on 1.8.2017")]
    assert [] == list(dates_in("on 31/31/2017, version 12.5.19"))


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("before 5/2017", (("<", 201705),)),
        ("on 2017年5月12日に", (("=", 20170512),)),
        ("in 2017年5月", (("=", 201705),)),
        ("in Q3 2019", ((">=", 201907), ("<=", 201909))),
        ("in the fourth quarter of 2019", ((">=", 201910), ("<=", 201912))),
    ],
)
def test_months_and_quarters_are_dates(text, bounds):
    """A quarter as its months."""
    assert [bounds] == [found.bounds for found in dates_in(f"orders {text}")]


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("at 10.26 pm", (("=", 2226),)),
        ("between 9 and 11 pm", ((">=", 2100), ("<=", 2300))),
        ("from 11 to 1 pm", ((">=", 1100), ("<=", 1300))),
        ("à 22h30", (("=", 2230),)),
        ("um 22 Uhr", (("=", 2200),)),
        ("nach 7 Uhr 15", ((">", 715),)),
    ],
)
def test_a_time_is_read_as_people_write_it(text, bounds):
    """The half of the day holds for both hours of a range."""
    assert [bounds] == [found.bounds for found in times_in(f"calls {text}")]


@given(st.times())
def test_a_time_is_read_in_both_clocks(time):
    """Also with seconds."""
    number = float(time.hour * 100 + time.minute)
    for form in ("%H:%M", "%I:%M %p", "%I:%M%p", "%H:%M:%S"):
        assert [(("=", number),)] == [found.bounds for found in times_in(f"calls at {time.strftime(form)}")]


def surveyed(*values):
    """The schema of a text property with values."""
    property = Property("when", nodes=len(values), distinct=set(values))
    property.kinds["text"] = len(values)
    return property_schema(property)


@pytest.mark.parametrize(
    ("values", "kind", "form"),
    [
        (["25/08/2017", "1/08/2017"], "date", "d/m/y"),
        (["8/25/2017", "1/8/2017"], "date", "m/d/y"),
        (["1.8.2017", "2.9.2018"], "date", "d.m.y"),
        (["2017-08-25", "2017-08-01"], "date", ""),
        (["22:26", "9:05"], "time", ""),
        (["25/08/2017", "8/25/2017"], "text", ""),
        (["25/08/2017", "25.08.2017"], "text", ""),
        (["room 22:26", "9:05"], "text", ""),
    ],
)
def test_texts_that_hold_dates_are_known_as_dates(values, kind, form):
    """With their form; texts that do not agree stay texts."""
    schema = surveyed(*values)

    assert (kind, form) == (schema.kind, schema.form)
    assert schema.stored_as_text == (kind != "text")


def compared(property, *bounds):
    """The condition of a pattern on a property, as Cypher and in words."""
    schema = GraphSchema({"Call": {property.name: property}}, {}, (), {})
    condition = Condition(Owner("label", "Call"), property.name, "compare", bounds=bounds)
    pattern = Pattern(("Call",), on_nodes=(Constraint(0, condition, 0),))
    statement = Compiler(schema).run(pattern, 0, limit=5).statement
    return statement, description(pattern, 0, schema)


def test_a_date_in_text_is_compared_by_its_parts():
    """Day, month and year by their places; the words name the date."""
    statement, words = compared(PropertySchema("when", "date", stored_as_text=True, form="m/d/y"), ("=", 20170825.0))

    parts = "left(split(call_node.when, '/')[2], 4)) * 10000", "split(call_node.when, '/')[0]) * 100"
    assert all(part in statement for part in parts)
    assert "2017-08-25" in words


def test_a_time_is_shown_as_one():
    """Not as a number."""
    assert "22:06" in compared(PropertySchema("when", "time", stored_as_text=True), (">", 2206.0))[1]
