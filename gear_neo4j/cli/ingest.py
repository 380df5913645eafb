"""``gear ingest``: write files into the graph."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from gear_neo4j.cli import extraction
from gear_neo4j.cli.documents import (
    PATH,
    RAY,
    TRIPLES,
    WORKERS,
    DocumentOptions,
    crew_on_ray,
    refuse_workers_alone,
    with_documents,
)
from gear_neo4j.cli.dry_run import DryRun
from gear_neo4j.cli.options import CHAT, CONNECTION, EMBEDDING, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.reporting import progress_shown, report_links, report_problem, report_skipped
from gear_neo4j.errors import PartialResult
from gear_neo4j.extraction.extractor import Model, Rules
from gear_neo4j.extraction.run import ExtractionReport
from gear_neo4j.gear import Gear
from gear_neo4j.graph.read.store import Counts
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.models.openai import open_chat
from gear_neo4j.recipes.registry import EXTRACTORS
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.settings import Settings
from gear_neo4j.text.files import refuse_missing
from gear_neo4j.text.wording import contents, pluralize

AUTO = "auto"
NONE = "none"


@click.command()
@click.argument("sources", nargs=-1, type=PATH)
@TRIPLES
@click.option("--synonyms", is_flag=True, help="Link entities with similar names (cosine at least 0.8).")
@click.option("--replace", is_flag=True, help="Let a JSONL line replace the stored text of its id.")
@with_documents
@click.option(
    "--extract",
    "extractor",
    metavar="auto|rules|model|none",
    default=AUTO,
    show_default=True,
    help="The source of triples: rules, for passages without triples (auto) or for all (rules); the language model in "
    "addition (model); an extractor of your own (its name); or nothing (none).",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    help="With --extract model: token budget; no passage is started beyond it.",
)
@click.option("--retry-failed", is_flag=True, help="With --extract model: also retry passages that failed before.")
@click.option(
    "--dry-run", is_flag=True, help="Report what would be ingested, and what an extraction would cost, without writing."
)
@click.option(
    "--collection",
    default=DEFAULT_COLLECTION,
    show_default=True,
    help="The collection of the passages; a search can be limited to it.",
)
@click.option(
    "--readers",
    "readers",
    multiple=True,
    metavar="PRINCIPAL",
    help="User or group allowed to read the passages, such as group:legal; repeatable.  [default: everybody]",
)
@RAY
@WORKERS
@click.option("--resume", is_flag=True, expose_value=False, hidden=True)
@json_option
@with_settings(CHAT, CONNECTION, EMBEDDING)
def ingest(
    sources: tuple[Path, ...],
    triples: tuple[Path, ...],
    extractor: str,
    max_tokens: int | None,
    retry_failed: bool,
    dry_run: bool,
    json_file: Path | None,
    synonyms: bool,
    replace: bool,
    documents: DocumentOptions,
    collection: str,
    readers: tuple[str, ...],
    ray: str | None,
    workers: int | None,
    settings: Settings,
) -> None:
    """Write passages and their triples into the graph.

    SOURCES are documents (text, Markdown, HTML, PDF, CSV; Word, PowerPoint and Excel files with the extra [office]),
    JSONL files with a passage {id, title, text} per line, or folders of them; from a folder with a corpus.jsonl, only
    that file and triples.jsonl are read. What the graph already holds is skipped; passages that a changed document no
    longer contains are removed. Invalid lines and files are reported and skipped; the exit code is then 4. After an
    interruption, run the same command again to resume.

    Passages without triples get theirs by rules, on your machine. With --extract model, a language model reads every
    passage that only the rules have read; SOURCES are then optional.

    With --ray, all of this runs on a cluster, or in several processes of this machine; the graph is the same.
    """
    chosen = _chosen(extractor, model_options=bool(max_tokens or retry_failed))
    if not (sources or triples or chosen):
        raise click.UsageError("nothing to ingest: give SOURCES, or --triples for stored passages")
    _refuse_beside(ray, replace=replace, max_tokens=max_tokens)
    refuse_workers_alone(ray=ray, workers=workers)
    # A wrong name is refused in a dry run, too.
    membership = CollectionAccess.of(collection, readers or None)
    if dry_run:
        dry = DryRun(settings, documents, membership, model=extractor == Model.name, retry_failed=retry_failed)
        end(dry.report(sources, triples, json_file=json_file))
        return
    # Fail before a server is started: a path may be mistyped, and a model may not be set.
    refuse_missing((*sources, *triples))
    chat = open_chat(settings, cache=settings.chat_cache) if extractor == Model.name else None
    report, extracted = None, None
    price = settings.chat_price
    with (
        opened(settings, chat=chat, create=True) as gear,
        _front(gear, ray, workers, settings, replace=replace, max_tokens=max_tokens) as front,
    ):
        if sources or triples:
            with progress_shown() as on_progress:
                report = front.ingest(
                    sources,
                    triples=triples,
                    extract=extractor in (AUTO, Model.name),
                    on_problem=report_problem,
                    on_progress=on_progress,
                    synonyms=synonyms,
                    chunk_size=documents.chunk_size,
                    follow_links=documents.follow_links,
                    limits=documents.limits,
                    collection=membership.collection,
                    readers=membership.readers,
                )
        if chosen:
            extracted = extraction.extract(front.extract, extractor=extractor, retry_failed=retry_failed, price=price)
        counts = gear.corpus.counts()
    document = {"ingest": asdict(report) if report else None, "database": asdict(counts)}
    if not emit(json_file, document | ({"extraction": asdict(extracted)} if extracted else {})):
        _print(report, extracted, counts, price=price)
    end(report or IngestReport(), extracted)


@dataclass(frozen=True, slots=True)
class _Front:
    """Who ingests and extracts: this process, or a cluster."""

    ingest: Callable[..., IngestReport]
    extract: Callable[..., ExtractionReport]


@contextmanager
def _front(
    gear: Gear, ray: str | None, workers: int | None, settings: Settings, *, replace: bool, max_tokens: int | None
) -> Iterator[_Front]:
    if ray is None:
        # These options are those that only one process has.
        yield _Front(partial(gear.ingest, replace=replace), partial(gear.corpus.extract, max_tokens=max_tokens))
        return
    from gear_neo4j.integrations.ray import extract, ingest

    with crew_on_ray(ray, workers=workers) as crew:
        options: dict[str, Any] = {"settings": settings, "crew": crew}
        yield _Front(partial(ingest, **options), partial(extract, **options))


def _refuse_beside(ray: str | None, *, replace: bool, max_tokens: int | None) -> None:
    """Refuse what only one process can do."""
    if ray and (replace or max_tokens):
        raise click.UsageError(f"{'--replace' if replace else '--max-tokens'} is for one process: leave out --ray")


def _chosen(extractor: str, *, model_options: bool) -> bool:
    """Whether the user chose an extractor by name; an unknown one is refused."""
    if model_options and extractor in (AUTO, NONE, Rules.name):
        raise click.UsageError("--max-tokens and --retry-failed are for a language model: add --extract model")
    if extractor in (AUTO, NONE):
        return False
    EXTRACTORS.entry(extractor)
    return True


def _print(
    report: IngestReport | None, extracted: ExtractionReport | None, counts: Counts, *, price: extraction.Price
) -> None:
    if report:
        say(_summary(report))
        if report.passages_extracted:
            extraction.print_rules(report, price=price)
    if extracted:
        extraction.print_extracted(extracted, price=price)
    totals = contents(counts.passages, counts.triples, counts.entities)
    say(f"the graph holds {totals}, {pluralize(counts.synonyms, 'synonym edge')}")


def _summary(report: IngestReport) -> str:
    return (
        f"{pluralize(report.passages_written, 'passage')} and {pluralize(report.triples_written, 'triple')} written "
        f"({report.passages_read:,} and {report.triples_read:,} read){_changes(report)}"
    )


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
    parts = list(extraction.left_over(extracted)) if extracted else []
    if report.problems:
        problems = pluralize(report.problems, "line or file", "lines or files")
        parts.insert(0, f"{problems} could not be used, see above; fix and ingest again")
    if parts:
        raise PartialResult("; ".join(parts))
