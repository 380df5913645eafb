"""``gear ingest``: write files into the graph."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from gear_neo4j.cli import extraction
from gear_neo4j.cli.confirm import YES, is_same_source
from gear_neo4j.cli.documents import (
    PATH,
    TRIPLES,
    Cluster,
    DocumentOptions,
    with_documents,
    with_membership,
    with_ray,
)
from gear_neo4j.cli.dry_run import DryRun
from gear_neo4j.cli.extraction import AUTO, NONE, ExtractionOptions, with_extraction
from gear_neo4j.cli.options import CHAT, CONNECTION, EMBEDDING, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.reporting import (
    left_out,
    progress_shown,
    report_links,
    report_other_names,
    report_problem,
    report_skipped,
)
from gear_neo4j.errors import PartialResult
from gear_neo4j.extraction.extractor import Model
from gear_neo4j.extraction.run import ExtractionReport
from gear_neo4j.gear import Gear
from gear_neo4j.graph.read.store import Counts
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.ingestion.reading import require_content
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.models.openai import open_chat
from gear_neo4j.recipes.registry import EXTRACTORS
from gear_neo4j.settings import Settings
from gear_neo4j.text.files import refuse_missing
from gear_neo4j.text.wording import contents, pluralize


@click.command()
@click.argument("sources", nargs=-1, type=PATH)
@TRIPLES
@click.option("--synonyms", is_flag=True, help="Link entities with similar names (cosine at least 0.8).")
@click.option("--replace", is_flag=True, help="Let a JSONL line replace the stored text of its id.")
@with_documents
@with_extraction(
    click.option(
        "--extract",
        "extractor",
        metavar="auto|rules|model|none",
        default=AUTO,
        show_default=True,
        help="The source of triples: rules, for passages without triples (auto) or for all (rules); the language model "
        "in addition (model); an extractor of your own (its name); or nothing (none).",
    )
)
@click.option(
    "--dry-run", is_flag=True, help="Report what would be ingested, and what an extraction would cost, without writing."
)
@with_membership
@YES
@with_ray
@json_option
@with_settings(CHAT, CONNECTION, EMBEDDING)
def ingest(
    sources: tuple[Path, ...],
    triples: tuple[Path, ...],
    synonyms: bool,
    replace: bool,
    documents: DocumentOptions,
    extracting: ExtractionOptions,
    dry_run: bool,
    membership: CollectionAccess,
    source_name: str | None,
    yes: bool,
    cluster: Cluster | None,
    json_file: Path | None,
    settings: Settings,
) -> None:
    """Write passages and their triples into the graph.

    SOURCES are documents (text, Markdown, HTML, PDF, CSV, OpenDocument, RTF, EPUB, e-mail; Word, PowerPoint and Excel
    files with the extra [office], scans and pictures with Tesseract), JSONL files with a passage {id, title, text} per
    line, or folders of them; from a folder with a corpus.jsonl, only that file and triples.jsonl are read. What the
    graph already holds is skipped; passages that a changed document no longer contains are removed. Invalid lines and
    files are reported and skipped; the exit code is then 4. After an interruption, run the same command again to
    resume.

    Passages without triples get theirs by rules, on your machine. With --extract model, a language model reads every
    passage that only the rules have read; SOURCES are then optional.

    With --ray, all of this runs on a cluster, or in several processes of this machine; the graph is the same.
    """
    naming = {"source_name": source_name, "confirm_source": (lambda _: True) if yes else is_same_source}
    job = _Ingest(
        sources, triples, documents, extracting, membership, naming, cluster, synonyms=synonyms, replace=replace
    )
    job.refuse_contradictions()
    if dry_run:
        dry = DryRun(
            settings, documents, membership, model=extracting.wants_model, retry_failed=extracting.retry_failed
        )
        end(dry.report(sources, triples, json_file=json_file))
    else:
        job.run(settings, json_file)


@dataclass(frozen=True, slots=True)
class _Ingest:
    """An ingest, as configured by the options."""

    sources: Sequence[Path]
    triples: Sequence[Path]
    documents: DocumentOptions
    extracting: ExtractionOptions
    membership: CollectionAccess
    naming: Mapping[str, Any]
    cluster: Cluster | None
    synonyms: bool
    replace: bool

    @property
    def chose_extractor(self) -> bool:
        """Whether the user named an extractor, which then also reads stored passages."""
        return self.extracting.extractor not in (AUTO, NONE)

    def refuse_contradictions(self) -> None:
        """Refuse an unknown extractor, a command with nothing to do, and options that do not work on a cluster."""
        if self.chose_extractor:
            EXTRACTORS.entry(self.extracting.extractor)
        elif not (self.sources or self.triples):
            raise click.UsageError("nothing to ingest: give SOURCES, or --triples for stored passages")
        if self.cluster and (self.replace or self.extracting.max_tokens):
            option = "--replace" if self.replace else "--max-tokens"
            raise click.UsageError(f"{option} is for one process: leave out --ray")

    def run(self, settings: Settings, json_file: Path | None) -> None:
        """Ingest, extract, and report."""
        # Fail before a server is started: a path may be mistyped, a folder empty, and a model may not be set.
        refuse_missing((*self.sources, *self.triples))
        files = files_to_ingest(self.sources, self.triples, follow_links=self.documents.follow_links)
        require_content(files.passages, files.triples)
        chat = open_chat(settings, cache=settings.chat_cache) if self.extracting.wants_model else None
        price = settings.chat_price
        with opened(settings, chat=chat, create=True) as gear, self._front(gear, settings) as front:
            report = self._ingested(front) if self.sources or self.triples else None
            extracted = self._extracted(front, price) if self.chose_extractor else None
            counts = gear.corpus.counts()
        document = {"ingest": asdict(report) if report else None, "database": asdict(counts)}
        if not emit(json_file, document | ({"extraction": asdict(extracted)} if extracted else {})):
            _print(report, extracted, counts, price=price, triples=bool(self.triples))
        end(report or IngestReport(), extracted)

    def _ingested(self, front: "_Front") -> IngestReport:
        with progress_shown() as on_progress:
            return front.ingest(
                self.sources,
                triples=self.triples,
                extract=self.extracting.extractor in (AUTO, Model.name),
                on_problem=report_problem,
                on_progress=on_progress,
                synonyms=self.synonyms,
                chunk_size=self.documents.chunk_size,
                follow_links=self.documents.follow_links,
                limits=self.documents.limits,
                collection=self.membership.collection,
                readers=self.membership.readers,
                widen=self.membership.widen,
                **self.naming,
            )

    def _extracted(self, front: "_Front", price: extraction.Price) -> ExtractionReport:
        options = self.extracting
        return extraction.extract(
            front.extract, extractor=options.extractor, retry_failed=options.retry_failed, price=price
        )

    @contextmanager
    def _front(self, gear: Gear, settings: Settings) -> Iterator["_Front"]:
        if self.cluster is None:
            # A cluster supports neither of these options.
            ingest = partial(gear.ingest, replace=self.replace)
            yield _Front(ingest, partial(gear.corpus.extract, max_tokens=self.extracting.max_tokens))
            return
        from gear_neo4j.integrations.ray import extract as extract_on_ray
        from gear_neo4j.integrations.ray import ingest as ingest_on_ray

        with self.cluster.crew() as crew:
            options: dict[str, Any] = {"settings": settings, "crew": crew}
            yield _Front(partial(ingest_on_ray, **options), partial(extract_on_ray, **options))


@dataclass(frozen=True, slots=True)
class _Front:
    """The functions that ingest and extract, in this process or on a cluster."""

    ingest: Callable[..., IngestReport]
    extract: Callable[..., ExtractionReport]


def _print(
    report: IngestReport | None,
    extracted: ExtractionReport | None,
    counts: Counts,
    *,
    price: extraction.Price,
    triples: bool,
) -> None:
    if report:
        say(_summary(report, triples=triples or report.triples_read > 0))
        if report.passages_extracted:
            extraction.print_rules(report, price=price)
    if extracted:
        extraction.print_extracted(extracted, price=price)
    totals = contents(counts.passages, counts.triples, counts.entities)
    say(f"the graph holds {totals}, {pluralize(counts.synonyms, 'synonym edge')}")


def _summary(report: IngestReport, *, triples: bool) -> str:
    """What was read and written; ``triples`` says whether files held any."""
    written, read = pluralize(report.passages_written, "passage"), f"{report.passages_read:,}"
    if triples:
        written += f" and {pluralize(report.triples_written, 'triple')}"
        read += f" and {report.triples_read:,}"
    return f"{written} written ({read} read){_changes(report)}"


def _changes(report: IngestReport) -> str:
    """The counts of what was replaced and removed, if any."""
    counts = {
        ("passage", "replaced"): report.passages_replaced,
        ("passage", "removed"): report.passages_removed,
        ("triple", "removed"): report.triples_removed,
    }
    return "".join(f", {pluralize(count, noun)} {verb}" for (noun, verb), count in counts.items() if count)


def end(report: IngestReport, extracted: ExtractionReport | None = None) -> None:
    """Say in one line what was left out, if anything."""
    report_skipped(report.skipped)
    report_links(report.links)
    report_other_names(report.other_names)
    parts = list(extraction.left_over(extracted)) if extracted else []
    parts[:0] = left_out(pluralize(report.problems, "line or file", "lines or files"), report, command="ingest")
    if parts:
        raise PartialResult("; ".join(parts))
