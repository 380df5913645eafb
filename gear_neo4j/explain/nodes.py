"""A section of the page with the nodes that answer a question, grouped by pattern."""

from collections.abc import Iterator
from html import escape
from itertools import groupby

from gear_neo4j.domain import EntityHit, Figure
from gear_neo4j.explain.saved import SavedRun
from gear_neo4j.text.wording import certainty, format_figure, format_value


def answering_nodes(saved: SavedRun) -> str:
    """The section; empty for a run without nodes, a figure or a doubt."""
    if not (saved.entities or saved.figure or saved.doubt):
        return ""
    doubt = f'<p class="verdict">{escape(saved.doubt)}</p>' if saved.doubt else ""
    return f"<section><h2>Answer in the graph</h2>{doubt}{''.join(_parts(saved))}</section>"


def _parts(saved: SavedRun) -> Iterator[str]:
    figure = saved.figure
    if figure:
        yield _pattern(figure, f"<p><b>{escape(format_figure(figure.value, figure.counted))}</b></p>")
    for _, group in groupby(saved.entities, key=lambda entity: entity.cypher):
        entities = list(group)
        rows = "".join(map(_row, entities))
        first = entities[0]
        yield _pattern(first, f'<ol start="{first.rank}">{rows}</ol>')


def _pattern(found: EntityHit | Figure, body: str) -> str:
    sure = certainty(found.confidence, unused=found.unused, understood=found.understood)
    heading = f'<h3 dir="auto">{escape(found.pattern)} <span class="note">{escape(sure)}</span></h3>'
    query = f'<details class="query"><summary>Cypher</summary><pre>{escape(str(found.cypher))}</pre></details>'
    return f"{heading}{body}{query}"


def _row(entity: EntityHit) -> str:
    value = "" if entity.value is None else f": {escape(format_value(entity.value))}"
    labels = f'<span class="note">{escape(", ".join(entity.labels))}</span>'
    return f'<li dir="auto"><b>{escape(entity.name)}</b> {labels}{value}</li>'
