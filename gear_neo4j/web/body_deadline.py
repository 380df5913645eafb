"""A deadline for the body of a request: one that trickles in would keep a connection for as long as it likes."""

import asyncio

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyDeadline:
    """Refuses with 408 a request whose body takes longer to arrive than ``seconds``."""

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
