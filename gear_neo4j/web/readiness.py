"""Whether the service can answer: the embedding model is loaded, and the database is there and fits it."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from gear_neo4j.errors import GearError, InputError
from gear_neo4j.gear import Gear

LOGGER = logging.getLogger("gear_neo4j.web")
MODEL, DATABASE = "embedding model", "database"
# Anybody may ask whether the service is ready; the database is not asked more often than this, in seconds.
FRESH = 2.0


class Readiness:
    """Loads what the first search would have to load, and looks at the database whenever somebody asks."""

    def __init__(self, gear: Gear) -> None:
        self._gear = gear
        self._is_loaded = False
        self._looked = float("-inf")
        self._missing: Sequence[str] = (MODEL, DATABASE)
        self._looking: asyncio.Task[None] | None = None

    async def missing(self) -> Sequence[str]:
        """What is missing now; nothing once the service is ready. A look that takes long is not waited for."""
        looking = self.warm()
        await asyncio.wait({looking}, timeout=FRESH)
        # A database that has answered before, and now does not in time, is missing.
        return self._missing if looking.done() else self._missing or (DATABASE,)

    def warm(self) -> "asyncio.Task[None]":
        """Begin a look, unless one is under way or fresh."""
        if self._looking is None or (self._looking.done() and time.monotonic() - self._looked >= FRESH):
            self._looking = asyncio.create_task(self._look())
        return self._looking

    async def _look(self) -> None:
        checks = {MODEL: self._load, DATABASE: self._check}
        self._missing = await asyncio.to_thread(
            lambda: tuple(name for name, check in checks.items() if not _passes(name, check))
        )
        self._looked = time.monotonic()

    def _load(self) -> None:
        if not self._is_loaded:
            self._gear.embedder.embed(["warm-up"])
            # A search fills the caches. One that fails keeps nobody out: the next one says why.
            with suppress(GearError):
                self._gear.search("warm-up", k=1)
            self._is_loaded = True

    def _check(self) -> None:
        model = self._gear.embedder
        try:
            self._gear.graph.store.require_model(name=model.name, dimension=model.dimension)
        except InputError:
            # A database without passages waits for some; that it answers has just been seen.
            return


def _passes(name: str, check: Callable[[], None]) -> bool:
    try:
        check()
    except GearError as error:
        LOGGER.warning("not ready, %s: %s", name, error)
        return False
    return True
