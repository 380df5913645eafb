"""The check of API keys before a request reaches the server."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from gear_neo4j.errors import InputError

SHORTEST_KEY = 16


@dataclass(frozen=True, slots=True)
class Keys:
    """The SHA-256 digests of the keys that are accepted; the keys themselves are not kept."""

    digests: tuple[bytes, ...]

    @classmethod
    def of(cls, keys: Sequence[str]) -> "Keys":
        """The digests of some keys.

        Example:
            >>> Keys.of(["0123456789abcdef"]).accept("0123456789abcdef"), Keys.of([]).accept("")
            (True, False)
        """
        return cls(tuple(map(_digest, keys)))

    def accept(self, key: str) -> bool:
        """Whether a key is one of these; how long it takes says nothing about a key that is nearly right."""
        digest = _digest(key)
        return any(secrets.compare_digest(digest, known) for known in self.digests)


def read_keys(file: Path) -> Keys:
    """The keys in a file, one in each line; blank lines and those that begin with # do not count.

    Raises:
        InputError: the file cannot be read, holds no key, or one that is too short.
    """
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 text: write one key in each line") from error
    keys = {number: line for number, line in enumerate(lines, start=1) if line and not line.startswith("#")}
    if not keys:
        raise InputError(f"{file} holds no key: write one in each line, such as that of 'openssl rand -hex 32'")
    for number, key in keys.items():
        if len(key) < SHORTEST_KEY:
            raise InputError(f"the key in line {number} of {file} has fewer than {SHORTEST_KEY} characters")
    return Keys.of(list(keys.values()))


class BearerCheck:
    """Middleware that lets a request through only with ``Authorization: Bearer KEY``."""

    def __init__(self, app: ASGIApp, *, keys: Keys) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 for the app, or leave the answer to it."""
        if scope["type"] == "lifespan" or (scope["type"] == "http" and self._admits(Headers(scope=scope))):
            await self._app(scope, receive, send)
            return
        refusal = JSONResponse(
            {"error": "a key is needed: send 'Authorization: Bearer KEY'"},
            status_code=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
        await refusal(scope, receive, send)

    def _admits(self, headers: Headers) -> bool:
        kind, _, key = headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and self._keys.accept(key.strip())


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
