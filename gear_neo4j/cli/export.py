"""``gear export``: a corpus as CSV files for the bulk import of neo4j-admin."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import click

from gear_neo4j.cli.documents import PATH, TRIPLES, Cluster, DocumentOptions, with_documents, with_ray
from gear_neo4j.cli.extraction import Price, print_extracted
from gear_neo4j.cli.options import CHAT, EMBEDDING, with_settings
from gear_neo4j.cli.output import emit, json_option, require_folder
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.reporting import progress_shown, report_links, report_problem
from gear_neo4j.errors import PartialResult
from gear_neo4j.extraction.run import ExtractionReport
from gear_neo4j.gear.extractors import Extract, bulk_readers
from gear_neo4j.ingestion.admin.corpus_tables import ExportReport
from gear_neo4j.ingestion.admin.export import AdminExport, require_empty
from gear_neo4j.ingestion.admin.tables import ARGUMENTS
from gear_neo4j.ingestion.sources import Files, files_to_ingest
from gear_neo4j.models.embeddings import open_embedder
from gear_neo4j.models.openai import open_chat
from gear_neo4j.settings import Settings
from gear_neo4j.text.wording import contents, pluralize


@click.command()
@click.argument("sources", nargs=-1, type=PATH, required=True)
@TRIPLES
@click.option("--admin-import", "folder", type=PATH, required=True, help="A new folder for the CSV files.")
@with_documents
@click.option(
    "--extract",
    type=click.Choice(get_args(Extract)),
    default="rules",
    show_default=True,
    help="The source of triples for passages without any in the files: rules, on your machine; the language model in "
    "addition; or nothing.",
)
@with_ray
@json_option
@with_settings(CHAT, EMBEDDING)
def export(
    sources: tuple[Path, ...],
    triples: tuple[Path, ...],
    folder: Path,
    json_file: Path | None,
    documents: DocumentOptions,
    extract: Extract,
    cluster: Cluster | None,
    settings: Settings,
) -> None:
    """Convert SOURCES to CSV files for the bulk import of neo4j-admin into a new database.

    For initial loads of many millions of triples; needs no database. Then, on the stopped server:

    \b
    neo4j-admin database import full @DIR/import.args neo4j
    gear migrate     after the restart, to create the indexes

    Passages without triples in the files get theirs by rules, as in an ingest, and optionally from a language model.

    With --ray, the files are written in parts, on a cluster or by several processes of this machine.
    """
    require_folder(folder)
    require_empty(folder)
    files = files_to_ingest(sources, triples, follow_links=documents.follow_links)
    report = _exported(files, folder, documents, extract, cluster, settings)
    if not emit(json_file, asdict(report)):
        _print_extracted(report, price=settings.chat_price)
        say(f"{contents(report.passages, report.triples, report.entities)} in {folder}")
        say(f"neo4j-admin database import full @{folder / ARGUMENTS} neo4j")
        say("gear migrate")
    report_links([str(link) for link in files.links])
    if parts := list(_left_out(report)):
        raise PartialResult(f"{'; '.join(parts)}; the rest was exported")


def _exported(
    files: Files,
    folder: Path,
    documents: DocumentOptions,
    extract: Extract,
    cluster: Cluster | None,
    settings: Settings,
) -> ExportReport:
    """Write the files, in this process or on a cluster."""
    # Before the export starts, so that it fails at once if no model is set.
    readers = bulk_readers(extract, chat=lambda: open_chat(settings, cache=settings.chat_cache))
    with progress_shown() as on_progress:
        options: dict[str, Any] = {
            "chunk_size": documents.chunk_size,
            "limits": documents.limits,
            "on_problem": report_problem,
            "on_progress": on_progress,
        }
        if cluster is None:
            return AdminExport(folder, open_embedder(settings), readers=readers, **options).run(files)
        from gear_neo4j.integrations.ray import export as export_on_ray

        with cluster.crew() as crew:
            options |= {"triples": files.triples, "settings": settings, "extract": extract, "crew": crew}
            return export_on_ray(files.passages, folder=folder, **options)


def _print_extracted(report: ExportReport, *, price: Price) -> None:
    if report.usage.calls or report.usage.cached:
        found = ExtractionReport(done=report.passages_extracted, triples=report.triples_extracted, usage=report.usage)
        print_extracted(found, price=price)
    elif report.passages_extracted:
        triples, passages = (
            pluralize(report.triples_extracted, "triple"),
            pluralize(report.passages_extracted, "passage"),
        )
        say(f"{triples} from {passages} by rules")


def _left_out(report: ExportReport) -> Iterator[str]:
    if report.problems:
        yield f"{pluralize(report.problems, 'line or file', 'lines or files')} could not be used, see above"
    if report.unread:
        yield (
            f"the model gave nothing for {pluralize(report.unread, 'passage')}, see above: after the import, "
            "'gear ingest --extract model' tries them again"
        )
