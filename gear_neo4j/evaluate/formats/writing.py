"""Data sets of other formats, written once in our format: corpus, queries and triples as JSONL."""

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Protocol

from gear_neo4j.errors import InputError

# Raised whenever the conversion changes, so that the output of an older version is not reused.
FORM = b"1"


@dataclass(frozen=True, slots=True)
class Rows:
    """The lines of a data set's files."""

    corpus: Iterable[Mapping[str, Any]]
    queries: Sequence[Mapping[str, Any]]
    triples: Iterable[Mapping[str, Any]] | None = None


class SourceDataset(Protocol):
    """A data set in another format."""

    @property
    def name(self) -> str:
        """The name of the data set."""

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of the data set."""

    def rows(self) -> Rows:
        """The data set in our format; raises InputError with file and position of invalid data."""


def written_once(source: SourceDataset, folder: Path) -> Path:
    """The folder of a source in our format, named after the content of its files and written on first use.

    Raises:
        InputError: the source cannot be used, or the folder cannot be written.
    """
    target = folder / _fingerprint(source.files)
    if target.is_dir():
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = Path(mkdtemp(dir=folder, prefix=".unfinished-"))
        try:
            _write(source, unfinished)
            # A faster process wrote the same content: a non-empty folder is never replaced.
            with suppress(FileExistsError):
                _rename(unfinished, target)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error} (GEAR_HOME moves it)") from error
    return target


def _rename(unfinished: Path, target: Path) -> None:
    try:
        unfinished.rename(target)
    except OSError as error:
        if target.is_dir():
            raise FileExistsError from error
        raise


def _write(source: SourceDataset, folder: Path) -> None:
    rows = source.rows()
    if not rows.queries:
        raise InputError(f"{source.files[0]} holds no question")
    for name, lines in (("corpus", rows.corpus), ("queries", rows.queries), ("triples", rows.triples)):
        if lines is not None:
            with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
                file.writelines(f"{json.dumps(line)}\n" for line in lines)


def _fingerprint(files: Sequence[Path]) -> str:
    digest = blake2b(FORM, digest_size=12)
    for path in files:
        try:
            with path.open("rb") as file:
                while chunk := file.read(1 << 20):
                    digest.update(chunk)
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
        digest.update(b"\0")
    return digest.hexdigest()
