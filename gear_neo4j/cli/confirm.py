"""Confirmation before something is removed: only on a terminal, so that no script ever waits for an answer."""

import os
import sys

import click
from click.exceptions import Exit

from gear_neo4j.cli.printing import say
from gear_neo4j.errors import ExitCode

YES = click.option(
    "--yes", "-y", is_flag=True, help="Go on without asking; without a terminal, the command never asks."
)


def can_ask() -> bool:
    """Whether somebody sits at a terminal who sees a question and can answer it."""
    return sys.stdin is not None and sys.stdin.isatty() and os.isatty(2)


def is_same_source(question: str) -> bool:
    """Ask whether a folder is the source that the database knows by this name; without a terminal it is not."""
    if not can_ask():
        return False
    say(f"{question}. Is it the same source? [y/N] ", nl=False, err=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def confirm(loss: str) -> None:
    """Say what will be removed, and ask; anything but yes ends the command, which has then removed nothing.

    Args:
        loss: what will be removed, such as ``"3 passages of docs/a.md"``.
    """
    # Not click.confirm: it writes to standard output, which may be a file of JSON.
    say(f"{loss} will be removed. Continue? [y/N] ", nl=False, err=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        say("gear: nothing was removed", err=True)
        raise Exit(ExitCode.INTERRUPTED)
