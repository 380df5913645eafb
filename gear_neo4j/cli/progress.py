"""Progress of long commands on standard error: bars on a terminal, else a line per stage and every half minute."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Protocol

from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from gear_neo4j.cli.printing import say
from gear_neo4j.cli.screen import errors
from gear_neo4j.text.printable import single_line

# Seconds between two lines about a stage, and before the first line of a wait, which may be short.
EVERY = 30.0
SHORT = 2.0


class Show(Protocol):
    """Shows the progress of a stage; a stage begins when first shown, and ends when another begins."""

    def __call__(self, stage: str, done: float = 0, total: float | None = None, note: str = "") -> None:
        """``done`` of ``total`` (None: unknown) in any unit; ``note`` is shown beside it."""


class Lines:
    """Stages as plain lines: when one begins, at each :meth:`beat`, and when it ends.

    Example:
        >>> lines = Lines(print, clock=iter([0.0, 30.0, 45.0]).__next__)
        >>> lines.show("passages", 0, 40)
        passages: started
        >>> lines.show("passages", 10, 40, "10 written")
        >>> lines.beat()
        passages: 25 %, 10 written, 30 s
        >>> lines.show("passages", 40, 40, "40 written")
        >>> lines.end()
        passages: 100 %, 40 written, 45 s
    """

    def __init__(self, write: Callable[[str], None], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._write, self._clock = write, clock
        self._stage, self._state, self._began = "", "", 0.0

    def show(self, stage: str, done: float = 0, total: float | None = None, note: str = "") -> None:
        """Begin a stage, or update its progress."""
        if stage != self._stage:
            self.end()
            self._stage, self._began = stage, self._clock()
            self._write(f"{stage}: started")
        share = f"{100 * done / total:.0f} %" if total else ""
        self._state = ", ".join(filter(None, (share, note)))

    def beat(self) -> None:
        """Write the progress of the stage and its seconds so far."""
        if self._stage:
            seconds = f"{self._clock() - self._began:.0f} s"
            self._write(f"{self._stage}: {', '.join(filter(None, (self._state, seconds)))}")

    def end(self) -> None:
        """End the current stage, if any."""
        self.beat()
        self._stage = self._state = ""


@contextmanager
def stages() -> Iterator[Show]:
    """Show the stages of a piece of work, each with a bar of its own on a terminal."""
    if errors.is_interactive:
        with _bars() as show:
            yield show
        return
    lines = Lines(_print)
    try:
        with repeated(lines.beat):
            yield lines.show
    finally:
        lines.end()


@contextmanager
def counting(stage: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show one stage of ``total`` items; yields a function to call with the number of newly finished items."""
    done = 0
    with stages() as show:
        show(stage, 0, total)

        def advance(count: int = 1) -> None:
            nonlocal done
            done += count
            show(stage, done, total, f"{done:,} of {total:,}")

        yield advance


@contextmanager
def waiting(text: str) -> Iterator[Callable[[str], None]]:
    """Show the reason for a wait; yields a function that changes it. A short wait shows only a spinner."""
    if errors.is_interactive:
        # A plain string would be taken for markup.
        spinner = "line" if errors.options.ascii_only else "dots"
        with errors.status(Text(text), spinner=spinner) as status:
            yield lambda text: status.update(Text(text))
        return
    current = text

    def change(text: str) -> None:
        nonlocal current
        current = text

    with repeated(lambda: _print(current), first=SHORT):
        yield change


@contextmanager
def repeated(beat: Callable[[], None], *, first: float = EVERY, ended: Event | None = None) -> Iterator[None]:
    """Call ``beat`` from a thread while the block runs: after ``first`` seconds, then every half minute."""
    ended = ended or Event()

    def run() -> None:
        pause = first
        while not ended.wait(pause):
            beat()
            pause = EVERY

    thread = Thread(target=run, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def _bars() -> Iterator[Show]:
    columns = (
        TextColumn("{task.description}", justify="right", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        TimeRemainingColumn(),
    )
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=errors) as bars:

        def show(stage: str, done: float = 0, total: float | None = None, note: str = "") -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(single_line(stage), total=None, note="")
            bars.update(tasks[stage], completed=done, total=total, note=single_line(note))

        yield show


def _print(line: str) -> None:
    say(single_line(line), err=True)
