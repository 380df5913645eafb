"""Reads relationships and properties as triples of named nodes, according to a profile."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gear_neo4j.adoption.nodes import names_of
from gear_neo4j.adoption.profile import Facts, Profile, words_of
from gear_neo4j.domain import Statement, digest, node_passage_id
from gear_neo4j.graph.connection.database import Row

# Values of a flag that is set, and values that mean nothing.
_SET = frozenset({"true", "yes"})
_NOTHING = frozenset({"", "false", "no", "na", "n/a", "nan", "none", "null", "nil", "-", "?", "unknown"})
# The decimals of a whole number and the midnight of a date, to be removed: 18.0, 1996-07-04T00:00:00.000.
_TRAILING = re.compile(r"^(-?\d+)\.0$|^(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|\+00:00)?$")


@dataclass(frozen=True, slots=True)
class AdoptedTriple(Statement):
    """A triple of an overlay, with the element ids of its ends and of the node that states it.

    It represents the ``relationship`` with this element id, or the property ``property_name`` of a node, which is then
    both ends.
    """

    start: str
    end: str
    stated_by: str
    subject: str
    predicate: str
    object: str
    relationship: str | None = None
    property_name: str | None = None
    rank: float | None = None

    @property
    def passage(self) -> str:
        """The id of the passage that states it."""
        return node_passage_id(self.stated_by)

    @property
    def id(self) -> str:
        """A hash of its content, so that a changed relationship or property becomes a new triple."""
        if self.property_name is not None:
            return digest("property", self.start, self.property_name, self.subject, self.predicate, self.object)
        parts = (self.start, self.end, self.stated_by, self.subject, self.predicate, self.object, str(self.rank))
        return digest("relationship", self.relationship or "", *parts)


def relationship_triple(row: Row, profile: Profile) -> AdoptedTriple | None:
    """The triple of a relationship; None if it was deleted, an end has no name, or the fact has ended."""
    if row["id"] is None or has_ended(row, profile):
        return None
    subject = names_of(row["startLabels"], row["startNames"], profile)
    object = names_of(row["endLabels"], row["endNames"], profile)
    if not (subject and object):
        return None
    facts = profile.relationships.get(row["type"], Facts())
    properties = dict(row["properties"])
    predicate = words_of(properties.get(facts.predicate or "", "")) or profile.predicate(row["type"])
    return AdoptedTriple(
        row["start"],
        row["end"],
        stated_by=row["chunk"] or row["start"],
        subject=subject[0],
        predicate=predicate + _details(properties, facts),
        object=object[0],
        relationship=row["id"],
        rank=_number(properties.get(facts.rank or "")),
    )


def _details(properties: Mapping[str, str], facts: Facts) -> str:
    """The other properties of a relationship, in brackets."""
    values = [(words_of(name), plain(properties.get(name, ""))) for name in facts.details]
    present = [f"{words}: {value}" for words, value in values if value.casefold() not in _NOTHING]
    return f" ({', '.join(present)})" if present else ""


def property_triples(row: Row, profile: Profile) -> Iterator[AdoptedTriple]:
    """The triples of a node's properties, one for each value; none for a node without a name."""
    named = names_of(row["labels"], row["names"], profile)
    wanted = [name for label in profile.entities if label in row["labels"] for name in profile.entities[label].facts]
    values = dict(row["facts"])
    for property in dict.fromkeys(wanted) if named else ():
        for value in dict.fromkeys(values.get(property, ())):
            # A value that the server cannot convert to text is null.
            if value is not None and (stated := property_fact(property, value)):
                yield AdoptedTriple(row["id"], row["id"], row["id"], named[0], *stated, property_name=property)


def property_fact(property: str, value: str) -> tuple[str, str] | None:
    """The predicate and object of a property's value; None for empty values and flags that are not set.

    Example:
        >>> property_fact("unitPrice", "18.0"), property_fact("discontinued", "true"), property_fact("isOpen", "no")
        (('unit price', '18'), ('is', 'discontinued'), None)
    """
    # The name of a property may hold line breaks, or be blank.
    text, words = plain(value), " ".join(words_of(property).split())
    if text.casefold() in _NOTHING or not words:
        return None
    if text.casefold() not in _SET:
        return words, text
    verb, *rest = words.split(" ")
    return (verb, " ".join(rest)) if rest and verb in ("is", "has", "was") else ("is", words)


def plain(value: str) -> str:
    """A readable value: on one line, without the decimals of a whole number or the time of midnight.

    Example:
        >>> plain("18.0"), plain("1996-07-04T00:00:00.000"), plain(" Rue de  Rivoli")
        ('18', '1996-07-04', 'Rue de Rivoli')
    """
    return _TRAILING.sub(r"\1\2", " ".join(value.split()))


def has_ended(row: Row, profile: Profile) -> bool:
    """Whether the fact of a relationship has ended."""
    facts = profile.relationships.get(row["type"], Facts())
    return not dict(row["properties"]).keys().isdisjoint(facts.ended)


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
