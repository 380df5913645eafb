"""``gear sources``: where the documents of a collection come from, and their names."""

from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from gear_neo4j.cli.options import CONNECTION, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.reporting import progress_shown
from gear_neo4j.cli.screen import Screen
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
        counts = gear.graph.registry.count([f"{source.name}/" for source in known], collection=collection)
    rows = [
        asdict(source) | dict(zip(("documents", "passages"), counts[f"{source.name}/"], strict=True))
        for source in known
    ]
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


def _table(rows: list[dict[str, object]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("source", "documents", "passages", "read from", "on", "last read"):
        table.add_column(column, justify="right" if column in ("documents", "passages") else "left")
    for row in rows:
        roots = row["roots"]
        assert isinstance(roots, tuple)
        numbers = (f"{row['documents']:,}", f"{row['passages']:,}")
        table.add_row(str(row["name"]), *numbers, roots[0] if roots else "", str(row["machine"]), str(row["read"])[:16])
    return table
