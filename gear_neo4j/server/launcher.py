"""Run one Neo4j Community server in this process, from nothing but pip; ``--help`` lists the options.

Neo4j Community is licensed under the GPLv3 and gear-neo4j under Apache-2.0. So this file is a program of its own: it
runs as a separate process, talks to the rest over Bolt and a few small files, imports nothing of gear_neo4j and is
imported by none of it. The user downloads Neo4j, for development, demos and tests. The files that it writes into
``<home>/servers/<name>/`` are described in ``server_folder.py``.
"""

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import jpype
from filelock import FileLock

JARS = Path(__file__).with_name("jars.py")
JVM_FLAGS = (
    # Without it the JVM would handle the signals that stop the server.
    "-Xrs",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.nio", "java.io", "sun.nio.ch")),
)
CONFIGURATION = Path(__file__).with_name("neo4j.conf")
# Seconds between two checks whether the server is used, and of notice before it stops because it is not.
LOOK_EVERY = 10.0
LAST_CALL = 2.0
TRANSACTIONS = "org.neo4j.kernel.impl.transaction.stats.DatabaseTransactionStats"
CONNECTIONS = "org.neo4j.kernel.api.net.NetworkConnectionTracker"


class JarsError(Exception):
    """The jars of Neo4j cannot be used; ``str(error)`` says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A server's folder, version and port, and its Java: in words, as a library, and the modules to add.

    After ``idle`` seconds without a query, the server stops; 0 means never.
    """

    folder: Path
    version: str
    port: int
    java: str
    library: Path
    modules: str
    idle: float

    def write_state(self, phase: str, message: str = "") -> None:
        """Replace state.json atomically."""
        state = {"pid": os.getpid(), "port": self.port, "version": self.version, "java": self.java, "idle": self.idle}
        write_private(self.folder / "state.json", json.dumps(state | {"phase": phase, "message": message}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """The open connections, and the numbers of transactions started so far and still open."""

    connections: frozenset[str]
    transactions: int
    open_transactions: int


def write_private(path: Path, text: str) -> None:
    """Create or replace a file that only its owner can read, whatever the umask; readers see all of it or none."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        Path(draft).chmod(0o600)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(draft).replace(path)


def class_path(site: Site) -> list[str]:
    """The verified jars of Neo4j, as ``jars.py`` fetches them.

    Raises:
        JarsError: they cannot be downloaded, or one of them differs from the published one.
    """
    command = [sys.executable, "-P", str(JARS), site.version]
    answer: dict[str, Any] = {"problem": "the program that fetches the jars of Neo4j died"}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8") as program:
        assert program.stdout
        try:
            for line in program.stdout:
                answer = json.loads(line)
                if "phase" in answer:
                    site.write_state(answer["phase"])
        finally:
            # A launcher that is stopped must not wait for a download.
            program.kill()
    if "jars" not in answer:
        raise JarsError(answer["problem"])
    return [*answer["jars"], *filter(None, os.environ.get("GEAR_LOCAL_JARS", "").split(os.pathsep))]


def heap_size() -> str:
    """The size of the heap, as Java reads it."""
    return os.environ.get("GEAR_LOCAL_HEAP", "1g")


def start_jvm(site: Site) -> None:
    """Start the server's Java inside this process."""
    heap = heap_size()
    flags = [f"-Xmx{heap}", *JVM_FLAGS, *([f"--add-modules={site.modules}"] if site.modules else [])]
    try:
        jpype.startJVM(*flags, jvmpath=site.library, classpath=[], convertStrings=False)
    except RuntimeError as error:
        raise RuntimeError(f"no Java runtime starts with a heap of {heap}: see GEAR_LOCAL_HEAP") from error


def load_jars(jars: list[str]) -> None:
    """Let this thread, and those that it starts, load classes from the jars.

    JPype's class path is not used: if a path on it is not ASCII, classes have no package, and Neo4j has no version.
    """
    urls = [java_path(Path(jar)).toUri().toURL() for jar in jars]
    loader = jpype.JClass("java.net.URLClassLoader")(jpype.JArray(jpype.JClass("java.net.URL"))(urls))
    jpype.JClass("java.lang.Thread").currentThread().setContextClassLoader(loader)


def jar_class(name: str) -> Any:
    """A class from the jars."""
    return jpype.JClass(name, loader=jpype.JClass("java.lang.Thread").currentThread().getContextClassLoader())


def settings(*, bolt: bool, port: int) -> str:
    """The content of neo4j.conf: our settings except those in GEAR_LOCAL_SETTINGS, because Neo4j refuses duplicates."""
    heap = mebibytes(heap_size())
    lines = CONFIGURATION.read_text("utf-8").format(
        bolt=str(bolt).lower(),
        port=port,
        pagecache=os.environ.get("GEAR_LOCAL_PAGECACHE", "256m"),
        query_memory=f"{heap // 2}m",
        all_memory=f"{heap * 2 // 3}m",
    )
    own = os.environ.get("GEAR_LOCAL_SETTINGS", "")
    names = {setting_name(line) for line in own.splitlines()}
    kept = [line for line in lines.splitlines() if line.startswith("#") or setting_name(line) not in names]
    return "\n".join([*kept, own])


def setting_name(line: str) -> str:
    """The name of the setting in a line of neo4j.conf."""
    return line.partition("=")[0].strip()


def mebibytes(size: str) -> int:
    """A size as Java reads it, such as 1g or 512M, in MiB; at least 1."""
    unit = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}.get(size[-1:].lower(), 1)
    return max(1, int(size.rstrip("kKmMgGtT")) * unit // 2**20)


def java_path(path: Path) -> Any:
    """A path as a Java object."""
    return jpype.JClass("java.nio.file.Path").of(str(path))


def configure(site: Site, *, bolt: bool) -> Path:
    """Write neo4j.conf, and return its path."""
    path = site.folder / "neo4j.conf"
    write_private(path, settings(bolt=bolt, port=site.port))
    return path


@contextmanager
def neo4j(site: Site, *, bolt: bool) -> Iterator[Any]:
    """A running Neo4j, shut down at the end."""
    configuration = configure(site, bolt=bolt)
    builder = jar_class("org.neo4j.dbms.api.DatabaseManagementServiceBuilder")(java_path(site.folder / "neo4j"))
    management = builder.loadPropertiesFromFile(java_path(configuration)).build()
    try:
        yield management
    finally:
        management.shutdown()


def set_password(site: Site) -> None:
    """Give the user ``neo4j`` a new password, before Bolt is first opened.

    The file is written after the server accepts the password: if killed in between, the next start does both again.
    """
    password = new_password()
    # The file is written before each start.
    if (site.folder / "version").exists():
        change_password(site, password)
    else:
        initial_password(site, password)
    write_private(site.folder / "password", password)


def new_password() -> str:
    """A random password without characters that are special to a shell."""
    return secrets.token_hex(24)


def initial_password(site: Site, password: str) -> None:
    """Store the password for the first start, as ``neo4j-admin dbms set-initial-password`` does, without a start."""
    configure(site, bolt=False)
    context = jar_class("org.neo4j.cli.ExecutionContext")(java_path(site.folder / "neo4j"), java_path(site.folder))
    command = jar_class("org.neo4j.commandline.admin.security.SetInitialPasswordCommand")(context)
    if jar_class("picocli.CommandLine")(command).execute(jpype.JArray(jpype.JString)([password])):
        raise RuntimeError("Neo4j accepts no initial password")


def change_password(site: Site, password: str) -> None:
    """Change the password of a server that has been started before."""
    with neo4j(site, bolt=False) as management:
        management.database("system").executeTransactionally(
            "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED",
            jpype.JClass("java.util.Map").of("password", password),
        )


def serve(site: Site, *, stop: threading.Event) -> None:
    """Run the server until ``stop`` is set."""
    jars = class_path(site)
    site.write_state("starting")
    start_jvm(site)
    load_jars(jars)
    if not (site.folder / "password").exists():
        set_password(site)
    write_private(site.folder / "version", site.version)
    with neo4j(site, bolt=True) as management:
        if not stop.is_set():
            site.write_state("ready")
        phase = "idle" if is_idle_at_end(site, partial(use_of, management), stop=stop) else "stopping"
        if site.folder.exists():
            site.write_state(phase)


def is_idle_at_end(site: Site, use: Callable[[], Use], *, stop: threading.Event) -> bool:
    """Wait until ``stop`` is set, the folder is removed, or the server is idle; returns whether it is idle."""
    seen, since = None, time.monotonic()
    while site.folder.exists() and not stop.wait(min(LOOK_EVERY, site.idle / 4 or LOOK_EVERY)):
        now = use()
        if now.open_transactions or now != seen:
            seen, since = now, time.monotonic()
            (site.folder / "used").touch()
        elif site.idle and time.monotonic() - since >= site.idle and not (site.folder / "keep").exists():
            site.write_state("idle")
            # A command that read the earlier state may be about to connect.
            if stop.wait(LAST_CALL):
                return False
            if use() == seen:
                return True
            site.write_state("ready")
    return False


def use_of(management: Any) -> Use:
    """The use of a server so far."""
    databases = [management.database(name) for name in management.listDatabases()]
    counters = [resolved(database, TRANSACTIONS) for database in databases]
    connections = resolved(databases[0], CONNECTIONS).activeConnections()
    return Use(
        connections=frozenset(str(connection.id()) for connection in connections),
        transactions=sum(int(counter.getNumberOfStartedTransactions()) for counter in counters),
        open_transactions=sum(int(counter.getNumberOfActiveTransactions()) for counter in counters),
    )


def resolved(database: Any, name: str) -> Any:
    """The component of a database with a class of Neo4j."""
    return database.getDependencyResolver().resolveDependency(jar_class(name).class_)


def reason(error: Exception, *, site: Site) -> str:
    """One line that says why the server did not start."""
    if isinstance(error, JarsError):
        return str(error)
    cause: Any = error
    # Java wraps the cause several times.
    while (inner := getattr(cause, "getCause", lambda: None)()) is not None:
        cause = inner
    text = " ".join(str(getattr(cause, "getMessage", cause.__str__)()).split())
    if "in use" in text:
        return f"port {site.port} is in use"
    return f"{type(cause).__name__.rpartition('.')[2]}: {text}"


def stop_on_signal() -> threading.Event:
    """An event set by SIGTERM and SIGINT; before the JVM starts, the signals exit at once."""
    stop = threading.Event()

    def handle(*_: object) -> None:
        stop.set()
        # An exception raised inside Java would leave Neo4j running, with nothing to shut it down.
        if not jpype.isJVMStarted():
            sys.exit(0)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handle)
    return stop


def main() -> None:
    """Read the command line and run the server, holding its lock."""
    parser = argparse.ArgumentParser(description="Run a local Neo4j Community server for gear-neo4j.")
    # The options are the fields of a Site.
    for field in fields(Site):
        parser.add_argument(f"--{field.name}", type=field.type, required=True)
    site = Site(**vars(parser.parse_args()))
    with FileLock(site.folder / "server.lock", timeout=10):
        site.write_state("starting")
        try:
            serve(site, stop=stop_on_signal())
        except Exception as error:
            traceback.print_exc()
            site.write_state("failed", reason(error, site=site))
        # Neo4j is closed; an orderly end of the JVM takes another second and waits for any remaining thread.
        os._exit(0)


if __name__ == "__main__":
    main()
