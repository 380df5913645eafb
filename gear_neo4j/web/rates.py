"""Rate limits: a token bucket for each name, in a bounded table."""

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from gear_neo4j.errors import SettingsError

_RATE = re.compile(r"([1-9]\d{0,6})/(s|sec|second|min|minute|h|hour)")
_SECONDS = {"s": 1, "m": 60, "h": 3_600}
# Number of buckets to keep; a name that was not seen for long starts again with a full one.
MOST_NAMES = 10_000


@dataclass(frozen=True, slots=True)
class Rate:
    """A number of requests in a number of seconds.

    Example:
        >>> Rate.parse("60/min")
        Rate(count=60, seconds=60)
    """

    count: int
    seconds: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a rate such as ``60/min``.

        Raises:
            SettingsError: the text is not a rate.
        """
        match = _RATE.fullmatch(text.strip())
        if match is None:
            raise SettingsError(f"the rate {text[:40]!r} cannot be used: write it as 60/min or 5/s")
        return cls(int(match[1]), _SECONDS[match[2][0]])


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled: float


class RateLimiter:
    """A bucket of tokens for each name: full at first, refilled evenly, emptied by requests.

    Args:
        clock: a monotonic clock, in seconds.

    Example:
        >>> limiter, rate = RateLimiter(clock=lambda: 0.0), Rate(1, 60)
        >>> limiter.wait("ada", rate), limiter.wait("ada", rate), limiter.wait("bo", rate)
        (0.0, 60.0, 0.0)
    """

    def __init__(self, *, most: int = MOST_NAMES, clock: Callable[[], float] = time.monotonic) -> None:
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._most = most
        self._clock = clock

    def wait(self, name: str, rate: Rate) -> float:
        """Take a token; 0 if there was one, else the seconds until there will be one."""
        now = self._clock()
        bucket = self._buckets.setdefault(name, _Bucket(rate.count, now))
        self._buckets.move_to_end(name)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        per_second = rate.count / rate.seconds
        bucket.tokens = min(rate.count, bucket.tokens + (now - bucket.filled) * per_second)
        bucket.filled = now
        if bucket.tokens < 1:
            return (1 - bucket.tokens) / per_second
        bucket.tokens -= 1
        return 0.0
