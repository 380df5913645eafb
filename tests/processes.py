"""Every process that a test starts: it receives signals, has a time limit, and leaves nothing behind."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path

# The code of the console script ``gear``, for ``python -c``.
RUN = "from gear_neo4j.cli.process import run; run()"
GEAR = (sys.executable, "-c", RUN)
SECONDS = 120.0
PIPE = subprocess.PIPE
Process = subprocess.Popen[str]
Ended = subprocess.CompletedProcess[str]
FORKS = get_context("forkserver")


def hear_signals() -> None:
    """Let processes that start from now on receive Ctrl-C, and the signals to stop and hang up.

    A shell script makes its background processes ignore them, and every child process inherits that. Handlers are not
    inherited: with one that does nothing, this process still ignores the signal in effect.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@contextmanager
def started(command: Sequence[str | Path], *, seconds: float = SECONDS, **options: object) -> Iterator[Process]:
    """A running process, killed with its children at the end, or after some seconds: then the test fails.

    Its output is text, and its input is empty unless ``stdin`` is given.
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
            # Input for a process that has ended is lost.
            with suppress(BrokenPipeError, AttributeError):
                stream.close()
        assert not late.is_set(), f"it took longer than {seconds:g} s: {process.args}"


def run(
    command: Sequence[str | Path], *, text: str = "", seconds: float = SECONDS, check: bool = False, **options: object
) -> Ended:
    """A finished process with its output; ``text`` is its input, and ``check`` requires the exit code 0."""
    streams = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE} | options
    with started(command, seconds=seconds, **streams) as process:
        out, err = process.communicate(text)
    assert not check or process.returncode == 0, (process.args, out, err)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


class Fork:
    """A process that runs a function, forked from a server that has imported everything: it starts in milliseconds."""

    def __init__(self, function: Callable[..., None], *args: object) -> None:
        # A daemon process ends with the tests.
        self._process = FORKS.Process(target=function, args=args, daemon=True)
        self._process.start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it is still running."""
        return self._process.is_alive()

    def send(self, number: int) -> None:
        """Send it a signal, if it is still running."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL, and wait until it is dead."""
        self._process.kill()
        self._process.join()

    def wait(self, seconds: float = SECONDS) -> int:
        """Its exit code, once it has ended; for a killed one, the negative number of the signal."""
        self._process.join(seconds)
        code = self._process.exitcode
        if code is None:
            self.kill()
        assert code is not None, f"it took longer than {seconds:g} s"
        return code


def _kill_group(process: Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def free_port():
    """A port of loopback that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
