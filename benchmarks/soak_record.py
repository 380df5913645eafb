"""The record of a soak: successes and errors, retries of the driver, restarts, memory; its summary and its plot."""

import logging
import time
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.measure import spread
from gear_neo4j.errors import ServerUnavailable

# The first quarter fills caches; a leak continues afterwards.
WARM = 0.25
PLOTTED = {"client_mb": "client", "server_mb": "server", "server_live_mb": "its heap after a collection"}


@dataclass(slots=True)
class Record:
    """The counts so far; ``away`` holds the seconds of each restart, from the stop until the server answers again."""

    started: float = field(default_factory=time.perf_counter)
    done: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    at_restarts: Counter[str] = field(default_factory=Counter)
    retried: Counter[str] = field(default_factory=Counter)
    # Eight bytes each, so that the record of a long soak does not grow itself.
    searches: "array[float]" = field(default_factory=lambda: array("d"))
    memory: list[dict[str, float]] = field(default_factory=list)
    away: list[tuple[float, float]] = field(default_factory=list)
    stopped_at: float | None = None

    @property
    def seconds(self) -> float:
        """Since the soak began."""
        return time.perf_counter() - self.started

    @contextmanager
    def restart(self) -> Iterator[None]:
        """Note a restart of the server."""
        self.stopped_at = self.seconds
        yield
        self.away.append((self.stopped_at, self.seconds))
        self.stopped_at = None

    @contextmanager
    def count(self, name: str) -> Iterator[None]:
        """Count a success or an error.

        ``ServerUnavailable`` during a restart is not an error: its message says to try again.
        """
        began = self.seconds
        try:
            yield
        except ServerUnavailable as error:
            self._count(name, error, self.at_restarts if self._was_away(since=began) else self.errors)
        except Exception as error:
            self._count(name, error, self.errors)
        else:
            self.done[name] += 1

    def _count(self, name: str, error: Exception, where: Counter[str]) -> None:
        where[f"{name}: {type(error).__name__}: {str(error)[:120]}"] += 1

    def _was_away(self, *, since: float) -> bool:
        return self.stopped_at is not None or any(end >= since for _, end in self.away)

    def report(self, *, minutes: float) -> dict[str, Any]:
        """The figures as JSON."""
        half = len(self.searches) // 2
        return {
            "minutes": minutes,
            "done": dict(self.done),
            "errors": dict(self.errors),
            "restarts": [{"at": round(start), "seconds": round(end - start, 1)} for start, end in self.away],
            "unavailable_at_restarts": dict(self.at_restarts),
            "retried_by_the_driver": dict(self.retried),
            "search_ms": {"first_half": spread(self.searches[:half]), "second_half": spread(self.searches[half:])},
            "memory_by_quarter": by_quarter(self.memory),
            "memory_slope_mb_an_hour": slopes(self.memory),
            "memory": self.memory,
        }


class Retries(logging.Handler):
    """Counts the retries of the driver, for example after a deadlock, which are otherwise invisible."""

    def __init__(self, record: Record) -> None:
        super().__init__(logging.WARNING)
        self._record = record

    def emit(self, record: logging.LogRecord) -> None:
        """Count one retry."""
        kind = "deadlock" if "DeadlockDetected" in record.getMessage() else "other"
        if "retried" in record.getMessage():
            self._record.retried[kind] += 1


def by_quarter(samples: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """The median of each figure in each quarter of the time."""
    quarters = [samples[len(samples) * n // 4 : len(samples) * (n + 1) // 4] for n in range(4)]
    return {
        key: [median(sample[key] for sample in quarter) for quarter in quarters if quarter] for key in _keys(samples)
    }


def slopes(samples: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """How fast each figure grows after the first quarter, by least squares, in MB an hour.

    Example:
        >>> slopes([{"seconds": 900.0 * n, "client_mb": 200.0 + n} for n in range(8)])
        {'client_mb': 4.0}
    """
    late = samples[int(len(samples) * WARM) :]
    if len(late) < 2:
        return {}
    hours = [sample["seconds"] / 3_600 for sample in late]
    return {key: round(float(np.polyfit(hours, [sample[key] for sample in late], 1)[0]), 1) for key in _keys(late)}


def plot(report: Mapping[str, Any], file: Path) -> None:
    """Memory over time, with a line for each restart."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4))
    minutes = [sample["seconds"] / 60 for sample in report["memory"]]
    for key, label in PLOTTED.items():
        axes.plot(minutes, [sample[key] for sample in report["memory"]], label=label)
    for number, restart in enumerate(report["restarts"]):
        # matplotlib omits names with a leading underscore from the legend.
        name = "_" if number else "the server is restarted"
        axes.axvline(restart["at"] / 60, color="gray", linewidth=0.8, linestyle=":", label=name)
    axes.set(xlabel="minutes", ylabel="MB", title="memory in a soak", ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


def _keys(samples: Sequence[Mapping[str, float]]) -> list[str]:
    return [key for key in samples[0] if key != "seconds"] if samples else []
