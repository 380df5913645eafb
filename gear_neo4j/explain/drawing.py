"""A picture of paths as HTML: boxes over lines, and the details of each box, shown when it is selected."""

from collections.abc import Iterator, Sequence
from html import escape

from gear_neo4j.domain import Passage, Path
from gear_neo4j.explain.layout import Box, Edge, Picture, picture
from gear_neo4j.explain.saved import SavedRun, Turn
from gear_neo4j.text.wording import pluralize

LONGEST_TEXT = 420
_BUTTONS = "".join(
    f'<button type="button" data-zoom="{zoom}" title="{title}">{face}</button>'
    for zoom, title, face in (("0.8", "smaller", "−"), ("1.25", "larger", "+"), ("fit", "as wide as the page", "fit"))
)


def drawing(saved: SavedRun, turn: Turn) -> str:
    """The picture of one turn, with its buttons."""
    if not turn.paths:
        return '<p class="note">No path: none of the passages that were found has triples.</p>'
    layout = picture(turn.paths)
    boxes = "".join(_box(box, saved, turn) for box in layout.boxes)
    size = f"width:{layout.width:.0f}px;height:{layout.height:.0f}px"
    return (
        f'<div class="frame"><div class="tools">{_head(turn)}{_BUTTONS}</div>'
        f'<div class="view"><div class="picture" style="{size}">{_lines(layout)}{boxes}</div></div></div>'
    )


def beginning(text: str, *, most: int = LONGEST_TEXT) -> str:
    """The beginning of a text, on one line.

    Example:
        >>> beginning("Marie Curie\\nwas born in Warsaw.", most=11)
        'Marie Curie…'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most].rstrip()}…"


def marks(saved: SavedRun, passage: str) -> str:
    """The markers of an answer's citations of a passage, as HTML."""
    return "".join(f'<span class="mark">[{escape(marker)}]</span>' for marker in saved.cited.get(passage, ()))


def named(passage: Passage | None, *, id: str) -> str:
    """The title of a passage, else its id, as HTML."""
    return f'<span dir="auto">{escape((passage.title if passage else "") or id)}</span>'


def location(passage: Passage) -> str:
    """The location of a passage as HTML; empty if unknown."""
    return escape(passage.location)


def _head(turn: Turn) -> str:
    count = len(turn.paths)
    return f'<span class="note">{pluralize(count, "path")}{", best first" if count > 1 else ""}</span>'


def _lines(layout: Picture) -> str:
    size = f'width="{layout.width:.0f}" height="{layout.height:.0f}"'
    return f'<svg {size} aria-hidden="true">{"".join(map(_line, layout.stacked))}</svg>'


def _line(edge: Edge) -> str:
    best = ' class="best"' if edge.paths[0] == 0 else ""
    return f'<path{best} d="{edge.curve}" data-paths="{_numbers(edge.paths)}"/>'


def _box(box: Box, saved: SavedRun, turn: Turn) -> str:
    styles = {"rank": _rank, "entity": _entity, "triple": _triple}
    classes, face, about = styles[box.kind](box, saved, turn)
    best = " best" if box.paths[0] == 0 else ""
    where = f"left:{box.x:.1f}px;top:{box.y:.1f}px;width:{box.width:.0f}px;height:{box.height:.0f}px"
    return (
        f'<div class="box {classes}{best}" tabindex="0" style="{where}" data-paths="{_numbers(box.paths)}">{face}'
        f'<div class="about" hidden>{about}</div></div>'
    )


def _rank(box: Box, _saved: SavedRun, turn: Turn) -> tuple[str, str, str]:
    path = turn.paths[box.paths[0]]
    most = max(other.score for other in turn.paths)
    part = max(0.0, min(1.0, path.score / most)) if most > 0 else 0.0
    face = (
        f'<b>{box.paths[0] + 1}</b><span class="score">{path.score:.2f}</span><i style="width:{100 * part:.0f}%"></i>'
    )
    return "rank", face, f"<h3>Path {box.paths[0] + 1} of {len(turn.paths)}</h3>{_path(path)}{_scores(path)}"


def _entity(box: Box, _saved: SavedRun, turn: Turn) -> tuple[str, str, str]:
    face = f'<span class="name" dir="auto">{escape(box.name) or "&nbsp;"}</span>'
    return "entity", face, f'<h3 dir="auto">{escape(box.name)}</h3>{_path_list(box, turn)}'


def _triple(box: Box, saved: SavedRun, turn: Turn) -> tuple[str, str, str]:
    assert box.hop is not None
    triple, backward = box.hop.triple, box.hop.backward
    passage = saved.passages.get(triple.passage_id)
    predicate = f'<span class="name" dir="auto">{escape(triple.predicate) or "&nbsp;"}</span>'
    arrowed = f"<em>←</em>{predicate}" if backward else f"{predicate}<em>→</em>"
    title = f'<span class="from">{marks(saved, triple.passage_id)}{named(passage, id=triple.passage_id)}</span>'
    about = f"<h3>{_statement(triple.subject, triple.predicate, triple.object)}</h3>"
    cited = " cited" if triple.passage_id in saved.cited else ""
    return (
        f"triple{cited}",
        f'<span class="said">{arrowed}</span>{title}',
        about + _source(saved, passage, id=triple.passage_id) + _path_list(box, turn),
    )


def _source(saved: SavedRun, passage: Passage | None, *, id: str) -> str:
    cited = f'<p class="cites">The answer cites this passage: {marks(saved, id)}</p>' if id in saved.cited else ""
    text = f'<p dir="auto">{escape(beginning(passage.text))}</p>' if passage and passage.text else ""
    origin = f'<p class="note">{escape(saved.provenance[id])}</p>' if id in saved.provenance else ""
    where = f'<span class="note">{location(passage)}</span>' if passage else ""
    return f"<p>stated by <strong>{named(passage, id=id)}</strong> {where}</p>{cited}{text}{origin}"


def _path_list(box: Box, turn: Turn) -> str:
    count = f"on {len(box.paths)} of {len(turn.paths)} paths"
    rows = "".join(f'<li value="{index + 1}">{_path(turn.paths[index])}</li>' for index in box.paths[:6])
    more = f'<p class="note">and {len(box.paths) - 6} more</p>' if len(box.paths) > 6 else ""
    return f'<p class="note">{count}</p><ol>{rows}</ol>{more}'


def _path(path: Path) -> str:
    return f'<span class="path" dir="auto">{escape(str(path))}</span> <span class="note">{path.score:.2f}</span>'


def _scores(path: Path) -> str:
    rows = "".join(_scored_row(scored) for scored in _scored_triples(path))
    return f"<p>Similarity to the question after each triple:</p><ul>{rows}</ul>"


def _scored_triples(path: Path) -> Iterator[tuple[str, float]]:
    for triple, score in zip(path.triples, path.scores, strict=False):
        yield str(triple), score


def _scored_row(scored: tuple[str, float]) -> str:
    return f'<li><b>{scored[1]:.3f}</b> <span dir="auto">{escape(scored[0])}</span></li>'


def _statement(*parts: str) -> str:
    subject, predicate, object = (f"<bdi>{escape(part)}</bdi>" for part in parts)
    return f'{subject} <span class="note">—{predicate}→</span> {object}'


def _numbers(indexes: Sequence[int]) -> str:
    return " ".join(map(str, indexes))
