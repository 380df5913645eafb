"""The folder of a local server, ``<home>/servers/<name>/``, whose files are all that we and its launcher share.

    start.lock    held by whoever starts the server, so that of two at once one waits for the other
    server.lock   held for the whole life of the launcher, so the operating system says truly whether it lives
    state.json    {pid, port, version, phase, message}; phase: downloading, starting, ready, stopping or failed
    password      of the user ``neo4j``; only its owner can read it, and it exists once the server has taken it
    version       of the Neo4j that last opened the data
    server.log    what the launcher and Neo4j print
    neo4j/        the data home of Neo4j; neo4j.conf beside it is written anew at every start

The launcher is a program of its own, which imports nothing of ours: it writes what is read here.
"""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from gear_neo4j.errors import SettingsError


@dataclass(frozen=True, slots=True)
class ServerFolder:
    """What the files of one local server say, whether it runs or not."""

    path: Path

    @classmethod
    def of(cls, name: str, *, home: Path) -> Self:
        """The folder of the server of that name, which need not exist yet.

        Raises:
            SettingsError: the name cannot be used.
        """
        if not re.fullmatch(r"[A-Za-z0-9._-]+", name) or not name.strip("."):
            raise SettingsError(f"{name!r} cannot name a local server: use letters, digits, '.', '_' and '-'")
        return cls(home.absolute() / "servers" / name)

    @classmethod
    def under(cls, home: Path) -> list[Self]:
        """The folders under a home that hold data, by name."""
        return [cls(data.parent) for data in sorted(home.absolute().glob("servers/*/neo4j"))]

    @property
    def name(self) -> str:
        """The name of the server."""
        return self.path.name

    @property
    def home(self) -> Path:
        """Where the servers of all names keep their data."""
        return self.path.parents[1]

    @property
    def log(self) -> Path:
        """The file that the launcher prints into."""
        return self.path / "server.log"

    def is_alive(self) -> bool:
        """Whether a launcher holds the lock of the server."""
        if not self.path.is_dir():
            return False
        try:
            # Another process that asks the same question holds the lock for an instant: ask for longer.
            with FileLock(self.path / "server.lock", timeout=0.05, poll_interval=0.01):
                return False
        except Timeout:
            return True

    def state(self) -> dict[str, Any]:
        """What the launcher last said; empty when it said nothing that can be read."""
        try:
            return dict(json.loads(_text(self.path / "state.json") or "{}"))
        except (TypeError, ValueError):
            return {}

    def forget_state(self) -> None:
        """Remove the words of an earlier launcher."""
        (self.path / "state.json").unlink(missing_ok=True)

    def password(self) -> str | None:
        """The password of the user ``neo4j``; None where there is none yet, or it cannot be read."""
        return _text(self.path / "password")

    def version(self) -> str | None:
        """The version of the Neo4j that last opened the data."""
        return _text(self.path / "version")

    def size(self) -> int:
        """How much disk the data takes, in bytes."""
        size = 0
        for file in (self.path / "neo4j" / "data").rglob("*"):
            # Neo4j may remove a file while we look.
            with suppress(OSError):
                size += file.stat().st_size if file.is_file() else 0
        return size

    def why_it_failed(self) -> str:
        """The reason that the launcher gave, else the last line of its log."""
        state = self.state()
        if state.get("phase") == "failed":
            return str(state["message"])
        lines = (_text(self.log) or "").strip().splitlines()
        return lines[-1].strip() if lines else "its process was ended"


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
