"""``gear forget``: remove a document, or all those of a source, from the graph."""

from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from gear_neo4j.cli.collections import COLLECTION
from gear_neo4j.cli.confirm import YES, can_ask, confirm
from gear_neo4j.cli.options import CONNECTION, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.reporting import progress_shown
from gear_neo4j.graph.write.corpus_writes import Deletion
from gear_neo4j.settings import Settings
from gear_neo4j.text.wording import contents, pluralize


@click.command()
@click.argument("source")
@COLLECTION
@click.option("--all", "whole", is_flag=True, help="SOURCE is a folder or an address: remove all its documents.")
@click.option("--dry-run", is_flag=True, help="Report what would be removed, without removing it.")
@YES
@json_option
@with_settings(CONNECTION)
def forget(
    source: str,
    collection: str,
    whole: bool,
    dry_run: bool,
    yes: bool,
    json_file: Path | None,
    settings: Settings,
) -> None:
    """Remove the passages of SOURCE, their triples, and the entities that no other triple mentions.

    SOURCE is the name of a document, such as docs/a.md, its path on this machine, or the "source" of JSONL lines. With
    --all, it is a source such as docs, or a folder in one. The records of readers stay. On a terminal, the command
    first says how much it will remove, and asks. After an interruption, run the same command again to resume.

    \b
    gear forget docs/a.md
    gear forget docs --all
    """
    with opened(settings) as gear:
        run = partial(gear.corpus.forget, source, collection=collection, whole=whole)
        if not (dry_run or yes) and can_ask():
            confirm(f"{_planned(run(dry_run=True), whole=whole)} of {source} in {gear.graph.name}")
        with progress_shown("removed") as on_progress:
            report = run(dry_run=dry_run, on_progress=on_progress)
    if not emit(json_file, asdict(report)):
        say(f"{_planned(report, whole=whole)} would be removed" if dry_run else f"{_size(report)} removed")


def _planned(report: Deletion, *, whole: bool) -> str:
    """What a dry run has counted: of a whole source only the passages."""
    return pluralize(report.passages, "passage") if whole else _size(report)


def _size(report: Deletion) -> str:
    return contents(report.passages, report.triples, report.entities)
