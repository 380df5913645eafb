"""Agents with a real language model: ``python -m benchmarks.real_model DATASET_DIR --limit 30``; docs/evaluation.md.

Recall, exact match, F1, calls, tokens and seconds by role of ``gear``, ``ircot`` and ``paths``, beside the search
alone, on the odd questions of a data set (the even ones are for choosing). The model is that of ``gear``
(GEAR_CHAT_MODEL). Each question is asked once: after an interruption, the same command resumes. ``--json`` keeps the
figures and every answer.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import copyfile
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.command import gear_program
from gear_neo4j import Settings
from gear_neo4j.evaluate import datasets

SYSTEMS = {
    "search alone": ("--retriever", "auto"),
    "paths": ("--agent", "paths"),
    "gear": ("--agent", "gear"),
    "ircot": ("--agent", "ircot"),
}
KS = ("2", "5", "10")
FILES = ("corpus.jsonl", "triples.jsonl")


def half_of(folder: Path, half: str, *, home: Path) -> Path:
    """A data set of every second question, in a folder of its own, because ``gear evaluate`` takes whole data sets."""
    dataset = datasets.load(folder)
    own = home / "halves" / f"{dataset.name}_{half}"
    own.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        if (dataset.folder / name).exists():
            copyfile(dataset.folder / name, own / name)
    lines = (dataset.folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [line for line in lines if line.strip()][1 if half == "odd" else 0 :: 2]
    (own / "queries.jsonl").write_text("\n".join(questions) + "\n", encoding="utf-8")
    return own


def measured(folder: Path, options: Sequence[str], *, limit: int) -> dict[str, Any]:
    """The report of ``gear evaluate`` with these options."""
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "report.json"
        command = ["evaluate", str(folder), *options, "--limit", str(limit), "--json", str(file)]
        done = subprocess.run([gear_program(), *command], check=False)
        if done.returncode:
            sys.exit(f"gear evaluate ended with {done.returncode}: run this command again to resume")
        report: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return report


def table(reports: Mapping[str, Mapping[str, Any]]) -> Table:
    """A row for each system."""
    shown = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for head in ("", *(f"@{k}" for k in KS), "EM", "F1", "steps", "calls", "tokens", "seconds by role"):
        shown.add_column(head, justify="left" if head in ("", "seconds by role") else "right")
    for name, report in reports.items():
        llm, questions = report["llm"], report["questions"]
        answers = [f"{report[key]:.1f}" if key in report else "" for key in ("em", "f1", "steps")]
        tokens = (llm["input_tokens"] + llm["output_tokens"]) / questions
        seconds = ", ".join(f"{part} {spent:.1f}" for part, spent in report.get("seconds", {}).items() if spent >= 1)
        recall = (f"{report['recall'][k]:.1f}" for k in KS)
        shown.add_row(name, *recall, *answers, f"{llm['calls'] / questions:.1f}", f"{tokens:,.0f}", seconds)
    return shown


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_model", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DATASET_DIR")
    parser.add_argument("--half", choices=("odd", "even"), default="odd")
    parser.add_argument("--limit", type=int, default=30, help="number of questions (default: 30)")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="which of the systems (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    names = [name.strip() for name in arguments.systems.split(",")]
    if unknown := [name for name in names if name not in SYSTEMS]:
        parser.error(f"there is no system '{unknown[0]}', only: {', '.join(SYSTEMS)}")
    settings = Settings.load()
    if not settings.chat_model:
        parser.error("set GEAR_CHAT_MODEL, and OPENAI_BASE_URL for a server of your own")
    folder = half_of(arguments.folder, arguments.half, home=settings.home)
    reports = {name: measured(folder, SYSTEMS[name], limit=arguments.limit) for name in names}
    Console(soft_wrap=True).print(table(reports))
    if arguments.json:
        figures = {"model": settings.chat_model, "dataset": folder.name, "systems": reports}
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
