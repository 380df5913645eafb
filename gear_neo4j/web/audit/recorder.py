"""Records entries in a thread of its own, which writes those that wait together."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread

from gear_neo4j.errors import GearError
from gear_neo4j.text.printable import json_text
from gear_neo4j.web.audit.writing import ChainWriter

LOGGER = logging.getLogger("gear_neo4j.web")
# The most entries that are written together.
MOST_AT_ONCE = 500
Entry = Mapping[str, object]


_Waiting = tuple[Sequence[Entry], Future[None]]


class Unrecorded(GearError):
    """What happens cannot be recorded, so it is refused."""

    def __init__(self) -> None:
        super().__init__("the service cannot record this now, so it does not answer: ask the operator")


class Recorder:
    """Writes entries to a chain; threads and tasks may share it.

    Args:
        required: refuse what cannot be recorded; otherwise it is logged, and counted in the record later.
        texts: record questions, too.
    """

    def __init__(self, chain: ChainWriter, *, required: bool = False, texts: bool = False) -> None:
        self.required = required
        self.texts = texts
        self.is_failing = False
        self._chain = chain
        # Entries that could not be written since the last one that was.
        self._lost = 0
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name="gear-audit", daemon=True)
        self._thread.start()

    def put(self, *entries: Entry) -> "Future[None]":
        """Hand over entries; the future ends once they are on the disk, or with :class:`Unrecorded`."""
        written: Future[None] = Future()
        # Whoever stops waiting does not take the entry back.
        written.set_running_or_notify_cancel()
        self._queue.put((entries, written))
        return written

    async def record(self, entry: Entry) -> None:
        """Record an entry before anything depends on it.

        Raises:
            Unrecorded: it cannot be written, and must be.
        """
        try:
            await asyncio.wrap_future(self.put(entry))
        except Unrecorded:
            if self.required:
                raise

    def record_now(self, entry: Entry) -> None:
        """Record an entry from a thread; raises as :meth:`record` does."""
        try:
            self.put(entry).result()
        except Unrecorded:
            if self.required:
                raise

    async def works(self) -> bool:
        """Whether entries can be written now; after a failure, this tries to write how many were lost."""
        if self.is_failing:
            with suppress(Unrecorded):
                await asyncio.wrap_future(self.put())
        return not self.is_failing

    def close(self) -> None:
        """Write what waits, and end."""
        self._queue.put(None)
        self._thread.join()
        self._chain.close()

    def _work(self) -> None:
        while (first := self._queue.get()) is not None:
            batch = [first]
            while len(batch) < MOST_AT_ONCE and not self._queue.empty():
                if (following := self._queue.get()) is None:
                    self._write(batch)
                    return
                batch.append(following)
            self._write(batch)

    def _write(self, batch: Sequence[_Waiting]) -> None:
        entries = [entry for waiting, _ in batch for entry in waiting]
        count = len(entries)
        if self._lost:
            entries.insert(0, {"kind": "lost", "what": {"entries": self._lost}})
        try:
            self._chain.append(entries)
        except Exception as error:
            # Whatever it is, nobody may wait for an entry forever.
            self._fail(error, count)
            for _, written in batch:
                written.set_exception(Unrecorded())
            return
        if self.is_failing:
            LOGGER.warning("%s", json_text({"audit": "works again", "lost": self._lost}))
        self.is_failing, self._lost = False, 0
        for _, written in batch:
            written.set_result(None)

    def _fail(self, error: Exception, lost: int) -> None:
        if not self.is_failing:
            detail = getattr(error, "strerror", None) or str(error) or type(error).__name__
            LOGGER.error("%s", json_text({"audit": "cannot be written", "detail": detail}))
        self.is_failing = True
        self._lost += lost
