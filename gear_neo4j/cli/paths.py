"""``gear paths``: the nodes that answer a question, and the paths between those that it mentions."""

from collections.abc import Sequence
from pathlib import Path as File

import click
from click.exceptions import Exit

from gear_neo4j.cli.choice import Pair, with_set
from gear_neo4j.cli.options import CONNECTION, EMBEDDING, QUESTION, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.scope import with_scope, within_scope
from gear_neo4j.cli.screen import Screen
from gear_neo4j.cli.search import print_cypher, print_entities, print_list
from gear_neo4j.domain import Cypher, Path
from gear_neo4j.errors import ExitCode
from gear_neo4j.recipes.assignment import assign
from gear_neo4j.retrieval.paths import MOST_HOPS, PathResult, Paths
from gear_neo4j.scope import Scope
from gear_neo4j.settings import Settings
from gear_neo4j.text.wording import pluralize

# Options that affect only the passages of the retriever, which this command does not show.
OF_PASSAGES = {"base", "base_k", "weight"}


@click.command()
@QUESTION
@with_set(Paths)
@with_scope
@json_option
@with_settings(CONNECTION, EMBEDDING)
def paths(question: str, assignments: Sequence[Pair], scope: Scope, json_file: File | None, settings: Settings) -> None:
    """Show the nodes that answer QUESTION, the shortest paths between those that it mentions, and nearby facts.

    No language model is called, and the exit code is 1 if nothing is found. gear search --retriever paths and gear ask
    --agent paths combine the paths with the passages of a search.

    \b
    gear paths "Which drugs inhibit both ALK and ROS1?" --set hops=3
    """
    recipe = assign(Paths(), assignments)
    if useless := sorted(OF_PASSAGES & recipe.model_fields_set):
        raise click.UsageError(f"{useless[0]} is for the passages of gear search --retriever paths: leave it out")
    with opened(settings) as opened_gear:
        gear = within_scope(opened_gear, scope)
        connected = gear.paths(question, options=recipe)
        between, around = _ordered(connected)
        cypher = gear.cypher(*(between + around)[:1]) if connected.paths else None
    if json_file:
        # Imported late: it takes longer than a search.
        from gear_neo4j.wire import paths_json
    if not (json_file and emit(json_file, paths_json(question, connected))):
        _print(Screen(), connected, cypher, hops=recipe.hops)
    if not (connected.nodes or connected.figure or connected.paths):
        raise Exit(ExitCode.NOTHING_FOUND)


def _ordered(connected: PathResult) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The paths between the names, shortest first, and the facts around them, by their score."""
    around = connected.paths[connected.connecting :]
    return connected.paths[: connected.connecting], tuple(sorted(around, key=lambda fact: -fact.score))


def _print(console: Screen, connected: PathResult, cypher: Cypher | None, *, hops: int) -> None:
    print_entities(console, connected.nodes, figure=connected.figure, doubt=connected.doubt)
    _print_named(console, connected)
    between, around = _ordered(connected)
    if len(connected.matches) > 1 and not between and (around or connected.exact):
        names = " and ".join(match.text for match in connected.matches)
        hint = f": try --set hops={hops + 1}" if hops < MOST_HOPS else ""
        console.print_line(f"No path of at most {pluralize(hops, 'triple')} connects {names}{hint}", style="yellow")
    print_list(console, "Paths between them, shortest first", between)
    print_list(console, "Facts around them" if len(connected.matches) > 1 else "Facts around it", around)
    if cypher:
        print_cypher(console, cypher)


def _print_named(console: Screen, connected: PathResult) -> None:
    if not connected.matches:
        console.print("the question mentions no node of the graph by name")
        return
    named = (
        match.text + (f" ({len(match.nodes)} nodes)" if len(match.nodes) > 1 else "") for match in connected.matches
    )
    console.print_line(f"named: {', '.join(named)}")
    if not connected.exact:
        console.print("incomplete: a node has too many facts, or the server took too long")
