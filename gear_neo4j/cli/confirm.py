"""Confirmation before something is removed: only on a terminal, so that a script never waits for an answer."""

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
    """Whether a user at a terminal can see a question and answer it."""
    return sys.stdin is not None and sys.stdin.isatty() and os.isatty(2)


def is_same_source(question: str) -> bool:
    """Ask whether a folder is the source stored under this name; without a terminal, the answer is no."""
    if not can_ask():
        return False
    say(f"{question}. Is it the same source? [y/N] ", nl=False, err=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def confirm(loss: str) -> None:
    """Say what will be removed, and ask; any answer but yes ends the command before it removes anything.

    Args:
        loss: what will be removed, such as ``"3 passages of docs/a.md"``.
    """
    # Not click.confirm: it writes to standard output, which may be a file of JSON.
    say(f"{loss} will be removed. Continue? [y/N] ", nl=False, err=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        say("gear: nothing was removed", err=True)
        raise Exit(ExitCode.INTERRUPTED)
