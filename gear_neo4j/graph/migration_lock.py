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
    """Hold the lock, waiting up to ``wait`` seconds for another holder; a heartbeat keeps it until the block ends.

    Raises:
        MigrationError: another process held it all that time.
    """
    for statement in LOCK_CONSTRAINTS:
        database.execute(statement)
    holder = str(uuid.uuid4())
    deadline = time.monotonic() + wait
    while not _take(database, holder):
        if time.monotonic() > deadline:
            raise MigrationError(
                f"another process has been migrating {database.name} for {wait:.0f} s: wait for it "
                f"(the lock of a killed one expires after {LOCK_EXPIRES} s)"
            )
        time.sleep(0.2)
    done = threading.Event()
    beat = threading.Thread(target=_send_heartbeats, args=(database, holder, done), daemon=True)
    beat.start()
    try:
        yield
    finally:
        done.set()
        beat.join()
        database.call("release_migration_lock", name=TARGET, id=holder)


def _send_heartbeats(database: Database, holder: str, done: threading.Event) -> None:
    """Renew the lock, so that the lock of a killed process can expire within seconds."""
    while not done.wait(LOCK_BEAT):
        # The next beat makes up for one that the server rejects.
        with suppress(DatabaseError):
            _take(database, holder)


def _take(database: Database, holder: str) -> bool:
    return bool(database.call("take_migration_lock", name=TARGET, id=holder, seconds=LOCK_EXPIRES)[0]["taken"])
