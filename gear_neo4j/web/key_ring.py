"""The keys of a running service: its file is read again whenever it has changed."""

import logging
from pathlib import Path

from gear_neo4j.errors import SettingsError
from gear_neo4j.web.keys import Key, matching, read_keys

LOGGER = logging.getLogger("gear_neo4j.web")


class KeyRing:
    """The keys of a file as it is now; a file that can no longer be used lets nobody in.

    ``required`` is whether a request needs a key: always where the service is to be reached from other machines, and
    elsewhere from the moment that there is a file of keys.

    Raises:
        SettingsError: the file cannot be used at the start.
    """

    def __init__(self, file: Path | None, *, required: bool = False) -> None:
        self._file = file
        self._stamp = self._look()
        self._keys = read_keys(file) if file else ()
        self.required = required or self._stamp is not None

    def find(self, secret: str) -> Key | None:
        """The key of a secret."""
        self.refresh()
        return matching(self._keys, secret)

    def refresh(self) -> None:
        """Read the file again if it has changed."""
        stamp = self._look()
        if self._file is None or stamp == self._stamp:
            return
        self._stamp = stamp
        # Once there were keys, a file that is gone opens nothing.
        self.required = True
        try:
            self._keys = read_keys(self._file)
        except SettingsError as error:
            self._keys = ()
            LOGGER.error("every key is refused: %s", error)

    def _look(self) -> tuple[int, int, int, int] | None:
        try:
            status = self._file.stat() if self._file else None
        except OSError:
            return None
        # The mode is in it: a file that was opened to others is refused, and accepted again once that is repaired.
        return (status.st_mtime_ns, status.st_size, status.st_ino, status.st_mode) if status else None
