"""A database made ready to be written to, or refused untouched: the schema, and the embedding model on record."""

from collections.abc import Mapping, Sequence

from gear_neo4j.errors import EmbeddingMismatch, ForeignGraph
from gear_neo4j.graph import migrations
from gear_neo4j.graph.database import Database
from gear_neo4j.graph.schema import ENTITY


def prepare(database: Database, *, model: str, dimension: int) -> None:
    """Migrate a database and put the embedding model on record, or refuse it untouched.

    Raises:
        EmbeddingMismatch: another model is on record.
        ForeignGraph, MigrationError: see :func:`gear_neo4j.graph.migrations.migrate`.
    """
    if migrations.load() != migrations.pending(database):
        for row in database.call("store_info"):
            require_same(row, name=model, dimension=dimension)
            if row["foreign"]:
                raise ForeignGraph(
                    f"the Entity nodes of {database.name} are those of the graph that was adopted, so nothing can be "
                    "ingested or extracted beside it; nothing was changed: use another database (NEO4J_DATABASE)"
                )
    migrations.migrate(database, dimension=dimension)
    require_same(database.call("record_store", model=model, dimension=dimension)[0], name=model, dimension=dimension)


def prepare_overlay(database: Database, *, model: str, dimension: int, profile: str, names: Sequence[str]) -> None:
    """Migrate a database that holds a graph of the user's, and put the model and the profile on record.

    Where the user's own nodes have the label ``Entity``, nothing of ours is made for that label.

    Raises:
        EmbeddingMismatch: another model is on record.
        ForeignGraph, MigrationError: see :func:`gear_neo4j.graph.migrations.migrate`.
    """
    known = database.call("store_info")
    for row in known:
        require_same(row, name=model, dimension=dimension)
    foreign = known[0]["foreign"] if known else ENTITY in migrations.foreign_labels(database)
    if not known:
        # First, for a run that is killed while it migrates must still know whose the entities are.
        _refuse_others(database)
        database.call("record_store", model=model, dimension=dimension)
        database.call("record_profile", profile=profile, names=list(names), foreign=foreign)
    migrations.migrate(database, dimension=dimension)
    database.call("record_profile", profile=profile, names=list(names), foreign=foreign)


def require_same(row: Mapping[str, object], *, name: str, dimension: int) -> None:
    """Refuse another embedding model than the one on record.

    Raises:
        EmbeddingMismatch: names both models and dimensions.
    """
    if (row["model"], row["dimension"]) != (name, dimension):
        raise EmbeddingMismatch(
            f"the database was built with the embedding model {row['model']} ({row['dimension']} dimensions), not "
            f"{name} ({dimension}): set GEAR_EMBEDDING_MODEL={row['model']}, or ingest into another database"
        )


def _refuse_others(database: Database) -> None:
    labels = sorted(migrations.foreign_labels(database) - {ENTITY})
    if labels:
        raise ForeignGraph(
            f"the database {database.name} already has nodes with the label {', '.join(labels)}, which an overlay "
            "needs for itself; nothing was changed"
        )
