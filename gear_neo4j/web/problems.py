"""Errors as responses: RFC 9457 for the API, OpenAI's shape below ``/v1``; without details that are not for callers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.sse import format_sse_event
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import Response

from gear_neo4j.errors import (
    CallTimeout,
    DatabaseError,
    GearError,
    GuardError,
    InputError,
    LocalServerError,
    ModelError,
    NoModel,
    NothingFound,
    QueryTimeout,
    ScopeRefusal,
    SearchError,
    SettingsError,
    TooManyCalls,
    is_outage,
)
from gear_neo4j.text.printable import json_text, single_line
from gear_neo4j.text.redaction import redacted
from gear_neo4j.web.audit.recorder import Unrecorded
from gear_neo4j.web.credentials import RightsUnknown
from gear_neo4j.web.entry import entry_of
from gear_neo4j.web.quotas.balance import OverQuota
from gear_neo4j.wire import VERSION, documents, problem_json

# A message may quote the request.
LONGEST_DETAIL = 1_000
MEDIA_TYPE = "application/problem+json"
# The status of an error is that of its nearest class here.
STATUS: Mapping[type[BaseException], int] = {
    NothingFound: 404,
    InputError: 422,
    SettingsError: 400,
    GuardError: 403,
    ScopeRefusal: 403,
    QueryTimeout: 504,
    CallTimeout: 504,
    TooManyCalls: 429,
    OverQuota: 429,
    DatabaseError: 503,
    LocalServerError: 503,
    RightsUnknown: 503,
    Unrecorded: 503,
    ModelError: 502,
    SearchError: 502,
}
_HIDDEN = "the database cannot answer now: the service's log says why, under the request id"
_UNEXPECTED = "something went wrong: the service's log says what, under the request id"
_NO_MODEL = (
    "this service has no language model: its operator sets GEAR_CHAT_MODEL, and OPENAI_API_KEY or OPENAI_BASE_URL; "
    "/api/search and the agent 'search' need none"
)
# The first of the codes that JSON-RPC reserves for servers.
_JSONRPC_ERROR = -32000
_OPENAI_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class HttpProblem(documents.Problem):
    """A problem as the service sends it; ``request_id`` is also in its log."""

    status: int
    request_id: str


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as the caller gets it, instead of a result."""

    status: int
    code: str
    detail: str
    title: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def problem(self, request_id: str) -> dict[str, Any]:
        """The failure after RFC 9457."""
        return HttpProblem(
            wire=VERSION,
            kind="problem",
            type=f"urn:gear-neo4j:problem:{self.code}",
            title=self.title or self.detail,
            detail=self.detail,
            code=self.code,
            status=self.status,
            request_id=request_id,
        ).model_dump(mode="json")

    def openai(self, request_id: str) -> dict[str, Any]:
        """The failure in OpenAI's shape."""
        kind = _OPENAI_TYPES.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        return {"error": {"message": self.detail, "type": kind, "code": self.code, "request_id": request_id}}

    def jsonrpc(self) -> dict[str, Any]:
        """The failure in JSON-RPC's shape, without the id of a request."""
        return {"jsonrpc": "2.0", "id": None, "error": {"code": _JSONRPC_ERROR, "message": self.detail}}


def failure_of(error: BaseException) -> Failure:
    """An error as its caller may see it.

    Example:
        >>> failure = failure_of(InputError("the question is empty: ask something"))
        >>> failure.status, failure.code, failure.detail
        (422, 'InputError', 'the question is empty: ask something')
        >>> failure_of(KeyError("a secret")).detail
        "something went wrong: the service's log says what, under the request id"
    """
    if isinstance(error, HTTPException):
        return http_failure(error.status_code, error.detail, headers=error.headers)
    if isinstance(error, RequestValidationError):
        return Failure(422, InputError.__name__, _first_reason(error), "The request cannot be used")
    status = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)
    if not isinstance(error, GearError) or status == 500:
        return http_failure(500, _UNEXPECTED)
    document = problem_json(error)
    detail = _for_callers(error) or document["detail"][:LONGEST_DETAIL]
    return Failure(status, document["code"], detail, document["title"], _headers(error, status))


def _headers(error: GearError, status: int) -> Mapping[str, str]:
    if isinstance(error, OverQuota):
        return error.headers
    return {"Retry-After": "1"} if status == 429 else {}


def _for_callers(error: GearError) -> str:
    """What a caller is told instead of a message for those who run the service; empty if that is for both."""
    if is_outage(error):
        return _HIDDEN
    return _NO_MODEL if isinstance(error, NoModel) else ""


def http_failure(status: int, detail: str = "", *, headers: Mapping[str, str] | None = None) -> Failure:
    """A failure by HTTP status; its code is the phrase of the status as one word.

    Example:
        >>> http_failure(405).code
        'MethodNotAllowed'
    """
    phrase = _phrase(status)
    code = "".join(word.capitalize() for word in phrase.replace("-", " ").split())
    text = redacted(single_line(detail or phrase))[:LONGEST_DETAIL]
    return Failure(status, code, text, phrase, dict(headers or {}))


def _phrase(status: int) -> str:
    try:
        # Python has changed this phrase, but error codes must stay the same.
        return "Content Too Large" if status == 413 else HTTPStatus(status).phrase
    except ValueError:
        return "Error"


def failure_response(connection: HTTPConnection, failure: Failure) -> Response:
    """The response of a failure, in the shape that the route's clients expect."""
    request_id = entry_of(connection.scope).id
    is_openai = connection.scope["path"].startswith("/v1/")
    content = failure.openai(request_id) if is_openai else failure.problem(request_id)
    media_type = "application/json" if is_openai else MEDIA_TYPE
    return Response(json_text(content), failure.status, dict(failure.headers), media_type)


def failure_event(connection: HTTPConnection, failure: Failure) -> bytes:
    """A failure as the last server-sent event of a route, in the shape that its clients expect."""
    request_id, path = entry_of(connection.scope).id, connection.scope["path"]
    if path.startswith("/v1/"):
        return format_sse_event(data_str=json_text(failure.openai(request_id)))
    if path.startswith("/api/"):
        return format_sse_event(data_str=json_text(failure.problem(request_id)), event="error")
    # The application mounted beside the API speaks JSON-RPC.
    return format_sse_event(data_str=json_text(failure.jsonrpc()), event="message")


def _first_reason(error: RequestValidationError) -> str:
    """The first invalid field and why, without the value that was sent.

    Example:
        >>> _first_reason(RequestValidationError([{"type": "extra_forbidden", "loc": ("body", "kk"), "msg": ""}]))
        'there is no field kk: see /openapi.json'
    """
    first = error.errors()[0]
    location = ".".join(str(part) for part in first["loc"] if part != "body")
    reason = str(first["msg"]).removeprefix("Value error, ")
    match first["type"]:
        case "extra_forbidden":
            text = f"there is no field {location}: see /openapi.json"
        case "model_attributes_type" if not location:
            text = "the body is not a JSON object: send one, with Content-Type: application/json"
        case "json_invalid":
            text = reason
        case _:
            text = f"{location}: {reason}" if location else reason
    return single_line(text)[:LONGEST_DETAIL]
