"""Cancels work whose client has disconnected."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request

Result = TypeVar("Result")


async def cancel_on_disconnect(request: Request, work: Awaitable[Result]) -> Result:
    """Await work for a request whose body has been read; cancel it if the client disconnects.

    Raises:
        ClientDisconnect: the client has disconnected.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_leave(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()


async def _leave(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
