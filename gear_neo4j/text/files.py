"""Checks that files exist, and writes files atomically."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copymode
from stat import S_ISREG
from uuid import uuid4

from gear_neo4j.errors import InputError

FileStamp = tuple[int, int, int, int]


def refuse_missing(paths: Iterable[Path]) -> None:
    """Refuse paths that do not exist or cannot be accessed.

    Raises:
        InputError: names the first one.

    Example:
        >>> refuse_missing([Path("no-such-folder")])
        Traceback (most recent call last):
        gear_neo4j.errors.InputError: no-such-folder does not exist: check the path
    """
    for path in paths:
        try:
            path.stat()
        except FileNotFoundError:
            raise InputError(f"{path} does not exist: check the path") from None
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def file_stamp(file: Path) -> FileStamp | None:
    """What changes with a file: its time, size, place on the disk, and mode; None without a file."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_mode


def write_file(file: Path, text: str) -> None:
    """Write a text as UTF-8, with the same line ends on every system; if that fails, the old file is unchanged.

    Raises:
        InputError: the file cannot be written.
    """
    _write(file, text, mode=0o666)


def write_private_file(file: Path, text: str) -> None:
    """Write a text as :func:`write_file` does; only its owner can ever read a new file.

    Raises:
        InputError: the file cannot be written.
    """
    _write(file, text, mode=0o600)


def _write(file: Path, text: str, *, mode: int) -> None:
    def opener(path: str, flags: int) -> int:
        return os.open(path, flags, mode)

    try:
        with draft_of(file) as draft, open(draft, "w", encoding="utf-8", newline="\n", opener=opener) as out:
            out.write(text)
            out.flush()
            _to_disk(out.fileno())
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error}") from error


@contextmanager
def draft_of(file: Path) -> Iterator[Path]:
    """A temporary path beside a file, renamed to it after the block, or removed after an error.

    If the file cannot be replaced, it is the file itself: a device, a pipe, or a file in a read-only folder.
    """
    target = file.resolve()
    if (target.exists() and not target.is_file()) or not os.access(target.parent, os.W_OK):
        yield file
        return
    draft = target.with_name(f".gear-{uuid4().hex}")
    try:
        yield draft
        if target.exists():
            copymode(target, draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _to_disk(handle: int) -> None:
    # Some file systems report only here that they are full; pipes and devices cannot be synchronised.
    if S_ISREG(os.fstat(handle).st_mode):
        os.fsync(handle)
