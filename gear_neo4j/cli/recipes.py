"""``gear recipes``: the retrievers, agents and extractors, and the options of one."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.screen import Screen
from gear_neo4j.errors import SettingsError
from gear_neo4j.recipes.assignment import BASE, options_of
from gear_neo4j.recipes.registry import REGISTRIES, Entry
from gear_neo4j.text.wording import did_you_mean

# How each kind is chosen.
USES = {
    "retriever": "gear search QUESTION --retriever",
    "agent": "gear ask QUESTION --agent",
    "extractor": "gear ingest SOURCES --extract",
}


def _complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    return [entry.name for _, entry in _entries() if entry.name.startswith(incomplete)]


@click.command()
@click.argument("name", required=False, shell_complete=_complete)
@json_option
def recipes(name: str | None, json_file: Path | None) -> None:
    """List the retrievers, agents and extractors, or show the options of the one called NAME.

    \b
    gear recipes
    gear recipes naive
    """
    chosen = [(kind, entry) for kind, entry in _entries() if name in (None, entry.name)]
    if not chosen:
        names = list(dict.fromkeys(entry.name for _, entry in _entries()))
        raise SettingsError(
            f"there is no recipe {name!r}: {did_you_mean(str(name), names)}choose one of {', '.join(names)}"
        )
    if emit(json_file, [_json(kind, entry) for kind, entry in chosen]):
        return
    console = Screen()
    if name is None:
        _print_all(console, chosen)
        return
    for kind, entry in chosen:
        _print(console, kind, entry)


def _entries() -> Iterator[tuple[str, Entry[Any]]]:
    for registry in REGISTRIES:
        for entry in registry:
            yield registry.kind, entry


def _print_all(console: Screen, chosen: Sequence[tuple[str, Entry[Any]]]) -> None:
    """Print a line for each recipe, by kind."""
    width = max(len(entry.name) for _, entry in chosen)
    for kind, entries in groupby(chosen, key=lambda pair: pair[0]):
        console.print_line(f"{kind}s", style="bold")
        for _, entry in entries:
            console.print_line(f"  {entry.name:{width}}  {_summary(entry)}")
    console.print_line("gear recipes NAME shows the options of one", style="dim")


def _print(console: Screen, kind: str, entry: Entry[Any]) -> None:
    """Print a recipe with its options, and how to set one."""
    console.print_line(f"{entry.name} ({kind}): {_summary(entry)}", style="bold")
    options = list(options_of(entry.recipe))
    use = f"{USES[kind]} {entry.name}"
    if not options:
        console.print_line(f"no options; use: {use}", style="dim")
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("option", "type", "default", ""):
        table.add_column(column)
    for option in options:
        table.add_row(Text(option.name, "bold"), option.type, option.default, option.description)
    console.print(table)
    # --base has an option of its own, and a switch shows little.
    telling = (option for option in options if option.name != BASE and option.default not in ("", "true", "false"))
    example = next(telling, options[0])
    console.print_line(f"{use} --set {example.name}={example.default or 'VALUE'}", style="dim")


def _summary(entry: Entry[Any]) -> str:
    return entry.summary.replace("``", "")


def _json(kind: str, entry: Entry[Any]) -> dict[str, Any]:
    options = [
        {"name": option.name, "type": option.type, "default": option.default, "description": option.description}
        for option in options_of(entry.recipe)
    ]
    return {"kind": kind, "name": entry.name, "summary": _summary(entry), "options": options}
