"""Metrics for Prometheus; labels have few values, none of which comes from a request."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from gear_neo4j.ingestion.job import JobState
from gear_neo4j.threads import ThreadLimiter
from gear_neo4j.web.entry import Entry

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """The metrics of the service; each application has its own registry.

    Args:
        limiters: the limiters whose running calls are counted, by name.
        jobs: the number of jobs in a state.
        memory: the size of the indexes in memory, in bytes.
    """

    def __init__(
        self, limiters: Mapping[str, ThreadLimiter], *, jobs: Callable[[JobState], int], memory: Callable[[], int]
    ) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "gear_requests", "Requests by route and status", ("route", "method", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "gear_seconds", "Seconds by route and part", ("route", "part"), buckets=SECONDS, registry=self._registry
        )
        self._tokens = Counter("gear_tokens", "Tokens of the language model", ("direction",), registry=self._registry)
        running = Gauge("gear_running", "Calls that run now", ("kind",), registry=self._registry)
        for kind, limiter in limiters.items():
            running.labels(kind).set_function(partial(getattr, limiter, "running"))
        kept = Gauge("gear_memory_bytes", "Bytes that indexes in memory take", registry=self._registry)
        kept.set_function(memory)
        counted = Gauge("gear_jobs", "Jobs by state", ("state",), registry=self._registry)
        for state in get_args(JobState):
            counted.labels(state).set_function(partial(jobs, state))
        for direction in ("input", "output"):
            self._tokens.labels(direction)
        ProcessCollector(registry=self._registry)

    def observe(self, entry: Entry, *, route: str, method: str, status: int) -> None:
        """Count a request that has ended."""
        self._requests.labels(route, method if method in METHODS else "other", str(status)).inc()
        self._seconds.labels(route, "total").observe(entry.seconds)
        for part, milliseconds in entry.parts.items():
            self._seconds.labels(route, part).observe(milliseconds / 1_000)
        self._tokens.labels("input").inc(entry.usage.input_tokens)
        self._tokens.labels("output").inc(entry.usage.output_tokens)

    def text(self) -> bytes:
        """All metrics in the format that Prometheus reads."""
        return generate_latest(self._registry)
