"""``gear search``: passages for a question, and the paths that led to them."""

import json
from typing import Any

import click
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gear_neo4j.cli.options import CONNECTION, RETRIEVAL, beam_from, hits_json, opened, settings_from, with_options
from gear_neo4j.domain import Cypher, Hits, Source

SHOWN_PATHS = 5


@click.command()
@click.argument("question")
@with_options(RETRIEVAL)
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many passages.")
@click.option("--paths", is_flag=True, help="Also show the best paths, and the Cypher that draws the first one.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@with_options(CONNECTION)
def search(question: str, k: int, paths: bool, as_json: bool, **given: Any) -> None:
    """Find the passages that answer QUESTION, over several hops.

    \b
    gear search "Who supervised the PhD of the 2024 physics laureate from Toronto?" --paths
    """
    settings = settings_from(given)
    beam = beam_from(given)
    with opened(settings) as gear:
        hits = gear.search(question, k=k, beam=beam, **given)
        if as_json:
            click.echo(json.dumps(hits_json(gear, hits), ensure_ascii=False, indent=2))
            return
        cypher = gear.cypher(hits.paths[0]) if hits.paths else None
    console = Console()
    console.print(hits_table(hits))
    if paths:
        console.print(paths_shown(hits, cypher))
    spent = " + ".join(f"{part} {spent:.0f}" for part, spent in hits.milliseconds.items())
    console.print(f"{hits.retriever}: {sum(hits.milliseconds.values()):.0f} ms ({spent})", style="dim")


def hits_table(hits: Hits) -> RenderableType:
    """The passages with their ranks and sources."""
    if not hits:
        return Text("no passage found")
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("#", justify="right")
    table.add_column("passage", ratio=1)
    table.add_column("found by (rank)", style="cyan")
    for hit in hits:
        title = escape(hit.passage.title or hit.passage.id)
        text = escape(" ".join(hit.passage.text.split()))
        snippet = text if len(text) <= 150 else f"{text[:149]}…"
        table.add_row(str(hit.rank), f"[bold]{title}[/bold]\n[dim]{snippet}[/dim]", sources_shown(hit.sources))
    return table


def paths_shown(hits: Hits, cypher: Cypher | None) -> RenderableType:
    """The best paths with their scores, and the Cypher that shows the best one."""
    if cypher is None:
        return Text("no path: none of the passages has triples")
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for path in hits.paths[:SHOWN_PATHS]:
        table.add_row(f"{path.score:.2f}", escape(str(path)))
    return Group(
        Text("\nPaths", style="bold"),
        table,
        Text("\nThe best path in Neo4j Browser", style="bold"),
        Padding(Text(str(cypher), style="green"), (0, 0, 0, 2)),
        Text(),
    )


def sources_shown(sources: tuple[Source, ...]) -> str:
    """The lists that found a passage, with its rank in each."""
    return " · ".join(f"{source.name} {source.rank}" for source in sources)
