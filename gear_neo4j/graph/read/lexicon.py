"""The lexicon of a graph: the names of its nodes and the values of its text properties, looked up by their keys."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gear_neo4j.errors import MigrationError
from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.read.entities import each_name
from gear_neo4j.graph.read.graph_schema import Owner, PropertyRef
from gear_neo4j.graph.read.vanished import present
from gear_neo4j.graph.schema.record import names_on_record

# Nodes of the adopted graph with one name, of which those in the most triples are meant first.
MOST_NAMESAKES = 1_000
MOST_SIMILAR = 50


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A node mentioned by triples or passages: element id, names, number of triples, labels."""

    id: str
    names: tuple[str, ...]
    degree: int
    labels: tuple[str, ...] = ()


class Lexicon:
    """The lexicon of one database; each look-up is one round trip.

    ``keys`` are those of :mod:`gear_neo4j.text.name_keys`. The values are those of the graph at its last adoption.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._complete = False

    def require_terms(self) -> None:
        """Check that the names and values of an adopted graph are on record; one round trip until they are.

        Raises:
            MigrationError: an earlier version adopted the graph.
        """
        if self._complete:
            return
        if any(row["lacking"] for row in self._database.call("lacks_terms")):
            name = self._database.name
            raise MigrationError(f"the schema of {name} is older than this gear-neo4j: run 'gear migrate' first")
        self._complete = True

    def nodes(self, keys: Iterable[str]) -> list[NamedNode]:
        """The nodes with one of the keys, each with its names that have one.

        Raises:
            MigrationError: an earlier version adopted the graph.
        """
        given = list(keys)
        rows = self._database.call("named_nodes", keys=given, most=MOST_NAMESAKES) if given else []
        if not rows:
            self.require_terms()
        return [
            NamedNode(row["id"], tuple(row["names"]), row["degree"], tuple(row["labels"]))
            for row in present(rows, "id", "labels")
        ]

    def every_node(self) -> Iterator[NamedNode]:
        """Every node mentioned by triples or passages, with all its names; streamed."""
        for row in self._database.stream("entity_names", names=names_on_record(self._database)):
            yield NamedNode(row["id"], tuple(each_name(row["names"])), row["degree"], tuple(row["labels"]))

    def values(self, keys: Iterable[str]) -> list[tuple[PropertyRef, str]]:
        """The values with one of the keys, each with a property that has it."""
        given = list(keys)
        return self._values("values_by_key", keys=given) if given else []

    def values_of(self, properties: Iterable[PropertyRef]) -> list[tuple[PropertyRef, str]]:
        """Every value of the given properties."""
        rows = [{"kind": ref.owner.kind, "owner": ref.owner.name, "property": ref.property} for ref in properties]
        return self._values("values_by_property", properties=rows) if rows else []

    def holders(self, part: str, *, operator: str) -> list[PropertyRef]:
        """The properties with a value that contains, starts or ends with a part.

        Args:
            part: folded.
            operator: ``contains``, ``starts`` or ``ends``.
        """
        rows = self._database.call("values_by_part", part=part, operator=operator) if part else []
        return [_property(row) for row in rows]

    def similar(self, text: str) -> list[str]:
        """Names and values that match a text in Lucene's syntax, best first."""
        rows = self._database.call("similar_terms", text=text, limit=MOST_SIMILAR) if text else []
        return [row["value"] for row in rows]

    def _values(self, query: str, **parameters: Sequence[object]) -> list[tuple[PropertyRef, str]]:
        return [(_property(row), row["value"]) for row in self._database.call(query, **parameters)]


def _property(row: Row) -> PropertyRef:
    return PropertyRef(Owner(row["kind"], row["owner"]), row["property"])
