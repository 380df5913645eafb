"""The terms of an adopted graph, which questions are compared with: names of nodes, and values of text properties."""

import logging
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from gear_neo4j.domain import digest
from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.read.entities import each_name
from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner, OwnerKind
from gear_neo4j.graph.schema.record import names_on_record
from gear_neo4j.text.name_keys import keys_of

LOGGER = logging.getLogger("gear_neo4j.terms")
TERMS_A_BATCH = 2_000
# Longer texts are prose, and no question says them whole.
LONGEST_VALUE = 200
MOST_VALUES = 2_000_000
_QUERIES: dict[OwnerKind, str] = {"label": "property_values", "type": "relationship_values"}


class TermStore:
    """Writes the terms of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def update(self, schema: GraphSchema) -> Iterator[int]:
        """Write the terms that the graph has now, and drop those that it has no more; yields how many were read.

        A killed run can be repeated. At most two million values of nodes are terms, and as many of relationships; each
        has up to 200 characters. Takes about 100 bytes of memory for each term on record.
        """
        known: dict[bytes, bool] = {bytes.fromhex(row["id"]): row["whole"] for row in self._database.stream("term_ids")}
        rows, done = chain(self._names(), self._values(schema)), 0
        while batch := list(islice(rows, TERMS_A_BATCH)):
            if fresh := [row for row in batch if not known.pop(bytes.fromhex(row["id"]), False)]:
                self._database.call("write_terms", rows=fresh)
            done += len(batch)
            yield done
        gone = iter(known)
        while ids := [id.hex() for id in islice(gone, TERMS_A_BATCH)]:
            self._database.call("drop_terms", ids=ids)
        self._database.call("record_terms")

    def clear(self, *, limit: int) -> int:
        """Delete at most ``limit`` terms; returns how many."""
        return int(self._database.call("clear_terms", limit=limit)[0]["dropped"])

    def _names(self) -> Iterator[Row]:
        for row in self._database.stream("adopted_names", names=names_on_record(self._database)):
            for name in dict.fromkeys(each_name(row["names"])):
                for key in keys_of(name):
                    yield _row(key, name, node=row["id"])

    def _values(self, schema: GraphSchema) -> Iterator[Row]:
        """The values of text properties. Numbers stored as text are among them, because they may be names or keys."""
        # Without an index, one pass over all nodes, and one over all relationships, costs less than one for each name.
        for kind, query in _QUERIES.items():
            wanted = {
                owner.name: texts
                for owner in schema.owners()
                if owner.kind == kind and (texts := _texts(schema, owner))
            }
            rows = self._database.stream(query, properties=wanted, longest=LONGEST_VALUE, most=MOST_VALUES)
            for number, row in enumerate(rows if wanted else (), start=1):
                for key in keys_of(row["value"]):
                    yield _row(key, row["value"], kind=kind, owner=row["owner"], property=row["property"])
                if number == MOST_VALUES:
                    LOGGER.warning("of the values of a %s, questions find only %s", kind, f"{number:,}")


def _texts(schema: GraphSchema, owner: Owner) -> list[str]:
    properties = schema.properties(owner).items()
    return [name for name, property in properties if property.kind == "text" or property.stored_as_text]


def _row(
    key: str, text: str, *, node: str | None = None, kind: str | None = None, owner: str = "", property: str = ""
) -> Row:
    parts: Sequence[str] = ("name", node, key, text) if node else ("value", kind or "", owner, property, key, text)
    return {
        "id": digest(*parts),
        "key": key,
        "text": text,
        "node": node,
        "kind": kind,
        "owner": owner or None,
        "property": property or None,
    }
