"""The folder of a local server, ``<home>/servers/<name>/``, whose files are the interface to its launcher.

    start.lock    held while a process starts the server, so that a second one waits
    server.lock   held for the launcher's whole life, so the operating system knows whether it is alive
    state.json    {pid, port, version, java, idle, phase, message}; idle: in seconds; phase: downloading, starting,
                  ready, idle (it stops by itself), stopping or failed
    used          its modification time is that of the last use, to ten seconds
    keep          exists while the server must not stop by itself
    password      of the user ``neo4j``; only its owner can read it, and it exists once the server has accepted it
    version       of the last Neo4j that opened the data
    server.log    what the launcher and Neo4j print
    neo4j/        the data home of Neo4j; neo4j.conf beside it is rewritten at every start

The launcher is a separate program that imports nothing of this package; it writes the files that are read here.
"""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from gear_neo4j.errors import SettingsError


@dataclass(frozen=True, slots=True)
class ServerFolder:
    """The files of a local server, running or not."""

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
        """The folder that contains the data of all servers."""
        return self.path.parents[1]

    @property
    def log(self) -> Path:
        """The file that the launcher prints into."""
        return self.path / "server.log"

    def exists(self) -> bool:
        """Whether the server has data, or is being created."""
        return (self.path / "neo4j").is_dir() or self.is_alive()

    def is_alive(self) -> bool:
        """Whether a launcher holds the lock of the server."""
        if not self.path.is_dir():
            return False
        try:
            # Another process that checks holds the lock for an instant: wait longer than that.
            with FileLock(self.path / "server.lock", timeout=0.05, poll_interval=0.01):
                return False
        except Timeout:
            return True

    def state(self) -> dict[str, Any]:
        """The launcher's last state; empty if there is none, or it cannot be read."""
        try:
            return dict(json.loads(_text(self.path / "state.json") or "{}"))
        except (TypeError, ValueError):
            return {}

    def remove_state(self) -> None:
        """Remove the state of an earlier launcher."""
        (self.path / "state.json").unlink(missing_ok=True)

    def keep(self, kept: bool) -> None:
        """Let the server run until it is stopped, or stop by itself once it is idle."""
        if kept:
            (self.path / "keep").touch()
        else:
            (self.path / "keep").unlink(missing_ok=True)

    def end(self) -> datetime | None:
        """When the server stops unless it is used; None if it is kept."""
        idle = self.state().get("idle", 0)
        if not idle or (self.path / "keep").exists():
            return None
        used = max(_time(self.path / name) for name in ("used", "state.json"))
        return datetime.fromtimestamp(used + idle, UTC)

    def password(self) -> str | None:
        """The password of the user ``neo4j``; None if it is not set yet, or cannot be read."""
        return _text(self.path / "password")

    def version(self) -> str | None:
        """The version of the last Neo4j that opened the data."""
        return _text(self.path / "version")

    def size(self) -> int:
        """The size of the data on disk, in bytes."""
        size = 0
        for file in (self.path / "neo4j" / "data").rglob("*"):
            # Neo4j may remove a file while we look.
            with suppress(OSError):
                size += file.stat().st_size if file.is_file() else 0
        return size

    def failure_reason(self) -> str:
        """The launcher's reason, else the last line of its log."""
        state = self.state()
        if state.get("phase") == "failed":
            return str(state["message"])
        # Java warns of modules and methods that Neo4j needs.
        lines = [line.strip() for line in (_text(self.log) or "").splitlines() if not line.startswith("WARNING: ")]
        return next(filter(None, reversed(lines)), "its process was ended")


def _time(file: Path) -> float:
    """The modification time of a file; 0 if there is none."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
