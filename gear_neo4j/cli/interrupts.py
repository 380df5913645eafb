"""Ctrl-C: the first ends a command within two seconds, the second at once.

Committed data stays, and replies that have arrived are in the cache. So a command may end at any point, and does not
wait for its threads, which may be waiting for a server or a model.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from gear_neo4j.errors import ExitCode

GRACE = 1.0
KEPT = "gear: interrupted; committed work is kept, run the same command again to resume"
_SHOW_CURSOR = "\x1b[?25h"


@contextmanager
def interruptible() -> Iterator[None]:
    """Handle Ctrl-C in the block, unless it is ignored or has another handler; once pressed, until the process ends."""
    _said.clear()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler and _is_main_thread():
        signal.signal(signal.SIGINT, _first)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is _first and _is_main_thread():
            signal.signal(signal.SIGINT, signal.default_int_handler)


def explain_interrupt() -> None:
    """Print on standard error, only once, what is kept."""
    if not _said.is_set():
        _said.set()
        os.write(2, f"{_SHOW_CURSOR if os.isatty(2) else ''}{KEPT}\n".encode())


_said = threading.Event()


def _first(number: int, _: FrameType | None) -> None:
    signal.signal(number, _second)
    patience = threading.Timer(GRACE, _leave)
    patience.daemon = True
    patience.start()
    raise KeyboardInterrupt


def _second(*_: object) -> None:
    _leave()


def _leave() -> None:
    explain_interrupt()
    os._exit(ExitCode.INTERRUPTED)


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
