"""Two evaluations of the same questions, compared question by question."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from gear_neo4j.errors import InputError
from gear_neo4j.evaluate import metrics
from gear_neo4j.evaluate.statistics import Difference, difference

RANKED: Final[Mapping[str, Callable[..., float]]] = {
    "recall": metrics.recall,
    "all_found": metrics.all_found,
    "hit": metrics.hit,
    "precision": metrics.precision,
    "mrr": metrics.reciprocal_rank,
    "map": metrics.average_precision,
    "ndcg": metrics.ndcg,
}
# Lower is better: B wins where it is lower.
COSTS = frozenset({"latency_ms"})


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """A question of a report; ``figures`` are its numbers besides the ranking."""

    id: str
    question: str
    gold: tuple[str, ...]
    retrieved: tuple[str, ...]
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Report:
    """The output of ``gear evaluate --json``: the data set, the system, the values of k, and each question."""

    file: Path
    dataset: str
    fingerprint: str | None
    system: str
    ks: tuple[int, ...]
    questions: Mapping[str, QuestionResult]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric at k, or a per-question figure, which has no k.

    Example:
        >>> str(Metric("recall", 10)), str(Metric("latency_ms"))
        ('recall@10', 'latency_ms')
    """

    name: str
    k: int | None = None

    def __str__(self) -> str:
        return self.name if self.k is None else f"{self.name}@{self.k}"

    def of(self, question: QuestionResult) -> float:
        """Its value for a question, in percent if it is a share; NaN if the report has no value."""
        if self.k is None:
            return question.figures.get(self.name, math.nan)
        return 100 * float(RANKED[self.name](question.retrieved, question.gold, k=self.k))


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric of both reports: the means, B - A, and the number of pairs skipped for lack of a value."""

    metric: Metric
    a: float
    b: float
    difference: Difference
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Contrast:
    """A question with different results in two reports, and the gain, summed over the metrics."""

    a: QuestionResult
    b: QuestionResult
    gained: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two reports compared: each metric, and the questions, largest difference first."""

    a: Report
    b: Report
    metrics: tuple[MetricComparison, ...]
    contrasts: tuple[Contrast, ...]


def compare(a: Report, b: Report, *, metric: str = "recall") -> Comparison:
    """Compare two reports by a metric: at one k (``recall@10``), at every k of both (``recall``), or by a figure.

    Raises:
        InputError: the questions differ, or the metric is missing.
    """
    _require_same(a, b)
    selected = _selected_metrics(metric, a, b)
    results = tuple(_compare_metric(name, a, b) for name in selected)
    pairs = [(question, b.questions[id]) for id, question in a.questions.items()]
    contrasts = [Contrast(ours, theirs, _gain(ours, theirs, selected)) for ours, theirs in pairs]
    differing = [contrast for contrast in contrasts if contrast.gained]
    differing.sort(key=lambda contrast: (-abs(contrast.gained), contrast.a.id))
    return Comparison(a, b, results, tuple(differing))


def _require_same(a: Report, b: Report) -> None:
    if a.dataset != b.dataset:
        raise InputError(f"{a.file} is of the data set {a.dataset}, {b.file} of {b.dataset}: compare runs of the same")
    if a.fingerprint and b.fingerprint and a.fingerprint != b.fingerprint:
        raise InputError(f"{a.file} and {b.file} were measured on different versions of {a.dataset}")
    for report, other in ((a, b), (b, a)):
        lacking = [id for id in report.questions if id not in other.questions]
        if lacking:
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            raise InputError(
                f"{other.file} lacks the question {lacking[0]!r}{more} of {report.file}: evaluate the same"
            )
    for id, question in a.questions.items():
        if set(question.gold) != set(b.questions[id].gold):
            raise InputError(f"{a.file} and {b.file} have different gold passages for the question {id!r}")


def _selected_metrics(text: str, a: Report, b: Report) -> tuple[Metric, ...]:
    name, _, depth = text.partition("@")
    if name in RANKED:
        common = tuple(k for k in a.ks if k in b.ks)
        ks = (_k(depth, text, a, b),) if depth else common
        if not ks:
            raise InputError(f"{a.file} and {b.file} were measured at no common k: name one, as in {name}@5")
        return tuple(Metric(name, k) for k in ks)
    if depth or not any(name in question.figures for report in (a, b) for question in report.questions.values()):
        known = ", ".join((*RANKED, *sorted(_figures(a) & _figures(b))))
        raise InputError(
            f"{text!r} is not a metric of both files: choose one of {known}, the first {len(RANKED)} with @k"
        )
    return (Metric(name),)


def _k(text: str, metric: str, a: Report, b: Report) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise InputError(f"{metric!r} has no number from 1 after the @")
    deepest = min((a, b), key=lambda report: max(report.ks))
    if int(text) > max(deepest.ks):
        raise InputError(f"{deepest.file} was measured only down to {max(deepest.ks)}: evaluate it with a larger --ks")
    return int(text)


def _figures(report: Report) -> set[str]:
    return {name for question in report.questions.values() for name in question.figures}


def _compare_metric(metric: Metric, a: Report, b: Report) -> MetricComparison:
    pairs = [(metric.of(question), metric.of(b.questions[id])) for id, question in a.questions.items()]
    defined = [pair for pair in pairs if not any(map(math.isnan, pair))]
    if not defined:
        raise InputError(f"{a.file} and {b.file} share no question with a value of {metric}")
    a_values, b_values = [a_value for a_value, _ in defined], [b_value for _, b_value in defined]
    gain = difference(a_values, b_values)
    return MetricComparison(
        metric, fmean(a_values), fmean(b_values), _by_direction(gain, metric), len(pairs) - len(defined)
    )


def _by_direction(gain: Difference, metric: Metric) -> Difference:
    if metric.name not in COSTS:
        return gain
    return Difference(gain.mean, gain.low, gain.high, gain.losses, gain.ties, gain.wins)


def _gain(a: QuestionResult, b: QuestionResult, metrics: Sequence[Metric]) -> float:
    gains = (metric.of(b) - metric.of(a) for metric in metrics)
    return sum(gain for gain in gains if not math.isnan(gain))


def read_report(path: Path) -> Report:
    """Read the output of ``gear evaluate --json``.

    Raises:
        InputError: the file is something else.
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        return _report(path, report)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(f"{path} is not the output of gear evaluate --json: write it again") from error


def _report(path: Path, report: Mapping[str, Any]) -> Report:
    ks = tuple(sorted(int(k) for k in report["recall"]))
    questions = [_question(row) for row in report["per_question"]]
    by_id = {question.id: question for question in questions}
    if not ks or ks[0] < 1 or not questions or len(by_id) != len(questions):
        raise ValueError("no k, no question, or one twice")
    system = str(report.get("title") or report.get("retriever") or "")
    fingerprint = report.get("fingerprint")
    return Report(path, str(report["dataset"]), fingerprint and str(fingerprint), system, ks, by_id)


def _question(row: Mapping[str, Any]) -> QuestionResult:
    gold, retrieved = (tuple(str(id) for id in list(row[key])) for key in ("gold", "retrieved"))
    if not gold or isinstance(row["gold"], str) or isinstance(row["retrieved"], str):
        raise ValueError("no gold")
    figures = {key: float(value) for key, value in row.items() if type(value) in (int, float)}
    return QuestionResult(str(row["id"]), str(row.get("question", "")), gold, retrieved, figures)
