"""The files of jobs, under generated names: no path contains anything from a client."""

import os
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from gear_neo4j.ingestion.job import FileKind, Job, JobFile

FOLDER = "files"
LINES = ".jsonl"


@dataclass(frozen=True, slots=True)
class Sent:
    """An uploaded file, with the name given by its sender, of a kind that can be ingested."""

    name: str
    kind: FileKind
    suffix: str
    content: BinaryIO


def document_names(files: "Iterable[Sent | JobFile]") -> tuple[str, ...]:
    """The names of the files that replace an earlier version of themselves: all but those of lines."""
    return tuple(file.name for file in files if Path(file.name).suffix.lower() != LINES)


class JobFiles:
    """The files below a folder, in a folder for each job; other users of the machine cannot read them.

    Raises:
        OSError: the folder cannot be used. So do all methods.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._folder.mkdir(mode=0o700, exist_ok=True)

    def save(self, id: str, sent: Sequence[Sent]) -> tuple[JobFile, ...]:
        """Write the files of a job to disk, all of them or none."""
        folder = self._folder / id
        folder.mkdir(mode=0o700)
        try:
            files = tuple(
                JobFile(file.name, file.kind, _write(folder / _stored_name(number, file.suffix), file.content))
                for number, file in enumerate(sent)
            )
            _to_disk(folder)
            _to_disk(self._folder)
            return files
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def names(self, job: Job) -> Mapping[Path, str]:
        """The names of a job's files by path, in the order in which they were sent."""
        folder = self._folder / job.id
        return {
            folder / _stored_name(number, Path(file.name).suffix.lower()): file.name
            for number, file in enumerate(job.files)
        }

    def remove(self, id: str) -> None:
        """Remove the files of a job, if it has any."""
        shutil.rmtree(self._folder / id, ignore_errors=True)

    def keep(self, ids: Collection[str]) -> None:
        """Remove the files of all other jobs, which a process that died may have left."""
        for folder in self._folder.iterdir():
            if folder.name not in ids:
                shutil.rmtree(folder, ignore_errors=True)


def _stored_name(number: int, suffix: str) -> str:
    return f"{number}{suffix}"


def _write(path: Path, content: BinaryIO) -> int:
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        shutil.copyfileobj(content, file, 1 << 20)
        file.flush()
        os.fsync(file.fileno())
        return file.tell()


def _to_disk(folder: Path) -> None:
    # A file survives a power cut only if its folder was also synced; Windows cannot open folders.
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
