"""Every process that a test starts: it hears signals, has a time limit, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path

# What the console script ``gear`` runs, for ``python -c``.
RUN = "from gear_neo4j.cli.process import run; run()"
GEAR = (sys.executable, "-c", RUN)
SECONDS = 120.0
PIPE = subprocess.PIPE
Process = subprocess.Popen[str]
Ended = subprocess.CompletedProcess[str]
FORKS = get_context("forkserver")


def hear_signals() -> None:
    """Let the processes that start from now on hear Ctrl-C, and the signals that stop and hang up.

    A script lets what it starts in the background ignore them, and every process below inherits that. It inherits no
    handler: of one that does nothing, this process takes no more notice than of a signal that it ignores.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@contextmanager
def started(command: Sequence[str | Path], *, seconds: float = SECONDS, **options: object) -> Iterator[Process]:
    """A running process, killed with all that it has started at the end, or after so many seconds: then the test fails.

    Its output is text, and its input is empty unless ``stdin`` says otherwise.
    """
    chosen = {"stdin": subprocess.DEVNULL, "encoding": "utf-8"} | options
    process = subprocess.Popen([str(part) for part in command], start_new_session=True, **chosen)
    late = threading.Event()
    timer = threading.Timer(seconds, lambda: (late.set(), _kill_group(process)))
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        _kill_group(process)
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            # What was written for a process that has ended is lost.
            with suppress(BrokenPipeError, AttributeError):
                stream.close()
        assert not late.is_set(), f"it took longer than {seconds:g} s: {process.args}"


def run(
    command: Sequence[str | Path], *, text: str = "", seconds: float = SECONDS, check: bool = False, **options: object
) -> Ended:
    """A process that has ended, with its output; ``text`` is its input, and ``check`` wants the exit code 0."""
    streams = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE} | options
    with started(command, seconds=seconds, **streams) as process:
        out, err = process.communicate(text)
    assert not check or process.returncode == 0, (process.args, out, err)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


class Fork:
    """A process that runs a function, forked off a server that has imported everything: it starts in milliseconds."""

    def __init__(self, function: Callable[..., None], *args: object) -> None:
        # A daemon ends with the tests.
        self._process = FORKS.Process(target=function, args=args, daemon=True)
        self._process.start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.is_alive()

    def send(self, number: int) -> None:
        """Send it a signal; one that has ended needs none."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL, and wait until it is dead."""
        self._process.kill()
        self._process.join()

    def wait(self, seconds: float = SECONDS) -> int:
        """Its exit code, once it has ended; that of a killed one is the signal's number below zero."""
        self._process.join(seconds)
        code = self._process.exitcode
        if code is None:
            self.kill()
        assert code is not None, f"it took longer than {seconds:g} s"
        return code


def _kill_group(process: Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
