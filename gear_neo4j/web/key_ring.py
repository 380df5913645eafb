"""The keys of a running service: its file is read again whenever it has changed."""

import logging
from pathlib import Path
from threading import Lock

from gear_neo4j.errors import SettingsError
from gear_neo4j.web.keys import Key, matching, read_keys

LOGGER = logging.getLogger("gear_neo4j.web")


class KeysUnusable(SettingsError):
    """The file of keys cannot be used now, so nobody knows which keys are valid."""


class KeyRing:
    """The keys of a file as it is now; a file that can no longer be used lets nobody in. Threads may share it.

    ``required`` is whether a request needs a key: always where the service is to be reached from other machines, and
    elsewhere from the moment that there is a file of keys.

    Raises:
        SettingsError: the file cannot be used at the start.
    """

    def __init__(self, file: Path | None, *, required: bool = False) -> None:
        self._file = file
        self._lock = Lock()
        self._stamp = self._look()
        self._keys = read_keys(file) if file else ()
        self._problem = ""
        self.required = required or self._stamp is not None

    def find(self, secret: str) -> Key | None:
        """The key of a secret."""
        self.refresh()
        return matching(self._keys, secret)

    def current(self, sha256: str) -> Key | None:
        """The key of a digest as it is now; None if it was revoked.

        Raises:
            KeysUnusable: the file is broken or gone; a key in it may count again once it is repaired.
        """
        self.refresh()
        with self._lock:
            if self._problem:
                raise KeysUnusable(self._problem)
            return next((key for key in self._keys if key.sha256 == sha256), None)

    def admits(self, key: Key | None) -> bool:
        """Whether everything that a key allowed when its holder called is still allowed; for None, to call without."""
        self.refresh()
        if key is None:
            return not self.required
        try:
            now = self.current(key.sha256)
        except KeysUnusable:
            return False
        return now is not None and now.scope.admits(key.scope) and (now.writes or not key.writes)

    def refresh(self) -> None:
        """Read the file again if it has changed."""
        with self._lock:
            stamp = self._look()
            if self._file is None or stamp == self._stamp:
                return
            # Once there were keys, a file that is gone opens nothing.
            self.required = True
            try:
                self._keys, self._problem = read_keys(self._file), "" if stamp else f"{self._file} is gone"
            except SettingsError as error:
                self._keys, self._problem = (), str(error)
            if self._problem:
                LOGGER.error("every key is refused: %s", self._problem)
            self._stamp = stamp

    def _look(self) -> tuple[int, int, int, int] | None:
        try:
            status = self._file.stat() if self._file else None
        except OSError:
            return None
        # The mode is in it: a file that was opened to others is refused, and accepted again once that is repaired.
        return (status.st_mtime_ns, status.st_size, status.st_ino, status.st_mode) if status else None
