"""Progress of long commands on standard error: bars on a terminal, else a line per stage and every half minute."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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


@dataclass(slots=True)
class _Stage:
    """What is known of a stage: when it began, its share and note, and whether its last line is written."""

    began: float
    share: str = ""
    note: str = ""
    ended: bool = False


class Lines:
    """Stages as plain lines: when one begins, at each :meth:`beat`, and when it ends; stages may alternate.

    Example:
        >>> lines = Lines(print, clock=iter([0.0, 30.0, 45.0]).__next__)
        >>> lines.show("passages", 0, 40)
        passages: started
        >>> lines.show("passages", 10, 40, "10 written")
        >>> lines.beat()
        passages: 25 %, 10 written, 30 s
        >>> lines.show("passages", 40, 40, "40 written")
        >>> lines.end()
        passages: complete, 40 written, 45 s
    """

    def __init__(self, write: Callable[[str], None], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._write, self._clock = write, clock
        self._current = ""
        self._stages: dict[str, _Stage] = {}

    def show(self, stage: str, done: float = 0, total: float | None = None, note: str = "") -> None:
        """Begin a stage, or update its progress."""
        if stage != self._current or stage not in self._stages:
            self._leave(stage)
        known = self._stages[stage]
        known.share, known.note = f"{100 * done / total:.0f} %" if total else "", note

    def beat(self) -> None:
        """Write the progress of the current stage and its seconds so far."""
        if self._current and not (stage := self._stages[self._current]).ended:
            self._report(self._current, stage, stage.share)

    def end(self, *, complete: bool = True) -> None:
        """Write the last line of every stage that has none: that it is complete or, after an error, how far it was."""
        for name, stage in self._stages.items():
            if not stage.ended:
                self._report(name, stage, "complete" if complete else stage.share)
        self._current = ""
        self._stages.clear()

    def _leave(self, stage: str) -> None:
        """Turn to another stage; the one before has ended if all of it is done, else it may go on."""
        before = self._stages.get(self._current)
        if before and before.share == "100 %" and not before.ended:
            before.ended = True
            self._report(self._current, before, "complete")
        if stage not in self._stages:
            self._stages[stage] = _Stage(self._clock())
            self._write(f"{stage}: started")
        # Last, because a beat may come at any time.
        self._current = stage

    def _report(self, name: str, stage: _Stage, share: str) -> None:
        seconds = f"{self._clock() - stage.began:.0f} s"
        self._write(f"{name}: {', '.join(filter(None, (share, stage.note, seconds)))}")


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
    except BaseException:
        lines.end(complete=False)
        raise
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
