"""``gear communities build``: the triples as a weighted graph, its hierarchy of communities, and what changed of it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.communities import store
from gear_neo4j.communities.leiden import Cluster, clusters
from gear_neo4j.communities.store import Community, Hierarchy
from gear_neo4j.domain import digest, entity_key
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.graph.graph import Graph

SMALLEST = 3
MOST = 10


@dataclass(frozen=True, slots=True)
class BuildReport:
    """How many communities there are, by level from the coarsest, how many are new, and how many went."""

    levels: tuple[int, ...]
    new: int
    gone: int
    nodes: int


@dataclass(frozen=True, slots=True)
class WeightedGraph:
    """The graph between nodes: passages and triples by pair, nodes by their place in the order of their names."""

    ids: Sequence[str]
    keys: Sequence[str]
    passages: Mapping[tuple[int, int], frozenset[str]]
    triples: Mapping[tuple[int, int], tuple[str, ...]]


def build(graph: Graph, *, most: int | None = None, afresh: bool = True, dry_run: bool = False) -> BuildReport:
    """Find the communities of all triples and store them; what did not change keeps its id and its report.

    Args:
        most: how many nodes a community without parts may have; by default 10, or what those that are there were built
            with, where they are followed.
        afresh: begin from nothing; else from the coarsest communities that are there, to stay near them.

    Raises:
        InputError: there are no triples.
        SettingsError: ``most`` is below 3.
    """
    before = store.read(graph)
    most = most or (0 if afresh else before.most) or MOST
    if most < SMALLEST:
        raise SettingsError(f"the maximum size of a community is {most}: it must be at least {SMALLEST}")
    version = graph.export.version().changed
    weighted = _weigh(graph)
    if not weighted.passages:
        raise InputError(f"the database {graph.name} has no triples that connect two entities")
    starting = None if afresh else _starting(weighted, before)
    weights = {pair: float(len(passages)) for pair, passages in weighted.passages.items()}
    communities = list(_communities(weighted, clusters(weights, most=most, starting=starting)))
    ids = {community.id for community in communities}
    levels = [
        sum(community.level == level for community in communities)
        for level in range(1 + max((community.level for community in communities), default=-1))
    ]
    report = BuildReport(
        tuple(levels), len(ids - before.communities.keys()), len(before.communities.keys() - ids), len(weighted.ids)
    )
    if not dry_run:
        store.write(graph, communities, before=before)
        graph.communities.record_build(version=version, most=most)
    return report


def _weigh(graph: Graph) -> WeightedGraph:
    names = {node.id: entity_key(node.names[0]) if node.names else "" for node in graph.export.named_nodes()}
    ids = sorted(names, key=lambda id: (names[id], id))
    place = {id: number for number, id in enumerate(ids)}
    passages: dict[tuple[int, int], set[str]] = defaultdict(set)
    triples: dict[tuple[int, int], list[str]] = defaultdict(list)
    for row in graph.communities.facts():
        # What was written since the names were read is for the next build.
        if row["head"] in place and row["tail"] in place:
            first, second = sorted((place[row["head"]], place[row["tail"]]))
            passages[first, second].add(row["passage"])
            triples[first, second].append(row["id"])
    return WeightedGraph(
        ids,
        [names[id] for id in ids],
        {pair: frozenset(stating) for pair, stating in passages.items()},
        {pair: tuple(sorted(facts)) for pair, facts in triples.items()},
    )


def _communities(weighted: WeightedGraph, roots: Sequence[Cluster]) -> Iterator[Community]:
    """What is stored of a hierarchy: clusters of three nodes and more, each before its parts."""
    near: dict[int, list[int]] = defaultdict(list)
    for first, second in weighted.triples:
        near[first].append(second)
    waiting: list[tuple[Cluster, str | None]] = [(root, None) for root in reversed(roots)]
    while waiting:
        cluster, above = waiting.pop()
        if len(cluster.nodes) < SMALLEST:
            continue
        inside = frozenset(cluster.nodes)
        pairs = [(first, second) for first in cluster.nodes for second in near[first] if second in inside]
        stored = [part for part in cluster.parts if len(part.nodes) >= SMALLEST]
        covered = {node for part in stored for node in part.nodes}
        triples = sorted(id for pair in pairs for id in weighted.triples[pair])
        id = digest("community", *(weighted.keys[node] for node in cluster.nodes), *triples)
        yield Community(
            id,
            cluster.level,
            len(cluster.nodes),
            len(frozenset[str]().union(*(weighted.passages[pair] for pair in pairs))),
            above,
            tuple(sorted(weighted.ids[node] for node in cluster.nodes if node not in covered)),
        )
        waiting.extend((part, id) for part in reversed(stored))


def _starting(weighted: WeightedGraph, before: Hierarchy) -> dict[int, int]:
    """The coarsest community of each node, as far as it was in one."""
    place = {id: number for number, id in enumerate(weighted.ids)}
    roots = {root.id: number for number, root in enumerate(before.roots)}
    return {
        place[member]: roots[before.line(community.id)[-1].id]
        for community in before.communities.values()
        for member in community.members
        if member in place
    }
