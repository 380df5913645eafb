"""Schema migrations: numbered files, checksums, a chain and a lock in the database, as neo4j-migrations keeps them.

The chain carries the target ``gear-neo4j``, so a chain that somebody else keeps in the same database is left alone.
"""

import re
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from zlib import crc32

from gear_neo4j.errors import DatabaseError, ForeignGraph, MigrationError
from gear_neo4j.graph.database import Database
from gear_neo4j.graph.queries import resource_folder

TARGET = "gear-neo4j"
LOCK_BEAT = 3
LOCK_EXPIRES = 15
LOCK_CONSTRAINTS = (
    "CREATE CONSTRAINT __Neo4jMigrationsLock__has_unique_id IF NOT EXISTS "
    "FOR (n:__Neo4jMigrationsLock) REQUIRE n.id IS UNIQUE",
    "CREATE CONSTRAINT __Neo4jMigrationsLock__has_unique_name IF NOT EXISTS "
    "FOR (n:__Neo4jMigrationsLock) REQUIRE n.name IS UNIQUE",
)
_FILE = re.compile(r"V(?P<version>\d+(?:_\d+)*)__(?P<words>\w+)\.cypher")
_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of ``migrations/``: its version, its subject, and its statements with placeholders."""

    version: str
    description: str
    source: str
    statements: tuple[str, ...]

    @property
    def checksum(self) -> str:
        """CRC32 over the statements in order, in decimal; placeholders count as they are written."""
        total = 0
        for statement in self.statements:
            total = crc32(statement.encode(), total)
        return str(total)


@dataclass(frozen=True, slots=True)
class Index:
    """An index that must exist after migrating: what it covers, its dimension, and whether a constraint owns it."""

    name: str
    type: str
    label: str
    properties: tuple[str, ...]
    dimension: int | None = None
    unique: bool = False


def load(folder: Path | None = None) -> tuple[Migration, ...]:
    """The migrations of a folder (default: those of the package), in order of their versions.

    Raises:
        MigrationError: a file's name does not follow ``V001__words.cypher``, or two files have one version.
    """
    files = sorted((folder or resource_folder("migrations")).glob("*.cypher"))
    migrations = sorted(map(_parse, files), key=lambda migration: _numbers(migration.version))
    for one, other in pairwise(migrations):
        if _numbers(one.version) == _numbers(other.version):
            raise MigrationError(f"{one.source} and {other.source} have the same version: number one of them anew")
    return tuple(migrations)


def pending(database: Database, migrations: tuple[Migration, ...] | None = None) -> tuple[Migration, ...]:
    """The migrations that a database still lacks; changes nothing.

    Raises:
        MigrationError: the chain in the database is not the beginning of ours, or a file changed after it was applied.
    """
    files = load() if migrations is None else migrations
    applied = sorted(database.call("migration_chain", target=TARGET), key=lambda row: _numbers(row["version"]))
    if len(applied) > len(files):
        raise MigrationError(
            f"the database is at migration {applied[-1]['version']}, newer than this gear-neo4j: upgrade gear-neo4j"
        )
    for row, migration in zip(applied, files, strict=False):
        if row["version"] != migration.version:
            raise MigrationError(f"the database has migration {row['version']} where {migration.source} is expected")
        if row["checksum"] != migration.checksum:
            raise MigrationError(
                f"{migration.source} changed after it was applied ({row['checksum']} -> {migration.checksum}): "
                "restore it and add a new migration"
            )
    return files[len(applied) :]


def migrate(database: Database, *, dimension: int, wait: float = 60) -> tuple[Migration, ...]:
    """Bring a database to the newest schema and verify its indexes; returns the migrations that were applied.

    Args:
        dimension: of the embedding model; fills the placeholder of the vector indexes.
        wait: seconds to wait for another process that is migrating.

    Raises:
        ForeignGraph: our labels hold data that no migration of ours can have made; nothing is changed.
        MigrationError: the chain, a checksum or an index is not what it must be.
    """
    if not 1 <= dimension <= 4096:
        raise MigrationError(f"an embedding of dimension {dimension} cannot be indexed: Neo4j takes 1 to 4096")
    files = load()
    missing = pending(database, files)
    if missing:
        _refuse_foreign(database, first=len(missing) == len(files))
        with _lock(database, wait=wait):
            # Another process may have migrated, and ingested, while this one waited.
            missing = pending(database, files)
            previous = files[len(files) - len(missing) - 1].version if len(missing) < len(files) else "BASELINE"
            for migration in missing:
                _apply(database, migration, previous=previous, dimension=dimension)
                previous = migration.version
    verify(database, dimension=dimension)
    return missing


def verify(database: Database, *, dimension: int) -> None:
    """Check that each index exists with the label, properties and dimension meant, and is online.

    Raises:
        MigrationError: names the first index that is not as it must be, and what to do.
    """
    found = {row["name"]: row for row in database.call("show_indexes")}
    for index in expected_indexes(dimension):
        row = found.get(index.name)
        if row is None:
            raise MigrationError(f"the index {index.name} is missing: another one may cover (:{index.label}) already")
        actual = (row["type"], row["labels"], row["properties"], row["unique"])
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
        if row["state"] != "ONLINE":
            raise MigrationError(f"the index {index.name} is {row['state']}: wait until it is online, then try again")


def expected_indexes(dimension: int) -> tuple[Index, ...]:
    """The indexes that the migrations make, for embeddings of a dimension."""
    return (
        Index("gear_passage_id", "RANGE", "Passage", ("id",), unique=True),
        Index("gear_triple_id", "RANGE", "Triple", ("id",), unique=True),
        Index("gear_entity_key", "RANGE", "Entity", ("key",), unique=True),
        Index("gear_store_id", "RANGE", "__GearStore", ("id",), unique=True),
        Index("gear_passage_source", "RANGE", "Passage", ("source",)),
        Index("gear_passage_text", "FULLTEXT", "Passage", ("title", "text")),
        Index("gear_passage_embedding", "VECTOR", "Passage", ("embedding",), dimension),
        Index("gear_triple_embedding", "VECTOR", "Triple", ("embedding",), dimension),
        Index("gear_entity_embedding", "VECTOR", "Entity", ("embedding",), dimension),
    )


def statements_of(text: str) -> tuple[str, ...]:
    """The statements of a migration file: each ends with a semicolon at the end of a line.

    A last statement without one counts too; a comment stays with the statement that follows it.

    Example:
        >>> statements_of("CREATE (a);\\nCREATE (b)")
        ('CREATE (a)', 'CREATE (b)')
    """
    return tuple(part.strip() for part in re.split(r";[ \t]*(?:\r?\n|$)", text) if part.strip())


def _parse(path: Path) -> Migration:
    match = _FILE.fullmatch(path.name)
    if match is None:
        raise MigrationError(f"{path.name}: a migration is called like V001__words.cypher")
    words = match["words"].replace("_", " ")
    return Migration(match["version"].replace("_", "."), words, path.name, statements_of(path.read_text("utf-8")))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _apply(database: Database, migration: Migration, *, previous: str, dimension: int) -> None:
    started = time.monotonic()
    for statement in migration.statements:
        database.execute(_PLACEHOLDER.sub(lambda match: str({"dimension": dimension}[match[1]]), statement))
    database.call("await_indexes", seconds=300)
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


def _refuse_foreign(database: Database, *, first: bool) -> None:
    labels = database.call("foreign_data")[0]["labels"] if first else []
    if labels:
        raise ForeignGraph(
            f"the database {database.name} already has nodes with the label {', '.join(labels)} that gear-neo4j did "
            "not make; nothing was changed: use another database (NEO4J_DATABASE)"
        )


@contextmanager
def _lock(database: Database, *, wait: float) -> Iterator[None]:
    for statement in LOCK_CONSTRAINTS:
        database.execute(statement)
    holder = str(uuid.uuid4())
    deadline = time.monotonic() + wait
    while not _taken(database, holder):
        if time.monotonic() > deadline:
            raise MigrationError(
                f"another process has been migrating {database.name} for {wait:.0f} s: wait for it "
                f"(the lock of a killed one expires after {LOCK_EXPIRES} s)"
            )
        time.sleep(0.2)
    done = threading.Event()
    beat = threading.Thread(target=_keep, args=(database, holder, done), daemon=True)
    beat.start()
    try:
        yield
    finally:
        done.set()
        beat.join()
        database.call("release_migration_lock", name=TARGET, id=holder)


def _keep(database: Database, holder: str, done: threading.Event) -> None:
    """Show that the holder of the lock lives, so that the lock of a killed one can expire within seconds."""
    while not done.wait(LOCK_BEAT):
        # A beat that the server does not take is made good by the next.
        with suppress(DatabaseError):
            _taken(database, holder)


def _taken(database: Database, holder: str) -> bool:
    return bool(database.call("take_migration_lock", name=TARGET, id=holder, seconds=LOCK_EXPIRES)[0]["taken"])
