"""A database's record of itself: the embedding model, the data set, the profile of an adopted graph."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gear_neo4j.domain import VectorSource
from gear_neo4j.errors import EmbeddingMismatch, InputError
from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.schema.migration_files import TARGET, require_known


@dataclass(frozen=True, slots=True)
class RecordedDataset:
    """The name of a data set, and the fingerprint of its files once it is complete."""

    name: str
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class StoreRecord:
    """The record of a database with gear-neo4j data.

    Attributes:
        model: the embedding model that built it, with the ``dimension`` of its vectors.
        datasets: the data sets of evaluations, by collection.
        profile: the profile of an adopted graph, as TOML, with the properties that name its nodes (``names``).
        vectors: the kind of vectors of the adopted graph's triples.
        foreign: whether the nodes with the label ``Entity`` are the user's.
    """

    model: str
    dimension: int
    datasets: Mapping[str, RecordedDataset] = field(default_factory=dict)
    profile: str | None = None
    names: tuple[str, ...] = ()
    vectors: VectorSource = "encoded"
    foreign: bool = False

    def require_model(self, *, name: str, dimension: int) -> None:
        """Refuse any embedding model but the recorded one.

        Raises:
            EmbeddingMismatch: names both models and dimensions.

        Example:
            >>> StoreRecord("minilm", 384).require_model(name="minilm", dimension=384)
        """
        if (self.model, self.dimension) != (name, dimension):
            raise EmbeddingMismatch(
                f"the database was built with the embedding model {self.model} ({self.dimension} dimensions), not "
                f"{name} ({dimension}): set GEAR_EMBEDDING_MODEL={self.model}, or ingest into another database"
            )


def record_of(row: Row) -> StoreRecord:
    """The record in a row; missing columns take their defaults.

    Example:
        >>> record_of({"model": "minilm", "dimension": 384, "names": ["title"]}).names
        ('title',)
    """
    lines = (text.split("\t") for text in row.get("datasets", ()))
    datasets = {collection: RecordedDataset(name, fingerprint or None) for collection, name, fingerprint in lines}
    return StoreRecord(**row | {"names": tuple(row.get("names", ())), "datasets": datasets})


def record_dataset(database: Database, name: str, *, fingerprint: str | None, collection: str) -> None:
    """Record the data set of a collection; without a fingerprint it counts as incomplete."""
    record = require_record(database)
    datasets = {**record.datasets, collection: RecordedDataset(name, fingerprint)}
    lines = ["\t".join((collection, of.name, of.fingerprint or "")) for collection, of in datasets.items()]
    database.call("record_dataset", datasets=lines)


def read_record(database: Database) -> StoreRecord | None:
    """The record of a database; None if it has no gear-neo4j data. One round trip.

    Raises:
        MigrationError: a newer gear-neo4j has migrated the database.
    """
    rows = database.call("store_info", target=TARGET)
    if not rows:
        return None
    require_known(rows[0].pop("migrations"), database=database.name)
    return record_of(rows[0])


def require_record(database: Database) -> StoreRecord:
    """The record of a database that must have one.

    Raises:
        InputError: the database is empty.
    """
    record = read_record(database)
    if record is None:
        raise no_passages(database.name)
    return record


def no_passages(name: str) -> InputError:
    """The error for a database, by its name, that must have a record and has none."""
    return InputError(
        f"the database {name} holds no passages yet: run 'gear ingest' for documents, or 'gear adopt' for a graph of "
        "your own"
    )


def names_on_record(database: Database) -> list[str]:
    """The properties that name the nodes of an adopted graph; empty for any other."""
    record = read_record(database)
    return list(record.names) if record else []


def has_foreign_entities(database: Database) -> bool:
    """Whether the nodes with the label ``Entity`` are the user's."""
    record = read_record(database)
    return record is not None and record.foreign
