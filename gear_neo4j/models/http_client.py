"""The HTTP client of models: one deadline for a whole call, and a maximum length of the reply.

An HTTP timeout restarts with each byte, so a server that sends a byte per second would never reach it.
"""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from threading import Timer
from typing import Any
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

from openai import DefaultHttpxClient

from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.connection.deadline import within
from gear_neo4j.text.address import Login

# About twice the longest stream of a model, at a few hundred bytes per token.
MOST_BYTES = 64_000_000


class ReplyTooLong(Exception):
    """A server sent more than any reply needs; asking again would not help."""


class BoundedClient(DefaultHttpxClient):
    """OpenAI's own HTTP client, with limits for each call, streamed or not.

    Args:
        seconds: time limit from the first attempt to connect to the last byte of the reply; then TimeoutError.
        login: sent with each request. The library could also take it from the URL, but would log that.
        most: maximum bytes of a reply; beyond them, ReplyTooLong.
    """

    def __init__(
        self, *, seconds: float, login: Login | None = None, most: int = MOST_BYTES, trust_env: bool = True
    ) -> None:
        auth = (login.user, login.password) if login else None
        super().__init__(timeout=seconds, auth=auth, trust_env=trust_env)
        self._seconds = seconds
        self._most = most

    def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        """Send a request; a reply that is not streamed is read to its end."""
        end = time.monotonic() + self._seconds
        try:
            # A thread that waits for headers cannot be interrupted, but it can be abandoned.
            response = within(self._seconds, partial(self._opened, request, end, options), late=self._late)
        except Exception:
            # The HTTP timeout may come slightly earlier; report it with the same message.
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
        # Shutting the connection down looks like the end of the reply, or like any other failure.
        if time.monotonic() >= end:
            raise self._late()

    def _late(self) -> TimeoutError:
        return TimeoutError(f"no whole reply within {self._seconds:g} s")

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()


def _shut(response: Any) -> None:
    connection = response.extensions["network_stream"].get_extra_info("socket")
    # The connection may have just ended.
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def open_client(url: str | None, *, seconds: float, login: Login | None = None) -> BoundedClient:
    """A client for a server; see :class:`BoundedClient`.

    Raises:
        SettingsError: the environment names a proxy that needs a library.
    """
    try:
        return BoundedClient(seconds=seconds, login=login)
    except ImportError as error:
        # The library opens all proxies at once, even those that are not for this server.
        if url and proxy_bypass(urlsplit(url).hostname or ""):
            return BoundedClient(seconds=seconds, login=login, trust_env=False)
        raise SettingsError(
            "the proxy of the environment needs a library: pip install 'httpx[socks]', or name the server in NO_PROXY"
        ) from error
