"""``gear templates``: Cypher queries with parameters that the owner of an adopted graph wrote."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from gear_neo4j.cli.choice import Pair, pairs
from gear_neo4j.cli.options import CONNECTION, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.screen import Screen, errors, listing
from gear_neo4j.errors import InputError
from gear_neo4j.graph.guard.template import Template
from gear_neo4j.settings import Settings
from gear_neo4j.text.printable import json_text

# Called template, because name is the option for a local server.
NAME = click.argument("template", metavar="NAME")


@click.group(invoke_without_command=True)
@json_option
@with_settings(CONNECTION)
@click.pass_context
def templates(context: click.Context, json_file: Path | None, settings: Settings) -> None:
    """List the templates: queries over an adopted graph that its owner wrote for common questions."""
    if context.invoked_subcommand:
        return
    with opened(settings) as gear:
        held = gear.overlay.templates.list()
    if not emit(json_file, {"templates": [_document(template) for template in held]}):
        Screen().print(_table(held) if held else "no templates: add one with 'gear templates add'")


@templates.command()
@NAME
@click.option(
    "--query", "file", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The file of the query."
)
@click.option("--describe", "description", required=True, help="Which questions it answers, in a sentence.")
@click.option("--replace", is_flag=True, help="Replace a template of the same name.")
@json_option
@with_settings(CONNECTION)
def add(template: str, file: Path, description: str, replace: bool, json_file: Path | None, settings: Settings) -> None:
    """Add a template, NAME; its query may only read.

    Comments before the query may describe its parameters. A kind in brackets is text (the default), integer, number or
    date, or a property whose values the parameter has:

    \b
    // $day (date): the day of the crime
    // $surname (Person.surname): the last name of a person
    """
    with opened(settings) as gear:
        added = gear.overlay.templates.add(template, query=_text(file), description=description, replace=replace)
    if not emit(json_file, _document(added)):
        names = ", ".join(parameter.name for parameter in added.parameters)
        say(f"{template}: added, " + (f"with the parameters {names}" if names else "without parameters"))


@templates.command()
@NAME
@json_option
@with_settings(CONNECTION)
def show(template: str, json_file: Path | None, settings: Settings) -> None:
    """Show a template, NAME: its description, its parameters and its Cypher."""
    with opened(settings) as gear:
        held = gear.overlay.templates.get(template)
    if not emit(json_file, _document(held)):
        say(f"// {held.name}: {held.description}\n{held.text}")


@templates.command()
@NAME
@with_settings(CONNECTION)
def remove(template: str, settings: Settings) -> None:
    """Remove a template, NAME."""
    with opened(settings) as gear:
        gear.overlay.templates.remove(template)
    say(f"{template}: removed")


@templates.command()
@NAME
@click.option(
    "--set", "values", multiple=True, metavar="PARAMETER=VALUE", callback=pairs, help="The value of a parameter."
)
@json_option
@with_settings(CONNECTION)
def run(template: str, values: Sequence[Pair], json_file: Path | None, settings: Settings) -> None:
    """Run a template, NAME, and print its rows.

    \b
    gear templates run crimes-of-a-day --set day=2017-08-01
    """
    with opened(settings) as gear:
        read = gear.overlay.templates.run(template, dict(values))
    if not emit(json_file, {"rows": read.rows, "truncated": read.truncated}):
        Screen().print(_rows(read.rows) if read.rows else "no rows")
    if read.truncated:
        errors.print_line(read.truncated, style="yellow")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"{file} cannot be read: {reason}") from error


def _document(template: Template) -> dict[str, Any]:
    parameters = [{"name": one.name, "kind": one.kind, "description": one.description} for one in template.parameters]
    return {
        "name": template.name,
        "description": template.description,
        "parameters": parameters,
        "query": template.text,
    }


def _table(held: Sequence[Template]) -> Table:
    table = listing("template", "parameters", "answers")
    for template in held:
        table.add_row(template.name, ", ".join(one.name for one in template.parameters), template.description)
    return table


def _rows(rows: Sequence[dict[str, Any]]) -> Table:
    table = listing(*rows[0])
    for row in rows:
        table.add_row(*(value if isinstance(value, str) else json_text(value) for value in row.values()))
    return table
