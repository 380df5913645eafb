"""How large the body of a request may be, and how long it may take: more on the paths that take files."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """The most bytes of a body, and the most seconds until it has arrived."""

    bytes: int
    seconds: float


class BodyDeadline:
    """Refuses with 408 a request whose body takes longer to arrive than ``seconds``.

    One that trickles in would keep a connection for as long as it likes.
    """

    def __init__(self, app: ASGIApp, *, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + self._seconds
        is_whole = False

        async def receive_in_time() -> Message:
            nonlocal is_whole
            # After the body, what is awaited is that the client goes away, which may take as long as the answer.
            if is_whole:
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError as error:
                raise HTTPException(408, f"the body did not arrive within {self._seconds:g} s") from error
            is_whole = not message.get("more_body", False)
            return message

        await self._app(scope, receive_in_time, send)


class BodyLimits:
    """Refuses with 413 or 408 a body beyond the limit of its path.

    Args:
        paths: the paths with a limit of their own.
    """

    def __init__(self, app: ASGIApp, *, usual: BodyLimit, paths: Mapping[str, BodyLimit]) -> None:
        self._usual = _limited(app, usual)
        self._paths = {path: _limited(app, limit) for path, limit in paths.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        app = self._paths.get(scope["path"], self._usual) if scope["type"] == "http" else self._usual
        await app(scope, receive, send)


def _limited(app: ASGIApp, limit: BodyLimit) -> ASGIApp:
    return BodyDeadline(RequestBodyLimitMiddleware(app, max_body_size=limit.bytes), seconds=limit.seconds)
