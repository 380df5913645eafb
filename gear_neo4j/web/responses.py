"""JSON as the service sends it: letters of every script as they are, control characters escaped."""

from typing import Any

from starlette.responses import JSONResponse

from gear_neo4j.printable import json_text
from gear_neo4j.web.problems import HttpProblem


class Json(JSONResponse):
    """A document as JSON that is safe to print."""

    def render(self, content: Any) -> bytes:
        """The bytes of a document."""
        return json_text(content).encode("utf-8")


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems of a route, for the OpenAPI document; every route has those of keys and limits."""
    always = (400, 401, 403, 413, 429, 500)
    return {status: {"model": HttpProblem, "description": _MEANINGS[status]} for status in sorted({*always, *statuses})}


_MEANINGS = {
    400: "An option or a setting cannot be used",
    401: "A key is needed",
    403: "The caller may not do this",
    404: "There is no such thing, or the caller may not see it",
    413: "The body is too large",
    422: "The request cannot be used",
    429: "Too many requests",
    500: "Something went wrong",
    502: "The language model failed",
    503: "The database cannot answer",
    504: "It took too long",
}
