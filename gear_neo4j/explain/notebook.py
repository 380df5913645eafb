"""Results as HTML for Jupyter: tables, and pictures of paths as SVG, without scripts or style sheets."""

from collections.abc import Iterable, Sequence
from functools import singledispatch

from gear_neo4j.agents.answer import Answer, Step
from gear_neo4j.communities.hierarchy import Community, Hierarchy
from gear_neo4j.domain import EntityHit, Figure, Hit, Hits, Path
from gear_neo4j.explain.drawing import beginning
from gear_neo4j.explain.picture import svg
from gear_neo4j.graph.read.path_cypher import path_cypher
from gear_neo4j.retrieval.paths import PathResult
from gear_neo4j.retrieval.reasons import found_by
from gear_neo4j.text.display import html_note, html_table, html_text
from gear_neo4j.text.printable import single_line
from gear_neo4j.text.wording import format_figure, format_value, pluralize

MOST_PATHS = 10
MOST_COMMUNITIES = 20
_TEXT = 280


@singledispatch
def html(value: object) -> str:
    """A value as HTML.

    Example:
        >>> from gear_neo4j.domain import make_triple
        >>> "<svg" in html(Path((make_triple("p1", "Curie", "born in", "<b>Warsaw"),), 0.9, (0.9,)))
        True
    """
    return f"<pre>{html_text(repr(value))}</pre>"


@html.register
def _(value: Hits) -> str:
    head = f"{pluralize(len(value), 'passage')} by {value.retriever} for “{value.question}”"
    rows = [
        (
            str(hit.rank),
            f"{hit.score:.3f}",
            _passage(hit.passage.title or hit.passage.id, hit.passage.text),
            html_text(hit.passage.location),
            _reason(hit, value),
        )
        for hit in value
    ]
    return _block(
        html_note(head),
        _findings(value.figure, value.entities, value.doubt),
        html_table(("", "score", "passage", "from", "found"), rows),
        _paths(value.paths, value),
    )


@html.register
def _(value: Path) -> str:
    query = f"<pre>{html_text(str(path_cypher(value)))}</pre>"
    return _block(svg([value]), f"<details><summary>Cypher</summary>{query}</details>")


@html.register
def _(value: PathResult) -> str:
    names = ", ".join(dict.fromkeys(match.text for match in value.matches))
    head = f"named in the question: {names}" if names else "The question names nothing of the graph."
    return _block(html_note(head), _findings(value.figure, value.nodes, value.doubt), _paths(value.paths))


@html.register
def _(value: Answer) -> str:
    cited = "".join(f"<li>{html_text(str(citation))}</li>" for citation in value.citations)
    spent = f"{pluralize(value.total.calls, 'call')} · {pluralize(value.total.tokens, 'token')} · {value.seconds:.1f} s"
    steps = html_table(("step", "question", "found", "decision"), [_step(step) for step in value.trace.steps])
    return _block(
        f'<p style="font-size:1.15em" dir="auto">{html_text(value.text) or "No answer."}</p>',
        f"<p>{html_text(value.failure)}</p>" if value.failure else "",
        f'<ul style="list-style:none;padding:0">{cited}</ul>' if cited else "",
        html_note(f"{value.stop_reason} · {spent}"),
        f"<details><summary>{pluralize(len(value.trace.steps), 'step')}</summary>{steps}</details>",
        _paths(value.paths, value.hits),
    )


@html.register
def _(value: Hierarchy) -> str:
    roots = value.roots
    head = f"{pluralize(len(value.communities), 'community', 'communities')}, {len(roots)} without one above"
    stale = "The graph has changed since they were built." if value.stale else ""
    rows = [_community(community, value) for community in roots[:MOST_COMMUNITIES]]
    more = f"and {len(roots) - MOST_COMMUNITIES} more" if len(roots) > MOST_COMMUNITIES else ""
    columns = ("entities", "passages", "parts", "report")
    return _block(html_note(head), html_note(stale), html_table(columns, rows), html_note(more))


def _findings(figure: Figure | None, nodes: Sequence[EntityHit], doubt: str) -> str:
    """The number or the nodes that answer the question, and the doubt."""
    rows = [
        (
            str(node.rank),
            f"<b>{html_text(node.name)}</b>",
            html_text(", ".join(node.labels)),
            html_text(node.pattern),
            html_text("" if node.value is None else format_value(node.value)),
        )
        for node in nodes
    ]
    number = (
        f"<p><b>{html_text(format_figure(figure.value, figure.counted))}</b> {html_text(figure.pattern)}</p>"
        if figure
        else ""
    )
    return number + (html_table(("", "node", "labels", "pattern", "value"), rows) if rows else "") + html_note(doubt)


def _reason(hit: Hit, hits: Hits) -> str:
    """Why a hit was found: its ranks, and the path to it."""
    path = hits.path_to(hit.passage.id)
    via = f'<br><span dir="auto">via {html_text(str(path))}</span>' if path else ""
    return html_text(found_by(hit, question=hits.question)) + via


def _paths(paths: Sequence[Path], hits: Iterable[Hit] = ()) -> str:
    if not paths:
        return ""
    shown = paths[:MOST_PATHS]
    more = f", the best {MOST_PATHS} drawn" if len(paths) > MOST_PATHS else ""
    head = f"{pluralize(len(paths), 'path')}{more}"
    titles = {hit.passage.id: hit.passage.title for hit in hits}
    return f"<details open><summary>{head}</summary>{svg(shown, titles=titles)}</details>"


def _step(step: Step) -> tuple[str, ...]:
    found = "<br>".join(html_text(str(fact)) for fact in step.gist)
    decision = "answerable" if step.answerable else step.rewrite or step.reason or step.action
    return str(step.number), html_text(step.question), found, html_text(decision)


def _community(community: Community, of: Hierarchy) -> tuple[str, ...]:
    report = community.report
    text = _passage(report.title, report.summary) if report else html_note("no report yet")
    return str(community.size), str(community.weight), str(len(of.below.get(community.id, ()))), text


def _passage(title: str, text: str) -> str:
    start = html_text(beginning(text, most=_TEXT))
    return f'<bdi><b>{html_text(single_line(title))}</b></bdi><br><span dir="auto">{start}</span>'


def _block(*parts: str) -> str:
    return f"<div>{''.join(parts)}</div>"
