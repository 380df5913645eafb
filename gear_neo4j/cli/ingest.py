"""``gear ingest``: files into the graph."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

from gear_neo4j.cli.options import CONNECTION, errors, opened, settings_from, with_options
from gear_neo4j.ingestion.chunking import CHUNK_SIZE, SMALLEST_CHUNK
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.pipeline import IngestReport, read_only
from gear_neo4j.ingestion.progress import Progress as Progressed
from gear_neo4j.ingestion.sources import files_to_ingest

PATH = click.Path(path_type=Path)


@click.command()
@click.argument("sources", nargs=-1, type=PATH)
@click.option("--triples", multiple=True, type=PATH, help="A JSONL file of triples: {id: passage, triples: [[s,p,o]]}.")
@click.option("--synonyms", is_flag=True, help="Link entities whose names mean nearly the same (cosine >= 0.8).")
@click.option("--replace", is_flag=True, help="Let a line of JSONL replace another text under its id.")
@click.option(
    "--chunk-size",
    type=click.IntRange(min=SMALLEST_CHUNK),
    default=CHUNK_SIZE,
    show_default=True,
    help="Length of a document's passages, in characters.",
)
@click.option("--dry-run", is_flag=True, help="Read the files, say what is in them, and write nothing.")
@click.option("--resume", is_flag=True, expose_value=False, help="Go on after an interruption, as is always done.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@with_options(CONNECTION)
def ingest(sources: tuple[Path, ...], triples: tuple[Path, ...], dry_run: bool, as_json: bool, **given: Any) -> None:
    """Write passages and their triples into the graph.

    SOURCES are documents (text, Markdown, HTML, PDF, CSV), JSONL files of passages, {id, title, text} a line, or
    folders of them; of a folder with a corpus.jsonl only that and its triples.jsonl are read. What is in the graph
    already is skipped; of a document that changed, the passages that it no longer holds are removed. Lines and files
    that cannot be used are told, the rest is ingested, and the exit code is 2.
    """
    if not sources and not triples:
        raise click.UsageError("nothing to ingest: give SOURCES, or --triples for passages that are there already")
    if dry_run:
        report = read_only(files_to_ingest(sources, triples), chunk_size=given["chunk_size"], on_problem=_tell)
        click.echo(f"{report.passages_read:,} passages and {report.triples_read:,} triples could be ingested")
        _end(report)
        return
    with opened(settings_from(given)) as gear, progress_shown() as on_progress:
        report = gear.ingest(sources, triples=triples, on_problem=_tell, on_progress=on_progress, **given)
        counts = gear.counts()
    if as_json:
        click.echo(json.dumps({"ingest": asdict(report), "database": asdict(counts)}))
    else:
        click.echo(
            f"{report.passages_written:,} passages and {report.triples_written:,} triples written "
            f"({report.passages_read:,} and {report.triples_read:,} read){_changes(report)}; the graph holds "
            f"{counts.passages:,} passages, {counts.triples:,} triples, {counts.entities:,} entities, "
            f"{counts.synonyms:,} synonym edges"
        )
    _end(report)


def _changes(report: IngestReport) -> str:
    """What was replaced and removed, if anything was."""
    counts = {
        "passages replaced": report.passages_replaced,
        "passages removed": report.passages_removed,
        "triples removed": report.triples_removed,
    }
    return "".join(f", {count:,} {what}" for what, count in counts.items() if count)


def _end(report: IngestReport) -> None:
    if report.skipped:
        click.echo(f"{sum(report.skipped.values()):,} files skipped: {', '.join(report.skipped)}", err=True)
    if report.problems:
        click.echo(
            f"gear: {report.problems:,} lines or files could not be used, see above; mend and ingest them again",
            err=True,
        )
        sys.exit(2)


@contextmanager
def progress_shown(done: str = "written") -> Iterator[Callable[[Progressed], None]]:
    """A progress bar a stage on standard error, which says how many items are done."""
    columns = (
        TextColumn("{task.description:>10}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[written]:,} " + done),
        TimeRemainingColumn(),
    )
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=errors) as bars:

        def show(progress: Progressed) -> None:
            if progress.stage not in tasks:
                tasks[progress.stage] = bars.add_task(progress.stage, written=0)
            bars.update(tasks[progress.stage], completed=progress.done, total=progress.total, written=progress.written)

        yield show


def _tell(problem: Problem) -> None:
    errors.print(str(problem), style="yellow", markup=False, highlight=False, soft_wrap=True)
