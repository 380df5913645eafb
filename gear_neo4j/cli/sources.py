"""``gear sources``: where the documents of a collection come from, and their names."""

from collections.abc import Iterable
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from gear_neo4j.cli.options import CONNECTION, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.reporting import progress_shown
from gear_neo4j.cli.screen import Screen, listing, short_time
from gear_neo4j.ingestion.finding import prefixes_of
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.settings import Settings
from gear_neo4j.text.wording import pluralize

COLLECTION = click.option("--collection", default=DEFAULT_COLLECTION, show_default=True, help="The collection.")


@click.group(invoke_without_command=True)
@COLLECTION
@json_option
@with_settings(CONNECTION)
@click.pass_context
def sources(context: click.Context, collection: str, json_file: Path | None, settings: Settings) -> None:
    """List the sources of a collection: the folders and addresses that its documents were read from.

    A document is named by its source and its path below it, such as handbook/2024/travel.md. A source has the name that
    gear ingest or gear sync was given with --source-name, or that of its folder.
    """
    if context.invoked_subcommand:
        return
    with opened(settings) as gear:
        known = gear.corpus.origins(collection=collection)
        if not known and collection != DEFAULT_COLLECTION:
            gear.graph.collections.require(collection)
        prefixes = {source.name: prefixes_of(source.name) for source in known}
        counts = gear.graph.registry.count([*chain(*prefixes.values())], collection=collection)
    rows = [asdict(source) | _sizes(counts[prefix] for prefix in prefixes[source.name]) for source in known]
    if not emit(json_file, {"sources": rows}):
        Screen().print(_table(rows) if rows else "no source has been read into this collection")


@sources.command()
@click.argument("old")
@click.argument("new")
@COLLECTION
@json_option
@with_settings(CONNECTION)
def rename(old: str, new: str, collection: str, json_file: Path | None, settings: Settings) -> None:
    """Rename a source, with the names of all its documents.

    They keep their readers, vectors and triples. After an interruption, run the same command again to resume.
    """
    with opened(settings) as gear, progress_shown("renamed") as on_progress:
        done = gear.corpus.rename_source(old, new, collection=collection, on_progress=on_progress)
    if not emit(json_file, asdict(done)):
        say(f"renamed {old} to {new}: {pluralize(done.documents, 'document')}")


def _sizes(counts: Iterable[tuple[int, int]]) -> dict[str, int]:
    documents, passages = map(sum, zip(*counts, strict=True))
    return {"documents": documents, "passages": passages}


def _table(rows: list[dict[str, Any]]) -> Table:
    numbers, times = ("documents", "passages"), ("last read",)
    table = listing("source", *numbers, "read from", "on", *times, numbers=numbers, times=times)
    for row in rows:
        sizes = (f"{row[number]:,}" for number in numbers)
        table.add_row(row["name"], *sizes, next(iter(row["roots"]), ""), row["machine"], short_time(row["read"]))
    return table
