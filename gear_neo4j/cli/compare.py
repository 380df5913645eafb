"""``gear compare``: two evaluations of the same questions, with a confidence interval of the difference."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.screen import Screen
from gear_neo4j.evaluate.comparison import Comparison, Contrast, MetricComparison, QuestionResult, compare, read_report
from gear_neo4j.text.wording import pluralize

FILE = click.Path(path_type=Path)


@click.command(name="compare")
@click.argument("a", type=FILE)
@click.argument("b", type=FILE)
@click.option(
    "--metric",
    default="recall",
    show_default=True,
    help="A metric such as recall@10; without @k, at every k that both files have.",
)
@click.option(
    "--show",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Number of questions to show, the most different first.",
)
@json_option
def compare_command(a: Path, b: Path, metric: str, show: int, json_file: Path | None) -> None:
    """Compare two files of gear evaluate --json: B - A with its 95 % interval, and the most different questions.

    Metrics with a k: recall, all_found, hit, precision, mrr, map, ndcg. Any per-question number in both files is a
    metric, too, such as latency_ms.
    """
    comparison = compare(read_report(a), read_report(b), metric=metric)
    if emit(json_file, _json(comparison, show)):
        return
    console = Screen()
    console.print(_table(comparison))
    for contrast in comparison.contrasts[:show]:
        console.print(Text("\n".join(_lines(contrast))))


def _table(comparison: Comparison) -> Table:
    a, b = comparison.a, comparison.b
    title = f"{a.dataset}, {pluralize(len(a.questions), 'question')}\nA {_title(a)}\nB {_title(b)}"
    table = Table(title=Text(title), title_justify="left", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("", "A", "B", "B - A", "95 % interval", "wins / ties / losses of B", ""):
        table.add_column(name, justify="left" if not name else "right")
    for result in comparison.metrics:
        table.add_row(*_cells(result))
    return table


def _title(report: Any) -> str:
    return f"{report.file}: {report.system}"


def _cells(result: MetricComparison) -> Iterator[str]:
    gain = result.difference
    yield str(result.metric)
    yield f"{result.a:.1f}"
    yield f"{result.b:.1f}"
    yield f"{gain.mean:+.1f}"
    yield f"{gain.low:+.1f} to {gain.high:+.1f}"
    yield f"{gain.wins} / {gain.ties} / {gain.losses}"
    yield ("" if gain.clear else "within chance") + (f" ({result.skipped} without value)" if result.skipped else "")


def _lines(contrast: Contrast) -> Iterator[str]:
    yield f"\n{contrast.gained:+.1f}  {contrast.a.id}: {contrast.a.question}"
    for id in contrast.a.gold:
        yield f"  gold {id}: A {_rank(id, contrast.a)}, B {_rank(id, contrast.b)}"
    for name, question in (("A", contrast.a), ("B", contrast.b)):
        marked = (f"✓ {id}" if id in question.gold else id for id in question.retrieved[:5])
        yield f"  {name} retrieved: {', '.join(marked) or 'nothing'}"


def _rank(id: str, question: QuestionResult) -> str:
    return f"at {question.retrieved.index(id) + 1}" if id in question.retrieved else "not found"


def _json(comparison: Comparison, show: int) -> dict[str, Any]:
    return {
        "dataset": comparison.a.dataset,
        "questions": len(comparison.a.questions),
        "a": {"file": str(comparison.a.file), "system": comparison.a.system},
        "b": {"file": str(comparison.b.file), "system": comparison.b.system},
        "metrics": [
            {"metric": str(result.metric), "a": result.a, "b": result.b, "skipped": result.skipped}
            | asdict(result.difference)
            for result in comparison.metrics
        ],
        "differing": len(comparison.contrasts),
        "most_different": [_contrast(contrast) for contrast in comparison.contrasts[:show]],
    }


def _contrast(contrast: Contrast) -> dict[str, Any]:
    question = contrast.a
    fields = {"id": question.id, "question": question.question, "gained": contrast.gained, "gold": list(question.gold)}
    return fields | {"a": list(question.retrieved), "b": list(contrast.b.retrieved)}
