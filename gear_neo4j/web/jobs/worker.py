"""The thread that does the jobs of the queue, one by one, to leave the other cores to searches."""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from threading import Event, Thread

from gear_neo4j.errors import ServerUnavailable
from gear_neo4j.gear import Gear
from gear_neo4j.ingestion.job import Job, JobState
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.text.printable import json_text
from gear_neo4j.web.access_log import log_job
from gear_neo4j.web.credentials import RightsUnknown
from gear_neo4j.web.jobs.files import JobFiles
from gear_neo4j.web.jobs.rights import JobRights
from gear_neo4j.web.jobs.store import JobStore, StoredJob, now
from gear_neo4j.web.jobs.work import perform
from gear_neo4j.web.key_ring import KeysUnusable
from gear_neo4j.web.problems import failure_of
from gear_neo4j.web.writing import RightsEnded

OnEnd = Callable[[StoredJob], None]
LOGGER = logging.getLogger("gear_neo4j.web")
MOST_PROBLEMS = 100
# A job that was started more often than this without an end has ended the process each time.
MOST_STARTS = 5
RETRY_SECONDS = 5.0
UNAVAILABLE = "the database does not answer: this continues once it does"
SIGNED_OUT = "its sender is signed out: this continues once they sign in again"
UNKNOWN = "the service's file of keys cannot be used: this continues once the operator has repaired it"
DEADLY = "the service crashed each time it worked on this: send fewer or smaller files"


class Stopped(Exception):
    """A job must end, because it was cancelled or the service stops."""


class Worker:
    """Does the jobs of a queue with one ``Gear``, between :meth:`start` and :meth:`stop`.

    Rights are checked when a job starts or resumes, and those of its key also at each batch.

    Args:
        on_end: called with each job that has ended.
    """

    def __init__(
        self, gear: Gear, store: JobStore, files: JobFiles, *, rights: JobRights, on_end: OnEnd = lambda _: None
    ) -> None:
        self._gear = gear
        self._rights = rights
        self._on_end = on_end
        self._store = store
        self._files = files
        self._woken, self._stopping = Event(), Event()
        # A daemon thread, because a long batch must not keep a stopped service alive.
        self._thread = Thread(target=self._work, name="gear-jobs", daemon=True)

    def start(self) -> None:
        """Start with the jobs that an earlier process left."""
        self._thread.start()

    def wake(self) -> None:
        """Look for new jobs."""
        self._woken.set()

    def stop(self) -> None:
        """End at the next batch; a running job is done later."""
        self._stopping.set()
        self._woken.set()

    def join(self, seconds: float) -> None:
        """Wait for the end, at most ``seconds``."""
        if self._thread.ident:
            self._thread.join(seconds)

    def _work(self) -> None:
        while not self._stopping.is_set():
            self._woken.clear()
            try:
                signed_out = self._rights.drop_revoked(self._store, self._files)
                stored = self._store.take(without=signed_out)
                if stored:
                    self._do(stored)
                elif not self._stopping.is_set():
                    self._woken.wait(RETRY_SECONDS if signed_out else None)
            except Exception as error:
                # The disk, since all other errors belong to a job. What could not be stored is done again.
                LOGGER.error("%s", json_text({"error": type(error).__name__, "detail": "the queue cannot be written"}))
                self._stopping.wait(RETRY_SECONDS)

    def _do(self, stored: StoredJob) -> None:
        """Do a job, and store its result."""
        if stored.cancelled or stored.starts > MOST_STARTS:
            state: JobState = "cancelled" if stored.cancelled else "failed"
            self._end(stored.job, state, detail="" if stored.cancelled else DEADLY)
            return
        run = _Run(stored.job, self._store, check=lambda: self._check(stored))
        files = self._files.names(stored.job)
        try:
            self._rights.require(stored)
            run.begin()
            counts = perform(self._gear, stored, files, on_progress=run.progressed, on_problem=run.reported)
        except Exception as error:
            self._interrupted(run.job, error)
        else:
            self._end(replace(run.job, counts=counts), "done")

    def _interrupted(self, job: Job, error: Exception) -> None:
        if self._stopping.is_set():
            self._store.save(replace(job, state="waiting"))
        elif isinstance(error, Stopped | RightsEnded):
            self._end(job, "cancelled", detail=str(error))
        elif isinstance(error, ServerUnavailable | RightsUnknown):
            detail = UNAVAILABLE
            if isinstance(error, RightsUnknown):
                detail = UNKNOWN if isinstance(error, KeysUnusable) else SIGNED_OUT
            self._store.save(replace(job, state="waiting", detail=detail))
            self._stopping.wait(RETRY_SECONDS)
        elif isinstance(error, sqlite3.Error):
            # The disk is full, which is not the fault of the job: it continues once there is room.
            self._stopping.wait(RETRY_SECONDS)
            self._store.save(replace(job, state="waiting"))
        else:
            log_job(job.id, error)
            self._end(job, "failed", detail=self._detail(job, error))

    def _check(self, stored: StoredJob) -> None:
        """Check that a running job may continue.

        Raises:
            Stopped, RightsEnded, RightsUnknown: it may not.
        """
        if self._stopping.is_set():
            raise Stopped
        self._rights.require_key(stored)

    def _end(self, job: Job, state: JobState, *, detail: str = "") -> None:
        self._store.save(replace(job, state=state, detail=detail, finished=now()))
        if ended := self._store.get(job.id):
            self._on_end(ended)
        self._files.remove(job.id)

    def _detail(self, job: Job, error: Exception) -> str:
        """The error message, with files named as their sender knows them."""
        detail = failure_of(error).detail
        for path, name in self._files.names(job).items():
            detail = detail.replace(str(path), name)
        return detail


class _Run:
    """A running job, which stores its progress and problems in the queue, where clients can see them."""

    def __init__(self, job: Job, store: JobStore, *, check: Callable[[], None]) -> None:
        self.job = replace(job, progress=(), problems=(), problem_count=0)
        self._store = store
        self._check = check

    def begin(self) -> None:
        """Store that the job has started."""
        self.job = replace(self.job, started=self.job.started or now())
        self._store.save(self.job)

    def progressed(self, progress: Progress) -> None:
        """Store the progress of a stage.

        Raises:
            Stopped: the job must end; ``check`` may raise more.
        """
        stages = {stage.stage: stage for stage in (*self.job.progress, progress)}
        self.job = replace(self.job, progress=tuple(stages.values()))
        if self._store.save(self.job):
            raise Stopped
        self._check()

    def reported(self, problem: Problem) -> None:
        """Record a problem, if it is among the first; it is stored with the next progress."""
        problems = self.job.problems
        kept = (*problems, problem) if len(problems) < MOST_PROBLEMS else problems
        self.job = replace(self.job, problems=kept, problem_count=self.job.problem_count + 1)
