"""What is recorded besides requests: the start of the service, changes of its keys and rights, and the end of jobs."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from gear_neo4j.web.audit.events import who_of
from gear_neo4j.web.credentials import Credential
from gear_neo4j.web.jobs.store import StoredJob
from gear_neo4j.web.keys import Key

Entry = dict[str, object]


def started(keys: Sequence[Key], rights: Path | None) -> Entry:
    """The start of a process, with the keys and the rights file that it begins with."""
    what: Entry = {"version": version("gear-neo4j"), "keys": _named(keys)}
    return {"kind": "start", "what": what | ({"rights": _file(rights)} if rights else {})}


def keys_changed(before: Sequence[Key], after: Sequence[Key]) -> Entry:
    """A change of the file of keys; a key with other rights is both removed and added."""
    added, removed = [key for key in after if key not in before], [key for key in before if key not in after]
    return {"kind": "keys", "what": {"added": _named(added), "removed": _named(removed)}}


def rights_changed(file: Path) -> Entry:
    """A change of the rights file."""
    return {"kind": "rights", "what": _file(file)}


def job_ended(stored: StoredJob, owner: Credential | None) -> Entry:
    """The end of a job, which has written or removed documents."""
    job = stored.job
    documents = [file.name for file in job.files] or [job.source]
    what = {"job": job.id, "collection": job.collection, "documents": documents, "counts": dict(job.counts)}
    return {"who": who_of(owner), "kind": job.task, "what": what, "outcome": job.state}


def _named(keys: Iterable[Key]) -> list[dict[str, str]]:
    return [who_of(key) for key in keys]


def _file(file: Path) -> Entry:
    try:
        return {"file": file.name, "sha256": sha256(file.read_bytes()).hexdigest()}
    except OSError:
        return {"file": file.name, "sha256": None}
