"""Spans kept in memory by OpenTelemetry's SDK for tests that need them; others are dropped."""

from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult


class Switch(Sampler):
    """Records while it is on."""

    is_on = False

    def should_sample(self, *_args, **_options):
        return SamplingResult(Decision.RECORD_AND_SAMPLE if self.is_on else Decision.DROP)

    def get_description(self):
        return "switch"


SWITCH, EXPORTER = Switch(), InMemorySpanExporter()


class Spans:
    """The spans that have ended so far, ordered by their start."""

    @property
    def all(self):
        return sorted(EXPORTER.get_finished_spans(), key=lambda span: span.start_time)

    def kind(self, kind):
        """The spans of one kind: OpenInference's, or QUERY for database queries."""
        return [span for span in self.all if kind_of(span) == kind]

    def children(self, parent):
        """The direct children of a span; for None, the spans without a parent."""
        id = parent and parent.context.span_id
        return [span for span in self.all if (span.parent and span.parent.span_id) == id]

    def inside(self, parent):
        """All descendants of a span."""
        return [deep for child in self.children(parent) for deep in (child, *self.inside(child))]

    @property
    def text(self):
        """Their whole content."""
        return "\n".join(span.to_json() for span in self.all)


def kind_of(span):
    if "db.system.name" in span.attributes:
        return "QUERY"
    return span.attributes.get("openinference.span.kind", "")


@contextmanager
def recorded():
    """Record the spans of a block."""
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        provider = TracerProvider(sampler=SWITCH)
        provider.add_span_processor(SimpleSpanProcessor(EXPORTER))
        trace.set_tracer_provider(provider)
    EXPORTER.clear()
    SWITCH.is_on = True
    try:
        yield Spans()
    finally:
        SWITCH.is_on = False
        EXPORTER.clear()
