"""The indexes that the package needs, and the check that a database has them."""

import math
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from gear_neo4j.errors import MigrationError
from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.schema.record import has_foreign_entities

ENTITY = "Entity"
PASSAGE_INDEX = "gear_passage_embedding"
TRIPLE_INDEX = "gear_triple_embedding"
COLLECTION = "collection"
PAUSE = 0.5


@dataclass(frozen=True, slots=True)
class Index:
    """An index that must exist after a migration: what it covers, its dimension, and whether a constraint owns it."""

    name: str
    type: str
    label: str
    properties: tuple[str, ...]
    dimension: int | None = None
    unique: bool = False


def verify(database: Database, *, dimension: int, states: Collection[str] = ("ONLINE",)) -> None:
    """Check that each index exists with the right label, properties and dimension, in one of the states.

    Indexes on the label ``Entity`` are not expected if its nodes are the user's.

    Raises:
        MigrationError: an index is missing or wrong; the message names the first one, and what to do.
    """
    rows = {row["name"]: row for row in database.call("show_indexes")}
    foreign = has_foreign_entities(database)
    for index in expected_indexes(dimension):
        if foreign and index.label == ENTITY:
            continue
        row = rows.get(index.name)
        if row is None:
            raise MigrationError(f"the index {index.name} is missing: another one may cover (:{index.label}) already")
        actual = (row["type"], row["labels"], _searched(row), row["unique"])
        if actual != (index.type, [index.label], list(index.properties), index.unique):
            raise MigrationError(
                f"the index {index.name} is a {row['type']} index on {row['labels']} {row['properties']}, not the one "
                f"on :{index.label} {list(index.properties)} that gear-neo4j needs: drop it, then migrate again"
            )
        actual_dimension = row["configuration"].get("vector.dimensions")
        if actual_dimension != index.dimension:
            raise MigrationError(
                f"the index {index.name} has dimension {actual_dimension}, the embedding model {index.dimension}: "
                "use the model the database was built with, or another database"
            )
        if row["state"] not in states:
            raise MigrationError(f"the index {index.name} is {row['state']}: 'gear migrate' waits until it is online")


def filter_by_collection(database: Database) -> bool:
    """Whether the vector indexes of passages and triples filter by collection themselves, as servers since 2026.06 can.

    An index created by an earlier server does not; ``gear migrate --rebuild`` recreates it.
    """
    rows = [row for row in database.call("show_indexes") if row["name"] in (PASSAGE_INDEX, TRIPLE_INDEX)]
    return bool(rows) and all(COLLECTION in row["properties"] for row in rows) and database.has_search_clause


def _searched(row: Row) -> list[str]:
    """The properties of an index, except the one that a vector index only filters by."""
    return [name for name in row["properties"] if not (row["type"] == "VECTOR" and name == COLLECTION)]


def await_online(
    database: Database, *, seconds: float = math.inf, on_percent: Callable[[float], None] = lambda _: None
) -> None:
    """Wait until all our indexes are built; ``on_percent`` gets the progress of the slowest one, from 0 to 100."""
    ours = {index.name for index in expected_indexes(1)}
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        rows = database.call("show_indexes")
        building = [row["percent"] for row in rows if row["name"] in ours and row["state"] == "POPULATING"]
        if not building:
            return
        on_percent(min(building))
        time.sleep(min(PAUSE, seconds / 10))


def expected_indexes(dimension: int) -> tuple[Index, ...]:
    """The indexes that the migrations create, for embeddings of this dimension."""
    return (
        Index("gear_passage_id", "RANGE", "Passage", ("id",), unique=True),
        Index("gear_triple_id", "RANGE", "Triple", ("id",), unique=True),
        Index("gear_entity_key", "RANGE", "Entity", ("key",), unique=True),
        Index("gear_store_id", "RANGE", "__GearStore", ("id",), unique=True),
        Index("gear_community_id", "RANGE", "__GearCommunity", ("id",), unique=True),
        Index("gear_source_id", "RANGE", "__GearSource", ("id",), unique=True),
        Index("gear_source_origin", "RANGE", "__GearSource", ("collection", "origin")),
        Index("gear_readers_id", "RANGE", "__GearReaders", ("id",), unique=True),
        Index("gear_readers_source", "RANGE", "__GearReaders", ("collection", "source")),
        Index("gear_origin_id", "RANGE", "__GearOrigin", ("id",), unique=True),
        Index("gear_term_id", "RANGE", "__GearTerm", ("id",), unique=True),
        Index("gear_term_key", "RANGE", "__GearTerm", ("key",)),
        Index("gear_term_property", "RANGE", "__GearTerm", ("owner", "property")),
        Index("gear_term_text", "TEXT", "__GearTerm", ("key",)),
        Index("gear_term_words", "FULLTEXT", "__GearTerm", ("key",)),
        Index("gear_entity_plain", "RANGE", "Entity", ("plain",)),
        Index("gear_passage_source", "RANGE", "Passage", ("source",)),
        Index("gear_passage_collection", "RANGE", "Passage", ("collection",)),
        Index("gear_community_collection", "RANGE", "__GearCommunity", ("collection",)),
        Index("gear_passage_text", "FULLTEXT", "Passage", ("title", "text")),
        Index("gear_entity_words", "FULLTEXT", "Entity", ("key",)),
        Index("gear_passage_embedding", "VECTOR", "Passage", ("embedding",), dimension),
        Index("gear_triple_embedding", "VECTOR", "Triple", ("embedding",), dimension),
        Index("gear_entity_embedding", "VECTOR", "Entity", ("embedding",), dimension),
    )
