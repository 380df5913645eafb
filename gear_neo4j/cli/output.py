"""Output files: checked before the work begins, which may take hours."""

import os
from pathlib import Path

from gear_neo4j.errors import InputError


def require_writable(file: Path | None) -> None:
    """Check that a file could be written, without touching it; None passes.

    Raises:
        InputError: its folder does not exist, or it cannot be written there.
    """
    if file is None:
        return
    if file.is_dir():
        raise InputError(f"{file} is a folder: choose a file")
    if not file.parent.is_dir():
        raise InputError(f"{file} cannot be written: there is no folder {file.parent}")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise InputError(f"{file} cannot be written: permission denied")


def require_folder(folder: Path | None) -> None:
    """Check that files could be written into a folder, which may not exist yet; None passes.

    Raises:
        InputError: it is a file, or cannot be made or written to.
    """
    if folder is None:
        return
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not nearest.is_dir():
        raise InputError(f"{folder} cannot be written: {nearest} is not a folder")
    if not os.access(nearest, os.W_OK):
        raise InputError(f"{folder} cannot be written: permission denied")


def write_file(file: Path, text: str) -> None:
    """Write a text as UTF-8, with the same line ends on every system.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error}") from error
