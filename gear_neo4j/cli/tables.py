"""The options of commands whose sources may be tables: which columns make a document of a row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from gear_neo4j.cli.options import Decorator, with_options
from gear_neo4j.sync.tables import Table

TABLES: Sequence[Decorator] = (
    click.option("--key", metavar="COLUMN", help="The column that identifies a row; SOURCES are then read as tables."),
    click.option("--text", "text", multiple=True, metavar="COLUMN", help="With --key: a column of text; repeatable."),
    click.option("--title", metavar="COLUMN", help="With --key: the column with the title of a row."),
    click.option(
        "--metadata", "metadata", multiple=True, metavar="COLUMN", help="With --key: a column to filter by; repeatable."
    ),
    click.option("--table", metavar="NAME", help="With --key: the table of a database such as postgresql://host/shop."),
    click.option("--query", metavar="SQL", help="With --table, which then names its rows: the SELECT to read."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """How a row is a document; see :class:`gear_neo4j.sync.tables.Table`."""

    key: str | None
    text: tuple[str, ...]
    title: str | None
    metadata: tuple[str, ...]
    table: str | None
    query: str | None

    def sources(self, sources: Sequence[str]) -> Sequence[str | Table]:
        """The sources as they are, or as tables if there is a key.

        Raises:
            click.UsageError: an option needs another one.
        """
        if self.key is None:
            if self.text or self.title or self.metadata or self.table or self.query:
                raise click.UsageError("--text, --title, --metadata, --table and --query are for tables: add --key")
            return sources
        if not self.text:
            raise click.UsageError("--key needs a column of text at least: add --text")
        if self.query and not self.table:
            raise click.UsageError("--query needs a name for its rows: add --table")
        return [
            Table(
                source=source,
                key=self.key,
                text=self.text,
                title=self.title,
                metadata=self.metadata,
                table=self.table,
                query=self.query,
            )
            for source in sources
        ]


def with_table(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of tables to a command; it receives them as ``columns``."""

    @wraps(command)
    def run(
        *args: Any,
        key: str | None,
        text: tuple[str, ...],
        title: str | None,
        metadata: tuple[str, ...],
        table: str | None,
        query: str | None,
        **values: Any,
    ) -> None:
        columns = TableOptions(key=key, text=text, title=title, metadata=metadata, table=table, query=query)
        command(*args, columns=columns, **values)

    return with_options(TABLES)(run)
