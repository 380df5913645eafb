"""Writes a table as a self-contained page: figures with intervals, plots, and how the two best systems differ."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.evaluate import plots
from gear_neo4j.evaluate.statistics import interval
from gear_neo4j.text.files import write_file
from gear_neo4j.text.printable import printable, single_line

DIFFERING = 12
SHOWN = 10
MISSING = "the report needs the extra: pip install 'gear-neo4j[report]'"


def require_extra() -> None:
    """Check before the measurement that a report can be written.

    Raises:
        SettingsError: the extra ``[report]`` is not installed.
    """
    if not all(find_spec(name) for name in ("matplotlib", "jinja2")):
        raise SettingsError(MISSING)


def write_report(table: Mapping[str, Any], folder: Path) -> Path:
    """Write ``index.html`` and its plots as SVG files into a folder; returns the page.

    Raises:
        SettingsError: the extra ``[report]`` is not installed.
        InputError: the folder cannot be written.
    """
    # A plot would draw control characters as boxes, and a label of two lines over others.
    table = {**table, "rows": [{**row, "label": single_line(row["label"])} for row in table["rows"]]}
    drawings = _drawn(table)
    page = _rendered(table, drawings)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error}") from error
    for plot in drawings:
        write_file(folder / f"{plot['name']}.svg", plot["svg"])
    write_file(folder / "index.html", page)
    return folder / "index.html"


def _drawn(table: Mapping[str, Any]) -> list[dict[str, str]]:
    rows, ks = table["rows"], table["ks"]
    k = _main(ks)
    try:
        figures = (
            ("recall", "Recall at k", plots.recall_curves(rows, most=max(ks))),
            ("steps", f"Recall at {max(ks)} had the agent ended after a step", plots.recall_by_step(rows, k=max(ks))),
            ("tokens", f"Tokens against recall at {k}", plots.tokens_and_recall(rows, k=k)),
            ("hops", f"Recall at {k} by number of hops", plots.recall_by_hops(rows, k=k)),
        )
    except ImportError as error:
        raise SettingsError(MISSING) from error
    return [{"name": name, "title": title, "svg": svg} for name, title, svg in figures if svg]


def _rendered(table: Mapping[str, Any], drawings: Sequence[Mapping[str, str]]) -> str:
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True)
    template = environment.from_string(files(__package__).joinpath("report.html").read_text(encoding="utf-8"))
    ks = table["ks"]
    rows = [_row(row, _main(ks)) for row in table["rows"]]
    best = max(rows, key=lambda row: row["recall"][str(_main(ks))])["label"] if rows else ""
    html = template.render(
        **{**table, "rows": rows},
        k_main=_main(ks),
        best=best,
        plots=drawings,
        oracle="oracle" in table["llm"],
        answers=any(row["em"] is not None for row in rows),
        published=any(row["published"] for row in rows),
        columns=len(ks) + 8,
        **_differing(table["rows"], _main(ks)),
    )
    return printable(html)


def _row(row: Mapping[str, Any], k: int) -> dict[str, Any]:
    mean_recall = interval([question["recall"][str(k)] for question in row["per_question"]])
    llm, latency = row["llm"], row["latency_ms"]
    paper = row.get("published")
    return {
        **row,
        "low": mean_recall.low,
        "high": mean_recall.high,
        "calls": llm["calls"] / row["questions"],
        "tokens": (llm["input_tokens"] + llm["output_tokens"]) / row["questions"],
        "steps": row.get("steps"),
        "em": row.get("em"),
        "f1": row.get("f1"),
        "p50": latency["p50"],
        "p95": latency["p95"],
        "published": " / ".join(f"{figure:.1f}" for figure in paper) if paper else "",
    }


def _differing(rows: Sequence[Mapping[str, Any]], k: int) -> dict[str, Any]:
    """The questions where the two best systems differ most."""
    if len(rows) < 2:
        return {"differing": []}
    ordered = sorted(rows, key=lambda row: -row["recall"][str(k)])
    first, second = ordered[0], ordered[1]
    pairs = list(zip(first["per_question"], second["per_question"], strict=True))
    pairs.sort(key=lambda pair: -abs(pair[0]["recall"][str(k)] - pair[1]["recall"][str(k)]))
    differences = [_difference(a, b, k, (first["label"], second["label"])) for a, b in pairs[:DIFFERING]]
    return {
        "first": first["label"],
        "second": second["label"],
        "differing": [entry for entry in differences if entry["difference"]],
    }


def _difference(a: Mapping[str, Any], b: Mapping[str, Any], k: int, labels: tuple[str, str]) -> dict[str, Any]:
    return {
        "question": a["question"],
        "gold": ", ".join(a["gold"]),
        "difference": a["recall"][str(k)] - b["recall"][str(k)],
        "sides": [
            {
                "label": label,
                "recall": side["recall"][str(k)],
                "retrieved": ", ".join(side["retrieved"][:SHOWN]),
                "paths": side["paths"],
            }
            for label, side in zip(labels, (a, b), strict=True)
        ],
    }


def _main(ks: Sequence[int]) -> int:
    """The main k of the report: 10, or the nearest to it."""
    return min(ks, key=lambda k: (abs(k - 10), k))
