"""``gear compare``: two evaluations of the same questions, with how sure the difference is."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gear_neo4j.evaluate.comparison import Compared, Comparison, Contrast, Question, compare, read_report
from gear_neo4j.wording import counted

FILE = click.Path(path_type=Path)


@click.command(name="compare")
@click.argument("a", type=FILE)
@click.argument("b", type=FILE)
@click.option(
    "--metric", default="recall", show_default=True, help="Such as recall@10; without @k, at every k of both."
)
@click.option("--show", type=click.IntRange(min=0), default=5, show_default=True, help="Questions that differ most.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare_command(a: Path, b: Path, metric: str, show: int, as_json: bool) -> None:
    """Compare two files of gear evaluate --json: B - A with its 95 % interval, and the questions that differ most.

    Metrics with a k: recall, all_found, hit, precision, mrr, map, ndcg; besides, any number that stands with each
    question, such as latency_ms.
    """
    found = compare(read_report(a), read_report(b), metric=metric)
    if as_json:
        click.echo(json.dumps(_json(found, show), ensure_ascii=False, indent=1))
        return
    console = Console()
    console.print(_table(found))
    for contrast in found.contrasts[:show]:
        console.print(Text("\n".join(_lines(contrast))))


def _table(found: Comparison) -> Table:
    title = (
        f"{found.a.dataset}, {counted(len(found.a.questions), 'question')}\nA {_named(found.a)}\nB {_named(found.b)}"
    )
    table = Table(title=Text(title), title_justify="left", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("", "A", "B", "B - A", "95 % interval", "wins / ties / losses of B", ""):
        table.add_column(name, justify="left" if not name else "right")
    for one in found.metrics:
        table.add_row(*_cells(one))
    return table


def _named(report: Any) -> str:
    return f"{report.file}: {report.system}"


def _cells(one: Compared) -> Iterator[str]:
    gained = one.difference
    yield str(one.metric)
    yield f"{one.a:.1f}"
    yield f"{one.b:.1f}"
    yield f"{gained.mean:+.1f}"
    yield f"{gained.low:+.1f} to {gained.high:+.1f}"
    yield f"{gained.wins} / {gained.ties} / {gained.losses}"
    yield ("" if gained.clear else "within chance") + (f" ({one.skipped} without value)" if one.skipped else "")


def _lines(contrast: Contrast) -> Iterator[str]:
    yield f"\n{contrast.gained:+.1f}  {contrast.a.id}: {contrast.a.question}"
    for id in contrast.a.gold:
        yield f"  gold {id}: A {_rank(id, contrast.a)}, B {_rank(id, contrast.b)}"
    for name, question in (("A", contrast.a), ("B", contrast.b)):
        marked = (f"✓ {id}" if id in question.gold else id for id in question.retrieved[:5])
        yield f"  {name} retrieved: {', '.join(marked) or 'nothing'}"


def _rank(id: str, question: Question) -> str:
    return f"at {question.retrieved.index(id) + 1}" if id in question.retrieved else "not found"


def _json(found: Comparison, show: int) -> dict[str, Any]:
    return {
        "dataset": found.a.dataset,
        "questions": len(found.a.questions),
        "a": {"file": str(found.a.file), "system": found.a.system},
        "b": {"file": str(found.b.file), "system": found.b.system},
        "metrics": [
            {"metric": str(one.metric), "a": one.a, "b": one.b, "skipped": one.skipped} | asdict(one.difference)
            for one in found.metrics
        ],
        "differing": len(found.contrasts),
        "most_different": [_contrast(one) for one in found.contrasts[:show]],
    }


def _contrast(one: Contrast) -> dict[str, Any]:
    told = {"id": one.a.id, "question": one.a.question, "gained": one.gained, "gold": list(one.a.gold)}
    return told | {"a": list(one.a.retrieved), "b": list(one.b.retrieved)}
