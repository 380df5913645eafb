"""The HTTP client of models: one deadline for a whole call, whatever the server sends, and a bound on what is read.

A timeout of HTTP counts from one byte to the next, so a server that sends a byte a second would never reach it.
"""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from threading import Timer
from typing import Any

from openai import DefaultHttpxClient

from gear_neo4j.graph.connection.deadline import within
from gear_neo4j.text.address import Login

# The longest stream of a model, a few hundred bytes for each token, is about half of this.
MOST_BYTES = 64_000_000


class ReplyTooLong(Exception):
    """A server that sends more than any reply needs; to ask again would bring the same."""


class BoundedClient(DefaultHttpxClient):
    """OpenAI's own HTTP client, with bounds for each call, streamed or not.

    Args:
        seconds: from the first attempt to connect to the last byte of the reply; TimeoutError past it.
        login: sent with each request. The library would take it from the URL as well, and write that into its log.
        most: bytes of a reply; ReplyTooLong beyond them.
    """

    def __init__(self, *, seconds: float, login: Login | None = None, most: int = MOST_BYTES) -> None:
        super().__init__(timeout=seconds, auth=(login.user, login.password) if login else None)
        self._seconds = seconds
        self._most = most

    def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        """Send a request; a reply that is not streamed is read to its end."""
        end = time.monotonic() + self._seconds
        try:
            # Nobody can interrupt a thread that waits for headers, but nobody has to wait for it.
            response = within(self._seconds, partial(self._opened, request, end, options), late=self._late)
        except Exception:
            # The timeout of HTTP may be first by a hair; the line is the same.
            if time.monotonic() < end:
                raise
            raise self._late() from None
        response.iter_bytes = partial(self._bounded, response, response.iter_bytes, end)
        if not stream:
            try:
                response.read()
            except BaseException:
                response.close()
                raise
        return response

    def _opened(self, request: Any, end: float, options: dict[str, Any]) -> Any:
        response = super().send(request, stream=True, **options)
        if time.monotonic() > end:
            response.close()
        return response

    def _bounded(
        self, response: Any, chunks: Callable[..., Iterator[bytes]], end: float, *sizes: int
    ) -> Iterator[bytes]:
        read = 0
        cut = Timer(max(0.0, end - time.monotonic()), _shut, [response])
        cut.daemon = True
        cut.start()
        try:
            for chunk in chunks(*sizes):
                yield chunk
                read += len(chunk)
                if read > self._most:
                    raise ReplyTooLong(f"the server sent more than {self._most:,} bytes for one reply")
        except Exception:
            if time.monotonic() < end:
                raise
        finally:
            cut.cancel()
        # A connection that was shut down looks like an end of the reply, or like any failure.
        if time.monotonic() >= end:
            raise self._late()

    def _late(self) -> TimeoutError:
        return TimeoutError(f"no whole reply within {self._seconds:g} s")

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()


def _shut(response: Any) -> None:
    connection = response.extensions["network_stream"].get_extra_info("socket")
    # It may have ended a moment ago.
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
