"""Prepares a database for writing, or refuses it unchanged: the schema, and the record of the embedding model."""

from collections.abc import Sequence

from gear_neo4j.domain import VectorSource
from gear_neo4j.errors import ForeignGraph, InputError
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.schema import migration_files, migrations
from gear_neo4j.graph.schema.indexes import ENTITY
from gear_neo4j.graph.schema.record import StoreRecord, read_record, record_of


def prepare(database: Database, *, model: str, dimension: int) -> None:
    """Migrate a database and record the embedding model, or refuse the database unchanged.

    Raises:
        EmbeddingMismatch: another model is recorded.
        ForeignGraph, MigrationError: see :func:`gear_neo4j.graph.schema.migrations.migrate`.
    """
    if migration_files.load() != migrations.pending(database) and (record := read_record(database)):
        record.require_model(name=model, dimension=dimension)
        if record.foreign:
            raise ForeignGraph(
                f"the Entity nodes of {database.name} are those of the graph that was adopted, so nothing can be "
                "ingested or extracted beside it; nothing was changed: use another database (NEO4J_DATABASE)"
            )
    migrations.migrate(database, dimension=dimension)
    row = database.call("record_store", model=model, dimension=dimension)[0]
    record_of(row).require_model(name=model, dimension=dimension)


def prepare_overlay(
    database: Database,
    *,
    model: str,
    dimension: int,
    profile: str,
    names: Sequence[str],
    vectors: VectorSource | None,
    collection: str,
    readers: Sequence[str] | None,
) -> VectorSource:
    """Migrate a database with a user's graph, and record the model, the profile, and the kind of vectors.

    If the user's own nodes have the label ``Entity``, no index is created on that label.

    Args:
        vectors: the kind of vectors of triples; None means as recorded, or encoded in a new overlay.
        readers: those of every node; None means everybody, and :data:`NOBODY` that each node has its own.

    Raises:
        EmbeddingMismatch: another model is recorded.
        InputError: the triples of the overlay have vectors of the other kind.
        ForeignGraph, MigrationError: see :func:`gear_neo4j.graph.schema.migrations.migrate`.
    """
    record = read_record(database)
    if record:
        record.require_model(name=model, dimension=dimension)
    made = _vectors_of(record, database=database.name, wanted=vectors)
    columns = {
        "profile": profile,
        "names": list(names),
        "vectors": made,
        "foreign": record.foreign if record else ENTITY in migrations.foreign_labels(database),
        "collection": collection,
        "readers": readers,
    }
    if record is None:
        # Before the migration, so that after a run killed during it, it is still known whose the entities are.
        _refuse_others(database)
        database.call("record_store", model=model, dimension=dimension)
        database.call("record_profile", **columns)
    migrations.migrate(database, dimension=dimension)
    database.call("record_profile", **columns)
    return made


def _vectors_of(record: StoreRecord | None, *, database: str, wanted: VectorSource | None) -> VectorSource:
    if record is None or not record.profile:
        return wanted or "encoded"
    if wanted not in (None, record.vectors):
        raise InputError(
            f"the triples in {database} have {record.vectors} vectors, not {wanted}: run 'gear release' first"
        )
    return record.vectors


def _refuse_others(database: Database) -> None:
    labels = sorted(migrations.foreign_labels(database) - {ENTITY})
    if labels:
        raise ForeignGraph(
            f"the database {database.name} already has nodes with the label {', '.join(labels)}, which an overlay "
            "needs for itself; nothing was changed"
        )
