"""The process ``gear``, which ends as soon as its command has."""

import atexit
import os
import sys


def run() -> None:
    """Run the command line, and leave its memory to the system: Python takes a second to free what torch loads.

    All else is as ever: threads are waited for, what is registered with ``atexit`` is called, output is flushed.
    """
    _read_utf_8()
    _open_streams()
    code: int | None = None

    def leave() -> None:
        if code is not None and flushed():
            os._exit(code)

    # Called last, for it is registered before any other module can.
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
    """Start again in Python's UTF-8 mode where it would read paths and arguments as ASCII; the streams stay ASCII."""
    if sys.getfilesystemencoding() == "ascii" and os.environ.get("PYTHONUTF8") != "1":
        os.environ["PYTHONUTF8"] = "1"
        os.environ.setdefault("PYTHONIOENCODING", "ascii")
        os.execv(sys.executable, sys.orig_argv)


def _open_streams() -> None:
    """Let no file or connection take the number of a standard stream that is closed: a message would go into it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free is this one.
            os.open(os.devnull, os.O_RDWR)
