"""The layout of a picture of paths: ranks on the left, then entities and triples in alternating columns.

Parts that several paths share are drawn once per column, so that paths with a common start or end merge.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from gear_neo4j.domain import Path, Triple, entity_key

Kind = Literal["rank", "entity", "triple"]
WIDTHS: Mapping[Kind, float] = {"rank": 62, "entity": 144, "triple": 176}
HEIGHTS: Mapping[Kind, float] = {"rank": 30, "entity": 54, "triple": 74}
SIDEWAYS, BETWEEN, MARGIN = 30.0, 8.0, 6.0
_SWEEPS = 6
Node = tuple[Kind, int, Hashable]


@dataclass(frozen=True, slots=True)
class Hop:
    """A triple of a path: the column of its start entity, and whether it is followed backward."""

    triple: Triple
    column: int
    backward: bool = False

    @property
    def ends(self) -> tuple[str, str]:
        """The names of its start and end."""
        subject, object = self.triple.subject, self.triple.object
        return (object, subject) if self.backward else (subject, object)


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the picture: a path's rank, an entity or a triple; ``paths`` holds the indexes of its paths."""

    kind: Kind
    x: float
    y: float
    paths: tuple[int, ...]
    name: str = ""
    hop: Hop | None = None

    @property
    def width(self) -> float:
        """The width in pixels."""
        return WIDTHS[self.kind]

    @property
    def height(self) -> float:
        """The height in pixels."""
        return HEIGHTS[self.kind]


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from one box to another."""

    start: Box
    end: Box
    paths: tuple[int, ...]

    @property
    def curve(self) -> str:
        """The line as the data of an SVG path."""
        x1, x2 = self.start.x + self.start.width, self.end.x
        y1, y2 = self.start.y + self.start.height / 2, self.end.y + self.end.height / 2
        middle = (x1 + x2) / 2
        return f"M{x1:.1f} {y1:.1f}C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes that do not overlap, column by column, and the lines between them."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]

    @property
    def stacked(self) -> list[Edge]:
        """The lines in drawing order: the best path comes last, so that it is on top."""
        return sorted(self.edges, key=lambda edge: -edge.paths[0])


def walk(path: Path) -> tuple[Hop, ...]:
    """The hops of a path; each continues from an entity of an earlier one.

    Example:
        >>> first = Triple("1", "Hinton", "studied at", "Edinburgh", "p1")
        >>> second = Triple("2", "Salter", "founded", "edinburgh", "p2")
        >>> [(hop.column, hop.backward) for hop in walk(Path((first, second), 1.5))]
        [(0, False), (1, True)]
    """
    hops: list[Hop] = []
    columns: dict[str, int] = {}
    for number, triple in enumerate(path.triples):
        subject, object = _keys(triple)
        known = [key for key in (subject, object) if key in columns]
        if known:
            # The latest column first: the path continues from its tip if it can, else it branches off earlier.
            start = max(known, key=lambda key: columns[key])
        else:
            following = _keys(path.triples[number + 1]) if number + 1 < len(path.triples) else ()
            start = object if subject in following and object not in following else subject
        hop = Hop(triple, columns.setdefault(start, 0), backward=start != subject)
        columns[subject if hop.backward else object] = hop.column + 1
        hops.append(hop)
    return tuple(hops)


def picture(paths: Sequence[Path]) -> Picture:
    """The paths, best first, as a picture; the same paths give the same picture.

    Example:
        >>> layout = picture([Path((Triple("1", "Curie", "born in", "Warsaw", "p1"),), 0.9)])
        >>> [box.name or box.kind for box in layout.boxes]
        ['rank', 'Curie', 'born in', 'Warsaw']
    """
    nodes, lines = _graph(paths)
    columns: dict[float, list[Node]] = defaultdict(list)
    for node in nodes:
        columns[_x(node)].append(node)
    centres = _centres([columns[x] for x in sorted(columns)], nodes, lines)
    top = min((centres[node] - HEIGHTS[node[0]] / 2 for node in nodes), default=0.0) - MARGIN
    boxes = {
        node: Box(node[0], _x(node), centres[node] - HEIGHTS[node[0]] / 2 - top, tuple(through), *_label(node))
        for node, through in nodes.items()
    }
    edges = tuple(Edge(boxes[start], boxes[end], tuple(through)) for (start, end), through in lines.items())
    ordered = tuple(sorted(boxes.values(), key=lambda box: (box.x, box.y)))
    width = max((box.x + box.width for box in ordered), default=0.0) + MARGIN
    return Picture(width, max((box.y + box.height for box in ordered), default=0.0) + MARGIN, ordered, edges)


def _graph(paths: Sequence[Path]) -> tuple[dict[Node, list[int]], dict[tuple[Node, Node], list[int]]]:
    """The nodes and lines of the picture, each with the indexes of its paths."""
    nodes: dict[Node, list[int]] = defaultdict(list)
    lines: dict[tuple[Node, Node], list[int]] = defaultdict(list)
    names: dict[str, str] = {}
    for index, path in enumerate(paths):
        pairs = list(_pairs(index, path, names))
        for pair in dict.fromkeys(pairs):
            lines[pair].append(index)
        for node in dict.fromkeys(node for pair in pairs for node in pair):
            nodes[node].append(index)
    return nodes, lines


def _pairs(index: int, path: Path, names: dict[str, str]) -> Iterator[tuple[Node, Node]]:
    rank: Node = ("rank", index, index)
    begun = set()
    for hop in walk(path):
        # The first spelling identifies the entity: nodes are compared by it.
        start, end = (names.setdefault(entity_key(name), name) for name in hop.ends)
        source: Node = ("entity", hop.column, start)
        target: Node = ("entity", hop.column + 1, end)
        middle: Node = ("triple", hop.column, hop)
        if source not in begun:
            yield rank, source
        begun |= {source, target}
        yield source, middle
        yield middle, target


def _centres(
    columns: Sequence[Sequence[Node]], nodes: Mapping[Node, Sequence[int]], lines: Mapping[tuple[Node, Node], object]
) -> dict[Node, float]:
    """The centres of the boxes: ranks in order from top to bottom, the others as near as possible to their lines."""
    ranks = [node for node in nodes if node[0] == "rank"]
    tallest = max((sum(HEIGHTS[node[0]] + BETWEEN for node in column) for column in columns), default=0.0)
    pitch = tallest / max(1, len(ranks))
    neighbours: dict[Node, list[Node]] = defaultdict(list)
    for start, end in lines:
        neighbours[start].append(end)
        neighbours[end].append(start)
    centres = {node: fmean(through) * pitch for node, through in nodes.items()}
    for _ in range(_SWEEPS):
        for column in columns:
            if column[0][0] != "rank":
                wanted = {node: fmean(centres[other] for other in neighbours[node]) for node in column}
                centres |= _apart(wanted, HEIGHTS[column[0][0]] + BETWEEN)
    return centres


def _apart(wanted: Mapping[Node, float], distance: float) -> dict[Node, float]:
    """The positions nearest to the wanted ones, by least squares, that keep their order and a minimum distance."""
    order = sorted(wanted, key=lambda node: wanted[node])
    blocks: list[tuple[float, int]] = []
    for number, node in enumerate(order):
        mean, size = wanted[node] - number * distance, 1
        while blocks and blocks[-1][0] > mean:
            other, count = blocks.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        blocks.append((mean, size))
    shifted = [mean for mean, size in blocks for _ in range(size)]
    return {node: shift + number * distance for number, (node, shift) in enumerate(zip(order, shifted, strict=True))}


def _x(node: Node) -> float:
    kind, column, _ = node
    if kind == "rank":
        return MARGIN
    step = WIDTHS["entity"] + WIDTHS["triple"] + 2 * SIDEWAYS
    first = MARGIN + WIDTHS["rank"] + SIDEWAYS
    return first + column * step + (WIDTHS["entity"] + SIDEWAYS if kind == "triple" else 0)


def _label(node: Node) -> tuple[str, Hop | None]:
    value = node[2]
    if isinstance(value, Hop):
        return value.triple.predicate, value
    return (value if isinstance(value, str) else "", None)


def _keys(triple: Triple) -> tuple[str, str]:
    return entity_key(triple.subject), entity_key(triple.object)
