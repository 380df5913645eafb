"""Schema migrations: numbered files, checksums, and a chain and a lock in the database, as in neo4j-migrations.

The chain has the target ``gear-neo4j``, so another tool's chain in the same database is left alone.
"""

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping

from gear_neo4j.domain import LONGEST_KEY, entity_key
from gear_neo4j.errors import ForeignGraph, MigrationError
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.read.collections import Collections
from gear_neo4j.graph.read.pattern_queries import PatternQueries
from gear_neo4j.graph.schema.indexes import ENTITY, PASSAGE_INDEX, TRIPLE_INDEX, await_online, expected_indexes, verify
from gear_neo4j.graph.schema.migration_files import TARGET, Migration, load, numbers, require_known, variant
from gear_neo4j.graph.schema.migration_lock import LOCK_CONSTRAINTS, Lock, locked
from gear_neo4j.graph.schema.record import has_foreign_entities, read_record
from gear_neo4j.graph.write.community_store import CommunityStore
from gear_neo4j.graph.write.reader_records import ReaderRecords
from gear_neo4j.graph.write.terms import TermStore
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.text.name_keys import plain_key

LOGGER = logging.getLogger("gear_neo4j.schema")
_CREATE = re.compile(r"CREATE [A-Z ]*(?:INDEX|CONSTRAINT) (\w+) IF NOT EXISTS")
# The folder of migrations for servers whose vector indexes filter by collection.
INDEX_FILTERS = "index_filters"
SOON = 10.0
# The migration after which passages and triples of earlier versions get a collection.
STAMPED = "V006__collections.cypher"
STAMPED_A_BATCH = 500
# The migration after which communities of earlier versions get the default collection, if it is the only one.
CLAIMED = "V007__community_collection.cypher"
CLAIMED_A_BATCH = 1_000
# The migration after which the readers of documents of earlier versions are recorded.
DERIVED = "V010__source_records.cypher"
DERIVED_A_BATCH = 500
# The migration after which names that differ in their apostrophes, hyphens or invisible characters are one entity.
REKEYED = "V011__entity_keys.cypher"
KEYS_A_BATCH = 10_000
# The migration after which the terms of an adopted graph, and entities without their accents, are looked up in indexes.
TERMS = "V012__terms.cypher"
_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")


def pending(database: Database, migrations: tuple[Migration, ...] | None = None) -> tuple[Migration, ...]:
    """The migrations that a database still lacks; read-only.

    Raises:
        MigrationError: the chain in the database is not the beginning of ours, or a file changed after it was applied.
    """
    files = load() if migrations is None else migrations
    applied = sorted(database.call("migration_chain", target=TARGET), key=lambda row: numbers(row["version"]))
    require_known([row["version"] for row in applied], database=database.name)
    for row, migration in zip(applied, files, strict=False):
        if row["version"] != migration.version:
            raise MigrationError(f"the database has migration {row['version']} where {migration.source} is expected")
        if row["checksum"] != migration.checksum:
            raise MigrationError(
                f"{migration.source} changed after it was applied ({row['checksum']} -> {migration.checksum}): "
                "restore it and add a new migration"
            )
    return files[len(applied) :]


def version(database: Database) -> str | None:
    """The version of the last migration in a database; None if it has no schema of ours."""
    applied = [str(row["version"]) for row in database.call("migration_chain", target=TARGET)]
    return max(applied, key=numbers, default=None)


def migrate(database: Database, *, dimension: int, wait: float = 60) -> tuple[Migration, ...]:
    """Bring a database to the newest schema and verify its indexes; returns the migrations that were applied.

    If the record says that the nodes labelled ``Entity`` are the user's, no index is created on that label.

    Args:
        dimension: that of the embedding model, for the vector indexes.
        wait: seconds to wait for another process that is migrating.

    Raises:
        ForeignGraph: our labels are in use by other data; nothing is changed.
        MigrationError: the chain, a checksum or an index is wrong, or the lock was lost to another process.
    """
    if not 1 <= dimension <= 4096:
        raise MigrationError(f"an embedding of dimension {dimension} cannot be indexed: Neo4j takes 1 to 4096")
    files = load()
    missing = pending(database, files)
    record = read_record(database)
    foreign = record is not None and record.foreign
    if missing:
        # A bulk import fills a database that has our record but no schema yet.
        _refuse_foreign(database, first=len(missing) == len(files) and record is None)
        with locked(database, wait=wait) as lock:
            # Another process may have migrated while this one waited.
            missing = pending(database, files)
            previous = files[len(files) - len(missing) - 1].version if len(missing) < len(files) else "BASELINE"
            for migration in missing:
                _apply(database, migration, lock, foreign=foreign, previous=previous, dimension=dimension)
                previous = migration.version
    restore(database, dimension=dimension)
    # A large index takes minutes to build, and accepts writes meanwhile.
    await_online(database, seconds=SOON)
    verify(database, dimension=dimension, states=("ONLINE", "POPULATING"))
    return missing


def restore(database: Database, *, dimension: int) -> None:
    """Create missing indexes, such as one that was dropped for a load that was killed.

    A large index is built in the background; this does not wait for it.
    """
    existing = {row["name"] for row in database.call("show_indexes")}
    foreign = has_foreign_entities(database)
    for migration in load():
        for statement in _statements(database, migration, foreign=foreign):
            match = _CREATE.search(statement)
            if match and match[1] not in existing:
                database.execute(_fill_in(statement, dimension))


def rebuild(database: Database, *, dimension: int) -> None:
    """Drop the vector indexes of passages and triples, and recreate them in the best form that the server supports.

    It does not wait for them. Vector searches are refused until the index of passages is online.
    """
    for name in (PASSAGE_INDEX, TRIPLE_INDEX):
        database.execute(f"DROP INDEX {name} IF EXISTS")
    restore(database, dimension=dimension)


def drop_schema(database: Database) -> None:
    """Drop our indexes, the chain and the lock from a database without gear-neo4j data."""
    for index in expected_indexes(1):
        kind = "CONSTRAINT" if index.unique else "INDEX"
        database.execute(f"DROP {kind} {index.name} IF EXISTS")
    others = database.call("drop_store", target=TARGET)[0]["others"]
    if not others:
        for statement in LOCK_CONSTRAINTS:
            database.execute(f"DROP CONSTRAINT {statement.split()[2]} IF EXISTS")


def _statements(database: Database, migration: Migration, *, foreign: bool) -> list[str]:
    """The statements of a migration on this server, without those on the label ``Entity`` if that is the user's."""
    better = variant(migration.source, folder=INDEX_FILTERS)
    statements = better if better and database.has_index_filters else migration.statements
    return [statement for statement in statements if not (foreign and f":{ENTITY})" in statement)]


def _fill_in(statement: str, dimension: int) -> str:
    return _PLACEHOLDER.sub(lambda match: str({"dimension": dimension}[match[1]]), statement)


def _apply(
    database: Database, migration: Migration, lock: Lock, *, foreign: bool, previous: str, dimension: int
) -> None:
    started = time.monotonic()
    for statement in _statements(database, migration, foreign=foreign):
        lock.require()
        database.execute(_fill_in(statement, dimension))
    if (rest := PASSES.get(migration.source)) and not (foreign and migration.source == REKEYED):
        rest(database, lock)
    lock.require()
    database.call(
        "record_migration",
        target=TARGET,
        previous=previous,
        version=migration.version,
        description=migration.description,
        source=migration.source,
        checksum=migration.checksum,
        milliseconds=round(1_000 * (time.monotonic() - started)),
        by=TARGET,
    )


def _stamp(database: Database, lock: Lock) -> None:
    """Put all passages into the default collection; if this is killed, the next migration repeats it."""
    last: str | None = ""
    while last is not None:
        lock.require()
        last = Collections(database).stamp(after=last, collection=DEFAULT_COLLECTION, limit=STAMPED_A_BATCH)


def _claim(database: Database, lock: Lock) -> None:
    """Put all communities into the default collection, if no passage is in another one."""
    claimed = True
    while claimed:
        lock.require()
        claimed = CommunityStore(database).claim(limit=CLAIMED_A_BATCH) > 0


def _derive_readers(database: Database, lock: Lock) -> None:
    """Record the readers of documents, which only their passages had before."""
    last: str | None = ""
    recorded = restricted = 0
    while last is not None:
        lock.require()
        done = ReaderRecords(database).derive(after=last, limit=DERIVED_A_BATCH)
        last, recorded, restricted = done.last, recorded + done.recorded, restricted + done.restricted
    if recorded:
        LOGGER.warning(
            "%s: the readers of %d documents are on record now; %d of their passages, which others could read, have "
            "the same readers: 'gear readers' lists them",
            database.name,
            recorded,
            restricted,
        )


def _entity_keys(database: Database, lock: Lock) -> Iterator[list[str]]:
    """The keys of all entities, in order, in batches; each needs the lock."""
    last = ""
    while keys := [row["key"] for row in database.call("entities_after", key=last, limit=KEYS_A_BATCH)]:
        lock.require()
        last = keys[-1]
        yield keys


def _rekey(database: Database, lock: Lock) -> None:
    """Give entities the keys of today; those with the same key are merged."""
    renamed = 0
    for keys in _entity_keys(database, lock):
        # A key that was shortened ends with a digest, and stays.
        rows = [{"from": key, "to": entity_key(key)} for key in keys if len(key) < LONGEST_KEY]
        if changed := [row for row in rows if row["from"] != row["to"]]:
            renamed += database.call("rename_entities", rows=changed)[0]["renamed"]
    if renamed:
        LOGGER.warning(
            "%s: %d names were other entities only for their apostrophes, hyphens or invisible characters; each is one "
            "entity now",
            database.name,
            renamed,
        )


def _write_terms(database: Database, lock: Lock) -> None:
    """Write the terms of the adopted graph, if there is one, and the keys of entities without accents."""
    if schema := PatternQueries(database).schema():
        for _ in TermStore(database).update(schema):
            lock.require()
    if has_foreign_entities(database):
        return
    for keys in _entity_keys(database, lock):
        if rows := [{"key": key, "plain": plain} for key in keys if (plain := plain_key(key))]:
            database.call("write_plain_keys", rows=rows)


# What remains to be done after the statements of a migration, in batches.
PASSES: Mapping[str, Callable[[Database, Lock], None]] = {
    STAMPED: _stamp,
    CLAIMED: _claim,
    DERIVED: _derive_readers,
    REKEYED: _rekey,
    TERMS: _write_terms,
}


def foreign_labels(database: Database) -> set[str]:
    """Our labels that have nodes; before the first migration, these belong to another application."""
    return set(database.call("foreign_data")[0]["labels"])


def _refuse_foreign(database: Database, *, first: bool) -> None:
    labels = sorted(foreign_labels(database)) if first else []
    if labels:
        raise ForeignGraph(
            f"the database {database.name} already has nodes with the label {', '.join(labels)} that gear-neo4j did "
            "not make; nothing was changed: use another database (NEO4J_DATABASE), or 'gear adopt' for a graph of yours"
        )
