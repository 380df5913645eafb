"""Hierarchical Leiden: detects the communities of a weighted graph, and splits those that are too large.

graspologic-native's own hierarchy uses one stream of random numbers, so that any change affects everything after it.
Here each split starts with the same seed: unchanged parts are split as before.
"""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import graspologic_native

SEED = 0xDEADBEEF
RESOLUTION = 1.0
RANDOMNESS = 0.001
# Beyond this depth, a cluster is cut into pieces, since it may lose only one node per level.
MOST_LEVELS = 20
Edges = Mapping[tuple[int, int], float]


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster of nodes, in order; a large one has ``parts``. Level 0 is the coarsest."""

    nodes: tuple[int, ...]
    level: int
    parts: tuple["Cluster", ...] = ()


def clusters(edges: Edges, *, most: int, starting: Mapping[int, int] | None = None) -> list[Cluster]:
    """The coarsest clusters of a graph, largest first; a cluster without parts has at most ``most`` nodes.

    Args:
        edges: positive weights by pairs of nodes, the smaller node first, without loops.
        starting: the former coarsest cluster of nodes, which they keep.

    Example:
        >>> ring = {(0, 1): 1.0, (1, 2): 1.0, (0, 2): 1.0, (3, 4): 1.0, (4, 5): 1.0, (3, 5): 1.0, (2, 3): 0.1}
        >>> [cluster.nodes for cluster in clusters(ring, most=10)]
        [(0, 1, 2), (3, 4, 5)]
    """
    if not edges:
        return []
    groups = _extend(edges, starting) if starting else _partition(edges)
    return _build_clusters(edges, groups, most=most, level=0)


def _parts(edges: Edges, *, most: int, level: int) -> list[Cluster]:
    """The parts of a cluster that is too large."""
    groups = _partition(edges)
    if len(groups) == 1 or level == MOST_LEVELS:
        groups = _cut(edges, sorted(chain.from_iterable(groups)), most=most)
    return _build_clusters(edges, groups, most=most, level=level)


def _build_clusters(edges: Edges, groups: Sequence[tuple[int, ...]], *, most: int, level: int) -> list[Cluster]:
    home = {node: index for index, group in enumerate(groups) for node in group}
    inside: dict[int, dict[tuple[int, int], float]] = defaultdict(dict)
    for (source, target), weight in edges.items():
        if home[source] == home[target]:
            inside[home[source]][source, target] = weight
    grouped = []
    for index, group in enumerate(groups):
        large = len(group) > most
        parts = _parts(inside[index], most=most, level=level + 1) if large and inside[index] else []
        if large and not parts:
            parts = [Cluster(piece, level + 1) for piece in _chunks(group, most=most)]
        grouped.append(Cluster(group, level, tuple(parts)))
    return sorted(grouped, key=lambda cluster: (-len(cluster.nodes), cluster.nodes))


def _partition(edges: Edges) -> list[tuple[int, ...]]:
    """One run of Leiden."""
    listed = [(str(source), str(target), weight) for (source, target), weight in sorted(edges.items())]
    _, membership = graspologic_native.leiden(listed, resolution=RESOLUTION, randomness=RANDOMNESS, seed=SEED)
    return _groups({int(node): group for node, group in membership.items()})


def _extend(edges: Edges, starting: Mapping[int, int]) -> list[tuple[int, ...]]:
    """The former clusters, with each new node in its most connected one; unconnected nodes are split from scratch.

    Leiden itself would continue from there and move unaffected nodes.
    """
    near: dict[int, dict[int, float]] = defaultdict(dict)
    for (source, target), weight in edges.items():
        near[source][target] = near[target][source] = weight
    home = {node: starting[node] for node in near if node in starting}
    fresh = sorted(near.keys() - home.keys())
    while fresh:
        chosen = {}
        for node in fresh:
            ties: dict[int, float] = defaultdict(float)
            for target, weight in near[node].items():
                if target in home:
                    ties[home[target]] += weight
            if ties:
                chosen[node] = min(ties, key=lambda group: (-ties[group], group))
        if not chosen:
            break
        home |= chosen
        fresh = [node for node in fresh if node not in chosen]
    apart = {pair: weight for pair, weight in edges.items() if pair[0] not in home}
    return sorted([*_groups(home), *(_partition(apart) if apart else [])])


def _groups(home: Mapping[int, int]) -> list[tuple[int, ...]]:
    groups: dict[int, list[int]] = defaultdict(list)
    for node, group in home.items():
        groups[group].append(node)
    return sorted(tuple(sorted(group)) for group in groups.values())


def _cut(edges: Edges, group: Sequence[int], *, most: int) -> list[tuple[int, ...]]:
    """Pieces of a group that Leiden cannot split, such as a star, starting with the neighbours of the largest hub."""
    near: dict[int, list[int]] = defaultdict(list)
    for source, target in edges:
        near[source].append(target)
        near[target].append(source)
    order: dict[int, None] = {}
    for start in sorted(group, key=lambda node: (-len(near[node]), node)):
        waiting = deque([start])
        while waiting:
            node = waiting.popleft()
            if node not in order:
                order[node] = None
                waiting.extend(sorted(set(near[node]) - order.keys()))
    return _chunks(list(order), most=most)


def _chunks(nodes: Sequence[int], *, most: int) -> list[tuple[int, ...]]:
    return [tuple(sorted(nodes[start : start + most])) for start in range(0, len(nodes), most)]
