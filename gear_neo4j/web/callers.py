"""Callers: holders of keys, people who have signed in, or, if the service needs neither, anybody on this machine."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from anyio import CapacityLimiter, to_thread
from starlette.authentication import AuthCredentials, AuthenticationBackend, AuthenticationError, BaseUser
from starlette.requests import HTTPConnection
from starlette.responses import Response

from gear_neo4j.gear import Gear
from gear_neo4j.scope import EVERYTHING
from gear_neo4j.web.credentials import Credential, RightsUnknown
from gear_neo4j.web.entry import entry_of
from gear_neo4j.web.identity.cookies import session_of
from gear_neo4j.web.identity.refusals import SignInRefused
from gear_neo4j.web.problems import Failure, failure_response, http_failure
from gear_neo4j.web.rates import Rate, RateLimiter
from gear_neo4j.web.ring import Ring
from gear_neo4j.web.views import Views

LONGEST_SECRET = 500
NEEDED = "a key is required: send 'Authorization: Bearer ...'"
NEEDED_OR_SIGN_IN = "a sign-in or a key is required: send 'Authorization: Bearer ...'"
# How many tokens and sessions may wait for the provider at once.
MOST_WAITING = 20
# The code of refusals where people sign in on the page.
SIGN_IN = "SignIn"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
Challenge = Callable[[HTTPConnection, str], str]


@dataclass(frozen=True, slots=True)
class Caller(BaseUser):
    """The sender of a request: its name (empty without a credential), the view of the graph, and the credential."""

    name: str
    gear: Gear
    credential: Credential | None = None

    @property
    def is_authenticated(self) -> bool:
        """Always true: other requests are refused."""
        return True

    @property
    def display_name(self) -> str:
        """The name of the key or the person."""
        return self.name

    @property
    def id(self) -> str:
        """The id of the credential; empty without one."""
        return self.credential.id if self.credential else ""


class Refused(AuthenticationError):
    """A request is refused; ``failure`` is the response to it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


class CallerBackend(AuthenticationBackend):
    """Finds the caller of a request by its key or sign-in, and counts requests against the rate of either.

    Args:
        failed: how often an address may present an unknown key; valid keys are accepted even beyond that.
        is_open: whether a path needs no caller.
        challenge: the header ``WWW-Authenticate`` of a refusal, for a request and an error code of RFC 6750.
    """

    def __init__(
        self,
        ring: Ring,
        views: Views,
        *,
        failed: Rate,
        is_open: Callable[[str], bool],
        challenge: Challenge,
    ) -> None:
        self._ring = ring
        self._views = views
        self._failed = failed
        self._is_open = is_open
        self._challenge = challenge
        self._threads = CapacityLimiter(MOST_WAITING)
        # Two tables: a flood of addresses must not evict the keys.
        self._credentials, self._addresses = RateLimiter(), RateLimiter()

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, BaseUser] | None:
        """The caller; None on a path that needs none.

        Raises:
            Refused: no key or an unknown one, a sign-in that does not count, or too many requests.
        """
        if self._is_open(conn.scope["path"]):
            return None
        self._ring.refresh()
        if not self._ring.required:
            return AuthCredentials(), Caller("", self._views.of(EVERYTHING))
        found = await self._credential(conn)
        entry_of(conn.scope).identify(found)
        if found.limit and (wait := self._credentials.wait(found.id, found.limit)):
            raise Refused(_too_many(wait, f"at most {found.rate} are allowed here: wait {math.ceil(wait)} s"))
        return AuthCredentials(), Caller(found.name, self._views.of(found.scope), found)

    async def _credential(self, conn: HTTPConnection) -> Credential:
        secret, session = _secret(conn), session_of(conn)
        try:
            if secret is None and session and self._ring.people:
                _require_own_page(conn)
                return await to_thread.run_sync(self._ring.people.of_session, session, limiter=self._threads)
            if secret is None:
                raise self._refused(conn, NEEDED if self._ring.people is None else NEEDED_OR_SIGN_IN)
            if self._ring.asks_people(secret):
                found = await to_thread.run_sync(self._ring.find, secret, limiter=self._threads)
            else:
                found = self._ring.find(secret) if len(secret) <= LONGEST_SECRET else None
        except SignInRefused as error:
            entry_of(conn.scope).refused = error.who
            if error.is_known:
                raise Refused(http_failure(403, str(error))) from error
            self._count_failure(conn)
            raise self._refused(conn, str(error), error="invalid_token") from error
        except RightsUnknown as error:
            raise Refused(http_failure(503, str(error), headers={"Retry-After": "5"})) from error
        if found is None:
            self._count_failure(conn)
            raise self._refused(conn, "this key is unknown or was revoked: ask for a new one", error="invalid_token")
        return found

    def _count_failure(self, conn: HTTPConnection) -> None:
        address = conn.client.host if conn.client else ""
        if wait := self._addresses.wait(address, self._failed):
            raise Refused(_too_many(wait, f"too many requests with unknown keys: wait {math.ceil(wait)} s"))

    def _refused(self, conn: HTTPConnection, detail: str, *, error: str = "") -> Refused:
        failure = http_failure(401, detail, headers={"WWW-Authenticate": self._challenge(conn, error)})
        return Refused(replace(failure, code=SIGN_IN) if self._ring.has_page else failure)


def refuse(conn: HTTPConnection, error: AuthenticationError) -> Response:
    """The response to a refused request."""
    assert isinstance(error, Refused)
    return failure_response(conn, error.failure)


def _require_own_page(conn: HTTPConnection) -> None:
    """Refuse a request that changes something with a session, unless the browser says that our own page sends it.

    Browsers send cookies with requests of other pages, too. Other origins are refused already; this refuses requests
    whose origin is unknown.
    """
    if conn.scope["method"] not in _SAFE and "origin" not in conn.headers:
        raise Refused(http_failure(403, "a session is for the page only: send a token as 'Authorization: Bearer ...'"))


def _secret(conn: HTTPConnection) -> str | None:
    """The key or token that a request presents: as a bearer token, or in the header ``X-API-Key``."""
    scheme, _, token = conn.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return conn.headers.get("x-api-key")


def _too_many(wait: float, detail: str) -> Failure:
    return http_failure(429, detail, headers={"Retry-After": str(math.ceil(wait))})
