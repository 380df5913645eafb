"""The cookies of the page: of a session, and of a sign-in under way. Scripts cannot read them."""

from starlette.requests import HTTPConnection
from starlette.responses import Response

SESSION = "gear_session"
SIGN_IN = "gear_sign_in"
# How long a session lasts at most, and how long a person may take to sign in at the provider.
SESSION_SECONDS = 8 * 3_600
SIGN_IN_SECONDS = 600
# Browsers accept a cookie of this name over HTTPS only, from this host only.
_HOST = "__Host-"


def session_of(connection: HTTPConnection) -> str:
    """The secret of the session of a request; empty without one."""
    return cookie_of(connection, SESSION)


def cookie_of(connection: HTTPConnection, name: str) -> str:
    """The value of one of our cookies; empty without one."""
    return connection.cookies.get(_HOST + name) or connection.cookies.get(name) or ""


def set_cookie(response: Response, name: str, value: str, *, secure: bool, seconds: int) -> None:
    """Set a cookie, or, without a value, delete it.

    ``Lax``, because the provider's page sends the browser back to us: requests that change something need more, see
    :mod:`gear_neo4j.web.callers`.
    """
    response.set_cookie(
        (_HOST if secure else "") + name,
        value,
        max_age=seconds if value else 0,
        secure=secure,
        httponly=True,
        samesite="lax",
    )
