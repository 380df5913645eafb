"""The figures of a benchmark as a table, as JSON and as plots."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

FOLDER = Path(__file__).parents[1] / "docs" / "benchmarks"
Results = Sequence[dict[str, Any]]


def rows(results: Results) -> Iterator[tuple[str, ...]]:
    """One line per figure, one column per size."""

    def line(label: str, *path: str, unit: str = "") -> tuple[str, ...]:
        return (label, *(_format(_at(result, path), unit) for result in results))

    yield ("triples", *(f"{result['load']['triples']:,}" for result in results))
    yield line("written: triples a second, after the passages", "load", "a_second", "triples_alone")
    yield line("the same, passages and all", "load", "a_second", "with_passages")
    yield line("the same, until the vector index is online", "load", "a_second", "with_index")
    yield line("first tenth", "load", "a_second", "first_tenth")
    yield line("last tenth", "load", "a_second", "last_tenth")
    yield line("client's memory while loading", "load", "client_mb", unit="MB")
    yield line("server's memory, all in all", "server_mb", unit="MB")
    yield line("store on disk", "load", "disk_mb", "store", unit="MB")
    yield line("indexes on disk", "load", "disk_mb", "indexes", unit="MB")
    for label, key in (("no hub", "without_hub"), ("hubs", "hub")):
        for what, part in (("one step of ten beams", "step"), ("the whole expansion", "whole")):
            yield line(f"{what}, {label}: p50", "expansion", key, f"{part}_ms", "median", unit="ms")
            yield line("p95", "expansion", key, f"{part}_ms", "p95", unit="ms")
            yield line("one query a beam: p50", "expansion", key, f"{part}_singly_ms", "median", unit="ms")
            yield line("ratio: median", "expansion", key, f"{part}_ratio", "median")
    yield line("all ten at the largest hubs: p50", "expansion", *_WORST, "median", unit="ms")
    yield line("the slowest of twenty", "expansion", *_WORST, "most", unit="ms")
    names = list(dict.fromkeys(name for result in results for name in result["searches"] if name != "igraph"))
    for name in names:
        yield line(f"{name}: p50", "searches", name, "ms", "median", unit="ms")
        yield line("R@10", "searches", name, "recall_at_10")
    for name in ("bm25 in memory", "rank-bm25", "fulltext"):
        yield line(f"{name}: p50", "keywords", name, "ms", "median", unit="ms")
        yield line("R@10", "keywords", name, "recall_at_10")
    for clients in ("1", "4", "16"):
        yield line(f"searches a second, {clients} at once", "throughput", clients, "a_second")


_WORST = ("all_start_triples_at_the_largest_hubs",)


def show(console: Console, results: Results) -> None:
    """Print the table."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for index in range(len(results) + 1):
        table.add_column("", justify="right" if index else "left")
    for row in rows(results):
        table.add_row(*row)
    console.print(table)


def write(results: Results, folder: Path, *, name: str) -> None:
    """The JSON, the table in Markdown, and the plots, each named after the size."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"results-{name}.json").write_text(json.dumps(list(results), indent=1) + "\n", encoding="utf-8")
    first, *others = rows(results)
    lines = [f"| {' | '.join(first)} |", f"|{' --- |' * len(first)}", *(f"| {' | '.join(row)} |" for row in others)]
    (folder / f"table-{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    plot(results, folder / f"plots-{name}.svg")


def plot(results: Results, file: Path) -> None:
    """Latency by size, and the write progress of the largest corpus."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    sizes = [result["load"]["triples"] for result in results]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2))
    for label, path in _CURVES.items():
        values = [_at(result, path) for result in results]
        points = [(size, value) for size, value in zip(sizes, values, strict=True) if value is not None]
        left.plot(*zip(*points, strict=True), marker="o", label=label)
    left.set(xscale="log", yscale="log", xlabel="triples", ylabel="ms, median", title="latency by size")
    left.grid(alpha=0.3, which="both")
    left.set_ylim(top=100 * max(left.get_ylim()))
    left.legend(fontsize=7, loc="upper left")
    reached = results[-1]["load"]["reached"]
    right.plot([at for at, _ in reached], [done / 1_000 for _, done in reached])
    right.set(xlabel="seconds", ylabel="thousand triples", title=f"writing {sizes[-1]:,} triples")
    right.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


_CURVES = {
    "one step, no hub": ("expansion", "without_hub", "step_ms", "median"),
    "one step, hubs": ("expansion", "hub", "step_ms", "median"),
    "one step, all at the largest hubs": ("expansion", *_WORST, "median"),
    "one query a beam, no hub": ("expansion", "without_hub", "step_singly_ms", "median"),
    "one query a beam, hubs": ("expansion", "hub", "step_singly_ms", "median"),
    "search: naive over hybrid": ("searches", "naive over hybrid", "ms", "median"),
    "search: VectorCypherRetriever, two hops": ("searches", "VectorCypherRetriever", "ms", "median"),
    "search: PageRank in memory": ("searches", "PageRank in memory (igraph)", "ms", "median"),
}


def _at(value: Any, path: Sequence[str]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _format(value: Any, unit: str) -> str:
    if value is None:
        return ""
    return f"{value:,.1f}{unit and ' ' + unit}" if isinstance(value, float) else f"{value:,}{unit and ' ' + unit}"
