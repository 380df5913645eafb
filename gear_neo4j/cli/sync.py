"""``gear sync``: update a collection from its sources."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

import click

from gear_neo4j.cli import extraction
from gear_neo4j.cli.confirm import YES, can_ask, confirm, is_same_source
from gear_neo4j.cli.documents import DocumentOptions, with_documents, with_membership
from gear_neo4j.cli.extraction import NONE, ExtractionOptions, with_extraction
from gear_neo4j.cli.loaders import with_loader
from gear_neo4j.cli.options import CHAT, CONNECTION, EMBEDDING, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.printing import output_kept_clear, say
from gear_neo4j.cli.reporting import (
    left_out,
    progress_shown,
    report_fields,
    report_other_names,
    report_problem,
    report_skipped,
)
from gear_neo4j.cli.tables import Source, with_table
from gear_neo4j.cli.watching import rounds
from gear_neo4j.errors import GearError, PartialResult
from gear_neo4j.extraction.forecast import forecast
from gear_neo4j.extraction.run import ExtractionReport
from gear_neo4j.gear import Gear
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.models.openai import open_chat
from gear_neo4j.settings import Settings
from gear_neo4j.sync.loaders import Loaded
from gear_neo4j.sync.report import MOST_DELETED, SyncReport
from gear_neo4j.sync.tables import Table
from gear_neo4j.text.address import is_address
from gear_neo4j.text.files import refuse_missing
from gear_neo4j.text.wording import pluralize


@click.command()
@click.argument("sources", nargs=-1)
@with_membership
@with_documents
@with_loader
@with_table
@with_extraction(
    click.option(
        "--extract",
        "extractor",
        type=click.Choice(["auto", "model", "none"]),
        default="auto",
        show_default=True,
        help="The source of triples for new passages: rules (auto), the language model in addition, or nothing.",
    )
)
@click.option("--dry-run", is_flag=True, help="Report what would be done and what it would cost, without writing.")
@YES
@click.option("--watch", is_flag=True, help="Keep running, and sync again after each change, until Ctrl-C.")
@click.option(
    "--every",
    type=click.FloatRange(min=1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="With --watch: time between two syncs; a change in a local folder starts one at once.",
)
@json_option
@with_settings(CHAT, CONNECTION, EMBEDDING)
def sync(
    sources: Sequence[str | Loaded],
    tables: Sequence[Source],
    membership: CollectionAccess,
    source_name: str | None,
    documents: DocumentOptions,
    extracting: ExtractionOptions,
    dry_run: bool,
    yes: bool,
    watch: bool,
    every: float,
    json_file: Path | None,
    settings: Settings,
) -> None:
    """Update a collection from SOURCES: documents that are new, changed, moved or gone.

    SOURCES are folders and documents, or addresses such as s3://bucket/folder. With --key they are tables, of which
    each row is a document: Parquet, Arrow or CSV files, or databases. With --loader, the documents are those of a
    loader of LangChain, such as the pages of a wiki; its code runs here. What has not changed since the last sync is
    not read again. If more than a fifth of the documents are gone, the command asks on a terminal, and needs --yes
    elsewhere. After an interruption, run the same command again to resume.
    """
    if watch and (dry_run or json_file):
        raise click.UsageError("--watch runs until interrupted: it cannot be combined with --dry-run or --json")
    # Fail before a server is started: a path may be mistyped, and a model may not be set.
    _refuse_unreadable(tables)
    job = _Sync(
        tables, membership, source_name, documents, extracting, dry_run=dry_run, yes=yes, price=settings.chat_price
    )
    chat = open_chat(settings, cache=settings.chat_cache) if job.calls_model else None
    with opened(settings, chat=chat, create=not dry_run) as gear:
        if watch:
            _watch(
                lambda: job.run(gear)[0], rounds([source for source in sources if isinstance(source, str)], every=every)
            )
        report, extracted = job.run(gear)
    document = {"sync": asdict(report)} | ({"extraction": asdict(extracted)} if extracted else {})
    if not emit(json_file, document):
        job.show(report, extracted)
    _end(report, extracted)


def _refuse_unreadable(sources: Sequence[Source]) -> None:
    """Refuse what is missing, and files that no sync can read; an empty folder is one whose documents are gone."""
    paths = {
        source: source.source if isinstance(source, Table) else source
        for source in sources
        if not isinstance(source, Loaded)
    }
    local = {source: Path(path) for source, path in paths.items() if not is_address(path)}
    refuse_missing(local.values())
    files_to_ingest([source for source in local if isinstance(source, str)], may_be_empty=True)


@dataclass(frozen=True, slots=True)
class _Sync:
    """A sync, as configured by the options, which can run repeatedly."""

    sources: Sequence[Source]
    membership: CollectionAccess
    source_name: str | None
    documents: DocumentOptions
    extracting: ExtractionOptions
    dry_run: bool
    yes: bool
    price: extraction.Price

    @property
    def calls_model(self) -> bool:
        """Whether a language model reads new passages."""
        return self.extracting.wants_model and not self.dry_run

    def run(self, gear: Gear) -> tuple[SyncReport, ExtractionReport | None]:
        """Sync once, then have the model read new passages, if wanted."""
        # Loaders may print, and scripts read standard output.
        with output_kept_clear(), progress_shown() as on_progress:
            report = gear.corpus.sync(
                self.sources,
                extract=self.extracting.extractor != NONE,
                chunk_size=self.documents.chunk_size,
                follow_links=self.documents.follow_links,
                limits=self.documents.limits,
                collection=self.membership.collection,
                readers=self.membership.readers,
                widen=self.membership.widen,
                source_name=self.source_name,
                confirm_source=(lambda _: True) if self.yes else is_same_source,
                most_deleted=1.0 if self.yes or can_ask() else MOST_DELETED,
                dry_run=self.dry_run,
                on_plan=(lambda _: None) if self.yes else _ask,
                on_problem=report_problem,
                on_progress=on_progress,
            )
        return report, self._extract(gear) if self.calls_model else None

    def show(self, report: SyncReport, extracted: ExtractionReport | None) -> None:
        """Print what was done, or for a dry run what would be."""
        say(_summary(report, dry_run=self.dry_run))
        if extracted:
            extraction.print_extracted(extracted, price=self.price)
        if self.dry_run and self.extracting.wants_model:
            extraction.print_forecast(forecast(report.passages_written, report.characters_written), price=self.price)

    def _extract(self, gear: Gear) -> ExtractionReport:
        return extraction.extract(
            gear.corpus.extract,
            extractor=self.extracting.extractor,
            max_tokens=self.extracting.max_tokens,
            retry_failed=self.extracting.retry_failed,
            price=self.price,
            collection=self.membership.collection,
        )


def _watch(once: Callable[[], SyncReport], numbers: Iterator[int]) -> NoReturn:
    """Sync repeatedly; only the first failure ends the watch, because a later one may be temporary."""
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
    raise AssertionError("rounds never ends")


def _ask(report: SyncReport) -> None:
    """Ask before many documents are removed, if a user can answer."""
    if report.share_deleted > MOST_DELETED and can_ask():
        confirm(
            f"{report.deleted:,} of {pluralize(report.known, 'document')} are gone from the sources: their passages"
        )


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
    parts = [f"documents: {documents}", f"{pluralize(report.passages_written, 'passage')} {would}written"]
    if report.passages_moved:
        parts.append(f"{report.passages_moved:,} moved")
    if report.passages_removed:
        parts.append(f"{report.passages_removed:,} removed")
    if report.passages_extracted:
        triples, read = pluralize(report.triples_extracted, "triple"), pluralize(report.passages_extracted, "passage")
        parts.append(f"{triples} from {read} by rules")
    return "; ".join(parts)


def _end(report: SyncReport, extracted: ExtractionReport | None) -> None:
    """Say in one line what was left out, if anything."""
    report_skipped(report.skipped)
    report_other_names(report.other_names)
    report_fields(report.fields_left_out)
    parts = list(extraction.left_over(extracted)) if extracted else []
    parts[:0] = left_out(pluralize(report.problems, "document"), report, command="sync")
    parts[:0] = [f"{name} was not read to its end, see above; sync again" for name in report.failures]
    if parts:
        raise PartialResult("; ".join(parts))
