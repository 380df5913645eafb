"""Chooses the properties of nodes and relationships that become facts, based on a survey."""

from collections.abc import Collection

from gear_neo4j.adoption.profile import Entities, Profile, words_of
from gear_neo4j.adoption.profile_file import legible
from gear_neo4j.adoption.survey import SAMPLE_A_LABEL, Property, Survey, Type
from gear_neo4j.adoption.values import are_opaque, are_origins, is_origin

# Longer texts are prose. A property that differs on nearly all of at least this many nodes connects none of them.
LONGEST_VALUE = 60
UNIQUE = 0.95
FEW = 20
_IDS = frozenset({"id", "ids", "uuid", "guid", "key", "hash", "embedding"})


def why_no_fact(prop: Property) -> str | None:
    """A short reason why a property makes no triples; None if it does.

    Other properties are still in the node's passage, where searches find them.

    Example:
        >>> website = Property("website", nodes=2, distinct={"https://a.org", "https://b.org"}, compared=2)
        >>> website.kinds["text"] = 2
        >>> why_no_fact(website)
        'where something came from'
    """
    if why := why_unreadable(prop):
        return why
    flag = prop.kinds["flag"] or prop.distinct <= {"true", "false"}
    if len(prop.distinct) == 1 and prop.compared > 1 and not flag:
        return "the same on every node"
    if prop.compared >= FEW and prop.uniqueness >= UNIQUE:
        return "differs from node to node"
    return None


def why_unreadable(prop: Property) -> str | None:
    """A short reason why the values of a property cannot be part of a fact; None for plain values."""
    if not prop.kinds or prop.kinds.most_common(1)[0][0] in ("list", "value"):
        return "no text, number, date or flag"
    if not _IDS.isdisjoint(words_of(prop.name).split()):
        return "an id"
    if is_origin(prop.name) or are_origins(prop.distinct):
        return "where something came from"
    if prop.is_text and are_opaque(prop.distinct) and not _are_dates(prop.distinct):
        return "for machines only"
    if prop.is_text and prop.length > LONGEST_VALUE:
        return "a long text"
    return None


def details(kind: Type) -> tuple[str, ...]:
    """The properties of a relationship that become part of its fact, such as a role or a rating."""
    return tuple(name for name, prop in kind.properties.items() if not why_unreadable(prop))


def notes(survey: Survey, profile: Profile) -> dict[str, list[str]]:
    """For each label of a profile, a line per property: its content, and why it is no fact."""
    return {
        label: [
            f"{legible(prop.name)}: {summary(prop, survey.labels[label].sampled)}{_why(prop, entities)}"
            for prop in sorted(survey.labels[label].properties.values(), key=lambda prop: (-prop.nodes, prop.name))
            if prop.name not in (*entities.calling, *entities.text)
        ]
        for label, entities in profile.entities.items()
        if label in survey.labels
    }


def _why(prop: Property, entities: Entities) -> str:
    why = None if prop.name in entities.facts else why_no_fact(prop)
    return f"; no fact: {why}" if why else ""


def summary(prop: Property, nodes: int) -> str:
    """A short description of a property: its kind, the share of sampled nodes that have it, and the number of values.

    Example:
        >>> country = Property("country", nodes=90, distinct={"Germany", "Mexico"}, compared=90)
        >>> country.kinds["text"] = 90
        >>> summary(country, 100)
        'text, on 90 % of the nodes, 2 values'
    """
    kind = prop.kinds.most_common(1)[0][0] if prop.kinds else "value"
    many = len(prop.distinct) >= SAMPLE_A_LABEL
    values = f"{len(prop.distinct)}{' or more' if many else ''} {'value' if len(prop.distinct) == 1 else 'values'}"
    return f"{kind}, on {100 * prop.nodes // max(nodes, 1)} % of the nodes, {values}"


def _are_dates(values: Collection[str]) -> bool:
    return all(value[:4].isdigit() and value[4:5] == "-" for value in values if value)
