"""Limits on the size and the arrival time of request bodies; paths that take files allow more."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The lowest rate of a body, in bytes per second, after the first seconds.
SLOWEST = 32 * 1024
FIRST_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """The maximum size of a body in bytes, and the maximum seconds until it has arrived."""

    bytes: int
    seconds: float

    def seconds_for(self, received: int) -> float:
        """The time limit for the next piece of a body, of which ``received`` bytes have arrived.

        Example:
            >>> limit = BodyLimit(1 << 28, 600)
            >>> limit.seconds_for(0), limit.seconds_for(1 << 20), limit.seconds_for(1 << 27)
            (20.0, 52.0, 600)
        """
        return min(self.seconds, FIRST_SECONDS + received / SLOWEST)


class BodyDeadline:
    """Refuses with 408 a request whose body takes too long to arrive.

    Otherwise a body that trickles in could keep a connection open forever.
    """

    def __init__(self, app: ASGIApp, *, limit: BodyLimit) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin = asyncio.get_running_loop().time()
        is_whole, received = False, 0

        async def receive_in_time() -> Message:
            nonlocal is_whole, received
            # After the body, receive waits for the client to disconnect, which has no time limit.
            if is_whole:
                return await receive()
            seconds = self._limit.seconds_for(received)
            try:
                async with asyncio.timeout_at(begin + seconds):
                    message = await receive()
            except TimeoutError as error:
                raise HTTPException(408, f"the body did not arrive within {seconds:g} s") from error
            received += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            return message

        await self._app(scope, receive_in_time, send)


class BodyLimits:
    """Refuses with 413 or 408 a body beyond the limit of its path.

    Args:
        paths: the limits of paths that differ from ``usual``.
    """

    def __init__(self, app: ASGIApp, *, usual: BodyLimit, paths: Mapping[str, BodyLimit]) -> None:
        self._usual = _limited(app, usual)
        self._paths = {path: _limited(app, limit) for path, limit in paths.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        app = self._paths.get(scope["path"], self._usual) if scope["type"] == "http" else self._usual
        await app(scope, receive, send)


def _limited(app: ASGIApp, limit: BodyLimit) -> ASGIApp:
    return BodyDeadline(RequestBodyLimitMiddleware(app, max_body_size=limit.bytes), limit=limit)
