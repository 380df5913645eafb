"""Derives the schema of an adopted graph, to which questions are linked, from a survey."""

import re
from collections import defaultdict
from collections.abc import Mapping

from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.adoption.survey import Property, Survey
from gear_neo4j.errors import InputError
from gear_neo4j.graph.read.graph_schema import GraphSchema, Kind, PropertySchema, can_be_written
from gear_neo4j.graph.read.typegraph import Tie, says_nothing

# Minimum share of numbers, and of dates, among the values of a text property that counts as one of them.
MOSTLY = 0.95
MOSTLY_DATES = 0.5
# If nodes have two labels, the one with this many times fewer relationships is in the shadow of the other.
SHADOW = 5
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_DATE = re.compile(r"(\d{4})-\d\d-\d\d.*")
_TIME = re.compile(r"([01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?")
# The year last; what stands before it, the values as a whole say.
_YEAR_LAST = re.compile(r"(?P<first>\d\d?)(?P<sign>[/.-])(?P<second>\d\d?)(?P=sign)(?P<year>\d{4})(?!\d).*")


def schema_of(survey: Survey, profile: Profile, ties: Mapping[tuple[str, str, str], int]) -> GraphSchema:
    """The schema of a graph.

    Args:
        ties: the number of relationships of a type from one label to another, by (start, type, end).
    """
    labels = [label for label in profile.entities if label in survey.labels and can_be_written(label)]
    types = {type for type in survey.types if can_be_written(type)}
    kept = {tie: count for tie, count in ties.items() if {tie[0], tie[2]} <= set(labels) and tie[1] in types}
    tied = {type for _, type, _ in kept}
    of_type: dict[str, dict[tuple[str, str, str], int]] = defaultdict(dict)
    for tie, count in kept.items():
        of_type[tie[1]][tie] = count
    return GraphSchema(
        {label: _properties(survey.labels[label].properties) for label in labels},
        {name: _properties(kind.properties) for name, kind in survey.types.items() if name in tied},
        tuple(Tie(*tie, count) for tie, count in kept.items() if not _in_shadow(tie, of_type[tie[1]], survey)),
        {label: name for label in labels if (name := _name(profile.entities[label]))},
        tuple(label for label in labels if not profile.entities[label].names),
        profile.synonyms,
        tuple(name for name, facts in profile.relationships.items() if facts.predicate and says_nothing(name)),
    )


def check_synonyms(survey: Survey, profile: Profile) -> None:
    """Refuse synonyms for unknown names.

    Raises:
        InputError: names the first one that is no label, type or property of the graph.
    """
    names = {*survey.labels, *survey.types}
    for label in survey.labels.values():
        names.update(label.properties)
    for type in survey.types.values():
        names.update(type.properties)
    for name in profile.synonyms:
        if name not in names:
            raise InputError(
                f"the profile has synonyms of {name!r}, which is not a label, type or property of the graph"
            )


def _name(entities: Entities) -> str | None:
    """The property that names nodes, or their key."""
    return entities.names[0] if entities.names else entities.key


def _in_shadow(tie: tuple[str, str, str], ties: Mapping[tuple[str, str, str], int], survey: Survey) -> bool:
    """Whether a tie only exists because some nodes at its ends have a second label; ``ties`` are those of its type."""
    start, _, end = tie
    starts, ends = ({label, *survey.labels[label].together} for label in (start, end))
    return any(
        count >= SHADOW * ties[tie] and other[0] in starts and other[2] in ends
        for other, count in ties.items()
        if other != tie
    )


def _properties(properties: Mapping[str, Property]) -> dict[str, PropertySchema]:
    schemas = (property_schema(property) for property in properties.values())
    return {schema.name: schema for schema in schemas if schema and can_be_written(schema.name)}


def property_schema(property: Property) -> PropertySchema | None:
    """The kind of a property, by its sampled values; None if questions cannot ask for it.

    Example:
        >>> freight = Property("freight", nodes=2, distinct={"12.5", "3"})
        >>> freight.kinds["text"] = 2
        >>> property_schema(freight)  # doctest: +NORMALIZE_WHITESPACE
        PropertySchema(name='freight', kind='number', stored_as_text=True, is_list=False, least=3.0, greatest=12.5,
                       distinct=2, form='')
    """
    if not property.kinds:
        return None
    held = property.kinds.most_common(1)[0][0]
    if held in ("list", "value"):
        return None
    filled = [value for value in property.distinct if value]
    kind: Kind = "text" if held in ("text", "texts") else held  # type: ignore[assignment]
    as_text = held == "text"
    form = ""
    if as_text:
        kind, form = _kind_of_texts(filled)
    numbers = _numbers(filled, kind)
    return PropertySchema(
        property.name,
        kind,
        stored_as_text=as_text and kind != "text",
        is_list=held == "texts",
        least=min(numbers, default=0.0),
        greatest=max(numbers, default=0.0),
        distinct=len(property.distinct),
        form=form,
    )


def _kind_of_texts(values: list[str]) -> tuple[Kind, str]:
    """The kind of texts and, for dates with the year last, their form."""
    if _share(_NUMBER, values) >= MOSTLY:
        return "number", ""
    if _share(_DATE, values) >= MOSTLY_DATES:
        return "date", ""
    if _share(_TIME, values) >= MOSTLY:
        return "time", ""
    form = _form(values) if _share(_YEAR_LAST, values) >= MOSTLY else ""
    return ("date", form) if form else ("text", "")


def _share(pattern: re.Pattern[str], values: list[str]) -> float:
    return sum(bool(pattern.fullmatch(value)) for value in values) / len(values) if values else 0.0


def _form(values: list[str]) -> str:
    """The order and sign of dates with the year last: the day first, unless a value only allows the month.

    Example:
        >>> _form(["25/08/2017", "1/8/2017"]), _form(["8/25/2017"]), _form(["25/08/2017", "25.08.2017"])
        ('d/m/y', 'm/d/y', '')
    """
    dates = [match for value in values if (match := _YEAR_LAST.fullmatch(value))]
    sign, *others = {match["sign"] for match in dates}
    firsts, seconds = max(int(match["first"]) for match in dates), max(int(match["second"]) for match in dates)
    if others or min(firsts, seconds) > 12 or max(firsts, seconds) > 31:
        return ""
    return ("m/d/y" if seconds > 12 else "d/m/y").replace("/", sign)


def _numbers(values: list[str], kind: Kind) -> list[float]:
    if kind == "number":
        return [float(value) for value in values if _NUMBER.fullmatch(value)]
    if kind == "date":
        return [float(match["year"]) for value in values if (match := _YEAR_LAST.fullmatch(value))] or [
            float(match[1]) for value in values if (match := _DATE.fullmatch(value))
        ]
    return []
