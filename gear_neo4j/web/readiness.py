"""Whether the service can answer: the embedding model is loaded, and the database is available and fits it."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from gear_neo4j.errors import GearError, InputError
from gear_neo4j.gear import Gear

LOGGER = logging.getLogger("gear_neo4j.web")
MODEL, DATABASE = "embedding model", "database"
# Seconds for which a check is valid: anybody may ask whether the service is ready, and must not overload the database.
FRESH = 2.0


class Readiness:
    """Loads what the first search needs, and checks the database on request."""

    def __init__(self, gear: Gear) -> None:
        self._gear = gear
        self._is_loaded = False
        self._looked = float("-inf")
        self._missing: Sequence[str] = (MODEL, DATABASE)
        self._looking: asyncio.Task[None] | None = None

    async def missing(self) -> Sequence[str]:
        """What is missing now; empty once the service is ready. It does not wait for a check that takes long."""
        looking = self.warm()
        await asyncio.wait({looking}, timeout=FRESH)
        # A database that answered before counts as missing if it does not answer in time.
        return self._missing if looking.done() else self._missing or (DATABASE,)

    def warm(self) -> "asyncio.Task[None]":
        """Start a check, unless one is running or recent."""
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
            # A search fills the caches. If it fails, the service is still ready: the next search reports the error.
            with suppress(GearError):
                self._gear.search("warm-up", k=1)
            self._is_loaded = True

    def _check(self) -> None:
        model = self._gear.embedder
        try:
            self._gear.graph.store.require_model(name=model.name, dimension=model.dimension)
        except InputError:
            # A database without passages has no model yet, but it has just answered.
            return


def _passes(name: str, check: Callable[[], None]) -> bool:
    try:
        check()
    except GearError as error:
        LOGGER.warning("not ready, %s: %s", name, error)
        return False
    return True
