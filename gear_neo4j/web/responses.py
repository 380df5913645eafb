"""JSON as the service sends it: letters of every script unescaped, control characters escaped."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from starlette.responses import JSONResponse

from gear_neo4j.text.printable import json_text
from gear_neo4j.web.chat_shapes import ChatFailure
from gear_neo4j.web.problems import HttpProblem


class Json(JSONResponse):
    """A document as JSON that is safe to print."""

    def render(self, content: Any) -> bytes:
        """The bytes of a document."""
        return json_text(content).encode("utf-8")


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems of a route, for the OpenAPI document, including those of keys and limits."""
    return _described(HttpProblem, statuses)


def chat_failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The same in OpenAI's shape."""
    return _described(ChatFailure, statuses)


def _described(shape: type[BaseModel], statuses: Sequence[int]) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": shape, "description": _MEANINGS[status]} for status in sorted({*_ALWAYS, *statuses})}


_ALWAYS = (400, 401, 403, 408, 413, 429, 500)


_MEANINGS = {
    400: "An option or a setting cannot be used",
    401: "A key is required",
    403: "The caller may not do this",
    404: "It does not exist, or the caller may not see it",
    409: "The name is already in use",
    408: "The body took too long to arrive",
    413: "The body is too large",
    422: "The request cannot be used",
    429: "Too many requests",
    500: "Something went wrong",
    502: "The language model failed",
    503: "The database cannot answer",
    504: "It took too long",
    507: "The disk of the service cannot be written",
}
