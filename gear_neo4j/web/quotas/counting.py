"""Counts what the holders of quotas use, in the database: a request before it runs, its tokens when it has ended."""

import logging
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from threading import Lock

from gear_neo4j.errors import GearError
from gear_neo4j.graph.write.usage_store import UsageStore
from gear_neo4j.text.printable import json_text
from gear_neo4j.web.credentials import Credential
from gear_neo4j.web.quotas.balance import Balance, balances_of, headers_of, over_quota
from gear_neo4j.web.quotas.bill import Bill
from gear_neo4j.web.quotas.periods import Period, day_of, month_of, now

LOGGER = logging.getLogger("gear_neo4j.web")
# Days to keep: a replica whose clock is late may still count in the last one.
KEPT_DAYS = 1


class Quotas:
    """The quotas of one service; threads may share it.

    Each method takes one round trip, and none for a holder without a quota. The first request of a day takes another
    one, which deletes what was used before yesterday.

    Args:
        clock: the time in UTC.
    """

    def __init__(self, store: UsageStore, *, clock: Callable[[], datetime] = now) -> None:
        self._store = store
        self.clock = clock
        self._dropped = ""
        # Tokens that could not be counted, by holder.
        self._owed: Counter[str] = Counter()
        self._lock = Lock()

    def open(self, holder: Credential | None) -> tuple[Bill, dict[str, str]] | None:
        """Count a request; returns the bill for its tokens and the headers of its response, None without a quota.

        Raises:
            OverQuota: a limit is reached; the request is not counted.
            InputError, DatabaseError: it cannot be counted.
        """
        if holder is None or holder.quota is None:
            return None
        time = self.clock()
        day, month = day_of(time), month_of(time)
        with self._lock:
            owed = self._owed.pop(holder.id, 0)
        try:
            counted = self._store.count(
                holder.id,
                name=holder.name,
                day=day.name,
                month=month.name,
                requests=1,
                tokens=owed,
                limits=holder.quota.model_dump(),
            )
        except GearError:
            self._owe(holder, owed)
            raise
        self._drop(day)
        balances = balances_of(holder.quota, counted.today, counted.this_month, periods=(day, month))
        if not counted.counted:
            raise over_quota(balances, now=time)
        return Bill(partial(self._charge, holder, day, month)), headers_of(balances, now=time)

    def balances(self, holder: Credential | None) -> tuple[Balance, ...]:
        """What a holder has used of each limit; empty without a quota."""
        if holder is None or holder.quota is None:
            return ()
        time = self.clock()
        day, month = day_of(time), month_of(time)
        today, this_month = self._store.used(holder.id, day=day.name, month=month.name)
        return balances_of(holder.quota, today, this_month, periods=(day, month))

    def _charge(self, holder: Credential, day: Period, month: Period, tokens: int) -> None:
        """Count tokens; if that fails, they are counted with the holder's next request."""
        try:
            self._store.count(holder.id, name=holder.name, day=day.name, month=month.name, tokens=tokens)
        except GearError as error:
            LOGGER.error("%s", json_text({"quota": "not counted yet", "tokens": tokens, "detail": str(error)}))
            self._owe(holder, tokens)

    def _owe(self, holder: Credential, tokens: int) -> None:
        if tokens:
            with self._lock:
                self._owed[holder.id] += tokens

    def _drop(self, day: Period) -> None:
        if self._dropped == day.name:
            return
        self._dropped = day.name
        # It can wait until tomorrow.
        with suppress(GearError):
            self._store.drop(before=day_of(day.begins - timedelta(days=KEPT_DAYS)).name)
