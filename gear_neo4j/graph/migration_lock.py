"""The lock that keeps two processes from migrating a database at once, as neo4j-migrations keeps it."""

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from gear_neo4j.errors import DatabaseError, MigrationError
from gear_neo4j.graph.database import Database

TARGET = "gear-neo4j"
LOCK_BEAT = 3
LOCK_EXPIRES = 15
LOCK_CONSTRAINTS = (
    "CREATE CONSTRAINT __Neo4jMigrationsLock__has_unique_id IF NOT EXISTS "
    "FOR (n:__Neo4jMigrationsLock) REQUIRE n.id IS UNIQUE",
    "CREATE CONSTRAINT __Neo4jMigrationsLock__has_unique_name IF NOT EXISTS "
    "FOR (n:__Neo4jMigrationsLock) REQUIRE n.name IS UNIQUE",
)


@contextmanager
def locked(database: Database, *, wait: float) -> Iterator[None]:
    """Hold the lock, waiting for its holder for so many seconds; it is kept alive, and given back at the end.

    Raises:
        MigrationError: another process kept it all that time.
    """
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
