"""Spans of OpenTelemetry around what takes time: answers, their steps, searches, model calls and queries.

Nothing is imported, and next to nothing is spent, in a process that has set up no provider of spans. What fails in here
never reaches the work that a span surrounds. docs/tracing.md says what the spans hold.
"""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar, Token
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Literal, Self

from gear_neo4j.text.redaction import redacted

if TYPE_CHECKING:
    from opentelemetry import trace
    from opentelemetry.context import Context

# OpenInference's kinds; QUERY is none of them, its spans follow the conventions for databases.
Kind = Literal["AGENT", "CHAIN", "TOOL", "RETRIEVER", "LLM", "QUERY"]
Value = str | bool | int | float
Attributes = Mapping[str, Value | None]
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
SOURCE = "gen_ai.data_source.id"
# They call another system; the others only order what happens in this one.
_CLIENTS = frozenset({"RETRIEVER", "LLM", "QUERY"})


class Span:
    """A block of work; one of this class itself is not recorded.

    Attributes are made only where they are recorded, and those that are None are left out.
    """

    __slots__ = ()

    @property
    def source(self) -> str | None:
        """The data source of this span, or of the one around it."""
        return None

    def describe(self, make: Callable[[], Attributes]) -> None:
        """Add attributes, which must hold nothing that users, passages or models say."""

    def content(self, make: Callable[[], Attributes]) -> None:
        """Add attributes that hold such texts, if the operator wants them."""

    def fail(self, kind: str, message: str = "") -> None:
        """Mark the work as failed; the message counts as content."""

    def follow(self, name: str, kind: Kind) -> "Span":  # noqa: ARG002 (of the spans that are recorded)
        """A span within this one that lasts until the next one that follows, or until this one ends."""
        return NOTHING

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, _error: BaseException | None, _traceback: object) -> None:
        """End the span, as failed if an exception passes."""


NOTHING = Span()
_CURRENT: ContextVar[Span] = ContextVar("gear_neo4j_span", default=NOTHING)


def span(name: str, kind: Kind, attributes: Attributes | None = None, *, is_current: bool = True) -> Span:
    """A span for a ``with`` block; spans that begin in the block are its children.

    Args:
        is_current: False in a generator, whose consumer must not find itself within the block.

    Example:
        >>> with span("chat toy", "LLM", {"gen_ai.request.model": "toy"}) as active:
        ...     active.describe(lambda: {"gen_ai.usage.input_tokens": 7})
    """
    # Whoever sets up a provider has imported this.
    if "opentelemetry.trace" not in sys.modules:
        return NOTHING
    with suppress(Exception):
        if provider := _provider():
            return _Recorded(_tracer(provider), name, kind, attributes or {}, is_current=is_current)
    return NOTHING


def current_span() -> Span:
    """The innermost span of ours whose block the caller is in."""
    return _CURRENT.get()


def captures_content() -> bool:
    """Whether the operator wants the texts of users, passages and models in spans."""
    return os.environ.get(CONTENT, "").strip().lower() == "true"


class _Recorded(Span):
    """A span of OpenTelemetry."""

    __slots__ = ("_is_current", "_source", "_span", "_step", "_tokens", "_tracer")

    def __init__(
        self,
        tracer: "trace.Tracer",
        name: str,
        kind: Kind,
        attributes: Attributes,
        *,
        is_current: bool = True,
        context: "Context | None" = None,
    ) -> None:
        from opentelemetry.trace import SpanKind

        self._tracer = tracer
        self._is_current = is_current
        self._tokens: tuple[Token[Context], Token[Span]] | None = None
        self._step: _Recorded | None = None
        source = attributes.get(SOURCE)
        self._source = source if isinstance(source, str) else current_span().source
        self._span = tracer.start_span(
            name, context=context, kind=SpanKind.CLIENT if kind in _CLIENTS else SpanKind.INTERNAL
        )
        own = {SOURCE: self._source} if kind == "RETRIEVER" else {}
        self.describe(lambda: {**own, **attributes, "openinference.span.kind": None if kind == "QUERY" else kind})

    @property
    def source(self) -> str | None:
        return self._source

    def describe(self, make: Callable[[], Attributes]) -> None:
        with suppress(Exception):
            if self._span.is_recording():
                self._span.set_attributes({key: _clean(value) for key, value in make().items() if value is not None})

    def content(self, make: Callable[[], Attributes]) -> None:
        if captures_content():
            self.describe(make)

    def fail(self, kind: str, message: str = "") -> None:
        with suppress(Exception):
            from opentelemetry.trace import StatusCode

            # No traceback: below an error of ours is the driver's, which quotes values of the database.
            self._span.set_status(StatusCode.ERROR, redacted(message) if captures_content() else None)
            self._span.set_attribute("error.type", kind)

    def follow(self, name: str, kind: Kind) -> Span:
        self._end_step()
        with suppress(Exception):
            from opentelemetry import context, trace

            within = trace.set_span_in_context(self._span)
            self._step = _Recorded(self._tracer, name, kind, {}, context=within)
            # Undone with the context of this span itself.
            context.attach(trace.set_span_in_context(self._step._span, within))
            return self._step
        return NOTHING

    def _end_step(self) -> None:
        if self._step:
            self._step.__exit__(None, None, None)

    def __enter__(self) -> Self:
        with suppress(Exception):
            if self._is_current:
                from opentelemetry import context, trace

                self._tokens = context.attach(trace.set_span_in_context(self._span)), _CURRENT.set(self)
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        # A generator that is left early has not failed.
        if error is not None and not isinstance(error, GeneratorExit):
            self.fail(type(error).__qualname__, str(error))
        self._end_step()
        with suppress(Exception):
            self._span.end()
        with suppress(Exception):
            if self._tokens:
                from opentelemetry import context

                context.detach(self._tokens[0])
                _CURRENT.reset(self._tokens[1])


def _clean(value: Value) -> Value:
    """Models write halves of surrogate pairs, with which an exporter would lose a whole batch."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _provider() -> "trace.TracerProvider | None":
    """The provider of spans, if the process has set one up."""
    from opentelemetry import trace

    provider = trace.get_tracer_provider()
    return None if isinstance(provider, trace.ProxyTracerProvider) else provider


@lru_cache(maxsize=4)
def _tracer(provider: "trace.TracerProvider") -> "trace.Tracer":
    return provider.get_tracer("gear_neo4j", version("gear-neo4j"))
