"""``gear paths``: what a question names, and the paths of the graph between."""

import json
from typing import Any

import click
from rich.console import Console

from gear_neo4j.cli.options import CONNECTION, opened, settings_from, with_options
from gear_neo4j.cli.search import print_paths
from gear_neo4j.retrieval.paths import Connected, PathOptions
from gear_neo4j.wire import connected_json

DEFAULTS = PathOptions()


@click.command()
@click.argument("question")
@click.option(
    "--hops", type=click.IntRange(1, 4), default=DEFAULTS.hops, show_default=True, help="Triples in the longest path."
)
@click.option(
    "--facts",
    type=click.IntRange(min=0),
    default=DEFAULTS.facts,
    show_default=True,
    help="Triples at least, with those around.",
)
@click.option(
    "--entities", type=click.IntRange(min=1), default=DEFAULTS.entities, show_default=True, help="Nodes at most."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@with_options(CONNECTION)
def paths(question: str, hops: int, facts: int, entities: int, as_json: bool, **given: Any) -> None:
    """Show what QUESTION names in the graph, the shortest paths between, and the facts around; no model is called.

    gear search --retriever paths and gear ask --agent paths put them beside the passages of a search.

    \b
    gear paths "Which drugs inhibit both ALK and ROS1?"
    """
    options = PathOptions(hops=hops, facts=facts, entities=entities)
    with opened(settings_from(given)) as gear:
        found = gear.paths(question, options=options)
        if as_json:
            click.echo(json.dumps(connected_json(question, found), ensure_ascii=False, indent=2))
            return
        cypher = gear.cypher(*found.paths[:1]) if found.paths else None
    console = Console()
    _print_named(console, found)
    if found.paths:
        print_paths(console, found.paths, cypher)


def _print_named(console: Console, found: Connected) -> None:
    if not found.matches:
        console.print("the question names nothing that the graph knows by name")
        return
    named = (match.text + (f" ({len(match.nodes)} nodes)" if len(match.nodes) > 1 else "") for match in found.matches)
    console.print(f"named: {', '.join(named)}", markup=False, highlight=False)
    if not found.exact:
        console.print("not everything was looked at: a node has too many facts, or the server took too long")
