"""A quota: the limits of a key, or of each person in a group, as the files of keys and of rights have them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gear_neo4j.errors import SettingsError

# The largest integer of a structured field (RFC 9651).
MOST = 10**15 - 1
_NUMBER = re.compile(r"[1-9][0-9]{0,14}")
Amount = Annotated[int, Field(strict=True, ge=1, le=MOST)]
Unit = Literal["requests", "tokens"]
Span = Literal["day", "month"]


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit of a quota."""

    unit: Unit
    span: Span
    most: int

    @property
    def name(self) -> str:
        """Its name in a quota, such as ``requests_per_day``."""
        return f"{self.unit}_per_{self.span}"


class Quota(BaseModel):
    """Limits of requests and of tokens, in a day and in a month of UTC; at least one.

    Raises:
        ValidationError: there is no limit, or one is not a whole number from 1.

    Example:
        >>> Quota(tokens_per_day=200_000).limits
        (Limit(unit='tokens', span='day', most=200000),)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    requests_per_day: Amount | None = None
    tokens_per_day: Amount | None = None
    requests_per_month: Amount | None = None
    tokens_per_month: Amount | None = None

    @classmethod
    def parse(cls, pairs: Sequence[tuple[str, str]]) -> Self:
        """A quota from names and numbers as text.

        Raises:
            SettingsError: a name is unknown or there twice, or a number is not a whole one from 1.

        Example:
            >>> Quota.parse([("requests_per_day", "500")]).requests_per_day
            500
        """
        names = [name for name, _ in pairs]
        for name, number in pairs:
            if name not in cls.model_fields:
                raise SettingsError(f"there is no limit {name[:40]!r}: choose from {', '.join(cls.model_fields)}")
            if names.count(name) > 1:
                raise SettingsError(f"the limit {name} is there twice: leave one out")
            if not _NUMBER.fullmatch(number):
                raise SettingsError(f"{name} is {number[:40]!r}: it must be a whole number from 1")
        return cls(**{name: int(number) for name, number in pairs})

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if not self.limits:
            raise ValueError(f"a quota needs a limit: {', '.join(Quota.model_fields)}")
        return self

    @property
    def limits(self) -> tuple[Limit, ...]:
        """The limits that are set."""
        return tuple(self._each())

    def _each(self) -> Iterator[Limit]:
        for name, most in self:
            unit, _, span = name.partition("_per_")
            if most is not None:
                yield Limit(unit, span, most)  # type: ignore[arg-type]


def most_generous(quotas: Iterable[Quota | None]) -> Quota | None:
    """The highest of each limit; a quota without a limit says nothing of it. None if there is none at all.

    Example:
        >>> most_generous([Quota(requests_per_day=5), None, Quota(requests_per_day=9, tokens_per_day=1)]).limits
        (Limit(unit='requests', span='day', most=9), Limit(unit='tokens', span='day', most=1))
    """
    highest: dict[str, int] = {}
    for quota in quotas:
        for limit in quota.limits if quota else ():
            highest[limit.name] = max(limit.most, highest.get(limit.name, 0))
    return Quota(**highest) if highest else None
