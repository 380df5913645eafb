"""Callers: the holder of a key, or, if the service has no keys, anybody on this machine."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from starlette.authentication import AuthCredentials, AuthenticationBackend, AuthenticationError, BaseUser
from starlette.requests import HTTPConnection
from starlette.responses import Response

from gear_neo4j.gear import Gear
from gear_neo4j.scope import EVERYTHING
from gear_neo4j.web.entry import entry_of
from gear_neo4j.web.key_ring import KeyRing
from gear_neo4j.web.keys import Key
from gear_neo4j.web.problems import Failure, failure_response, http_failure
from gear_neo4j.web.rates import Rate, RateLimiter
from gear_neo4j.web.views import Views

LONGEST_SECRET = 500
CHALLENGE = {"WWW-Authenticate": "Bearer"}


@dataclass(frozen=True, slots=True)
class Caller(BaseUser):
    """The sender of a request: the name of its key (empty without one), the view of the graph, and the key."""

    name: str
    gear: Gear
    key: Key | None = None

    @property
    def is_authenticated(self) -> bool:
        """Always true: other requests are refused."""
        return True

    @property
    def display_name(self) -> str:
        """The name of the key."""
        return self.name


class Refused(AuthenticationError):
    """A request is refused; ``failure`` is the response to it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


class KeyBackend(AuthenticationBackend):
    """Finds the caller of a request by its key, and counts requests against the rate of the key.

    Args:
        failed: how often an address may present an unknown key; valid keys are accepted even beyond that.
        is_open: whether a path needs no key.
    """

    def __init__(
        self,
        ring: KeyRing,
        views: Views,
        *,
        failed: Rate,
        is_open: Callable[[str], bool],
    ) -> None:
        self._ring = ring
        self._views = views
        self._failed = failed
        self._is_open = is_open
        # Two tables: a flood of addresses must not evict the keys.
        self._keys, self._addresses = RateLimiter(), RateLimiter()

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, BaseUser] | None:
        """The caller; None on a path that needs no key.

        Raises:
            Refused: no key or an unknown one, or too many requests.
        """
        if self._is_open(conn.scope["path"]):
            return None
        self._ring.refresh()
        if not self._ring.required:
            return AuthCredentials(), Caller("", self._views.of(EVERYTHING))
        key = self._key(conn)
        entry_of(conn.scope).key = key.name
        if key.limit and (wait := self._keys.wait(key.sha256, key.limit)):
            raise Refused(_too_many(wait, f"this key may send {key.rate}: wait {math.ceil(wait)} s"))
        return AuthCredentials(), Caller(key.name, self._views.of(key.scope), key)

    def _key(self, conn: HTTPConnection) -> Key:
        secret = _secret(conn)
        if secret is None:
            raise Refused(http_failure(401, "a key is required: send 'Authorization: Bearer ...'", headers=CHALLENGE))
        key = self._ring.find(secret) if len(secret) <= LONGEST_SECRET else None
        if key is not None:
            return key
        address = conn.client.host if conn.client else ""
        if wait := self._addresses.wait(address, self._failed):
            raise Refused(_too_many(wait, f"too many requests with unknown keys: wait {math.ceil(wait)} s"))
        raise Refused(http_failure(401, "this key is unknown or was revoked: ask for a new one", headers=CHALLENGE))


def refuse(conn: HTTPConnection, error: AuthenticationError) -> Response:
    """The response to a refused request."""
    assert isinstance(error, Refused)
    return failure_response(conn, error.failure)


def _secret(conn: HTTPConnection) -> str | None:
    """The key that a request presents: as a bearer token, or in the header ``X-API-Key``."""
    scheme, _, token = conn.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return conn.headers.get("x-api-key")


def _too_many(wait: float, detail: str) -> Failure:
    return http_failure(429, detail, headers={"Retry-After": str(math.ceil(wait))})
