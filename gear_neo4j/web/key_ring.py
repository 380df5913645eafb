"""The keys of a running service, which reads their file again whenever it has changed."""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

from gear_neo4j.errors import SettingsError
from gear_neo4j.text.files import FileStamp, file_stamp
from gear_neo4j.web.credentials import RightsUnknown
from gear_neo4j.web.keys import Key, matching, read_keys

OnChange = Callable[[Sequence[Key], Sequence[Key]], object]
LOGGER = logging.getLogger("gear_neo4j.web")


class KeysUnusable(RightsUnknown):
    """The file of keys cannot be used now, so it is unknown which keys are valid."""


class KeyRing:
    """The current keys of a file; if it becomes unusable, every key is refused. Threads may share it.

    ``required`` says whether requests need a key: always if other machines can reach the service, otherwise once there
    is a file of keys. ``on_change`` is called with the keys before and after a change of the file; it must return at
    once.

    Raises:
        SettingsError: the file cannot be used.
    """

    def __init__(self, file: Path | None, *, required: bool = False) -> None:
        self._file = file
        self.on_change: OnChange = lambda *_: None
        self._lock = Lock()
        self._stamp = self._look()
        self.keys: tuple[Key, ...] = read_keys(file) if file else ()
        self._problem = ""
        self.required = required or self._stamp is not None

    def find(self, secret: str) -> Key | None:
        """The key of a secret."""
        self.refresh()
        return matching(self.keys, secret)

    def current(self, sha256: str) -> Key | None:
        """The current key with a digest; None if it was revoked.

        Raises:
            KeysUnusable: the file is broken or gone; its keys may be valid again once it is repaired.
        """
        self.refresh()
        with self._lock:
            if self._problem:
                raise KeysUnusable(self._problem)
            return next((key for key in self.keys if key.sha256 == sha256), None)

    def admits(self, key: Key | None) -> bool:
        """Whether all that a key allowed at the time of its request is still allowed; for None, calls without a key."""
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
            # Once there were keys, deleting the file must not let anybody in without one.
            self.required = True
            before = self.keys
            try:
                self.keys, self._problem = read_keys(self._file), "" if stamp else f"{self._file} is gone"
            except SettingsError as error:
                self.keys, self._problem = (), str(error)
            if self._problem:
                LOGGER.error("every key is refused: %s", self._problem)
            self._stamp = stamp
            self.on_change(before, self.keys)

    def _look(self) -> FileStamp | None:
        return file_stamp(self._file) if self._file else None
