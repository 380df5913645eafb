"""The queue of jobs: a table of SQLite, which survives the process and needs no other one.

Taking a job marks it and does not remove it: if the process dies, the next one takes it first.
"""

import json
import os
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from gear_neo4j.ingestion.job import Job, JobState
from gear_neo4j.scope import EVERYTHING, Scope
from gear_neo4j.text.printable import json_text
from gear_neo4j.wire import from_json, to_json

FILE_NAME = "jobs.sqlite"
# Number of finished jobs to keep for each key.
MOST_ENDED = 200
_SCHEMA = """
CREATE TABLE IF NOT EXISTS job (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, state TEXT NOT NULL,
  bytes INTEGER NOT NULL, starts INTEGER NOT NULL DEFAULT 0, cancelled INTEGER NOT NULL DEFAULT 0,
  options TEXT NOT NULL, document TEXT NOT NULL, scope TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX IF NOT EXISTS job_state ON job (state, number);
CREATE INDEX IF NOT EXISTS job_owner ON job (owner, number);
"""
# Jobs of an earlier version have no scope: they use the current scope of their key.
_SCOPE = "ALTER TABLE job ADD COLUMN scope TEXT NOT NULL DEFAULT '{}'"
_COLUMNS = "id, owner, starts, cancelled, options, document, scope"
# The files of other owners' jobs in a collection, as JSON, because SQLite's texts end at a null character.
_FILES_OF_OTHERS = """
SELECT json_extract(document, '$.files') FROM job
WHERE state IN ('waiting', 'running') AND owner <> ? AND json_extract(document, '$.collection') = ?
"""
Extract = Literal["auto", "rules", "none"]


def now() -> str:
    """The current time as jobs store it: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class JobOptions:
    """How to ingest the files of a job; ``readers`` is None if its sender did not set any."""

    readers: tuple[str, ...] | None = None
    replace: bool = False
    extract: Extract = "auto"


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A job in the queue, with its owner, what the owner could see when it was accepted, and its progress.

    ``starts`` counts the starts without an end; ``cancelled`` says that the job must end.
    """

    job: Job
    owner: str
    options: JobOptions = JobOptions()
    starts: int = 0
    cancelled: bool = False
    scope: Scope = EVERYTHING


class NameWaits(Exception):
    """An unfinished job of another owner has a document with this name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class JobStore:
    """The jobs in a folder; threads may share it.

    Raises:
        OSError, sqlite3.Error: the folder or the file cannot be used. So do all methods.
    """

    def __init__(self, folder: Path) -> None:
        file = folder / FILE_NAME
        # SQLite gives its other files the mode of this one.
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        self._lock = Lock()
        self._connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.executescript(_SCHEMA)
        if "scope" not in {row[1] for row in self._connection.execute("PRAGMA table_info(job)")}:
            self._connection.execute(_SCOPE)

    def add(self, stored: StoredJob, *, names: Collection[str] = ()) -> None:
        """Put a job at the end of the queue; its owner's oldest finished jobs beyond 200 are dropped.

        Args:
            names: names that no unfinished job of another owner may have in the collection.

        Raises:
            NameWaits: a job has one; nothing was put into the queue.
        """
        job, size = stored.job, sum(file.bytes for file in stored.job.files)
        options, scope = json.dumps(asdict(stored.options)), json_text(stored.scope.json)
        with self._transaction() as connection:
            rows = connection.execute(_FILES_OF_OTHERS, (stored.owner, job.collection)) if names else ()
            waiting = {file["name"] for (files,) in rows for file in json.loads(files)}
            if waits := next((name for name in names if name in waiting), None):
                raise NameWaits(waits)
            connection.execute(
                "INSERT INTO job (id, owner, state, bytes, options, document, scope) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (job.id, stored.owner, job.state, size, options, _text(job), scope),
            )
            connection.execute(
                "DELETE FROM job WHERE owner = :owner AND state IN ('done', 'failed', 'cancelled') AND number NOT IN "
                "(SELECT number FROM job WHERE owner = :owner ORDER BY number DESC LIMIT :most)",
                {"owner": stored.owner, "most": MOST_ENDED},
            )

    def get(self, id: str) -> StoredJob | None:
        """The job with an id."""
        return next(iter(self._select("WHERE id = ?", id)), None)

    def newest(self, *, owner: str | None, limit: int) -> list[StoredJob]:
        """The newest jobs, of an owner or of all."""
        return self._select("WHERE ? IS NULL OR owner = ? ORDER BY number DESC LIMIT ?", owner, owner, limit)

    def take(self, *, without: Collection[str] = ()) -> StoredJob | None:
        """Mark the next job as running, and return it: one that was already running, else the first waiting one.

        Args:
            without: owners whose jobs must wait.
        """
        with self._transaction() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM job WHERE state IN ('running', 'waiting') "
                "AND owner NOT IN (SELECT value FROM json_each(?)) ORDER BY state, number LIMIT 1",
                (json.dumps(list(without)),),
            ).fetchall()
            if not rows:
                return None
            stored = _stored(rows[0])
            job = replace(stored.job, state="running", detail="")
            connection.execute(
                "UPDATE job SET state = 'running', starts = starts + 1, document = ? WHERE id = ?", (_text(job), job.id)
            )
        return replace(stored, job=job, starts=stored.starts + 1)

    def save(self, job: Job) -> bool:
        """Store the progress of a job; returns whether it must end. A job that waits again counts as never started."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE job SET state = :state, document = :document, "
                "starts = CASE :state WHEN 'waiting' THEN 0 ELSE starts END WHERE id = :id",
                {"state": job.state, "document": _text(job), "id": job.id},
            )
            row = connection.execute("SELECT cancelled FROM job WHERE id = ?", (job.id,)).fetchone()
        return bool(row and row[0])

    def cancel(self, id: str, *, finished: str) -> None:
        """Cancel a waiting job, or mark a running one; a finished one stays as it is."""
        with self._transaction() as connection:
            _cancel(connection, "id = ?", id, finished=finished)
            connection.execute("UPDATE job SET cancelled = 1 WHERE id = ? AND state = 'running'", (id,))

    def count(self, state: JobState) -> int:
        """The number of jobs in a state."""
        return self._number("SELECT count(*) FROM job WHERE state = ?", state)

    def waiting(self, owner: str) -> int:
        """The number of an owner's unfinished jobs."""
        return self._number("SELECT count(*) FROM job WHERE owner = ? AND state IN ('waiting', 'running')", owner)

    def bytes(self) -> int:
        """The size of the files of all unfinished jobs."""
        return self._number("SELECT coalesce(sum(bytes), 0) FROM job WHERE state IN ('waiting', 'running')")

    def unfinished(self) -> frozenset[str]:
        """The ids of the unfinished jobs."""
        return frozenset(stored.job.id for stored in self._select("WHERE state IN ('waiting', 'running')"))

    def owners(self) -> list[str]:
        """The owners of unfinished jobs."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT DISTINCT owner FROM job WHERE state IN ('waiting', 'running')"
            ).fetchall()
        return [str(owner) for (owner,) in rows]

    def cancel_waiting(self, owner: str, *, finished: str, detail: str) -> list[str]:
        """Cancel the waiting jobs of an owner, and return their ids."""
        with self._transaction() as connection:
            return _cancel(connection, "owner = ?", owner, finished=finished, detail=detail)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _select(self, conditions: str, *values: object) -> list[StoredJob]:
        with self._lock:
            rows = self._connection.execute(f"SELECT {_COLUMNS} FROM job {conditions}", values).fetchall()
        return [_stored(row) for row in rows]

    def _number(self, statement: str, *values: object) -> int:
        with self._lock:
            return int(self._connection.execute(statement, values).fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        with self._lock, closing(self._connection.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
                cursor.execute("COMMIT")
            except BaseException:
                # SQLite rolls back by itself after some errors, such as a full disk.
                if self._connection.in_transaction:
                    cursor.execute("ROLLBACK")
                raise


def _cancel(connection: sqlite3.Cursor, condition: str, value: str, *, finished: str, detail: str = "") -> list[str]:
    rows = connection.execute(f"SELECT {_COLUMNS} FROM job WHERE {condition} AND state = 'waiting'", (value,))
    jobs = [_stored(row).job for row in rows.fetchall()]
    for job in jobs:
        ended = replace(job, state="cancelled", finished=finished, detail=detail or job.detail)
        connection.execute("UPDATE job SET state = 'cancelled', document = ? WHERE id = ?", (_text(ended), job.id))
    return [job.id for job in jobs]


def _stored(row: tuple[Any, ...]) -> StoredJob:
    _, owner, starts, cancelled, options, document, scope = row
    fields = json.loads(options)
    readers = None if fields["readers"] is None else tuple(fields["readers"])
    job = from_json(Job, json.loads(document))
    sent = JobOptions(readers, fields["replace"], fields["extract"])
    return StoredJob(job, owner, sent, starts, bool(cancelled), Scope().narrowed(**json.loads(scope)))


def _text(job: Job) -> str:
    return json_text(to_json(job))
