"""``gear forget``: a source out of the graph."""

import json
from dataclasses import asdict

import click

from gear_neo4j.cli.ingest import progress_shown
from gear_neo4j.cli.options import opened, with_settings
from gear_neo4j.settings import Settings
from gear_neo4j.wording import counted


@click.command()
@click.argument("source")
@click.option("--dry-run", is_flag=True, help="Say how much would go, and remove nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@with_settings
def forget(source: str, dry_run: bool, as_json: bool, settings: Settings) -> None:
    """Remove the passages of SOURCE, their triples, and the entities that nothing else names.

    SOURCE is a document as its path was given to gear ingest, or the source that lines of JSONL gave. Interrupted, the
    same command goes on.
    """
    with opened(settings) as gear, progress_shown("forgotten") as on_progress:
        report = gear.corpus.forget(source, dry_run=dry_run, on_progress=on_progress)
    if as_json:
        click.echo(json.dumps(asdict(report)))
    else:
        verb = "would be forgotten" if dry_run else "forgotten"
        facts = f"{counted(report.triples, 'triple')} and {counted(report.entities, 'entity')}"
        click.echo(f"{counted(report.passages, 'passage')}, {facts} {verb}")
