"""Which failures of a language model are temporary, how long to wait, and what to tell the user about the others.

Every LangChain model has its own client library, so errors are recognised by their attributes: a status, headers, a
builtin class, or the names that HTTP libraries give to a broken connection.
"""

import math
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from tenacity import RetryCallState, Retrying, retry_if_exception, wait_exponential, wait_random

# Self-hosted servers check no key, but the client does not start without one.
NO_KEY = "not-needed"
# 529: overloaded, as Anthropic and others say.
PASSING_STATUSES = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
_PASSING_NAMES = frozenset(
    {
        "APIConnectionError",
        "APITimeoutError",
        "ClientConnectionError",
        "ConnectError",
        "ConnectionError",
        "NetworkError",
        "RemoteProtocolError",
        "Timeout",
        "TimeoutException",
    }
)
# HTTP libraries report an address or a key that cannot be sent as a connection error, too.
_LASTING_NAMES = frozenset({"InvalidURL", "LocalProtocolError", "ReplyTooLong", "UnsupportedProtocol"})
_ADVICE = {
    400: "check {model}, and that the model takes texts this long",
    401: "check {key}",
    403: "check {key}, and that it may use this model",
    404: "check {model} and {url}",
    429: "its quota is used up, see the account of {key}",
}
# What servers say of a text that they will not read.
_REFUSED = ("content_filter", "content management policy", "content policy", "content_policy", "data_inspection_failed")
_TOO_MANY = ("batch size", "too many", "larger than", "at most", "maximum", "exceeds")
_BACKOFF = wait_exponential(multiplier=0.5, max=20) + wait_random(0, 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Knobs:
    """The names of the settings for a model, its server, its key and its timeout."""

    model: str
    url: str
    key: str
    timeout: str


CHAT = Knobs(model="GEAR_CHAT_MODEL", url="OPENAI_BASE_URL", key="OPENAI_API_KEY", timeout="GEAR_CHAT_TIMEOUT")


def retrying(*, patience: float, sleep: Callable[[float], None]) -> Retrying:
    """Retries of temporary failures, until the total wait would exceed ``patience`` seconds."""

    def impatient(state: RetryCallState) -> bool:
        return state.idle_for + state.upcoming_sleep > patience

    return Retrying(retry=retry_if_exception(may_pass), wait=_wait, stop=impatient, sleep=sleep, reraise=True)


def may_pass(error: BaseException) -> bool:
    """Whether the same request may succeed later.

    Example:
        >>> may_pass(ConnectionResetError()), may_pass(ValueError())
        (True, False)
    """
    if not isinstance(error, Exception):
        return False
    status = _status(error)
    if status is not None:
        # An exhausted budget is reported as a rate limit, but waiting does not help.
        return status in PASSING_STATUSES and getattr(error, "code", None) != "insufficient_quota"
    chain = list(_chain(error))
    if any(map(_lasts, chain)):
        return False
    return any(isinstance(link, ConnectionError | TimeoutError) or _names(link) & _PASSING_NAMES for link in chain)


def requested_wait(error: BaseException) -> float | None:
    """The seconds that the server asks to wait (``retry-after-ms``, or ``Retry-After`` in seconds or as a date)."""
    for headers in filter(None, map(_headers, _chain(error))):
        for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
            seconds = _seconds(headers.get(name), now=headers.get("date"))
            if seconds is not None:
                return seconds / unit
    return None


def error_line(
    error: BaseException,
    *,
    model: str,
    attempts: Retrying,
    secrets: Iterable[str] = (),
    knobs: Knobs = CHAT,
) -> str:
    """One line for the user: the last error, the number of tries, and what to do; without the ``secrets``."""
    # Without statistics, the client could not even be made.
    tried, waited = attempts.statistics.get("attempt_number", 1), attempts.statistics.get("idle_for", 0.0)
    last, wait = _root_error(error), requested_wait(error)
    detail = one_line(_without(secrets, f"{type(last).__name__}: {last}"))
    if refuses_content(error):
        return f"the model {model} refuses this text: {detail}"
    if not may_pass(error):
        advice = _ADVICE.get(_status(error) or 0, "check {model}, {url} and {key}").format(**asdict(knobs))
        return f"the model {model} cannot be used: {detail}: {advice}"
    times = "once" if tried == 1 else f"{tried} times in {waited:.0f} s of waiting"
    request = f", and asks to wait {wait:.0f} s more" if wait else ""
    remedy = f"raise {knobs.timeout}" if "Timeout" in type(last).__name__ else f"check {knobs.url}"
    return f"the model {model} failed {times}{request}: {detail}: try again later, or {remedy}"


def one_line(text: object, *, longest: int = 200) -> str:
    """A text on one line, cut if it is long.

    Example:
        >>> one_line("no\\n  object")
        'no object'
    """
    line = " ".join(str(text).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    # A server that asks for a wait of 0 would otherwise be called forever.
    return (error and requested_wait(error)) or _BACKOFF(state)


def _chain(error: BaseException) -> Iterator[BaseException]:
    visited: set[int] = set()
    link: BaseException | None = error
    # Causes only: the context of an error may be another one that the caller was handling.
    while link is not None and id(link) not in visited:
        visited.add(id(link))
        yield link
        link = link.__cause__


def _names(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def _status(error: BaseException) -> int | None:
    for link in _chain(error):
        for holder in (link, getattr(link, "response", None)):
            for name in ("status_code", "status", "code"):
                value = getattr(holder, name, None)
                if isinstance(value, int) and 100 <= value < 600:
                    return value
        if (code := _sent(link).get("code")) is not None and str(code).isdigit() and 100 <= int(code) < 600:
            return int(code)
    return None


def _sent(error: BaseException) -> Mapping[str, Any]:
    """What a server says of an error: its body, or, of one that is sent with status 200, what LangChain raises."""
    first = error.args[0] if error.args else None
    for body in (getattr(error, "body", None), first):
        if isinstance(body, dict):
            inner = body.get("error")
            return inner if isinstance(inner, dict) else body
    return {}


def refuses_option(error: BaseException, name: str) -> bool:
    """Whether a server refuses a request because of one of its options, such as the temperature.

    Example:
        >>> sent = {"message": "Unsupported value", "param": "temperature", "code": 400}
        >>> refuses_option(ValueError(sent), "temperature")
        True
    """
    sent = _sent(error)
    return _status(error) in (400, 422) and (
        sent.get("param") == name or name in str(sent.get("message", error)).casefold()
    )


def refuses_size(error: BaseException) -> bool:
    """Whether a server refuses a request for the number of its texts, or their size together."""
    said = str(_sent(error).get("message", error)).casefold()
    return _status(error) == 413 or (_status(error) in (400, 422) and any(mark in said for mark in _TOO_MANY))


def refuses_content(error: BaseException) -> bool:
    """Whether a server refuses the content of a request: another request may be accepted."""
    sent = _sent(error)
    said = f"{sent.get('code')} {sent.get('type')} {sent.get('message', '')}".casefold()
    return _status(error) in (400, 403, 422) and any(mark in said for mark in _REFUSED)


def _headers(error: BaseException) -> dict[str, str]:
    for holder in (getattr(error, "response", None), error):
        items = getattr(getattr(holder, "headers", None), "items", None)
        if callable(items):
            return {str(name).lower(): str(value) for name, value in items()}
    return {}


def _seconds(text: str | None, *, now: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        due, sent = _moment(text), _moment(now or "")
        # Compared with the server's clock, which may differ from ours.
        seconds = due - (time.time() if sent is None else sent) if due is not None else math.nan
    return None if math.isnan(seconds) else max(seconds, 0.0)


def _moment(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None


def _root_error(error: BaseException) -> BaseException:
    if _status(error) is not None:
        return error
    # The outermost error of a broken connection only says "Connection error."
    chain = list(_chain(error))
    return next(filter(_lasts, chain), chain[-1] if may_pass(error) else error)


def _without(secrets: Iterable[str], text: str) -> str:
    for secret in filter(None, map(str.strip, secrets)):
        # The HTTP library quotes a key with a line break in full, with escapes, when it refuses it.
        text = text.replace(secret, "***").replace(repr(secret)[1:-1], "***")
    return text


def _lasts(error: BaseException) -> bool:
    return isinstance(error, ssl.SSLCertVerificationError) or bool(_names(error) & _LASTING_NAMES)
