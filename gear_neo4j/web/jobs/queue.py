"""The jobs of a service: accepts, shows and cancels them, and connects their files, queue and thread."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from uuid import uuid4

from filelock import FileLock, Timeout
from starlette.exceptions import HTTPException

from gear_neo4j.errors import NothingFound, TooManyCalls
from gear_neo4j.gear import Gear
from gear_neo4j.ingestion.job import Job, JobState
from gear_neo4j.web.callers import Caller
from gear_neo4j.web.jobs.files import JobFiles, Sent, document_names
from gear_neo4j.web.jobs.rights import JobRights
from gear_neo4j.web.jobs.store import JobOptions, JobStore, NameWaits, StoredJob, now
from gear_neo4j.web.jobs.worker import OnEnd, Worker
from gear_neo4j.web.options import ServiceOptions
from gear_neo4j.web.ring import Ring
from gear_neo4j.web.writing import Grant, may_see, taken

LOCK = "lock"
MISSING = "there is no such job: GET /api/jobs lists those of this key"


@dataclass(frozen=True, slots=True)
class _Open:
    """An open queue, which holds the lock of its folder."""

    lock: FileLock
    store: JobStore
    files: JobFiles
    worker: Worker


class JobQueue:
    """The jobs of one service; it starts even if their folder cannot be used, and tries again when it is needed.

    Args:
        on_end: called with each job that has ended.
    """

    def __init__(self, gear: Gear, options: ServiceOptions, *, ring: Ring, on_end: OnEnd = lambda _: None) -> None:
        self._on_end = on_end
        self._rights = JobRights(gear, ring)
        self._options = options
        self._opening = Lock()
        self._opened: _Open | None = None
        self.is_stopping = False

    def start(self) -> None:
        """Resume the jobs that an earlier process left; an error of the folder is reported to clients that use it."""
        if self._options.uploads_folder:
            try:
                self._open()
            except HTTPException:
                return

    def submit(self, held: Grant, options: JobOptions, sent: Sequence[Sent]) -> Job:
        """Accept files; once this returns, they are on disk and will be ingested.

        Raises:
            TooManyCalls: too many jobs or bytes are waiting.
            HTTPException: 409, a waiting document of another owner has one of the names; 507, the disk failed; 503,
                another service uses the folder.
        """
        opened, id = self._open(), uuid4().hex
        self._require_room(opened, held)
        with _disk():
            files = opened.files.save(id, sent)
            job = Job(id=id, task="ingest", state="waiting", collection=held.collection, created=now(), files=files)
            try:
                opened.store.add(StoredJob(job, held.owner, options, scope=held.scope), names=_own_names(held, sent))
            except NameWaits as waits:
                opened.files.remove(id)
                raise taken(waits.name) from waits
            except BaseException:
                opened.files.remove(id)
                raise
        opened.worker.wake()
        return job

    def forget(self, held: Grant, source: str) -> Job:
        """Accept the removal of a source; raises as :meth:`submit` does."""
        opened = self._open()
        self._require_room(opened, held)
        collection = held.collection
        job = Job(id=uuid4().hex, task="forget", state="waiting", collection=collection, source=source, created=now())
        with _disk():
            opened.store.add(StoredJob(job, held.owner, scope=held.scope))
        opened.worker.wake()
        return job

    def get(self, caller: Caller, id: str) -> Job:
        """A job that the caller may see.

        Raises:
            NothingFound: no job has that id, or it is another owner's; callers cannot tell which.
            HTTPException: the queue cannot be read.
        """
        with _disk():
            stored = self._open().store.get(id)
        if stored is None or not may_see(caller, stored.owner):
            raise NothingFound(MISSING)
        return stored.job

    def newest(self, caller: Caller, owner: str, *, limit: int) -> list[Job]:
        """The newest jobs that a caller may see."""
        everything = caller.gear.scope.is_everything
        with _disk():
            stored = self._open().store.newest(owner=None if everything else owner, limit=limit)
        return [each.job for each in stored]

    def cancel(self, caller: Caller, id: str) -> Job:
        """Cancel a job that waits, at once, or one that runs, at its next batch; raises as :meth:`get` does."""
        self.get(caller, id)
        opened = self._open()
        with _disk():
            opened.store.cancel(id, finished=now())
        job = self.get(caller, id)
        if job.has_ended:
            opened.files.remove(id)
        return job

    def count(self, state: JobState) -> int:
        """The number of jobs in a state; 0 if there is no queue."""
        try:
            return self._opened.store.count(state) if self._opened else 0
        except sqlite3.Error:
            return 0

    def stop(self) -> None:
        """End at the next batch; streams of events end, too."""
        self.is_stopping = True
        if self._opened:
            self._opened.worker.stop()

    def close(self, *, seconds: float) -> None:
        """Stop, and wait at most ``seconds``."""
        self.stop()
        if self._opened:
            self._opened.worker.join(seconds)
            self._opened.store.close()
            self._opened.lock.release()

    def _require_room(self, opened: _Open, held: Grant) -> None:
        with _disk():
            self._rights.drop_revoked(opened.store, opened.files)
            waiting, size = opened.store.waiting(held.owner), opened.store.bytes()
        if waiting >= self._options.waiting_jobs or size >= self._options.waiting_bytes:
            raise TooManyCalls("too many documents are waiting: try again later")

    def _open(self) -> _Open:
        folder = self._options.uploads_folder
        if folder is None:
            raise HTTPException(404, "this service accepts no documents")
        with self._opening:
            if self._opened is None and not self.is_stopping:
                with _disk():
                    self._opened = _opened(folder, self._rights, self._on_end)
            if self._opened is None:
                raise HTTPException(503, "the service is stopping: try again later")
            return self._opened


def _own_names(held: Grant, sent: Sequence[Sent]) -> tuple[str, ...]:
    """The names that must not belong to others; none if the owner sees, and may replace, every document."""
    return () if held.scope.principals is None else document_names(sent)


def _opened(folder: Path, rights: JobRights, on_end: OnEnd) -> _Open:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK, mode=0o600, thread_local=False)
    lock.acquire(timeout=0)
    try:
        store, files = JobStore(folder), JobFiles(folder)
        files.keep(store.unfinished())
        opened = _Open(lock, store, files, Worker(rights.gear, store, files, rights=rights, on_end=on_end))
        opened.worker.start()
        return opened
    except BaseException:
        lock.release()
        raise


@contextmanager
def _disk() -> Iterator[None]:
    """Turn errors of the folder into problems, without its path."""
    try:
        yield
    except Timeout as error:
        raise HTTPException(503, "another service on this machine takes the documents of this database") from error
    except OSError as error:
        raise HTTPException(507, unkept(error.strerror)) from error
    except sqlite3.Error as error:
        raise HTTPException(507, unkept(str(error))) from error


def unkept(reason: str | None) -> str:
    """The message for clients when documents cannot be stored."""
    return f"documents cannot be stored: {reason or 'the disk failed'}; the operator must free or repair it"
