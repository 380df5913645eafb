"""A call of a client: which database view it gets, how long it may take, and how it fails."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from anyio import to_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from starlette.requests import Request

from gear_neo4j.errors import GearError, NothingFound, QueryTimeout
from gear_neo4j.mcp.options import ServerOptions

if TYPE_CHECKING:
    from gear_neo4j.gear.aio import AsyncGear
    from gear_neo4j.mcp.work import Work

# Calls that run at a time; a further one is refused at once, for a host repeats what takes long.
CALLS = 16
WORK = "gear_neo4j.mcp.work"
Value = TypeVar("Value")
# Finds the view of a request, None over stdio: by who sent it, never by what it asks.
GearFor = Callable[[Request | None], "Awaitable[AsyncGear]"]
# Gets the request of a call that has ended, and its work: which passages it returned, and what it cost.
OnEnd = Callable[[Request | None, "Work"], None]
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


class Calls:
    """Runs calls of clients.

    Args:
        gear_for: finds the view that a request may use.
        on_end: called after each call, also one that failed.
    """

    def __init__(self, gear_for: GearFor, *, options: ServerOptions, on_end: OnEnd) -> None:
        self._gear_for = gear_for
        self._options = options
        self._on_end = on_end
        self._running = 0

    async def run(self, task: Callable[["Work"], Awaitable[Value]], *, seconds: float | None = None) -> Value:
        """Do some work with the view of the current request.

        Raises:
            QueryTimeout: it took longer than ``seconds`` (default: the timeout); it ends at its next step.
            GearError: too many calls are running, or what the work raises.
        """
        limit = self._options.timeout if seconds is None else seconds
        with self._place(), anyio.move_on_after(limit):
            module = await to_thread.run_sync(import_module, WORK, abandon_on_cancel=True)
            request = _REQUEST.get()
            work = module.Work(await self._gear_for(request), self._options)
            try:
                return await task(work)
            finally:
                self._on_end(request, work)
        raise QueryTimeout(
            f"there was no result within {limit:g} s: try again, because a first call loads the model, or start the "
            "server with a longer --timeout"
        )

    @contextmanager
    def _place(self) -> Iterator[None]:
        if self._running >= CALLS:
            raise GearError(f"the server is busy with {CALLS} calls: try again in a few seconds")
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1


@contextmanager
def tool_errors() -> Iterator[None]:
    """Let the model read the errors that gear-neo4j raises on purpose; the SDK hides all others."""
    try:
        yield
    except GearError as error:
        raise ToolError(str(error)) from error


@contextmanager
def resource_errors() -> Iterator[None]:
    """The same for resources."""
    try:
        yield
    except NothingFound as error:
        raise ResourceNotFoundError(str(error)) from error
    except GearError as error:
        raise ResourceError(str(error)) from error
