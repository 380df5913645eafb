"""``gear export``: a corpus as CSV files for the bulk import of neo4j-admin."""

from dataclasses import asdict
from pathlib import Path

import click

from gear_neo4j.cli.documents import PATH, TRIPLES, DocumentOptions, with_documents
from gear_neo4j.cli.options import EMBEDDING, with_settings
from gear_neo4j.cli.output import emit, json_option, require_folder
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.reporting import progress_shown, report_links, report_problem
from gear_neo4j.errors import PartialResult
from gear_neo4j.ingestion.admin_export import ARGUMENTS, AdminExport
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.models.embeddings import open_embedder
from gear_neo4j.settings import Settings
from gear_neo4j.wording import contents, counted


@click.command()
@click.argument("sources", nargs=-1, type=PATH, required=True)
@TRIPLES
@click.option("--admin-import", "folder", type=PATH, required=True, help="A new folder for the CSV files.")
@with_documents
@json_option
@with_settings(EMBEDDING)
def export(
    sources: tuple[Path, ...],
    triples: tuple[Path, ...],
    folder: Path,
    json_file: Path | None,
    documents: DocumentOptions,
    settings: Settings,
) -> None:
    """Convert SOURCES to CSV files for the bulk import of neo4j-admin into a new database.

    For initial loads of many millions of triples; needs no database. Then, on the stopped server:

    \b
    neo4j-admin database import full @DIR/import.args neo4j
    gear migrate     after the restart, to create the indexes
    """
    require_folder(folder)
    embedder = open_embedder(settings)
    files = files_to_ingest(sources, triples, follow_links=documents.follow_links)
    with progress_shown() as on_progress:
        run = AdminExport(
            folder,
            embedder,
            on_problem=report_problem,
            on_progress=on_progress,
            chunk_size=documents.chunk_size,
            limits=documents.limits,
        )
        report = run.run(files)
    if not emit(json_file, asdict(report)):
        say(f"{contents(report.passages, report.triples, report.entities)} in {folder}")
        say(f"neo4j-admin database import full @{folder / ARGUMENTS} neo4j")
        say("gear migrate")
    report_links([str(link) for link in files.links])
    if report.problems:
        problems = counted(report.problems, "line or file", "lines or files")
        raise PartialResult(f"{problems} could not be used, see above; the rest was exported")
