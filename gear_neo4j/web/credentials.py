"""What callers present: a key of a file, or the sign-in of a person."""

from typing import Protocol

from gear_neo4j.errors import GearError
from gear_neo4j.scope import Scope
from gear_neo4j.web.quotas.quota import Quota
from gear_neo4j.web.rates import Rate


class RightsUnknown(GearError):
    """It is unknown now what a caller may do; the message is the reason, for callers."""


class Credential(Protocol):
    """A key or a sign-in: whose it is, and what its holder may do."""

    @property
    def id(self) -> str:
        """Whose it is: a job is done for the ``id`` of its sender, who may sign in again meanwhile."""

    @property
    def name(self) -> str:
        """The name of the holder, for logs."""

    @property
    def scope(self) -> Scope:
        """What the holder may see."""

    @property
    def writes(self) -> bool:
        """Whether the holder may write."""

    @property
    def where(self) -> object:
        """A filter of the holder, which keeps them from writing; None without one."""

    @property
    def rate(self) -> str | None:
        """The rate limit as text."""

    @property
    def limit(self) -> Rate | None:
        """The rate limit; None for no limit."""

    @property
    def quota(self) -> Quota | None:
        """What the holder may use in a day and a month; None for no limit."""
