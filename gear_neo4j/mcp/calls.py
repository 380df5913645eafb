"""A call of a client: which database view it gets, how long it may take, and how it fails."""

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from starlette.requests import Request

from gear_neo4j.errors import CallTimeout, GearError, NothingFound, is_outage
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.threads import Feed, ThreadLimiter

if TYPE_CHECKING:
    from gear_neo4j.gear.front import Gear
    from gear_neo4j.mcp.work import Work

LOGGER = logging.getLogger("gear_neo4j.mcp")
# Calls that run at a time; a further one is refused at once, for a host repeats what takes long.
CALLS = 16
# How long a server that ends waits for calls that were given up: they use the database, which is closed next.
CLOSING_SECONDS = 5.0
Value = TypeVar("Value")
# Finds the view of a request, None over stdio: by who sent it, never by what it asks.
GearFor = Callable[[Request | None], "Gear"]
# Gets the request of a call that has ended, and its work: which passages it returned, and what it cost.
OnEnd = Callable[[Request | None, "Work"], None]
Report = Callable[[str], Awaitable[None]]
_REQUEST: ContextVar[Request | None] = ContextVar("gear_neo4j_mcp_request", default=None)


async def keep_request(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware of the server that keeps the HTTP request of a message for :class:`Calls`.

    A resource without parameters gets no context from the SDK.
    """
    token = _REQUEST.set(ctx.request)
    try:
        return await call_next(ctx)
    finally:
        _REQUEST.reset(token)


async def no_report(_: str) -> None:
    """Nobody is told of what a call reports."""


def call_limiter() -> ThreadLimiter:
    """The threads of a server."""
    return ThreadLimiter("calls", most=CALLS)


class Calls:
    """Runs calls of clients, each in a thread.

    Args:
        gear_for: finds the view that a request may use; called in the thread.
        on_end: called in the thread after each call, also one that failed.
    """

    def __init__(
        self, gear_for: GearFor, *, options: ServerOptions, on_end: OnEnd, limiter: ThreadLimiter | None
    ) -> None:
        self._gear_for = gear_for
        self._options = options
        self._on_end = on_end
        self._limiter = limiter or call_limiter()

    async def run(
        self, task: Callable[["Work"], Value], *, seconds: float | None = None, report: Report = no_report
    ) -> Value:
        """Do some work with the view of the current request.

        Args:
            seconds: the longest that it may take; by default the timeout of the server.
            report: gets what the work reports, in the order of its reports.

        Raises:
            CallTimeout: it took longer than it may; it ends at its next step.
            TooManyCalls: too many calls run.
            GearError: what the work raises.
        """
        limit = self._options.timeout if seconds is None else seconds
        feed: Feed[str] = Feed()
        running = self._limiter.start(partial(self._work, task, _REQUEST.get(), feed.put))
        feed.follow(running)
        try:
            with anyio.move_on_after(limit):
                async for message in feed:
                    await report(message)
                return running.future.result()
        finally:
            running.cancel()
        raise CallTimeout(
            f"there was no result within {limit:g} s: try again, because a first call loads the model, or start the "
            "server with a longer --timeout"
        )

    def _work(self, task: Callable[["Work"], Value], request: Request | None, report: Callable[[str], None]) -> Value:
        # The first call imports it: it brings the driver, the models and everything else that takes seconds.
        from gear_neo4j.mcp.work import Work

        work = Work(self._gear_for(request), self._options, report=report)
        try:
            return task(work)
        finally:
            self._on_end(request, work)


@contextmanager
def tool_errors() -> Iterator[None]:
    """Let the model read the errors that gear-neo4j raises on purpose; the SDK hides all others.

    Over HTTP the caller may be anybody with a key: why the database cannot answer is then only logged.
    """
    try:
        yield
    except GearError as error:
        raise ToolError(_told(error)) from error


@contextmanager
def resource_errors() -> Iterator[None]:
    """The same for resources."""
    try:
        yield
    except NothingFound as error:
        raise ResourceNotFoundError(str(error)) from error
    except GearError as error:
        raise ResourceError(_told(error)) from error


def _told(error: GearError) -> str:
    if not is_outage(error) or _REQUEST.get() is None:
        return str(error)
    LOGGER.error("the database cannot answer: %s", error)
    return "the database cannot answer now: the service's log says why"
