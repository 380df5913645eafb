"""Ctrl-C and SIGTERM: the first ends a command within two seconds, the second at once.

Committed data stays, and replies that have arrived are in the cache. So a command may end at any point, and does not
wait for its threads, which may be waiting for a server or a model. The first process of a container gets no signal that
it does not handle.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gear_neo4j.errors import ExitCode

GRACE = 1.0
KEPT = "gear: interrupted; committed work is kept, run the same command again to resume"
CODES = {signal.SIGINT: ExitCode.INTERRUPTED, signal.SIGTERM: ExitCode.TERMINATED}
_DEFAULTS: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
_SHOW_CURSOR = "\x1b[?25h"


@contextmanager
def interruptible() -> Iterator[None]:
    """Handle the signals in the block, unless they are ignored or have other handlers; once sent, until the end."""
    _said.clear()
    _received.clear()
    handled = [number for number, default in _DEFAULTS.items() if signal.getsignal(number) is default]
    if _is_main_thread():
        for number in handled:
            signal.signal(number, _first)
    try:
        yield
    finally:
        for number in handled:
            if signal.getsignal(number) is _first and _is_main_thread():
                signal.signal(number, _DEFAULTS[number])


def explain_interrupt() -> ExitCode:
    """Print on standard error, only once, what is kept; returns the exit code."""
    if not _said.is_set():
        _said.set()
        os.write(2, f"{_SHOW_CURSOR if os.isatty(2) else ''}{KEPT}\n".encode())
    return CODES[_received[0]] if _received else ExitCode.INTERRUPTED


_said = threading.Event()
# The first signal.
_received: list[signal.Signals] = []


def _first(number: int, _: FrameType | None) -> None:
    _received.append(signal.Signals(number))
    for handled in CODES:
        if signal.getsignal(handled) is _first:
            signal.signal(handled, _second)
    patience = threading.Timer(GRACE, _leave)
    patience.daemon = True
    patience.start()
    raise KeyboardInterrupt


def _second(*_: object) -> None:
    _leave()


def _leave() -> None:
    os._exit(explain_interrupt())


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
