"""``gear cypher``: the queries of gear-neo4j, and the text of one as it is sent."""

from dataclasses import replace
from pathlib import Path

import click
from rich.table import Table

from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.screen import Screen
from gear_neo4j.graph.fragments import Form
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.sent import find, queries, sent


@click.command()
@click.argument("name", required=False)
@click.option("--scoped", is_flag=True, help="Show the text for a scope by collection, readers and metadata.")
@click.option("--search-clause", is_flag=True, help="Show the text for servers with the SEARCH clause of Cypher 25.")
@click.option("--small-scope", is_flag=True, help="Show the text for a small scope, which is read without an index.")
@json_option
def cypher(name: str | None, scoped: bool, search_clause: bool, small_scope: bool, json_file: Path | None) -> None:
    """List the queries that gear-neo4j sends, or show the text of one, NAME, for Neo4j Browser.

    Its parameters are null: set them to your values first. The command connects to nothing.
    """
    if name is None:
        if scoped or search_clause or small_scope:
            raise click.UsageError("--scoped, --search-clause and --small-scope show one query: name it")
        _list(json_file)
        return
    if search_clause and small_scope:
        raise click.UsageError("a scope of few passages needs no index: choose --search-clause or --small-scope")
    form: Form = "small_scope" if small_scope else "search_clause" if search_clause else "plain"
    query, text = find(name), sent(name, form=form, scoped=scoped or small_scope)
    shown = {"documentation": query.documentation, "text": text.statement, "parameters": text.parameters}
    if not emit(json_file, _row(query) | shown):
        comment = "".join(f"// {line}\n" for line in query.documentation.splitlines())
        say(str(replace(text, statement=comment + text.statement)))


def _list(json_file: Path | None) -> None:
    rows = list(map(_row, queries()))
    if emit(json_file, rows):
        return
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    table.add_column()
    for row in rows:
        table.add_row(row["name"], row["access"], row["summary"])
    Screen().print(table)


def _row(query: Query) -> dict[str, str]:
    access = "write" if query.writes else "read"
    return {"name": query.name, "access": access, "file": query.file, "summary": query.summary}
