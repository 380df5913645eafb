"""Files that are there to be read, and files that are written whole or not at all."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copymode
from stat import S_ISREG
from uuid import uuid4

from gear_neo4j.errors import InputError


def refuse_missing(paths: Iterable[Path]) -> None:
    """Refuse a path at which there is nothing, or nothing that can be looked at.

    Raises:
        InputError: names the first of them.

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


def write_file(file: Path, text: str) -> None:
    """Write a text as UTF-8, with the same line ends on every system; a failed write leaves the old file as it was.

    Raises:
        InputError: the file cannot be written.
    """
    _write(file, text, mode=0o666)


def write_private_file(file: Path, text: str) -> None:
    """Write a text as :func:`write_file` does; nobody but its owner can read a new file, not even for a moment.

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
    """A path beside a file, to be written in the block and then renamed to it; an error in the block removes it.

    It is the file itself where it cannot be replaced: a device, a pipe, or a file in a folder without write permission.
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
    # Some file systems report that they are full only here; a pipe or a device cannot be synchronised.
    if S_ISREG(os.fstat(handle).st_mode):
        os.fsync(handle)
