"""Calls of clients: which database view they get, how long they may take, and how they fail."""

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
# Maximum number of concurrent calls; more are refused at once, because hosts repeat slow calls.
CALLS = 16
# Seconds that a stopping server waits for abandoned calls, because they use the database, which is closed next.
CLOSING_SECONDS = 5.0
Value = TypeVar("Value")
# Finds the view of a request (None over stdio) by its sender, never by its content.
GearFor = Callable[[Request | None], "Gear"]
# Called with the request of a finished call, and its work: the passages that it returned, and its cost.
OnEnd = Callable[[Request | None, "Work"], None]
Report = Callable[[str], Awaitable[None]]
_REQUEST: ContextVar[Request | None] = ContextVar("gear_neo4j_mcp_request", default=None)


async def keep_request(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware of the server that stores the HTTP request of a message for :class:`Calls`.

    This is needed because the SDK passes no context to a resource without parameters.
    """
    token = _REQUEST.set(ctx.request)
    try:
        return await call_next(ctx)
    finally:
        _REQUEST.reset(token)


async def no_report(_: str) -> None:
    """Discard what a call reports."""


def call_limiter() -> ThreadLimiter:
    """The limiter of a server's calls."""
    return ThreadLimiter("calls", most=CALLS)


class Calls:
    """Runs calls of clients, each in a thread.

    Args:
        gear_for: finds the view that a request may use; called in the thread.
        on_end: called in the thread after each call, even if it failed; its error is that of the call.
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
        """Run a task with the view of the current request.

        Args:
            seconds: the time limit; by default, the timeout of the server.
            report: called with the reports of the work, in order.

        Raises:
            CallTimeout: it took too long; it ends at its next step.
            TooManyCalls: too many calls are running.
            GearError: an error of the task.
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
        # Imported by the first call, because it imports the driver, the models and more, which takes seconds.
        from gear_neo4j.mcp.work import Work

        work = Work(self._gear_for(request), self._options, report=report)
        try:
            return task(work)
        except Exception as error:
            work.error = type(error).__name__
            raise
        finally:
            self._on_end(request, work)


@contextmanager
def tool_errors() -> Iterator[None]:
    """Show the model the errors that gear-neo4j raises on purpose; the SDK hides all others.

    Over HTTP, errors of the database are only logged, because the caller may be anybody with a key.
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
