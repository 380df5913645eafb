"""Output of commands: JSON as ``--json`` says, and files, which are checked before work that may take hours."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from gear_neo4j.cli.printing import say_json
from gear_neo4j.cli.screen import Screen
from gear_neo4j.errors import InputError
from gear_neo4j.text.files import write_file
from gear_neo4j.text.printable import json_text

Command = TypeVar("Command", bound=Callable[..., Any])
# The file of --json without a name: standard output.
STDOUT = Path("-")


def json_option(command: Command) -> Command:
    """Add ``--json [FILE]`` to a command, which gets it as ``json_file``: None, :data:`STDOUT` or a file."""
    return click.option(
        "--json",
        "json_file",
        metavar="[FILE]",
        is_flag=False,
        flag_value=str(STDOUT),
        type=click.Path(path_type=Path),
        callback=_checked,
        help="Print JSON, or write it to FILE (*.json).",
    )(command)


def emit(file: Path | None, document: object) -> bool:
    """Write a result as ``--json`` says; True if to standard output, which must then hold nothing else."""
    if file == STDOUT:
        say_json(document, indent=2)
    elif file is not None:
        write_file(file, json_text(document, indent=2) + "\n")
    return file == STDOUT


def report_console(file: Path | None) -> Screen:
    """The console of a result for people: standard error if JSON takes standard output."""
    return Screen(stderr=file == STDOUT)


def _checked(_context: click.Context, _parameter: click.Parameter, file: Path | None) -> Path | None:
    require_writable(file)
    return file


def require_writable(file: Path | None) -> None:
    """Check that a file could be written, without touching it; None and standard output pass.

    Raises:
        InputError: its folder does not exist, or it cannot be written there.
    """
    if file is None or file == STDOUT:
        return
    with _checking(file):
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
    with _checking(folder):
        nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        if not nearest.is_dir():
            raise InputError(f"{folder} cannot be written: {nearest} is not a folder")
        if not os.access(nearest, os.W_OK):
            raise InputError(f"{folder} cannot be written: permission denied")


@contextmanager
def _checking(path: Path) -> Iterator[None]:
    """Turn a system error about a path, such as one that is too long, into an :class:`InputError`."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
