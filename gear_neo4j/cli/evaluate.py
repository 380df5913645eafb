"""``gear evaluate``: recall and latency of a retriever or an agent on a data set."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.table import Table

from gear_neo4j.agents.gear import GearAgent
from gear_neo4j.cli.choice import Choice, with_choice
from gear_neo4j.cli.evaluate_graph import evaluate_graph, graph_table
from gear_neo4j.cli.evaluate_passages import Evaluation, RunOptions
from gear_neo4j.cli.options import CHAT, CONNECTION, EMBEDDING, Decorator, grouped, own_server, with_settings
from gear_neo4j.cli.output import STDOUT, emit, json_option, report_console, require_folder
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.scope import with_scope
from gear_neo4j.cli.table import print_table
from gear_neo4j.evaluate import datasets, runs, systems
from gear_neo4j.evaluate.knowledge import is_knowledge_graph
from gear_neo4j.evaluate.report import require_extra, write_report
from gear_neo4j.recipes.assignment import assign
from gear_neo4j.scope import DEFAULT_COLLECTION, Scope
from gear_neo4j.settings import Settings
from gear_neo4j.text.printable import single_line
from gear_neo4j.text.wording import pluralize

# Parts of a question that take less are not shown.
SHOWN_SECONDS = 0.1
_OF_PASSAGES = (
    *("triples", "agent", "quality", "every_system", "folder", "llm", "protocol", "ks", "fresh"),
    *("principals", "where", "strict"),
)


def _numbers(_context: click.Context, _parameter: click.Parameter, text: str) -> tuple[int, ...]:
    try:
        numbers = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is not a list of numbers like 2,5,10,15") from error
    if numbers[0] < 1:
        raise click.BadParameter("every k must be at least 1")
    return numbers


RUN: Sequence[Decorator] = (
    click.option(
        "--llm",
        type=click.Choice(["model", "oracle"]),
        default="model",
        show_default=True,
        help="The language model: the configured one, or an oracle that knows the gold decompositions.",
    ),
    click.option(
        "--protocol",
        type=click.Choice(["one", "paper"]),
        default="one",
        show_default=True,
        help="Measure every k on one run, or each k in a separate run from k passages, as in the paper.",
    ),
    click.option("--ks", default="2,5,10,15", callback=_numbers, show_default=True, help="The values of k for recall."),
    click.option("--limit", type=click.IntRange(min=1), help="Number of questions to use."),
    click.option("--fresh", is_flag=True, help="Ask every question anew, instead of resuming an interrupted run."),
)


@click.command()
@click.argument("dataset_dir", type=click.Path(path_type=Path))
@click.option(
    "--extract",
    "triples",
    type=click.Choice(["given", "rules", "both"]),
    help="The source of triples: the data set (given), the rules, or both; default: given, if it has any.",
)
@with_choice("base_k", "score")
@click.option("--quality", is_flag=True, help="Let the language model judge the agent's answers by five metrics.")
@click.option("--table", "every_system", is_flag=True, help="Measure every available system, one row each.")
@click.option(
    "--report", "folder", type=click.Path(path_type=Path, file_okay=False), help="Write an HTML report with plots."
)
@grouped("run", RunOptions, RUN)
@json_option
@with_scope
@with_settings(CHAT, CONNECTION, EMBEDDING)
def evaluate(
    dataset_dir: Path,
    triples: datasets.Triples | None,
    choice: Choice,
    quality: bool,
    every_system: bool,
    folder: Path | None,
    run: RunOptions,
    json_file: Path | None,
    scope: Scope,
    settings: Settings,
) -> None:
    """Measure a retriever or an agent on a data set: corpus.jsonl, queries.jsonl and, optionally, triples.jsonl.

    A folder with nodes.csv, relationships.csv and questions.jsonl is a knowledge graph: it is imported and adopted. The
    measure is then the recall of the answers' entities in the retrieved triples.

    The data set is ingested first unless the database holds it; without --uri, into a separate local server. With
    --collection it is put beside what the database holds, and searched alone. After an interruption, run the same
    command again to resume.
    """
    if folder is not None:
        require_folder(folder)
        require_extra()
    collection = _collection(scope)
    if is_knowledge_graph(dataset_dir):
        _refuse_options_of_passages()
        _evaluate_graph(dataset_dir, choice, run, collection=collection, json_file=json_file, settings=settings)
        return
    dataset = datasets.load(dataset_dir, home=settings.home, triples=triples).within(collection)
    suffix = "" if triples in (None, "given") else f"-{triples}"
    evaluation = Evaluation(dataset, run, own_server(settings, f"evaluate-{dataset.name}{suffix}"))
    if every_system or folder:
        report, journals = evaluation.measure_table(steps=_steps(choice, quality=quality, scope=scope))
        _show_table(report, json_file, folder)
    else:
        system = systems.System(recipe=choice.make(), llm=run.llm)
        report, journals = evaluation.measure_system(system, scope=scope, quality=quality)
        report_console(json_file).print(_table(report, run.ks))
        emit(json_file, report)
    # Only once the files are written: until then, the same command reuses these results.
    journals.discard()


def _steps(choice: Choice, *, quality: bool, scope: Scope) -> int:
    """The agents' ``max_steps``, the only option that a table takes."""
    if not scope.is_everything:
        raise click.UsageError("--table and --report measure every system, and some are refused under a scope")
    if quality or choice.retriever or choice.agent or {name for name, _ in choice.options} - {"max_steps"}:
        raise click.UsageError(
            "--table and --report measure every system with its defaults: all they take is --set max_steps=N"
        )
    return assign(GearAgent(), choice.options).max_steps


def _collection(scope: Scope) -> str:
    """The collection that the data set is in."""
    names = sorted(scope.collections or (DEFAULT_COLLECTION,))
    if len(names) > 1:
        raise click.UsageError(f"a data set is in one collection: give one of {', '.join(names)}")
    return names[0]


def _refuse_options_of_passages() -> None:
    """Refuse options that would have no effect on a knowledge graph."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in _OF_PASSAGES and context.get_parameter_source(parameter.name) != ParameterSource.DEFAULT:
            option = parameter.opts[0]
            raise click.UsageError(f"{option} is for a data set with passages: leave it out for a knowledge graph")


def _evaluate_graph(
    folder: Path, choice: Choice, run: RunOptions, *, collection: str, json_file: Path | None, settings: Settings
) -> None:
    chosen = [] if choice.is_empty else [choice.make_retriever()]
    report = evaluate_graph(folder, settings, chosen=chosen, limit=run.limit, collection=collection)
    report_console(json_file).print(graph_table(report))
    emit(json_file, report)


def _show_table(report: dict[str, Any], json_file: Path | None, folder: Path | None) -> None:
    print_table(report_console(json_file), report)
    emit(json_file, report)
    if folder is not None:
        say(f"written: {write_report(report, folder)}", err=json_file == STDOUT)


def _table(report: dict[str, Any], ks: tuple[int, ...]) -> Table:
    kind = f", {report['llm_kind']}" if "llm_kind" in report else ""
    question_count = pluralize(report["questions"], "question")
    title = f"{report['dataset']}: {question_count}, {report['title']}{kind}"
    table = Table(title=single_line(title), title_justify="left", box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("")
    for k in ks:
        table.add_column(f"@{k}", justify="right")
    table.add_row("recall %", *(f"{report['recall'][str(k)]:.1f}" for k in ks))
    table.add_row("all gold %", *(f"{report['all_found'][str(k)]:.1f}" for k in ks))
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
        yield f"{report['steps']:.2f} steps per question; stop reasons: {reasons}"
        slow = {part: seconds for part, seconds in report["seconds"].items() if seconds >= SHOWN_SECONDS}
        if slow:
            yield f"seconds per question: {', '.join(f'{part} {seconds:.1f}' for part, seconds in slow.items())}"
    if "em" in report:
        yield f"exact match {report['em']:.1f} %, F1 {report['f1']:.1f} %"
    for name, metric in report.get("quality", {}).items():
        skipped = f", {metric['skipped']} undefined" if metric["skipped"] else ""
        yield f"{name.replace('_', ' ')} {metric['mean']:.2f} ({metric['low']:.2f} to {metric['high']:.2f}{skipped})"
    if llm["calls"] or llm["cached"]:
        about = "about " if llm["estimated"] else ""
        tokens = (llm["input_tokens"] + llm["output_tokens"]) / report["questions"]
        yield f"{llm['calls'] / report['questions']:.2f} calls and {about}{tokens:,.0f} tokens per question"
