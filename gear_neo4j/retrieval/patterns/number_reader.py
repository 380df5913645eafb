"""Reads the dates, times and numbers in a question as conditions on the properties that they may be compared with."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gear_neo4j.graph.read.graph_schema import GraphSchema, Kind, Owner, PropertySchema
from gear_neo4j.retrieval.patterns.condition import QUOTED, Bound, Condition
from gear_neo4j.retrieval.patterns.conditions import Numbers, dates_in, numbers_in, times_in
from gear_neo4j.retrieval.patterns.language import alike, is_identifier, stem, telling_words
from gear_neo4j.retrieval.patterns.reading import Compared, Reading, add, is_free, span

# Properties are kept if their prior is at most this much below the best.
MARGIN = 0.8
MOST_PROPERTIES = 8
# Prior of an order's own date, called orderDate, if no word says which date is meant.
OWN_DATE = 0.2
YEARS = (1000, 2100)
IDS = re.compile(r"ids?\b|\w+ids?$", re.IGNORECASE)
_ALL = re.compile(r"\ball(?:\s+of)?(?:\s+the)?\s+$", re.IGNORECASE)


class NumberReader:
    """Reads the numbers in questions about one graph; a number may also be the name of a node.

    ``properties`` are those of the schema, each with its owner and the stems of its name.
    """

    def __init__(self, schema: GraphSchema) -> None:
        self._schema = schema
        self.properties = [
            (owner, property, tuple(dict.fromkeys(map(stem, telling_words(property.name)))))
            for owner in schema.owners()
            for property in schema.properties(owner).values()
        ]

    def dates(self, reading: Reading) -> None:
        """Dates with a month, and times of day, except inside quotations."""
        quoted = [match.span() for match in QUOTED.finditer(reading.text)]
        kinds: tuple[tuple[Kind, Iterator[Numbers]], ...] = (
            ("date", dates_in(reading.text)),
            ("time", times_in(reading.text)),
        )
        for kind, moments in kinds:
            for moment in moments:
                within = any(start < moment.start and moment.end < end for start, end in quoted)
                if not within and is_free(reading, moment.start, moment.end):
                    add(reading, moment.start, moment.end, list(self._dated(reading, moment, kind)))

    def _dated(self, reading: Reading, moment: Numbers, kind: Kind) -> Iterator[Condition]:
        """The properties that a date or time may be compared with."""
        first, last = span(reading, moment.start, moment.end)
        for owner, property, stems in self.properties:
            if property.kind == kind:
                own = OWN_DATE * (not set(stems).isdisjoint(map(stem, telling_words(owner.name))))
                prior = max(own, _nearness(reading, first, last, stems, owner))
                for bounds in _orders(moment, property):
                    yield Condition(owner, property.name, "compare", bounds=bounds, prior=prior)

    def numbers(self, reading: Reading) -> None:
        """Numbers, except those that limit the answer."""
        for numbers in sorted(numbers_in(reading.text), key=lambda numbers: numbers.start):
            if not is_free(reading, numbers.start, numbers.end) or _limits(reading, numbers):
                continue
            conditions = sorted(self._comparisons(reading, numbers), key=lambda condition: -condition.prior)
            if not numbers.compared and not (conditions and conditions[0].prior >= 0.5):
                text = reading.text[numbers.start : numbers.end].strip("'")
                for condition in reading.known.conditions(text):
                    if self._schema.names_with(condition.owner, condition.property):
                        conditions.append(replace(condition, prior=-0.2))
            best = [condition for condition in conditions if condition.prior >= conditions[0].prior - MARGIN]
            add(reading, numbers.start, numbers.end, best[:MOST_PROPERTIES])
            if numbers.compared:
                reading.comparisons.append(Compared(*span(reading, numbers.start, numbers.end), numbers.bounds))

    def _comparisons(self, reading: Reading, numbers: Numbers) -> Iterator[Condition]:
        """The properties that a number may be compared with: those that nearby words name, and years."""
        first, last = span(reading, numbers.start, numbers.end)
        asks_for_id = any(IDS.match(word.text) for word in reading.words)
        for owner, property, stems in self.properties:
            if property.kind not in ("number", "date") or (is_identifier(property.name) and not asks_for_id):
                continue
            fits = _fits(property, numbers)
            named = max(_nearness(reading, first, last, stems, owner), _compares(numbers, stems))
            if named > 0 or (fits and _may_be_years(property, numbers)):
                prior = named if fits else named - 0.5
                yield Condition(owner, property.name, "compare", bounds=numbers.bounds, prior=prior)


def _limits(reading: Reading, numbers: Numbers) -> bool:
    """Whether a number limits the nodes of the answer, or says how many there are: *all 50 states*."""
    cues = reading.aggregation.cues if reading.aggregation else ()
    limits = any(start <= numbers.start and numbers.end <= end for start, end in cues)
    # All 12-second calls have a duration.
    before, after = reading.text[: numbers.start], reading.text[numbers.end :]
    counts = not (numbers.compared or numbers.nouns) and after[:1].isspace() and _ALL.search(before)
    return limits or bool(counts)


def _fits(property: PropertySchema, numbers: Numbers) -> bool:
    if property.kind == "date":
        return True
    for comparison, value in numbers.bounds:
        below = comparison in ("=", ">", ">=") and value > property.greatest
        above = comparison in ("=", "<", "<=") and value < property.least
        if below or above:
            return False
    return True


def _orders(moment: Numbers, property: PropertySchema) -> Iterator[tuple[Bound, ...]]:
    """The bounds that a date may mean: as the graph writes its dates, else with the day and with the month first."""
    if not moment.others or property.form.startswith("d"):
        yield moment.bounds
    elif property.form:
        yield moment.others
    else:
        yield from (moment.bounds, moment.others)


def _may_be_years(property: PropertySchema, numbers: Numbers) -> bool:
    years = any(YEARS[0] <= value <= YEARS[1] for _, value in numbers.bounds)
    return years and (property.kind == "date" or (property.least >= YEARS[0] and property.greatest <= YEARS[1]))


def _nearness(reading: Reading, first: int, last: int, stems: Sequence[str], owner: Owner) -> float:
    """How well the words around a number name a property, 0 to 1; nearer words count more."""
    best: dict[str, float] = {}
    for index, word in enumerate(reading.words):
        part = next((part for part in stems if _same(word.stem, part)), None)
        if word.literal is None and part:
            distance = first - index if index < first else index - last + 1
            best[part] = max(best.get(part, 0.0), math.exp(-max(0, distance - 2) / 5))
    own = set(stems) - set(map(stem, telling_words(owner.name))) or set(stems)
    return sum(best.values()) / len(stems) if own & best.keys() else 0.0


def _compares(numbers: Numbers, stems: Sequence[str]) -> float:
    """How well an adjective fits a property: one over its number of words if it has one of the nouns."""
    return 1 / len(stems) if not set(stems).isdisjoint(map(stem, numbers.nouns)) else 0.0


def _same(word: str, part: str) -> bool:
    begins = word.startswith(part) or part.startswith(word)
    return word == part or (min(len(word), len(part)) > 3 and begins) or alike(word, part) >= 0.9
