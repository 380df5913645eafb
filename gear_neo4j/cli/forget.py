"""``gear forget``: remove a source from the graph."""

import json
from dataclasses import asdict

import click

from gear_neo4j.cli.ingest import progress_shown
from gear_neo4j.cli.options import opened, with_settings
from gear_neo4j.settings import Settings
from gear_neo4j.wording import counted


@click.command()
@click.argument("source")
@click.option("--dry-run", is_flag=True, help="Report what would be removed, without removing it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@with_settings
def forget(source: str, dry_run: bool, as_json: bool, settings: Settings) -> None:
    """Remove the passages of SOURCE, their triples, and the entities that no other triple mentions.

    SOURCE is the path of a document as passed to gear ingest, or the "source" of JSONL lines. After an interruption,
    run the same command again to resume.
    """
    with opened(settings) as gear, progress_shown("forgotten") as on_progress:
        report = gear.corpus.forget(source, dry_run=dry_run, on_progress=on_progress)
    if as_json:
        click.echo(json.dumps(asdict(report)))
    else:
        verb = "would be forgotten" if dry_run else "forgotten"
        facts = f"{counted(report.triples, 'triple')} and {counted(report.entities, 'entity')}"
        click.echo(f"{counted(report.passages, 'passage')}, {facts} {verb}")
