"""Links the parameters of a template to the values in a question: names, quotations, dates, times and numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.guard.template import TEXT, Parameter
from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner, PropertyRef
from gear_neo4j.graph.read.typegraph import words
from gear_neo4j.retrieval.patterns.amounts import Amount, amounts_in
from gear_neo4j.retrieval.patterns.condition import QUOTED, Condition
from gear_neo4j.retrieval.patterns.conditions import Numbers, dates_in, numbers_in, times_in
from gear_neo4j.retrieval.patterns.question_reader import QuestionReader
from gear_neo4j.retrieval.patterns.reading import Reading

# A question with more values than a template has parameters is about something else.
MOST_VALUES = 6


@dataclass(frozen=True, slots=True)
class Stated:
    """A value that a question states: its span, its text, what it may mean in the graph, and a word for its kind.

    ``is_exact`` is False for a range, a comparison, or a value that the question excludes.
    """

    start: int
    end: int
    text: str
    kind: str
    conditions: tuple[Condition, ...] = ()
    is_exact: bool = True
    number: float | None = None
    day: str = ""


def stated_in(reading: Reading) -> list[Stated]:
    """The values of a question, in order; none of them overlap."""
    text = reading.text
    found: list[Stated] = []
    candidates = (
        *(_of_date(text, one) for one in dates_in(text)),
        *(
            Stated(one.start, one.end, text[one.start : one.end], "time", is_exact=_is_equal(one))
            for one in times_in(text)
        ),
        *_literals(reading),
        *(Stated(match.start(), match.end(), match[2], "text") for match in QUOTED.finditer(text)),
        *(_of_number(text, one) for one in numbers_in(text)),
        # A number that limits the answer is no condition: the ten largest.
        *(_of_amount(text, one) for one in amounts_in(text)),
    )
    for one in candidates:
        if all(one.end <= other.start or one.start >= other.end for other in found):
            found.append(one)
    return sorted(found, key=lambda one: one.start)


def property_of(parameter: Parameter, schema: GraphSchema) -> PropertyRef | None:
    """The property whose values a parameter has; None if it has none, or the graph no longer has it."""
    label, property = parameter.property or ("", "")
    return PropertyRef(Owner("label", label), property) if property in schema.labels.get(label, {}) else None


def linked(
    parameters: Sequence[Parameter], stated: Sequence[Stated], reader: QuestionReader
) -> Mapping[str, object] | None:
    """The value of each parameter, if each stated value belongs to exactly one of them; else None."""
    if len(stated) != len(parameters) or len(stated) > MOST_VALUES:
        return None
    choices = [[_value(parameter, one, reader) for one in stated] for parameter in parameters]
    found = list(_assignments(choices, frozenset(range(len(stated)))))
    if len(found) != 1:
        return None
    return {parameter.name: value for parameter, value in zip(parameters, found[0], strict=True)}


def _assignments(choices: Sequence[Sequence[object]], free: frozenset[int]) -> Iterator[tuple[object, ...]]:
    """The ways to give each parameter its own value; None is no value for it."""
    if not choices:
        yield ()
        return
    for index in sorted(free):
        if (value := choices[0][index]) is not None:
            for rest in _assignments(choices[1:], free - {index}):
                yield (value, *rest)


def _value(parameter: Parameter, stated: Stated, reader: QuestionReader) -> object:
    """The value of a parameter that a text of the question is; None if it is none."""
    if not stated.is_exact:
        return None
    if parameter.property:
        ref = property_of(parameter, reader.schema)
        if ref is None:
            return None
        said = [one.texts for one in stated.conditions if (one.owner, one.property) == (ref.owner, ref.property)]
        texts = next(filter(None, said), None) or reader.stored(ref, stated.text)
        return stated.text if stated.text in texts else texts[0] if len(texts) == 1 else None
    if parameter.kind == TEXT:
        spellings = {text for condition in stated.conditions for text in condition.texts}
        return next(iter(spellings)) if len(spellings) == 1 else stated.text
    if parameter.kind == "date":
        return stated.day or None
    whole = stated.number is not None and stated.number.is_integer()
    if parameter.kind == "integer":
        return int(stated.number or 0) if whole else None
    return stated.number


def _literals(reading: Reading) -> Iterator[Stated]:
    """The values of the graph in a question, but for words that are hardly meant as one."""
    for literal in reading.literals:
        own = reading.words[literal.first : literal.last + 1]
        if literal.weight == 1:
            start, end = own[0].start, own[-1].end
            equal = all(
                one.operator == "is" or (one.operator == "compare" and all(sign == "=" for sign, _ in one.bounds))
                for one in literal.conditions
            )
            number = next((one.bounds[0][1] for one in literal.conditions if len(one.bounds) == 1), None)
            kind = words(literal.conditions[0].property)
            yield Stated(start, end, reading.text[start:end], kind, tuple(literal.conditions), equal, number)


def _of_date(text: str, date: Numbers) -> Stated:
    digits = f"{date.bounds[0][1]:.0f}"
    day = f"{digits[:4]}-{digits[4:6]}-{digits[6:]}" if len(digits) == 8 and not date.others else ""
    return Stated(date.start, date.end, text[date.start : date.end], "date", is_exact=_is_equal(date), day=day)


def _of_number(text: str, number: Numbers) -> Stated:
    value = number.bounds[0][1]
    return Stated(
        number.start, number.end, text[number.start : number.end], "number", is_exact=_is_equal(number), number=value
    )


def _of_amount(text: str, amount: Amount) -> Stated:
    written = text[amount.start : amount.end]
    return Stated(amount.start, amount.end, written, "number", is_exact=amount.value is not None, number=amount.value)


def _is_equal(numbers: Numbers) -> bool:
    return len(numbers.bounds) == 1 and numbers.bounds[0][0] == "=" and not numbers.compared
