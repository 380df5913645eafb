"""``gear search``: passages for a question, and the paths to them."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path as File

import click
from click.exceptions import Exit

from gear_neo4j.cli.choice import Choice, with_choice
from gear_neo4j.cli.options import CHAT, CONNECTION, CONTEXT, EMBEDDING, QUESTION, RERANK, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.passages import print_hits, warning_of
from gear_neo4j.cli.scope import with_scope, within_scope
from gear_neo4j.cli.screen import Screen
from gear_neo4j.domain import Cypher, EntityHit, Figure, Hits, Path
from gear_neo4j.errors import ExitCode
from gear_neo4j.models.openai import open_chat
from gear_neo4j.retrieval.context import Context
from gear_neo4j.retrieval.patterns.confidence import SURE
from gear_neo4j.scope import Scope
from gear_neo4j.settings import Settings
from gear_neo4j.text.wording import certainty, format_figure, format_value

SHOWN_PATHS = 5


@click.command()
@QUESTION
@with_choice(retriever="auto", agents=False)
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="Number of passages.")
@click.option("--paths", is_flag=True, help="Also show the best paths, with Cypher for the first one.")
@CONTEXT
@with_scope
@json_option
@with_settings(CHAT, CONNECTION, EMBEDDING, RERANK)
def search(
    question: str,
    choice: Choice,
    k: int,
    paths: bool,
    context: Context,
    scope: Scope,
    json_file: File | None,
    settings: Settings,
) -> None:
    """Retrieve passages for QUESTION by multi-hop search.

    A question needs quotes only for characters that the shell would interpret. Put -- before a question that begins
    with a dash. The exit code is 1 if nothing is found.

    \b
    gear search "Who supervised the PhD of the 2024 physics laureate from Toronto?" --paths
    gear search Who founded Sigma --retriever naive --set width=20
    """
    recipe = choice.make_retriever()
    # Fail before a server is started if a required model is not set.
    chat = open_chat(settings, cache=settings.chat_cache) if recipe.requires_model else None
    with opened(settings, chat=chat) as opened_gear:
        gear = within_scope(opened_gear, scope)
        hits = gear.search(question, k=k, retriever=recipe, context=context)
        cypher = gear.cypher(hits.paths[0]) if hits.paths else None
        warning = warning_of(hits, model=gear.embedder.name)
    if json_file:
        # Imported late: it takes longer than a search.
        from gear_neo4j.wire import to_json
    if not (json_file and emit(json_file, to_json(hits))):
        console = Screen()
        _print(console, hits, paths=paths, cypher=cypher)
        if warning:
            console.print_line(warning, style="yellow")
    if not (hits or hits.entities or hits.figure):
        raise Exit(ExitCode.NOTHING_FOUND)


def _print(console: Screen, hits: Hits, *, paths: bool, cypher: Cypher | None) -> None:
    print_entities(console, hits.entities, figure=hits.figure, doubt=hits.doubt)
    print_hits(console, hits)
    if paths:
        print_paths(console, hits.paths[:SHOWN_PATHS], cypher)
    for fact in hits.facts:
        console.print_line(f"noted: {fact}", style="cyan")
    spent = " + ".join(f"{part} {spent:.0f}" for part, spent in hits.milliseconds.items())
    if not hits.exact:
        console.print("approximate: of a hub's triples, only the nearest to the question were followed")
    console.print(f"{hits.retriever}: {sum(hits.milliseconds.values()):.0f} ms ({spent})", style="dim")


def print_entities(console: Screen, entities: Sequence[EntityHit], *, figure: Figure | None, doubt: str) -> None:
    """Print the figure or the nodes that answer, grouped by their pattern, the first pattern with its Cypher."""
    if doubt:
        console.print_line(doubt, style="yellow")
    if figure:
        console.print_line(f"{figure.pattern} ({_certainty(figure)})", style="bold")
        console.print_line(f"  {format_figure(figure.value, figure.counted)}")
        console.print(str(figure.cypher), style="green", soft_wrap=True)
        console.print()
    sure = False
    for number, (_, found) in enumerate(groupby(entities, key=lambda entity: entity.cypher)):
        nodes = list(found)
        first = nodes[0]
        # After a sure pattern, only its other nodes are listed.
        heading = f"Its other nodes: {first.pattern}" if sure else f"{first.pattern} ({_certainty(first)})"
        sure = sure or first.confidence >= SURE
        console.print_line(heading, style="bold")
        for entity in nodes:
            value = "" if entity.value is None else f": {format_value(entity.value)}"
            line = f"{entity.rank:3}  {entity.name} ({', '.join(entity.labels)}){value}"
            console.print_line(line)
        if number == 0:
            console.print(str(first.cypher), style="green", soft_wrap=True)
        console.print()


def _certainty(found: EntityHit | Figure) -> str:
    return certainty(found.confidence, unused=found.unused, understood=found.understood)


def print_paths(console: Screen, paths: Sequence[Path], cypher: Cypher | None) -> None:
    """Print the best paths with their scores, and Cypher for the first one, ready to paste."""
    if cypher is None:
        console.print("no paths: the passages have no triples")
        return
    print_list(console, "Paths", paths)
    print_cypher(console, cypher)


def print_list(console: Screen, heading: str, paths: Sequence[Path]) -> None:
    """Print paths with their scores under a heading; nothing if there are none."""
    if paths:
        console.print(f"\n{heading}", style="bold")
    for path in paths:
        console.print_line(f"{path.score:5.2f}  {path}")


def print_cypher(console: Screen, cypher: Cypher) -> None:
    """Print the query of the first path, ready to paste."""
    console.print("\nThe first path in Cypher, for Neo4j Browser or cypher-shell", style="bold")
    console.print(str(cypher), style="green", soft_wrap=True)
    console.print()
