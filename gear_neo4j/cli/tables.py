"""The options of commands whose sources may be tables: which columns make a row a document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any

import click

from gear_neo4j.cli.options import Decorator, with_options
from gear_neo4j.sync.loaders import Loaded
from gear_neo4j.sync.tables import Table

TABLES: Sequence[Decorator] = (
    click.option(
        "--key",
        metavar="COLUMN",
        help="The column that identifies a row; SOURCES are then read as tables. With --loader: the field that names a "
        "document.",
    ),
    click.option("--text", "text", multiple=True, metavar="COLUMN", help="With --key: a column of text; repeatable."),
    click.option("--title", metavar="COLUMN", help="With --key: the column with the title of a row."),
    click.option(
        "--metadata", "metadata", multiple=True, metavar="COLUMN", help="With --key: a column to filter by; repeatable."
    ),
    click.option("--table", metavar="NAME", help="With --key: the table of a database such as postgresql://host/shop."),
    click.option("--query", metavar="SQL", help="With --table, which then names its rows: the SELECT to read."),
)
Source = str | Table | Loaded
NAMES = tuple(field.name for field in fields(Table) if field.name != "source")


def with_table(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of tables to a command; it receives ``tables``, its ``sources`` as tables if there is a key."""

    @wraps(command)
    def run(*args: Any, sources: Sequence[str | Loaded], **values: Any) -> None:
        columns = {name: values.pop(name) for name in NAMES}
        command(*args, sources=sources, tables=_tables(sources, columns), **values)

    return with_options(TABLES)(run)


def _tables(sources: Sequence[str | Loaded], columns: Mapping[str, Any]) -> Sequence[Source]:
    if columns["key"] is not None:
        return [Table(source=source, **columns) for source in sources if isinstance(source, str)]
    if any(columns.values()):
        raise click.UsageError("--text, --title, --metadata, --table and --query are for tables: add --key")
    return sources
