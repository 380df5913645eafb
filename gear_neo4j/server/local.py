"""The local development server: a real Neo4j Community without Docker and without a Java install.

The server is a separate process (``launcher.py``, which is started here and never imported) and outlives Python. Its
lock shows whether it is alive, not a process id, so leftovers of an earlier server cannot mislead.

Usage::

    server = start(name="demo", home=Path.home() / ".gear-neo4j", version="5.26.31")
    print(server.uri)
"""

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from gear_neo4j.errors import LocalServerError, NoLocalServer
from gear_neo4j.server import java, ports
from gear_neo4j.server.server_folder import ServerFolder
from gear_neo4j.settings import DEFAULT_LOCAL_IDLE

LAUNCHER = Path(__file__).with_name("launcher.py")
ATTEMPTS = 3
# Java and Python take the encoding of paths from the locale, and Neo4j reads its file as Latin-1.
UTF_8 = {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "NEO4J_CONFIG_FILE_CHARSET": "UTF-8"}


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A running local server and its credentials; ``home`` is its own folder, with its data and ``password``.

    ``java`` says what it runs on, unless an earlier version of gear-neo4j started it.
    """

    name: str
    uri: str
    username: str
    password: str = field(repr=False)
    version: str
    pid: int
    home: Path
    java: str | None = None


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """A local server that has data; ``version`` opened it last, ``java`` runs it now, ``size`` is in bytes.

    ``stops_at`` is when it stops unless it is used; None if it is kept, or does not run.
    """

    name: str
    running: bool
    version: str | None
    uri: str | None
    size: int
    java: str | None
    stops_at: datetime | None


def start(
    *,
    name: str,
    home: Path,
    version: str,
    port: int | None = None,
    idle: float = DEFAULT_LOCAL_IDLE,
    keep: bool = False,
    report: Callable[[str], None] = lambda _: None,
    timeout: float = 600,
) -> LocalServer:
    """The running server of that name, started if necessary; ``report`` is called with a line per slow step.

    Each name has its own data under ``home``. The default port is the last one, 7687, or any free one. A server started
    here stops by itself after ``idle`` minutes without a query; 0 means never. With ``keep``, it does not stop, even if
    it already runs.

    Raises:
        SettingsError: the name cannot be used.
        LocalServerError: the server cannot be started, or runs another version or on another port.
    """
    server = running(name=name, home=home)
    if server is None:
        folder, deadline = ServerFolder.of(name, home=home), time.monotonic() + timeout
        try:
            folder.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            # If two processes start at once, the second waits here and then finds the first one's server.
            with FileLock(folder.path / "start.lock", timeout=timeout):
                server = _running(folder) or _launch(
                    folder, version, port=port, idle=idle, report=report, deadline=deadline
                )
        except Timeout:
            raise LocalServerError(f"another process has been starting {name!r} for {timeout:.0f} s") from None
        except OSError as error:
            raise LocalServerError(
                f"the local server cannot use {folder.path}: {error.strerror or error} (GEAR_HOME moves it)"
            ) from error
    if server.version != version or (port and server.uri != ports.uri(port)):
        raise LocalServerError(
            f"the local server {name!r} already runs Neo4j {server.version} at {server.uri}: "
            f"stop it first (gear down --name {name}), or ask for that version and port"
        )
    if keep:
        ServerFolder.of(name, home=home).keep(True)
    return server


def stop(*, name: str, home: Path, timeout: float = 60) -> bool:
    """Stop the server of that name, by force after ``timeout`` seconds; False if it was not running."""
    folder = ServerFolder.of(name, home=home)
    if not folder.is_alive():
        return False
    # A launcher writes its process id while it holds the lock, so this is never another process's id.
    _wait_for(lambda: "pid" in folder.state(), within=5)
    pid = folder.state().get("pid", 0)
    kill = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no SIGKILL; there SIGTERM kills at once.
    for number, patience in ((signal.SIGTERM, timeout), (kill, 10)) if pid else ():
        with suppress(ProcessLookupError):
            os.kill(pid, number)
        if _wait_for(lambda: not folder.is_alive(), within=patience):
            # A child of this process must not stay a zombie.
            with suppress(OSError):
                os.waitpid(pid, 0)
            return True
    raise LocalServerError(f"the local server {name!r} does not stop: see {folder.log}")


def running(*, name: str, home: Path) -> LocalServer | None:
    """The server of that name, if it runs and is ready."""
    return _running(ServerFolder.of(name, home=home))


def is_idle(*, name: str, home: Path) -> bool:
    """Whether the server of that name has stopped by itself, or is about to."""
    return ServerFolder.of(name, home=home).state().get("phase") == "idle"


def require(*, name: str, home: Path) -> None:
    """Check that there is a server of that name, running or stopped.

    Raises:
        SettingsError: the name cannot be used.
        NoLocalServer: there is none; the message names those that exist.
    """
    if ServerFolder.of(name, home=home).exists():
        return
    names = ", ".join(folder.name for folder in ServerFolder.under(home))
    known = f"choose one of {names} with --name, or create it" if names else "create it"
    raise NoLocalServer(f"there is no local server {name!r}: {known} with 'gear up --name {name}'")


def servers(*, home: Path) -> tuple[ServerStatus, ...]:
    """Every local server with data under ``home``, running or not, by name."""
    return tuple(_status(folder) for folder in ServerFolder.under(home))


def size(*, name: str, home: Path) -> int:
    """The size of a server's data on disk, in bytes."""
    return ServerFolder.of(name, home=home).size()


def _running(folder: ServerFolder) -> LocalServer | None:
    state = folder.state()
    if state.get("phase") != "ready" or not folder.is_alive():
        return None
    password = folder.password()
    if password is None:
        raise LocalServerError(
            f"{folder.path / 'password'} cannot be read: stop the server (gear down --name {folder.name}); "
            "without that file the next start sets a new password"
        )
    uri, version, pid = ports.uri(state["port"]), state["version"], state["pid"]
    return LocalServer(folder.name, uri, "neo4j", password, version, pid, folder.path, state.get("java"))


def _status(folder: ServerFolder) -> ServerStatus:
    server = _running(folder)
    uri, runtime = (server.uri, server.java) if server else (None, None)
    end = folder.end() if server else None
    return ServerStatus(folder.name, server is not None, folder.version(), uri, folder.size(), runtime, end)


def _launch(
    folder: ServerFolder,
    version: str,
    *,
    port: int | None,
    idle: float,
    report: Callable[[str], None],
    deadline: float,
) -> LocalServer:
    for _ in range(ATTEMPTS):
        # A live launcher was started by a process that gave up on it, or is about to stop.
        process = None if folder.is_alive() else _spawn(folder, version, port=port, idle=idle)
        try:
            _follow(folder, process, report=report, deadline=deadline)
        finally:
            if process:
                # It is a daemon from now on: Python must not warn that it is still running.
                process.returncode = process.poll() or 0
        if server := _running(folder):
            return server
        # Another program may take the port between our check and the server's start.
        state = folder.state()
        port_lost = port is None and state.get("phase") == "failed" and not ports.is_free(state["port"])
        if process and not port_lost and not folder.is_alive():
            break
    raise LocalServerError(f"the local Neo4j did not start: {folder.failure_reason()} (log: {folder.log})")


def _spawn(folder: ServerFolder, version: str, *, port: int | None, idle: float) -> subprocess.Popen[bytes]:
    if any(importlib.util.find_spec(module) is None for module in ("jgo", "jpype")):
        raise LocalServerError(java.NO_EXTRA)
    _check_path(folder)
    _check_data(folder, version=version)
    runtime = java.choose(version)
    options = {
        "folder": folder.path.resolve(),
        "version": version,
        "port": ports.free_port(port, last=folder.state().get("port")),
        "java": runtime,
        "library": runtime.library,
        "modules": java.VECTOR_MODULE if runtime.has_vectors else "",
        "idle": 60 * idle,
    }
    # -P: the modules beside the launcher must not be importable as top-level modules.
    command = [sys.executable, "-P", str(LAUNCHER), *(f"--{option}={value}" for option, value in options.items())]
    # The state of an earlier server must not be mistaken for this one's.
    folder.remove_state()
    folder.keep(False)
    with folder.log.open("wb") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder.path,
            env=os.environ | UTF_8,
            start_new_session=True,
        )


def _check_path(folder: ServerFolder) -> None:
    try:
        os.fsencode(folder.path.resolve()).decode("utf-8")
    except UnicodeDecodeError:
        raise LocalServerError(f"the path {folder.path} is not UTF-8, as Java needs it: GEAR_HOME moves it") from None


def _check_data(folder: ServerFolder, *, version: str) -> None:
    made_by = folder.version() or version
    theirs, ours = ([int(digits) for digits in re.findall(r"\d+", text)] for text in (made_by, version))
    if theirs > ours:
        raise LocalServerError(
            f"the data of the local server {folder.name!r} was made by Neo4j {made_by}, which {version} cannot open: "
            f"set GEAR_NEO4J_VERSION={made_by}, or use another --name"
        )


def _follow(
    folder: ServerFolder, process: subprocess.Popen[bytes] | None, *, report: Callable[[str], None], deadline: float
) -> None:
    """Report the phases until the server is ready or gone; ``process`` is the launcher, if we started it."""
    reported = None
    while process.poll() is None if process else folder.is_alive():
        state = folder.state()
        phase, version = state.get("phase"), state.get("version")
        if phase == "ready":
            return
        if phase == "downloading" != reported:
            report(f"downloading Neo4j {version} (first time only, about a minute)")
        if phase == "starting" != reported:
            report(f"starting Neo4j {version} on port {state['port']}")
        reported = phase
        if time.monotonic() > deadline:
            raise LocalServerError(f"the local Neo4j is not ready yet ({phase}): try again later, or see {folder.log}")
        time.sleep(0.05)


def _wait_for(condition: Callable[[], bool], *, within: float) -> bool:
    until = time.monotonic() + within
    while not (holds := condition()) and time.monotonic() < until:
        time.sleep(0.05)
    return holds
