"""An ingest, or the removal of a source, that a service has accepted and does later: what a caller sees of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress

JobState = Literal["waiting", "running", "done", "failed", "cancelled"]
JobTask = Literal["ingest", "forget"]
FileKind = Literal["passages", "triples"]
ENDED: frozenset[JobState] = frozenset({"done", "failed", "cancelled"})


@dataclass(frozen=True, slots=True)
class JobFile:
    """A file of a job: the name that its sender has for it, and its size in bytes."""

    name: str
    kind: FileKind
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A piece of work on one collection, and how far it is.

    ``source`` is what a job of the task ``forget`` removes. Times are in ISO 8601, empty before they are known.
    ``progress`` has a place for each stage that has begun, ``counts`` what an ended job read, wrote and removed.
    ``problems`` are the first of ``problem_count`` lines and files that could not be used, ``detail`` says why a job
    failed, or what it waits for.
    """

    id: str
    task: JobTask
    state: JobState
    collection: str
    source: str = ""
    created: str = ""
    started: str = ""
    finished: str = ""
    files: tuple[JobFile, ...] = ()
    progress: tuple[Progress, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    problem_count: int = 0
    detail: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ENDED
