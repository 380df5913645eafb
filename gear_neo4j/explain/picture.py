"""A picture of paths as one SVG, without scripts or style sheets."""

from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType

from gear_neo4j.domain import Path
from gear_neo4j.explain.layout import Box, Edge, picture
from gear_neo4j.text.printable import single_line

_LETTER = 6.6
# Readable on a light page and on a dark one.
_BEST, _OTHER, _FILL = "#2f7fd6", "#8a939e", "#8a939e22"


def svg(paths: Sequence[Path], *, titles: Mapping[str, str] = MappingProxyType({})) -> str:
    """The paths, best first; a name that does not fit is cut, and shown in full as a tooltip.

    Args:
        titles: the titles of passages by id; without a title, the id is shown.

    Example:
        >>> from gear_neo4j.domain import make_triple
        >>> drawn = svg([Path((make_triple("p1", "Curie", "born in", "Warsaw"),), 0.9)])
        >>> drawn.count("<rect"), drawn.count("<path")
        (4, 3)
    """
    layout = picture(paths)
    lines = "".join(map(_line, layout.stacked))
    boxes = "".join(_box(box, titles) for box in layout.boxes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{_label(paths)}" '
        f'viewBox="0 0 {layout.width:.0f} {layout.height:.0f}" width="{layout.width:.0f}" '
        f'style="max-width:100%;height:auto;font:12px system-ui,sans-serif">{lines}{boxes}</svg>'
    )


def _line(edge: Edge) -> str:
    stroke, width = (_BEST, 2) if edge.paths[0] == 0 else (_OTHER, 1.2)
    return f'<path d="{edge.curve}" fill="none" stroke="{stroke}" stroke-width="{width}"/>'


def _box(box: Box, titles: Mapping[str, str]) -> str:
    text, note = _face(box, titles)
    whole = f"{text}\n{note}" if note else text
    edge = _BEST if box.paths[0] == 0 else _OTHER
    dashed = ' stroke-dasharray="3 3"' if box.kind == "triple" else ""
    x, y = box.x + box.width / 2, box.y + box.height / 2
    lines = _text(text, x, y - 8 if note else y, box.width)
    if note:
        lines += _text(note, x, y + 10, box.width, faint=True)
    return (
        f"<g><title>{escape(whole)}</title>"
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="8" '
        f'fill="{_FILL}" stroke="{edge}"{dashed}/>{lines}</g>'
    )


def _face(box: Box, titles: Mapping[str, str]) -> tuple[str, str]:
    """The text of a box, and for a triple the passage that states it, below."""
    if box.kind == "rank":
        return str(box.paths[0] + 1), ""
    if box.hop is None:
        return single_line(box.name), ""
    predicate = single_line(box.name)
    id = box.hop.triple.passage_id
    return (f"← {predicate}" if box.hop.backward else f"{predicate} →"), single_line(titles.get(id) or id)


def _text(text: str, x: float, y: float, width: float, *, faint: bool = False) -> str:
    most = int((width - 14) / _LETTER)
    cut = text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
    opacity = ' fill-opacity=".6"' if faint else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" dominant-baseline="central" fill="currentColor"{opacity} '
        f'style="unicode-bidi:plaintext">{escape(cut)}</text>'
    )


def _label(paths: Sequence[Path]) -> str:
    return escape(single_line("; ".join(str(path) for path in paths)))
