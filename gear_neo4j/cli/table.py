"""``gear evaluate --table``: every system on the same questions."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from gear_neo4j.cli.progress import stages
from gear_neo4j.cli.screen import Screen
from gear_neo4j.evaluate import table
from gear_neo4j.evaluate.datasets import Dataset, EvaluationQuery
from gear_neo4j.evaluate.journal import Journals
from gear_neo4j.evaluate.poster import Row
from gear_neo4j.evaluate.statistics import interval
from gear_neo4j.gear import Gear
from gear_neo4j.text.printable import single_line
from gear_neo4j.text.wording import pluralize

# Narrower screens omit the 95th percentile and the paper's figures, very narrow ones the interval, too.
WIDE = 125
NARROW = 95


def measure(
    gear: Gear,
    dataset: Dataset,
    rows: Sequence[Row],
    queries: Sequence[EvaluationQuery],
    *,
    ks: Sequence[int],
    llm: str,
    separately: bool,
    journals: Journals,
) -> dict[str, Any]:
    """Measure every system, with progress."""
    with stages() as show:
        label, done, total = "", 0, 0

        def begin(row: Row) -> None:
            nonlocal label, done, total
            runs = len(ks) if separately and row.system and not row.system.agent else 1
            label, done, total = row.label, 0, runs * len(queries)
            show(label, done, total)

        def advance() -> None:
            nonlocal done
            done += 1
            show(label, done, total, f"{done:,} of {total:,}")

        return table.measure_table(
            gear,
            dataset,
            rows,
            queries,
            ks=ks,
            llm=llm,
            separately=separately,
            journals=journals,
            on_row=begin,
            on_done=advance,
        )


def print_table(console: Screen, report: dict[str, Any]) -> None:
    """Print the rows with recall, its interval, the cost per question and, if they fit, the paper's figures."""
    ks, wide, narrow = report["ks"], console.width >= WIDE, console.width < NARROW
    title = f"{report['dataset']}: {pluralize(report['questions'], 'question')}, language model: {report['llm']}"
    view = Table(
        title=single_line(title),
        title_justify="left",
        box=None,
        header_style="bold",
        padding=(0, 1, 0, 0),
    )
    view.add_column("recall %", no_wrap=True)
    costs = ("calls", "tokens", "steps", "p50 ms")
    spread = () if narrow else (f"95 % of @{ks[-1]}", "EM/F1")
    for name in (*(f"@{k}" for k in ks), *spread, *costs, *(("p95 ms",) if wide else ())):
        view.add_column(name, justify="right", no_wrap=True)
    if wide:
        view.add_column("paper*" if report["other_corpus"] else "paper", style="dim", no_wrap=True)
    for row in report["rows"]:
        cells = _cells(row, ks)
        fitting = cells if wide else cells[:-2]
        view.add_row(single_line(row["label"]), *fitting[: len(ks)], *fitting[len(ks) + 2 * narrow :])
    console.print(view)
    for row in report["missing"]:
        console.print_line(f"{row['label']}: not run, {row['reason']}", style="dim")
    if wide and report["other_corpus"]:
        console.print("* published for another, larger corpus: R@5 / 10 / 15", style="dim")
    if report["claim"]:
        console.print_line(report["claim"])


def _cells(row: dict[str, Any], ks: Sequence[int]) -> list[str]:
    mean_recall = interval([question["recall"][str(ks[-1])] for question in row["per_question"]])
    llm, latency, paper = row["llm"], row["latency_ms"], row["published"]
    tokens = (llm["input_tokens"] + llm["output_tokens"]) / row["questions"]
    return [
        *(f"{row['recall'][str(k)]:.1f}" for k in ks),
        f"{mean_recall.low:.0f} to {mean_recall.high:.0f}",
        f"{row['em']:.0f}/{row['f1']:.0f}" if row.get("em") is not None else "",
        f"{llm['calls'] / row['questions']:.1f}" if llm["calls"] else "",
        f"{tokens:,.0f}" if tokens else "",
        f"{row['steps']:.2f}" if "steps" in row else "",
        f"{latency['p50']:.0f}",
        f"{latency['p95']:.0f}",
        " / ".join(f"{figure:.1f}" for figure in paper) if paper else "",
    ]
