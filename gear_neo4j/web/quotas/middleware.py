"""Counts requests against the quotas of their callers, and refuses those beyond."""

import asyncio
from contextlib import suppress
from functools import partial

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gear_neo4j.errors import CallTimeout, GearError
from gear_neo4j.threads import ThreadLimiter
from gear_neo4j.usage import listening
from gear_neo4j.web.access_log import log_error
from gear_neo4j.web.callers import Caller
from gear_neo4j.web.entry import entry_of
from gear_neo4j.web.problems import failure_of, failure_response
from gear_neo4j.web.quotas.bill import Bill
from gear_neo4j.web.quotas.counting import Quotas

# What describes the service or the caller is not counted; a path that ends with / stands for itself and those below it.
FREE = frozenset(
    {
        "/openapi.json",
        "/metrics",
        "/sign-out",
        "/api/caller",
        "/api/health",
        "/api/jobs/",
        "/api/quota",
        "/api/recipes",
        "/api/status",
        "/v1/models/",
    }
)


def is_free(path: str) -> bool:
    """Whether requests of a path are not counted.

    Example:
        >>> is_free("/api/jobs/7c5f/events"), is_free("/api/search")
        (True, False)
    """
    return path in FREE or "/".join(path.split("/")[:3]) + "/" in FREE


class Counted:
    """Counts a request before it runs, and its tokens before its response is complete.

    Args:
        mounted: the paths of other applications, which count their calls themselves.
        limiter: the threads that ask the database, for at most ``seconds``.
    """

    def __init__(
        self, app: ASGIApp, *, quotas: Quotas, mounted: frozenset[str], limiter: ThreadLimiter, seconds: float
    ) -> None:
        self._app = app
        self._quotas = quotas
        self._mounted = mounted
        self._limiter = limiter
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        caller = scope.get("user")
        holder = caller.credential if isinstance(caller, Caller) else None
        if holder is None or holder.quota is None or self._is_free(scope["path"]):
            await self._app(scope, receive, send)
            return
        try:
            call = partial(self._quotas.open, holder)
            opened = await self._limiter.run(call, seconds=self._seconds, waits=True)
        except GearError as error:
            log_error(entry_of(scope), error)
            await failure_response(HTTPConnection(scope), failure_of(error))(scope, receive, send)
            return
        assert opened is not None
        await self._pass_on(*opened, scope, receive, send)

    def _is_free(self, path: str) -> bool:
        return is_free(path) or any(f"{path}/".startswith(f"{mounted}/") for mounted in self._mounted)

    async def _pass_on(self, bill: Bill, headers: dict[str, str], scope: Scope, receive: Receive, send: Send) -> None:
        async def send_counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            elif not message.get("more_body", False):
                # Before the last byte, so that the next request of this client already sees these tokens.
                await self._settle(bill)
            await send(message)

        with listening(bill.add):
            try:
                await self._app(scope, receive, send_counted)
            finally:
                await asyncio.shield(self._settle(bill))

    async def _settle(self, bill: Bill) -> None:
        if tokens := bill.close():
            # After the time limit, the thread still counts them.
            with suppress(CallTimeout):
                await self._limiter.run(partial(bill.charge, tokens), seconds=self._seconds, waits=True)
