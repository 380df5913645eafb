"""The application: routes over one ``Gear``, behind keys and limits; it can mount other applications."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Receive, Scope, Send

from gear_neo4j.errors import GearError
from gear_neo4j.gear import Gear
from gear_neo4j.web import pages
from gear_neo4j.web.access_log import log_error, log_request
from gear_neo4j.web.audit.middleware import Audited
from gear_neo4j.web.body_limits import BodyLimit, BodyLimits
from gear_neo4j.web.callers import Caller, CallerBackend, refuse
from gear_neo4j.web.credential_watch import CredentialWatch
from gear_neo4j.web.entry import Entry, entry_of
from gear_neo4j.web.middleware import AtOnce, PlainErrors, RequestEntry, SameOrigin
from gear_neo4j.web.openapi import DOCS_PATHS, OPENAPI, with_docs, with_openapi
from gear_neo4j.web.options import LOOPBACK, ServiceOptions
from gear_neo4j.web.problems import Failure, failure_of, failure_response, http_failure
from gear_neo4j.web.quotas.middleware import Counted
from gear_neo4j.web.routes import (
    asking,
    caller,
    chat,
    documents,
    drawing,
    entities,
    explaining,
    health,
    jobs,
    quota,
    recipes,
    retrieval,
    signing_in,
)
from gear_neo4j.web.service import Service, make_service
from gear_neo4j.web.unread import UnreadAnswers

CLOSING_SECONDS = 5.0
_AGAIN = {"Retry-After": "1"}
ROUTES = (
    health,
    retrieval,
    entities,
    asking,
    recipes,
    explaining,
    drawing,
    documents,
    jobs,
    caller,
    quota,
    chat,
    signing_in,
)


@dataclass(frozen=True, slots=True)
class Mount:
    """Another ASGI application below a path, protected like a route; it gets the caller as ``scope["user"]``.

    Args:
        lifespan: opened while the service runs.
    """

    app: ASGIApp
    lifespan: Callable[[], AbstractAsyncContextManager[object]] | None = None


class _Mounted:
    """An application at a path; because it is not a function, its route passes on every method and the raw exchange."""

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app = app
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        entry_of(scope).route = self._path
        await self._app(scope, receive, send)


def create_app(
    gear: Gear, *, options: ServiceOptions = ServiceOptions(), mounts: Mapping[str, Mount] | None = None
) -> FastAPI:
    """The service over a ``Gear``, which it does not close.

    Args:
        mounts: other applications by their path, such as ``{"/mcp": Mount(...)}``.

    Raises:
        SettingsError: the file of keys or of rights cannot be used, or an extra is missing.
    """
    mounts = mounts or {}
    service = make_service(gear, options, mounted=mounts)
    app = FastAPI(
        title="gear-neo4j",
        version=version("gear-neo4j"),
        description="Multi-hop retrieval and answers over a Neo4j database.",
        # Served by with_openapi: FastAPI would write the document again for each request.
        openapi_url=None,
        lifespan=partial(_lifespan, service=service, mounts=mounts),
        # FastAPI would log exceptions with their messages and those of the database.
        telemetry={"logs": False, "exclude": _is_probe},
        middleware=_middleware(service, mounts),
        exception_handlers=dict.fromkeys((GearError, HTTPException, RequestValidationError), _explain),
    )
    app.add_exception_handler(ClientDisconnect, _nobody_waits)
    app.state.service = service
    for routes in ROUTES:
        app.include_router(routes.router)
    pages.with_page(app)
    if options.docs:
        with_docs(app)
    with_openapi(app)
    for path, mount in mounts.items():
        # A mount alone would redirect requests of its own path, and not every client follows redirects.
        mounted = _Mounted(mount.app, path)
        app.router.add_route(path, mounted, include_in_schema=False)  # type: ignore[arg-type]
        app.mount(path, mounted)
    return app


def _is_probe(scope: Scope) -> bool:
    """Whether a request comes from a monitor, which polls; such requests get no span."""
    return scope["path"] in (*health.OPEN_PATHS, "/metrics")


def _middleware(service: Service, mounts: Mapping[str, Mount]) -> list[Middleware]:
    """The middleware of the service, outermost first."""
    options = service.options
    docs = DOCS_PATHS if options.docs else ()
    open_paths = frozenset((*health.OPEN_PATHS, *pages.OPEN_PATHS, *signing_in.OPEN_PATHS, *docs))

    def is_open(path: str) -> bool:
        return path in open_paths or path.startswith(pages.PASSAGES) or signing_in.is_metadata(path)

    backend = CallerBackend(
        service.ring,
        service.views,
        failed=options.failed_keys,
        is_open=is_open,
        challenge=signing_in.challenge_of(options, mounts),
    )
    return [
        Middleware(UnreadAnswers),
        Middleware(RequestEntry, on_end=partial(_end, service)),
        *([Middleware(Audited, recorder=service.recorder)] if service.recorder else []),
        Middleware(PlainErrors),
        Middleware(
            AtOnce,
            most=options.requests,
            name_of=lambda scope: None if scope["path"] in health.OPEN_PATHS else "",
            failure=http_failure(503, "too many requests at once: try again", headers=_AGAIN),
        ),
        Middleware(TrustedHostMiddleware, allowed_hosts=[*LOOPBACK, *options.allowed_hosts], www_redirect=False),
        Middleware(SameOrigin, allowed=options.allowed_origins),
        Middleware(AuthenticationMiddleware, backend=backend, on_error=refuse),
        Middleware(CredentialWatch, ring=service.ring),
        _of_key(options.key_requests, "requests", lambda _: True),
        _of_key(options.key_streams, "streams", partial(_is_stream, mounts)),
        _of_key(options.key_uploads, "uploads", _is_upload),
        _counted(service),
        Middleware(
            BodyLimits,
            usual=BodyLimit(options.body_bytes, options.body_seconds),
            paths={documents.PATH: BodyLimit(options.upload_bytes, options.upload_seconds)},
        ),
    ]


def _of_key(most: int, what: str, counts: Callable[[Scope], bool]) -> Middleware:
    """Limit the concurrent requests of a key for which ``counts`` is true."""

    def name_of(scope: Scope) -> str | None:
        # On a path that needs no key, the caller is unknown.
        caller = scope["user"]
        return caller.id if isinstance(caller, Caller) and counts(scope) else None

    detail = f"this key has reached its limit of concurrent {what} ({most}): wait for one to end"
    failure = http_failure(429, detail, headers=_AGAIN)
    return Middleware(AtOnce, most=most, name_of=name_of, failure=failure)


def _counted(service: Service) -> Middleware:
    """Count requests against the quotas of their callers."""
    return Middleware(
        Counted,
        quotas=service.quotas,
        mounted=service.mounted,
        limiter=service.counts,
        seconds=service.options.search_seconds,
    )


def _is_stream(mounts: Mapping[str, Mount], scope: Scope) -> bool:
    """Whether a request is for a stream of events, which has no time limit."""
    path = str(scope["path"])
    return bool(scope["method"] == "GET") and (
        path in mounts or (path.startswith("/api/jobs/") and path.endswith("/events"))
    )


def _is_upload(scope: Scope) -> bool:
    return bool(scope["method"] == "POST" and scope["path"] == documents.PATH)


@asynccontextmanager
async def _lifespan(_app: FastAPI, *, service: Service, mounts: Mapping[str, Mount]) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for mount in mounts.values():
            if mount.lifespan:
                await stack.enter_async_context(mount.lifespan())
        warming = service.readiness.warm()
        await asyncio.to_thread(service.jobs.start)
        try:
            yield
        finally:
            warming.cancel()
            # Abandoned work still uses the database, which is closed next.
            for limiter in (service.asks, service.searches, service.counts):
                await asyncio.to_thread(limiter.close, seconds=CLOSING_SECONDS)
            await asyncio.to_thread(service.jobs.close, seconds=CLOSING_SECONDS)
            if service.recorder:
                await asyncio.to_thread(service.recorder.close)


def _end(service: Service, entry: Entry, route: str, method: str, status: int) -> None:
    service.metrics.observe(entry, route=route, method=method, status=status)
    log_request(entry, route=route, method=method, status=status, questions=service.options.log_questions)


async def _explain(request: Request, error: Exception) -> Response:
    log_error(entry_of(request.scope), error)
    return failure_response(request, _unrouted(request, error) or failure_of(error))


def _unrouted(request: Request, error: Exception) -> Failure | None:
    """The failure of a request for which there is no route; None for any other error."""
    if not isinstance(error, HTTPException):
        return None
    if (error.status_code, error.detail) == (404, HTTPStatus.NOT_FOUND.phrase):
        return http_failure(404, f"there is no {request.url.path}: {OPENAPI} lists the paths")
    if error.status_code != 405:
        return None
    methods = ", ".join(_methods(request))
    return http_failure(
        405, f"{request.url.path} does not take {request.method}: use {methods}", headers={"Allow": methods}
    )


def _methods(request: Request) -> list[str]:
    """The methods of all routes with the path of a request; the framework names those of the first one only."""
    # The application holds an included router as one route without methods.
    routes = [*request.app.routes, *(route for routes in ROUTES for route in routes.router.routes)]
    matching = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    # A mount has no methods; those of files are these.
    return sorted({method for route in matching for method in getattr(route, "methods", None) or ()}) or ["GET", "HEAD"]


async def _nobody_waits(_request: Request, _error: Exception) -> Response:
    # The status that nginx logs when the client has disconnected.
    return Response(status_code=499)
