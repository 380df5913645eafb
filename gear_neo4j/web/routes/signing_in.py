"""Signing in and out on the page, and where clients learn of the provider (RFC 9728)."""

from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from anyio import to_thread
from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from gear_neo4j.web import pages
from gear_neo4j.web.credentials import RightsUnknown
from gear_neo4j.web.entry import entry_of
from gear_neo4j.web.identity.cookies import (
    SESSION,
    SESSION_SECONDS,
    SIGN_IN,
    SIGN_IN_SECONDS,
    cookie_of,
    session_of,
    set_cookie,
)
from gear_neo4j.web.identity.refusals import SignInRefused
from gear_neo4j.web.options import ServiceOptions
from gear_neo4j.web.service import AnyService, Service

if TYPE_CHECKING:
    from gear_neo4j.web.identity.people import People

START, BACK, OUT = "/sign-in", "/sign-in/back", "/sign-out"
METADATA = "/.well-known/oauth-protected-resource"
OPEN_PATHS = (START, BACK, OUT)
_PAGE = f"""<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sign in</title><link rel="stylesheet" href="{pages.STATIC}/style.css">
<main><h1>You are not signed in</h1><p>{{reason}}</p><p><a href="{START}">Sign in</a></p></main></html>"""

router = APIRouter(include_in_schema=False)


def is_metadata(path: str) -> bool:
    """Whether a path is that of the metadata of this service, or of an application mounted in it."""
    return path == METADATA or path.startswith(METADATA + "/")


def challenge_of(options: ServiceOptions, mounted: Collection[str]) -> Callable[[HTTPConnection, str], str]:
    """The header ``WWW-Authenticate`` of a refusal; with a provider, it says where clients learn of it."""

    def challenge(connection: HTTPConnection, error: str) -> str:
        parts = [f'error="{error}"'] if error else []
        if options.identity and options.identity.audiences:
            path = connection.scope["path"]
            # An application at a path of its own is a resource of its own.
            suffix = path if path in mounted else ""
            parts.append(f'resource_metadata="{_base(connection, options)}{METADATA}{suffix}"')
        return f"Bearer {', '.join(parts)}".strip()

    return challenge


@router.get(METADATA)
@router.get(METADATA + "/{path:path}")
async def metadata(request: Request, service: AnyService, path: str = "") -> Response:
    """What a client needs to get a token: the provider, and how to send the token."""
    identity = service.options.identity
    if identity is None or not identity.audiences or (path and f"/{path}" not in service.mounted):
        raise HTTPException(404)
    resource = _base(request, service.options) + (f"/{path}" if path else "")
    return JSONResponse(
        {
            "resource": resource,
            "authorization_servers": [identity.issuer],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["openid", "profile", "email"],
            "resource_name": "gear-neo4j",
        }
    )


@router.get(START)
async def start(request: Request, service: AnyService) -> Response:
    """Send the browser to the provider."""
    people, base = _people(service), _base(request, service.options)
    try:
        url, browser = await to_thread.run_sync(people.sessions.start, base + BACK)
    except RightsUnknown as error:
        return _failed(str(error), 503)
    response = RedirectResponse(url, status_code=303)
    set_cookie(response, SIGN_IN, browser, secure=_is_secure(base), seconds=SIGN_IN_SECONDS)
    return response


@router.get(BACK)
async def back(request: Request, service: AnyService) -> Response:
    """Take the provider's answer, and begin a session."""
    people, base = _people(service), _base(request, service.options)
    query, browser = dict(request.query_params), cookie_of(request, SIGN_IN)
    secure = _is_secure(base)
    try:
        secret = await to_thread.run_sync(people.sessions.finish, query, browser)
        person = await to_thread.run_sync(people.of_session, secret)
    except SignInRefused as error:
        entry = entry_of(request.scope)
        entry.error, entry.refused = type(error).__name__, error.who
        return _failed(str(error), 403 if error.is_known else 400)
    except RightsUnknown as error:
        return _failed(str(error), 503)
    entry_of(request.scope).identify(person)
    response = RedirectResponse("/", status_code=303)
    set_cookie(response, SESSION, secret, secure=secure, seconds=SESSION_SECONDS)
    set_cookie(response, SIGN_IN, "", secure=secure, seconds=0)
    return response


@router.post(OUT)
async def sign_out(request: Request, service: AnyService) -> Response:
    """End the session; the page then goes to ``url``, where the provider ends its own."""
    people, base = _people(service), _base(request, service.options)
    if "origin" not in request.headers:
        raise HTTPException(403, "only the page signs out")
    with suppress(SignInRefused, RightsUnknown):
        entry_of(request.scope).identify(await to_thread.run_sync(people.of_session, session_of(request)))
    url = await to_thread.run_sync(partial(people.end, session_of(request), back=f"{base}/"))
    response = JSONResponse({"url": url})
    set_cookie(response, SESSION, "", secure=_is_secure(base), seconds=0)
    return response


def _people(service: Service) -> "People":
    """The people of the service, if they sign in on the page.

    Raises:
        HTTPException: 404, they do not.
    """
    people = service.ring.people
    if people is None or not service.ring.has_page:
        raise HTTPException(404)
    return people


def _base(connection: HTTPConnection, options: ServiceOptions) -> str:
    return (options.public_url or str(connection.base_url)).rstrip("/")


def _is_secure(base: str) -> bool:
    return base.startswith("https://")


def _failed(reason: str, status: int) -> Response:
    page = _PAGE.format(reason=escape(reason[:1].upper() + reason[1:] + "."))
    return HTMLResponse(page, status, {"Content-Security-Policy": pages.POLICY})
