"""``gear stats``: what a database holds, in numbers."""

from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from gear_neo4j.cli.options import CONNECTION, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.screen import Screen
from gear_neo4j.gear.stats import Stats
from gear_neo4j.server import local
from gear_neo4j.settings import Settings
from gear_neo4j.text.wording import by_collection


@click.command()
@json_option
@with_settings(CONNECTION)
def stats(json_file: Path | None, settings: Settings) -> None:
    """Show what a database holds: sources, documents, passages, triples and entities, its schema, and its size.

    The size is that of the data folder of a local server; of any other server it is not known.
    """
    with opened(settings) as gear:
        held = gear.corpus.stats()
    size = None if settings.uri else local.size(name=settings.name, home=settings.home)
    if not emit(json_file, asdict(held) | {"bytes": size}):
        Screen().print(_table(held, size))


def _table(held: Stats, size: int | None) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold")
    table.add_column()
    table.add_row("database", f"{held.database}, Neo4j {held.server}")
    table.add_row("schema", (held.schema or "none") + (": run 'gear migrate'" if held.pending else ""))
    table.add_row(
        "embedding model", f"{held.embedding_model}, {held.dimension} dimensions" if held.dimension else "none"
    )
    for name in ("sources", "documents", "passages", "triples", "entities", "synonyms"):
        table.add_row(name.replace("synonyms", "synonym edges"), f"{getattr(held, name):,}")
    of_each = held.communities_by_collection
    several = f": {by_collection(of_each)}" if len(of_each) > 1 else ""
    table.add_row("communities", f"{held.communities:,}{several}")
    table.add_row("size on disk", "unknown" if size is None else f"{size / 1e6:,.0f} MB")
    return table
