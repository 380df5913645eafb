"""Appends entries to the chain of one process, in files of limited size, one or more a day."""

import os
import re
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.web.audit import telemetry
from gear_neo4j.web.audit.chain import Link
from gear_neo4j.web.audit.files import Anchor, anchor_of, chains_in, file_of, last_of, number_of, set_anchor

MOST_BYTES = 64 << 20
MOST_CHAINS = 1_000
_OTHERS = 0o077
Entry = Mapping[str, object]
Clock = Callable[[], datetime]


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def stamp(time: datetime) -> str:
    """A time as entries have it.

    Example:
        >>> stamp(datetime(2026, 11, 29, 8, 5, tzinfo=UTC))
        '2026-11-29T08:05:00.000Z'
    """
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class ChainWriter:
    """The chain of this process in a folder, named for this machine; no other process writes it meanwhile.

    A process continues the chain that an earlier one on this machine has left, in a new file. One thread at a time may
    use it.

    Args:
        most_bytes: size from which a file is followed by the next one.

    Raises:
        SettingsError: the folder cannot be used, or is open to others.
    """

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES, clock: Clock = now) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._clock = clock
        self._file: int | None = None
        self._path = folder
        self._day = ""
        self._size = 0
        self._anchor = Anchor()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            mode = folder.stat().st_mode & 0o777
            if os.name == "posix" and mode & _OTHERS:
                raise SettingsError(f"{folder} is open to others (mode {mode:o}): run chmod 700 on it")
            self.chain, self._lock = _own_chain(folder)
            self.append([])
        except (OSError, InputError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SettingsError(f"the audit folder {folder} cannot be used: {reason}") from error

    def append(self, entries: Sequence[Entry]) -> None:
        """Write entries and the anchor to the disk: all of them, or none.

        Raises:
            OSError, InputError: they cannot be written.
        """
        time = self._clock()
        if self._file is None or self._is_over(time):
            self._begin(time)
        link, lines = self._anchor.link, []
        for entry in entries:
            link, line = link.followed({"time": stamp(time), **entry})
            lines.append(line)
        if lines:
            self._write(b"".join(lines), link)
            telemetry.send(lines)

    def close(self) -> None:
        """Let another process continue the chain."""
        self._close_file()
        self._lock.release()

    def _is_over(self, time: datetime) -> bool:
        """Whether the next entry belongs into a new file, also because this one was removed or replaced."""
        assert self._file is not None
        try:
            is_there = os.path.samestat(self._path.stat(), os.fstat(self._file))
        except OSError:
            is_there = False
        return not is_there or self._size >= self._most_bytes or self._day != stamp(time)[:10]

    def _begin(self, time: datetime) -> None:
        """Begin a file whose first entry has the hash of the last one before it, and the torn line of a crash."""
        self._close_file()
        files = chains_in(self._folder).get(self.chain, ())
        tail = last_of(files)
        reached = max(self._anchor, anchor_of(self._folder, self.chain) or Anchor(), key=lambda one: one.number)
        # Entries that the anchor counts and the files lack must stay visible as a gap.
        last = max(reached.link, tail.link or Link(), key=lambda one: one.number)
        number = max(reached.file, *map(number_of, files[-1:]), 0) + 1
        head = {"time": stamp(time), "kind": "begin", "what": {"previous": last.hash, "torn": tail.document}}
        link, line = last.followed(head)
        path, anchor = file_of(self._folder, self.chain, number), Anchor(number, link.number, link.hash)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        try:
            _append(file, line)
            set_anchor(self._folder, self.chain, anchor)
        except (OSError, InputError):
            os.close(file)
            path.unlink(missing_ok=True)
            raise
        self._file, self._path, self._anchor, self._size, self._day = file, path, anchor, len(line), stamp(time)[:10]

    def _write(self, lines: bytes, link: Link) -> None:
        """Append lines, and set the anchor to the last one; if that fails, the file is as before."""
        assert self._file is not None
        anchor = Anchor(self._anchor.file, link.number, link.hash)
        try:
            _append(self._file, lines)
            set_anchor(self._folder, self.chain, anchor)
        except (OSError, InputError):
            try:
                os.ftruncate(self._file, self._size)
            except OSError:
                self._close_file()
            raise
        self._anchor, self._size = anchor, self._size + len(lines)

    def _close_file(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)
            self._file = None


def _append(file: int, lines: bytes) -> None:
    left = memoryview(lines)
    while left:
        left = left[os.write(file, left) :]
    os.fsync(file)


def _own_chain(folder: Path) -> tuple[str, FileLock]:
    """The first chain of this machine that no other process writes, and its lock."""
    host = re.sub("[^A-Za-z0-9-]", "-", socket.gethostname())[:60] or "host"
    for number in range(1, MOST_CHAINS):
        lock = FileLock(folder / f"{host}-{number}.lock", mode=0o600, thread_local=False)
        with suppress(Timeout):
            lock.acquire(timeout=0)
            return f"{host}-{number}", lock
    raise SettingsError(f"{folder} has {MOST_CHAINS} chains in use: choose another audit folder")
