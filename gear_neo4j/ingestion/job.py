"""Jobs of the service, such as an ingest or the removal of a source, as a caller sees them."""

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
    """A file of a job: the name given by its sender, and its size in bytes."""

    name: str
    kind: FileKind
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job on one collection, and its progress.

    ``source`` is the source that a job of the task ``forget`` removes. Times are in ISO 8601, empty until they are
    known. ``progress`` has an entry for each stage that has begun, ``counts`` the numbers of items that a finished job
    read, wrote and removed. ``problems`` holds the first of ``problem_count`` lines and files that could not be used;
    ``detail`` says why a job failed, or what it waits for.
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
        """Whether the job is finished."""
        return self.state in ENDED
