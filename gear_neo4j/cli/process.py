"""The process ``gear``, which exits as soon as its command ends."""

import atexit
import os
import sys
from importlib.machinery import ModuleSpec


class _LeanDriver:
    """Hides pandas and pyarrow from the Neo4j driver: where they are installed, it would import them at its own import.

    That is a quarter of the start of a command, and no command hands data frames to the driver.
    """

    @staticmethod
    def find_spec(name: str, *_: object) -> ModuleSpec | None:
        driver = sys.modules.get("neo4j")
        if name in ("pandas", "pyarrow") and driver and not hasattr(driver, "GraphDatabase"):
            raise ModuleNotFoundError(f"no command needs the driver's support of {name}", name=name)
        return None


def run() -> None:
    """Run the command line, and exit without freeing memory: Python takes a second to free what torch loads.

    Otherwise the exit is normal: threads are joined, ``atexit`` functions called, streams flushed.
    """
    _read_utf_8()
    _open_streams()
    sys.meta_path.insert(0, _LeanDriver)
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
