"""The overlay of an adopted graph: reads the user's nodes and relationships, writes passages and triples over them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.read.graph_schema import GraphSchema

# The readers of data that nobody may read: no principal has a blank name.
NOBODY = [""]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReading:
    """The properties to read of a node: its names, its texts, and up to ``few`` others with a single value.

    Texts are cut to ``longest`` characters.
    """

    names: Sequence[str]
    texts: Sequence[str]
    longest: int
    few: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationshipReading:
    """Which relationships are facts, which ``properties`` to read, and how to find a fact's chunk.

    Facts have one of the ``types``; their ends have one of the ``labels`` and are named by ``names``. A chunk has one
    of the labels ``chunks`` and its text in ``texts``. A fact's property in ``sources`` equals its chunk's property in
    ``keys``; otherwise the chunk mentions both ends by a relationship of one of the types ``mentions``.
    """

    types: Sequence[str]
    labels: Sequence[str]
    names: Sequence[str]
    properties: Sequence[str]
    sources: Sequence[str]
    keys: Sequence[str]
    mentions: Sequence[str]
    chunks: Sequence[str]
    texts: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyReading:
    """The properties to read as ``facts``, of nodes with one of the ``labels``; those in ``names`` name the nodes."""

    labels: Sequence[str]
    names: Sequence[str]
    facts: Sequence[str]


@dataclass(frozen=True, slots=True)
class OverlayCounts:
    """The passages and triples that represent the user's data, and whether there are ingested passages as well."""

    passages: int
    triples: int
    ingested: bool


class OverlayStore:
    """The overlay in one database; each method is one query and one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def nodes(self, labels: Sequence[str], reading: NodeReading) -> Iterator[Row]:
        """The user's nodes with one of the labels, streamed."""
        return self._database.stream("adoptable_nodes", labels=list(labels), **_parameters(reading))

    def nodes_by_id(self, ids: Sequence[str], reading: NodeReading) -> list[Row]:
        """The user's nodes with these element ids."""
        return self._database.call("nodes_by_id", ids=list(ids), **_parameters(reading))

    def relationships(self, reading: RelationshipReading) -> Iterator[Row]:
        """The user's relationships that are facts, streamed."""
        return self._database.stream("adoptable_relationships", **_parameters(reading))

    def passages(self, labels: Sequence[str]) -> Iterator[Row]:
        """Every passage of the overlay, streamed: its id, and whether its node still exists with one of the labels."""
        return self._database.stream("adopted_passages", labels=list(labels))

    def triples(self, reading: RelationshipReading) -> Iterator[Row]:
        """Every triple of a relationship with its current state, streamed."""
        return self._database.stream("adopted_triples", **_parameters(reading))

    def properties(self, reading: PropertyReading) -> Iterator[Row]:
        """The user's nodes with a property that is a fact, streamed."""
        return self._database.stream("adoptable_properties", **_parameters(reading))

    def property_triples(self, reading: PropertyReading) -> Iterator[Row]:
        """Every triple of a property with the current state of its node, streamed."""
        return self._database.stream("adopted_properties", **_parameters(reading))

    def write_passages(self, rows: Sequence[Row], *, collection: str, hidden: bool) -> int:
        """Write passages over nodes, in one transaction, ``hidden`` until they are stamped; returns their number."""
        readers = NOBODY if hidden else None
        result = self._database.call("write_adopted_passages", rows=list(rows), collection=collection, readers=readers)
        return int(result[0]["written"])

    def write_triples(self, rows: Sequence[Row], *, hidden: bool) -> int:
        """Write triples over relationships and properties, in the same way as passages; returns their number."""
        readers = NOBODY if hidden else None
        return int(self._database.call("write_adopted_triples", rows=list(rows), readers=readers)[0]["written"])

    def stamp(
        self, *, after: str, collection: str, property: str | None, readers: Sequence[str] | None, limit: int
    ) -> tuple[str, int] | None:
        """Stamp the next passages of the overlay, and their triples, with their collection and their readers.

        Args:
            after: the last id of the previous batch.
            property: the property with the readers of a node.
            readers: those of a node without that property; None means everybody.
            limit: maximum number of passages.

        Returns:
            The id of the last passage, and the number of changed passages and triples; None if there are no more.
        """
        given = {"collection": collection, "property": property, "readers": readers and list(readers)}
        rows = self._database.call("stamp_adopted", after=after, limit=limit, **given)
        return (rows[0]["last"], rows[0]["stamped"]) if rows else None

    def extracted(self, passages: Sequence[str]) -> list[str]:
        """The ids of the triples that extractors made from some passages."""
        return [row["id"] for row in self._database.call("extracted_triples", passages=list(passages))]

    def record_schema(self, schema: GraphSchema) -> None:
        """Store the schema of the adopted graph."""
        self._database.call("record_schema", schema=schema.to_json())

    def record_ties(self, ties: Mapping[tuple[str, str, str], int]) -> None:
        """Record how often each type connects two labels: (label, type, label)."""
        texts = [json.dumps([*tie, count]) for tie, count in sorted(ties.items())]
        self._database.call("record_ties", ties=texts)

    def counts(self) -> OverlayCounts:
        """The size of the overlay."""
        return OverlayCounts(**self._database.call("count_adopted")[0])

    def some(self, *, limit: int) -> tuple[list[str], list[str]]:
        """Ids of up to ``limit`` triples and of up to ``limit`` passages of the overlay."""
        row = self._database.call("some_adopted", limit=limit)[0]
        return row["triples"], row["passages"]

    def forget_profile(self) -> None:
        """Delete the profile from the record."""
        self._database.call("forget_profile")


def _parameters(reading: NodeReading | RelationshipReading | PropertyReading) -> dict[str, Any]:
    return asdict(reading)
