"""Communities as a self-contained page: a zoomable treemap, with boxes sized by their entities."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from gear_neo4j.communities.hierarchy import Community, Hierarchy
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.entities import first_name
from gear_neo4j.text.printable import printable
from gear_neo4j.text.wording import pluralize

MEMBERS = 10
WIDTH, HEIGHT = 1600.0, 1000.0
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Member:
    """A node of a community: its name, its labels, and its number of triples."""

    name: str
    labels: tuple[str, ...]
    degree: int


def names_of(graph: Graph, hierarchy: Hierarchy) -> dict[str, tuple[Member, ...]]:
    """The ten nodes of highest degree in each community, including those of its parts."""
    record = graph.record()
    names = record.names if record else ()
    direct = {
        row["id"]: [Member(first_name(parts[0]) or "?", tuple(parts[1]), parts[2]) for parts in row["members"]]
        for row in graph.communities.members(names=names, most=MEMBERS)
    }
    named: dict[str, tuple[Member, ...]] = {}
    for community in sorted(hierarchy.communities.values(), key=lambda community: -community.level):
        below = [member for part in hierarchy.below.get(community.id, ()) for member in named[part]]
        members = sorted([*direct.get(community.id, ()), *below], key=lambda member: (-member.degree, member.name))
        named[community.id] = tuple(members[:MEMBERS])
    return named


def page(hierarchy: Hierarchy, named: Mapping[str, Sequence[Member]], *, database: str) -> str:
    """The page.

    Example:
        >>> community = Community("c1", 0, 3, 2, None, ("4:1", "4:2", "4:3"))
        >>> html = page(Hierarchy({"c1": community}), {"c1": [Member("<Ana>", ("Entity",), 4)]}, database="mine")
        >>> "\\\\u003cAna>" in html, "<Ana>" in html
        (True, False)
    """
    boxes: list[dict[str, Any]] = []
    whole, collections = (0.0, 0.0, WIDTH, HEIGHT), hierarchy.by_collection()
    if len(collections) > 1:
        _draw_collections(collections, named, whole, boxes)
    else:
        _draw(hierarchy, named, hierarchy.roots, whole, boxes, above=-1)
    template = Template(files(__package__).joinpath("communities.html").read_text(encoding="utf-8"))
    # Escape text that would end the script or begin a comment in it.
    data = json.dumps(boxes, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", " ").replace("\u2029", " ")
    count = f"{pluralize(len(hierarchy.communities), 'community')}, {len(hierarchy.roots):,} at the top"
    database = escape(printable(database))
    return template.substitute(database=database, counted=count, width=WIDTH, height=HEIGHT, boxes=data)


def squarify(sizes: Sequence[float], box: Box) -> list[Box]:
    """Boxes that fill a box in proportion to sizes, largest first, each as square as possible (Bruls et al. 2000).

    Example:
        >>> squarify([2, 1, 1], (0, 0, 4, 2))
        [(0, 0.0, 2.0, 2.0), (2.0, 0.0, 2.0, 1.0), (2.0, 1.0, 2.0, 1.0)]
    """
    x, y, width, height = box
    scale = width * height / sum(sizes) if sizes else 0.0
    boxes: list[Box] = []
    index = 0
    while index < len(sizes):
        side = min(width, height)
        row = [sizes[index] * scale]
        index += 1
        while index < len(sizes) and _worst([*row, sizes[index] * scale], side) <= _worst(row, side):
            row.append(sizes[index] * scale)
            index += 1
        thick = sum(row) / side if side else 0.0
        at = 0.0
        for area in row:
            long = area / thick if thick else 0.0
            boxes.append((x, y + at, thick, long) if width >= height else (x + at, y, long, thick))
            at += long
        if width >= height:
            x, width = x + thick, width - thick
        else:
            y, height = y + thick, height - thick
    return boxes


def _worst(row: Sequence[float], side: float) -> float:
    total = sum(row)
    return max(side * side * max(row) / (total * total), total * total / (side * side * min(row))) if side else 0.0


def _draw_collections(
    collections: Mapping[str | None, Hierarchy],
    named: Mapping[str, Sequence[Member]],
    whole: Box,
    boxes: list[dict[str, Any]],
) -> None:
    """Draw a box for each collection, with its communities inside."""
    sizes = {name: sum(root.size for root in hierarchy.roots) for name, hierarchy in collections.items()}
    order = sorted(sizes, key=lambda name: (-sizes[name], name or ""))
    for name, box in zip(order, squarify([float(sizes[name]) for name in order], whole), strict=True):
        index, title = len(boxes), printable(name or "over all collections")
        boxes.append(
            {
                "box": _shrunk(box),
                "above": -1,
                "collection": title,
                "level": None,
                "size": sizes[name],
                "weight": 0,
                "title": title,
                "summary": "",
                "findings": [],
                "members": [],
            }
        )
        _draw(collections[name], named, collections[name].roots, _below_title(box), boxes, above=index)


def _shrunk(box: Box) -> list[float]:
    x, y, width, height = box
    gap = _gap(box)
    return [round(value, 3) for value in (x + gap, y + gap, width - 2 * gap, height - 2 * gap)]


def _below_title(box: Box) -> Box:
    x, y, width, height = box
    gap, head = _gap(box), 0.16 * min(width, height)
    return x + 2 * gap, y + gap + head, width - 4 * gap, height - head - 3 * gap


def _gap(box: Box) -> float:
    return 0.02 * min(box[2:])


def _draw(
    hierarchy: Hierarchy,
    named: Mapping[str, Sequence[Member]],
    communities: Sequence[Community],
    box: Box,
    boxes: list[dict[str, Any]],
    *,
    above: int,
) -> None:
    inner = squarify([float(community.size) for community in communities], box)
    for community, box in zip(communities, inner, strict=True):
        index = len(boxes)
        boxes.append(
            {
                "box": _shrunk(box),
                "above": above,
                "collection": printable(community.collection or ""),
                "level": community.level,
                "size": community.size,
                "weight": community.weight,
                "title": printable(community.report.title) if community.report else "",
                "summary": printable(community.report.summary) if community.report else "",
                "findings": [printable(finding) for finding in community.report.findings] if community.report else [],
                "members": [
                    [printable(member.name), printable(_labels(member))] for member in named.get(community.id, ())
                ],
            }
        )
        _draw(hierarchy, named, hierarchy.parts(community.id), _below_title(box), boxes, above=index)


def _labels(member: Member) -> str:
    return ", ".join(label for label in member.labels if label != "Entity")
