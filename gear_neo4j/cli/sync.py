"""``gear sync``: bring a collection to what its sources hold now."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

import click

from gear_neo4j.cli import extraction
from gear_neo4j.cli.confirm import YES, can_ask, confirm
from gear_neo4j.cli.documents import DocumentOptions, with_documents
from gear_neo4j.cli.options import CHAT, CONNECTION, EMBEDDING, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.reporting import progress_shown, report_problem, report_skipped
from gear_neo4j.cli.tables import TableOptions, with_table
from gear_neo4j.cli.watching import rounds
from gear_neo4j.errors import GearError, PartialResult
from gear_neo4j.extraction.extractor import Model
from gear_neo4j.extraction.forecast import forecast
from gear_neo4j.extraction.run import ExtractionReport
from gear_neo4j.gear import Gear
from gear_neo4j.models.openai import open_chat
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.settings import Settings
from gear_neo4j.sync.report import MOST_DELETED, SyncReport
from gear_neo4j.wording import counted


@click.command()
@click.argument("sources", nargs=-1, required=True)
@click.option(
    "--collection", default=DEFAULT_COLLECTION, show_default=True, help="The collection that SOURCES belong to."
)
@click.option(
    "--readers",
    multiple=True,
    metavar="PRINCIPAL",
    help="User or group allowed to read the passages, such as group:legal; repeatable.  [default: everybody]",
)
@with_documents
@with_table
@click.option(
    "--extract",
    "extractor",
    type=click.Choice(["auto", "model", "none"]),
    default="auto",
    show_default=True,
    help="The source of triples for new passages: rules (auto), the language model in addition, or nothing.",
)
@click.option("--max-tokens", type=click.IntRange(min=1), help="With --extract model: token budget for each sync.")
@click.option("--dry-run", is_flag=True, help="Report what would be done and what it would cost, without writing.")
@YES
@click.option("--watch", is_flag=True, help="Go on, and sync again after each change, until Ctrl-C.")
@click.option(
    "--every",
    type=click.FloatRange(min=1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="With --watch: how often to look again; a folder of this machine also tells of changes by itself.",
)
@json_option
@with_settings(CHAT, CONNECTION, EMBEDDING)
def sync(
    sources: tuple[str, ...],
    collection: str,
    readers: tuple[str, ...],
    documents: DocumentOptions,
    columns: TableOptions,
    extractor: str,
    max_tokens: int | None,
    dry_run: bool,
    yes: bool,
    watch: bool,
    every: float,
    json_file: Path | None,
    settings: Settings,
) -> None:
    """Bring a collection to what SOURCES hold now: documents that are new, changed, moved or gone.

    SOURCES are folders and documents, or addresses such as s3://bucket/folder. With --key they are tables, of which
    each row is a document: Parquet, Arrow or CSV files, or databases. What has not changed since the last sync is not
    read again. If more than a fifth of the documents are gone, the command asks on a terminal, and needs
    --yes elsewhere. After an interruption, run the same command again to resume.
    """
    if max_tokens and extractor != Model.name:
        raise click.UsageError("--max-tokens is for a language model: add --extract model")
    if watch and (dry_run or json_file):
        raise click.UsageError("--watch goes on without end: leave out --dry-run and --json")
    chosen = columns.sources(sources)
    # Fail before a server is started if no model is set.
    wants_model = extractor == Model.name
    chat = open_chat(settings, cache=settings.chat_cache) if wants_model and not dry_run else None

    def once(gear: Gear) -> tuple[SyncReport, ExtractionReport | None]:
        with progress_shown() as on_progress:
            report = gear.corpus.sync(
                chosen,
                extract=extractor != "none",
                chunk_size=documents.chunk_size,
                follow_links=documents.follow_links,
                limits=documents.limits,
                collection=collection,
                readers=readers or None,
                most_deleted=1.0 if yes or can_ask() else MOST_DELETED,
                dry_run=dry_run,
                on_plan=(lambda _: None) if yes else _ask,
                on_problem=report_problem,
                on_progress=on_progress,
            )
        if chat is None:
            return report, None
        return report, extraction.extract(
            gear.corpus.extract,
            extractor=Model.name,
            max_tokens=max_tokens,
            retry_failed=False,
            price=settings.chat_price,
            collection=collection,
        )

    with opened(settings, chat=chat, create=not dry_run) as gear:
        if watch:
            _watch(lambda: once(gear)[0], rounds(sources, every=every))
        report, extracted = once(gear)
    document = {"sync": asdict(report)} | ({"extraction": asdict(extracted)} if extracted else {})
    if not emit(json_file, document):
        say(_summary(report, dry_run=dry_run))
        if extracted:
            extraction.print_extracted(extracted, price=settings.chat_price)
        if dry_run and wants_model:
            cost = forecast(report.passages_written, report.characters_written)
            extraction.print_forecast(cost, price=settings.chat_price)
    _end(report, extracted)


def _watch(once: Callable[[], SyncReport], numbers: Iterator[int]) -> NoReturn:
    """Sync again and again; what fails after the first time may be mended by the next."""
    for number in numbers:
        try:
            report = once()
        except GearError as error:
            if number == 1:
                raise
            say(f"gear: {error}", err=True)
        else:
            if number == 1 or not report.is_empty:
                say(_summary(report, dry_run=False))
    raise AssertionError("rounds have no end")


def _ask(report: SyncReport) -> None:
    """Ask where much would go, if somebody can answer."""
    if report.share_deleted > MOST_DELETED and can_ask():
        confirm(f"{report.deleted:,} of {counted(report.known, 'document')} are gone from the sources: their passages")


def _summary(report: SyncReport, *, dry_run: bool) -> str:
    counts = {
        "new": report.new,
        "changed": report.changed,
        "moved": report.moved,
        "deleted": report.deleted,
        "unchanged": report.unchanged,
    }
    documents = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count) or "none"
    would = "would be " if dry_run else ""
    parts = [f"documents: {documents}", f"{counted(report.passages_written, 'passage')} {would}written"]
    if report.passages_moved:
        parts.append(f"{report.passages_moved:,} moved")
    if report.passages_removed:
        parts.append(f"{report.passages_removed:,} removed")
    if report.passages_extracted:
        triples, read = counted(report.triples_extracted, "triple"), counted(report.passages_extracted, "passage")
        parts.append(f"{triples} from {read} by rules")
    return "; ".join(parts)


def _end(report: SyncReport, extracted: ExtractionReport | None) -> None:
    """Say in one line what was left out, if anything."""
    report_skipped(report.skipped)
    parts = list(extraction.left_over(extracted)) if extracted else []
    if report.problems:
        parts.insert(0, f"{counted(report.problems, 'document')} could not be used, see above; fix and sync again")
    if parts:
        raise PartialResult("; ".join(parts))
