"""``gear export``: a corpus as CSV files for the bulk import of neo4j-admin."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import click

from gear_neo4j.cli.ingest import CHUNKS, FOLLOW_LINKS, PATH, TRIPLES, progress_shown, report_links, tell
from gear_neo4j.cli.output import require_folder
from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.admin_export import ARGUMENTS, AdminExport
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.models.embeddings import open_embedder
from gear_neo4j.settings import Settings
from gear_neo4j.wording import contents, counted


@click.command()
@click.argument("sources", nargs=-1, type=PATH, required=True)
@TRIPLES
@click.option("--admin-import", "folder", type=PATH, required=True, help="A new folder for the CSV files.")
@CHUNKS
@FOLLOW_LINKS
@click.option("--embedding-model", help="A sentence-transformers name or folder.  [GEAR_EMBEDDING_MODEL]")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
def export(
    sources: tuple[Path, ...],
    triples: tuple[Path, ...],
    folder: Path,
    as_json: bool,
    chunk_size: int,
    follow_links: bool,
    embedding_model: str | None,
) -> None:
    """Convert SOURCES to CSV files for the bulk import of neo4j-admin into a new database.

    For initial loads of many millions of triples; needs no database. Then, on the stopped server:

    \b
    neo4j-admin database import full @DIR/import.args neo4j
    gear migrate     after the restart, to create the indexes
    """
    require_folder(folder)
    settings = Settings.load()
    embedder = open_embedder(replace(settings, embedding_model=embedding_model or settings.embedding_model))
    files = files_to_ingest(sources, triples, follow_links=follow_links)
    with progress_shown() as on_progress:
        run = AdminExport(folder, embedder, on_problem=tell, on_progress=on_progress, chunk_size=chunk_size)
        report = run.run(files)
    if as_json:
        click.echo(json.dumps(asdict(report)))
    else:
        click.echo(f"{contents(report.passages, report.triples, report.entities)} in {folder}")
        click.echo(f"neo4j-admin database import full @{folder / ARGUMENTS} neo4j")
        click.echo("gear migrate")
    report_links([str(link) for link in files.links])
    if report.problems:
        raise InputError(f"{counted(report.problems, 'line or file', 'lines or files')} could not be used, see above")
