"""How large the body of a request may be, and how long it may take: more on the paths that take files."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from gear_neo4j.web.body_deadline import BodyDeadline


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """The most bytes of a body, and the most seconds until it has arrived."""

    bytes: int
    seconds: float


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
