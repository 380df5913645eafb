"""``gear paths``: the nodes that answer a question, and the paths between those that it mentions."""

import json

import click
from rich.console import Console

from gear_neo4j.cli.flags import RecipeCommand, RecipeOptions, with_options_of
from gear_neo4j.cli.options import opened, with_settings
from gear_neo4j.cli.search import print_entities, print_paths
from gear_neo4j.retrieval.paths import PathResult, Paths
from gear_neo4j.settings import Settings
from gear_neo4j.wire import connected_json

SHOWN = ("entities", "hops", "pair_paths", "max_paths", "answers", "facts")


@click.command(cls=RecipeCommand, recipe=Paths, only=SHOWN)
@click.argument("question")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@with_settings
def paths(question: str, as_json: bool, options: RecipeOptions, settings: Settings) -> None:
    """Show the nodes that answer QUESTION, the shortest paths between those that it mentions, and nearby facts.

    No model is called. gear search --retriever paths and gear ask --agent paths combine them with the passages of a
    search.

    \b
    gear paths "Which drugs inhibit both ALK and ROS1?"
    """
    recipe = with_options_of(Paths(), options)
    with opened(settings) as gear:
        connected = gear.paths(question, options=recipe)
        if as_json:
            click.echo(json.dumps(connected_json(question, connected), ensure_ascii=False, indent=2))
            return
        cypher = gear.cypher(*connected.paths[:1]) if connected.paths else None
    console = Console()
    print_entities(console, connected.nodes, figure=connected.figure, doubt=connected.doubt)
    _print_named(console, connected)
    if connected.paths:
        print_paths(console, connected.paths, cypher)


def _print_named(console: Console, connected: PathResult) -> None:
    if not connected.matches:
        console.print("the question mentions no node of the graph by name")
        return
    named = (
        match.text + (f" ({len(match.nodes)} nodes)" if len(match.nodes) > 1 else "") for match in connected.matches
    )
    console.print(f"named: {', '.join(named)}", markup=False, highlight=False)
    if not connected.exact:
        console.print("incomplete: a node has too many facts, or the server took too long")
