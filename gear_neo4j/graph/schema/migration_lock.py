"""The lock that keeps two processes from migrating a database at once, compatible with neo4j-migrations."""

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from gear_neo4j.errors import DatabaseError, MigrationError
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.schema.migration_files import TARGET

LOCK_BEAT = 3
LOCK_EXPIRES = 15
LOCK_CONSTRAINTS = (
    "CREATE CONSTRAINT __Neo4jMigrationsLock__has_unique_id IF NOT EXISTS "
    "FOR (n:__Neo4jMigrationsLock) REQUIRE n.id IS UNIQUE",
    "CREATE CONSTRAINT __Neo4jMigrationsLock__has_unique_name IF NOT EXISTS "
    "FOR (n:__Neo4jMigrationsLock) REQUIRE n.name IS UNIQUE",
)


class Lock:
    """The lock, from the view of a holder.

    Args:
        holder: the id of the holder.
    """

    def __init__(self, database: Database, holder: str) -> None:
        self._database = database
        self._holder = holder

    def take(self) -> bool:
        """Take the lock, if it is free or has expired; returns whether it is held now. One round trip."""
        return self._holds("take_migration_lock", seconds=LOCK_EXPIRES)

    def renew(self) -> bool:
        """Keep the lock from expiring; returns False if it is no longer held. One round trip."""
        return self._holds("renew_migration_lock")

    def require(self) -> None:
        """Renew the lock before a write.

        Raises:
            MigrationError: it expired and another process took it, or it was removed.
        """
        if not self.renew():
            raise MigrationError(
                f"this process lost the lock on the migrations of {self._database.name}, so it wrote nothing more: "
                "run 'gear migrate' again, which waits for the process that holds it now"
            )

    def release(self) -> None:
        """Give the lock back, unless it was lost."""
        self._database.call("release_migration_lock", name=TARGET, id=self._holder)

    def _holds(self, query: str, **options: object) -> bool:
        return bool(self._database.call(query, name=TARGET, id=self._holder, **options)[0]["held"])


@contextmanager
def locked(database: Database, *, wait: float) -> Iterator[Lock]:
    """Hold the lock, waiting up to ``wait`` seconds for another holder; a heartbeat keeps it until the block ends.

    Raises:
        MigrationError: another process held it all that time.
    """
    for statement in LOCK_CONSTRAINTS:
        database.execute(statement)
    lock = Lock(database, str(uuid.uuid4()))
    deadline = time.monotonic() + wait
    while not lock.take():
        if time.monotonic() > deadline:
            raise MigrationError(
                f"another process has been migrating {database.name} for {wait:.0f} s: wait for it "
                f"(the lock of a killed one expires after {LOCK_EXPIRES} s)"
            )
        time.sleep(0.2)
    done = threading.Event()
    beat = threading.Thread(target=_send_heartbeats, args=(lock, done), daemon=True)
    try:
        beat.start()
        try:
            yield lock
        finally:
            done.set()
            beat.join()
    finally:
        lock.release()


def _send_heartbeats(lock: Lock, done: threading.Event) -> None:
    """Renew the lock, so that the lock of a killed process can expire within seconds."""
    while not done.wait(LOCK_BEAT):
        # The next beat makes up for one that the server rejects; a lost lock is noticed by the next write.
        with suppress(DatabaseError):
            lock.renew()
