"""``gear evaluate``: recall and latency of a retriever on a data set."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import click
from rich.console import Console
from rich.table import Table

from gear_neo4j.cli.evaluate_graph import evaluate_graph, graph_table
from gear_neo4j.cli.ingest import progress_shown
from gear_neo4j.cli.options import (
    CHAT,
    CONNECTION,
    RETRIEVAL,
    beam_from,
    errors,
    opened,
    own_server,
    settings_from,
    with_options,
)
from gear_neo4j.cli.output import require_folder, require_writable, write_file
from gear_neo4j.cli.progress import counting
from gear_neo4j.cli.table import measure, print_table
from gear_neo4j.evaluate import datasets, runs, systems
from gear_neo4j.evaluate.judging import judge, with_quality
from gear_neo4j.evaluate.knowledge import is_knowledge_graph
from gear_neo4j.evaluate.oracle import LABEL, require_decompositions
from gear_neo4j.evaluate.poster import rows
from gear_neo4j.evaluate.report import require_extra, write_report
from gear_neo4j.evaluate.systems import AgentName
from gear_neo4j.gear import Gear
from gear_neo4j.models.openai import open_chat
from gear_neo4j.wording import counted


def _numbers(_context: click.Context, _parameter: click.Parameter, text: str) -> tuple[int, ...]:
    try:
        numbers = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is not a list of numbers like 2,5,10,15") from error
    if numbers[0] < 1:
        raise click.BadParameter("every k must be at least 1")
    return numbers


@click.command()
@click.argument("dataset_dir", type=click.Path(path_type=Path))
@with_options(RETRIEVAL)
@click.option(
    "--agent",
    type=click.Choice(get_args(AgentName)),
    help="Ask an agent; ircot, crag and selfrag are over the retriever, and crag judges by similarity.",
)
@click.option("--quality", is_flag=True, help="Let the language model judge the agent's answers, five ways.")
@click.option("--table", "whole", is_flag=True, help="Measure every system that can run, one row each.")
@click.option("--report", "folder", type=click.Path(path_type=Path, file_okay=False), help="Write a page with plots.")
@click.option(
    "--llm",
    type=click.Choice(["model", "oracle"]),
    default="model",
    show_default=True,
    help="What plays the language model: that of the settings, or an oracle that knows the data set's decompositions.",
)
@click.option("--max-steps", type=click.IntRange(min=1), default=4, show_default=True, help="Steps of the agent.")
@click.option("--step-k", type=click.IntRange(min=1), default=10, show_default=True, help="Passages an agent reads.")
@click.option("--select", is_flag=True, help="Let the agent order the best passages in one more call.")
@click.option(
    "--protocol",
    type=click.Choice(["one", "paper"]),
    default="one",
    show_default=True,
    help="Measure every k on one run, or in a run of its own from k passages, as the paper does.",
)
@click.option("--ks", default="2,5,10,15", callback=_numbers, show_default=True, help="Where recall is measured.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first questions.")
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path, dir_okay=False), help="Write everything to a file."
)
@with_options(CHAT)
@with_options(CONNECTION)
def evaluate(
    dataset_dir: Path,
    ks: tuple[int, ...],
    limit: int | None,
    json_file: Path | None,
    whole: bool,
    folder: Path | None,
    protocol: str,
    quality: bool,
    **given: Any,
) -> None:
    """Measure a retriever or an agent on a data set: a folder with corpus.jsonl, queries.jsonl, perhaps triples.jsonl.

    A folder with nodes.csv, relationships.csv and questions.jsonl is a knowledge graph: it is imported and adopted, and
    measured is whether the entities of the answers are among the triples.

    The data set is ingested first if the database does not hold it yet; without --uri, into a local server of its own.
    """
    require_writable(json_file)
    if folder is not None:
        require_folder(folder)
        require_extra()
    settings = settings_from(given)
    if is_knowledge_graph(dataset_dir):
        options = {"base": given["base"], "base_k": given["base_k"], "score": given["score"]}
        extra = [given["retriever"]]
        told = evaluate_graph(dataset_dir, settings, extra=extra, options=options, limit=limit)
        _write(told, json_file)
        Console().print(graph_table(told))
        return
    dataset = datasets.load(dataset_dir, home=settings.home)
    settings = own_server(settings, f"evaluate-{dataset.name}")
    system = systems.System(beam=beam_from(given), **given)
    queries = dataset.queries[:limit]
    oracle = system.llm == "oracle" if whole or folder else system.oracled
    if oracle:
        require_decompositions(queries)
    if quality and (system.agent is None or whole or folder):
        raise click.UsageError("--quality judges the answers of one agent: give --agent, and no --table")
    asked = quality or (not oracle and (system.needs_model or bool((whole or folder) and settings.chat_model)))
    chat = open_chat(settings, cache=settings.chat_cache) if asked else None
    with opened(settings, chat=chat) as gear:
        with progress_shown() as on_progress:
            runs.provide(
                gear,
                dataset,
                synonyms=bool(whole or folder or system.needs_synonyms),
                on_problem=lambda problem: errors.print(str(problem)),
                on_progress=on_progress,
            )
        if whole or folder:
            llm = LABEL if oracle else settings.chat_model
            report = _whole(gear, dataset, queries, ks, llm=llm, steps=system.max_steps, separately=protocol == "paper")
        else:
            report = _single(gear, dataset, queries, ks, system, separately=protocol == "paper", quality=quality)
    _write(report, json_file)
    if whole or folder:
        print_table(Console(), report)
    else:
        Console().print(_table(report, ks))
    if folder is not None:
        click.echo(f"written: {write_report(report, folder)}")


def _single(
    gear: Gear,
    dataset: datasets.Dataset,
    queries: Sequence[datasets.Query],
    ks: tuple[int, ...],
    system: systems.System,
    *,
    separately: bool,
    quality: bool,
) -> dict[str, Any]:
    runs_each = len(ks) if separately and not system.agent else 1
    with counting("questions", len(queries) * runs_each) as advance:
        answered = systems.measure(gear, system, queries, ks=ks, separately=separately, on_done=lambda: advance(1))
    head = {"dataset": dataset.name, "fingerprint": dataset.fingerprint, "questions": len(queries)}
    report = {**head, **system.described(), **runs.summary(answered, ks=ks)}
    if not quality:
        return report
    with counting("judging", len(queries)) as advance:
        judged = judge(answered, chat=gear.chat, embedder=gear.embedder, on_done=lambda: advance(1))
    return with_quality(report, judged)


def _whole(
    gear: Gear,
    dataset: datasets.Dataset,
    queries: Sequence[datasets.Query],
    ks: tuple[int, ...],
    *,
    llm: str | None,
    steps: int,
    separately: bool,
) -> dict[str, Any]:
    kind: Literal["oracle", "model"] | None = ("oracle" if llm == LABEL else "model") if llm else None
    found = rows(llm=kind, triples=gear.counts().triples > 0, max_steps=steps)
    return measure(gear, dataset, found, queries, ks=ks, llm=llm or "none", separately=separately)


def _write(report: dict[str, Any], file: Path | None) -> None:
    if file is not None:
        write_file(file, json.dumps(report, ensure_ascii=False, indent=1) + "\n")


def _table(report: dict[str, Any], ks: tuple[int, ...]) -> Table:
    kind = f", {report['llm_kind']}" if "llm_kind" in report else ""
    asked = counted(report["questions"], "question")
    title = f"{report['dataset']}: {asked}, {report['retriever']} over {report['base']}{kind}"
    table = Table(title=title, title_justify="left", box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("")
    for k in ks:
        table.add_column(f"@{k}", justify="right")
    table.add_row("recall %", *(f"{report['recall'][str(k)]:.1f}" for k in ks))
    table.add_row("all found %", *(f"{report['all_found'][str(k)]:.1f}" for k in ks))
    for step, recall in report.get("recall_by_step", {}).items():
        table.add_row(f"recall %, step {step}", *(f"{recall[str(k)]:.1f}" for k in ks), style="dim")
    table.caption = "\n".join(_captions(report))
    table.caption_justify = "left"
    return table


def _captions(report: dict[str, Any]) -> Iterator[str]:
    latency, llm = report["latency_ms"], report["llm"]
    parts = ", ".join(f"{part} {latency[part]['p50']:.1f}" for part in runs.PARTS)
    timed = f" (p50 of {parts})" if "steps" not in report else ""
    yield f"latency p50 {latency['p50']:.1f} ms, p95 {latency['p95']:.1f} ms{timed}"
    if "steps" in report:
        reasons = ", ".join(f"{reason} {count}" for reason, count in report["stop_reasons"].items())
        yield f"{report['steps']:.2f} steps a question; ended by {reasons}"
    for name, told in report.get("quality", {}).items():
        left_out = f", {told['skipped']} without" if told["skipped"] else ""
        yield f"{name.replace('_', ' ')} {told['mean']:.2f} ({told['low']:.2f} to {told['high']:.2f}{left_out})"
    if llm["calls"] or llm["cached"]:
        about = "about " if llm["estimated"] else ""
        tokens = (llm["input_tokens"] + llm["output_tokens"]) / report["questions"]
        yield f"{llm['calls'] / report['questions']:.2f} calls and {about}{tokens:,.0f} tokens a question"
