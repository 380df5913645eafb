"""What is left of a quota, for a refusal, for headers, and for the caller."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from gear_neo4j.errors import GearError
from gear_neo4j.graph.write.usage_store import Used
from gear_neo4j.text.wording import pluralize
from gear_neo4j.web.quotas.periods import Period
from gear_neo4j.web.quotas.quota import Limit, Quota


@dataclass(frozen=True, slots=True)
class Balance:
    """One limit, and what was used of it in a period."""

    limit: Limit
    used: int
    period: Period

    @property
    def left(self) -> int:
        """What is left; the tokens of the last run may have gone beyond the limit."""
        return max(0, self.limit.most - self.used)


class OverQuota(GearError):
    """A quota is used up."""

    def __init__(self, message: str, *, headers: Mapping[str, str]) -> None:
        super().__init__(message)
        self.headers = headers


def balances_of(quota: Quota, today: Used, this_month: Used, *, periods: tuple[Period, Period]) -> tuple[Balance, ...]:
    """The balance of each limit, by what was used today and this month."""
    day, month = periods
    spans = {"day": (today, day), "month": (this_month, month)}

    def balance(limit: Limit) -> Balance:
        used, period = spans[limit.span]
        return Balance(limit, used.requests if limit.unit == "requests" else used.tokens, period)

    return tuple(map(balance, quota.limits))


def over_quota(balances: Sequence[Balance], *, now: datetime) -> OverQuota:
    """The refusal of a request: of the limits that are reached, it names the one that lasts longest."""
    last = max((balance for balance in balances if not balance.left), key=lambda balance: balance.period.ends)
    limit, ends = last.limit, last.period.ends
    amount = pluralize(limit.most, limit.unit.removesuffix("s"))
    message = f"the quota of {amount} a {limit.span} is used up: it starts again at {ends:%Y-%m-%d %H:%M} UTC"
    return OverQuota(message, headers={"Retry-After": str(_seconds(last, now)), **headers_of(balances, now=now)})


def headers_of(balances: Iterable[Balance], *, now: datetime) -> dict[str, str]:
    """The headers of draft-ietf-httpapi-ratelimit-headers-10: the limits, and what is left of them until when.

    Example:
        >>> from datetime import UTC
        >>> from gear_neo4j.web.quotas.periods import day_of
        >>> noon = datetime(2026, 11, 29, 12, tzinfo=UTC)
        >>> for line in headers_of([Balance(Limit("tokens", "day", 500), 120, day_of(noon))], now=noon).items():
        ...     print(*line)
        RateLimit-Policy "tokens-per-day";q=500;qu="tokens";w=86400
        RateLimit "tokens-per-day";r=380;t=43200
    """
    policies, states = [], []
    for balance in balances:
        limit, name = balance.limit, f'"{balance.limit.name.replace("_", "-")}"'
        policies.append(f'{name};q={limit.most};qu="{limit.unit}";w={balance.period.seconds}')
        states.append(f"{name};r={balance.left};t={_seconds(balance, now)}")
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(states)}


def _seconds(balance: Balance, now: datetime) -> int:
    return max(1, math.ceil((balance.period.ends - now).total_seconds()))
