"""The process ``gear``, which exits as soon as its command ends."""

import atexit
import os
import sys


def run() -> None:
    """Run the command line, and exit without freeing memory: Python takes a second to free what torch loads.

    Otherwise the exit is normal: threads are joined, ``atexit`` functions called, streams flushed.
    """
    _read_utf_8()
    _open_streams()
    code: int | None = None

    def leave() -> None:
        if code is not None and flushed():
            os._exit(code)

    # Registered first, so it is called last.
    atexit.register(leave)
    from gear_neo4j.cli.main import main
    from gear_neo4j.cli.printing import flushed, show_what_can_be_shown

    show_what_can_be_shown()

    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else None
        raise


def _read_utf_8() -> None:
    """Restart in Python's UTF-8 mode if paths and arguments would be read as ASCII; the streams stay ASCII."""
    if sys.getfilesystemencoding() == "ascii" and os.environ.get("PYTHONUTF8") != "1":
        os.environ["PYTHONUTF8"] = "1"
        os.environ.setdefault("PYTHONIOENCODING", "ascii")
        os.execv(sys.executable, sys.orig_argv)


def _open_streams() -> None:
    """Open closed standard streams: a file or connection that took their number would receive messages."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The system assigns the lowest free number, which is this one.
            os.open(os.devnull, os.O_RDWR)
