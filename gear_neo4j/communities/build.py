"""``gear communities build``: detects the communities of each collection from its triples, and stores the changes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gear_neo4j.communities import store
from gear_neo4j.communities.hierarchy import BuiltCommunity, Community, Hierarchy
from gear_neo4j.communities.leiden import Cluster, clusters
from gear_neo4j.communities.weighing import Pair, WeightedGraph, bounded, weigh
from gear_neo4j.domain import digest
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.scope import DEFAULT_COLLECTION

SMALLEST = 3
MOST = 10


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The number of communities by level, from the coarsest, and the numbers of new and removed ones.

    ``nodes`` counts the nodes with a triple to another node; ``collections`` has the number of communities of each
    collection.
    """

    levels: tuple[int, ...]
    new: int
    gone: int
    nodes: int
    collections: Mapping[str, int] = field(default_factory=dict)


def build(
    graph: Graph, *, collection: str | None = None, most: int | None = None, afresh: bool = True, dry_run: bool = False
) -> BuildReport:
    """Detect and store the communities of each collection; unchanged communities keep their ids and reports.

    Args:
        collection: build only this collection.
        most: the maximum number of nodes in a community without parts; by default 10, or that of the last build if its
            communities are the starting point.
        afresh: start from scratch; otherwise start from the coarsest existing communities, to stay close to them.

    Raises:
        NothingFound: there is no such collection; the message names existing ones.
        InputError: no triples connect two entities.
        SettingsError: ``most`` is below 3.
    """
    if most is not None and most < SMALLEST:
        raise SettingsError(f"the maximum size of a community is {most}: it must be at least {SMALLEST}")
    existing = [known.name for known in graph.collections.all()]
    if collection is not None and collection not in existing:
        raise graph.collections.missing(collection)
    sizes = {} if afresh else {build.collection: build.most for build in graph.communities.builds()}
    reports: dict[str, BuildReport] = {}
    for name in existing if collection is None else [collection]:
        built = _build(graph, name, most=most or sizes.get(name) or MOST, afresh=afresh, dry_run=dry_run)
        if built.nodes:
            reports[name] = built
    if not reports:
        within = "" if collection is None else f" in the collection {collection!r}"
        raise InputError(f"the database {graph.name} has no triples{within} that connect two entities")
    gone = 0 if dry_run else store.delete_others(graph, existing if collection else list(reports))
    return _sum(reports, gone=gone)


def _sum(reports: Mapping[str, BuildReport], *, gone: int) -> BuildReport:
    levels: Counter[int] = Counter()
    for report in reports.values():
        levels.update(dict(enumerate(report.levels)))
    return BuildReport(
        tuple(levels[level] for level in range(len(levels))),
        sum(report.new for report in reports.values()),
        sum(report.gone for report in reports.values()) + gone,
        sum(report.nodes for report in reports.values()),
        {name: sum(report.levels) for name, report in reports.items()},
    )


def _build(graph: Graph, collection: str, *, most: int, afresh: bool, dry_run: bool) -> BuildReport:
    """Detect the communities of one collection; the report has no nodes if nothing is connected."""
    # Read first: later changes are for the next build.
    version = graph.pagerank.version().changed
    marks = None if dry_run else graph.communities.begin_build(collection)
    weighted = weigh(graph, collection)
    if not weighted.passages:
        return BuildReport((), 0, 0, 0)
    before = store.built(graph, collection)
    starting = None if afresh else _starting(weighted, before.hierarchy)
    weights = {pair: float(len(passages)) for pair, passages in weighted.passages.items()}
    built = list(_communities(weighted, clusters(weights, most=most, starting=starting), collection=collection))
    if marks:
        store.write(graph, built, collection=collection, before=before, marks=marks)
        graph.communities.record_build(collection, version=version, most=most)
    ids, known = {of.community.id for of in built}, before.hierarchy.communities.keys()
    levels = Counter(of.community.level for of in built)
    counts = tuple(levels[level] for level in range(len(levels)))
    return BuildReport(counts, len(ids - known), len(known - ids), len(weighted.ids))


def _communities(weighted: WeightedGraph, roots: Sequence[Cluster], *, collection: str) -> Iterator[BuiltCommunity]:
    """The communities to store: clusters of three nodes or more, each before its parts."""
    near = weighted.pairs_by_node()
    waiting: list[tuple[Cluster, str | None]] = [(root, None) for root in reversed(roots)]
    while waiting:
        cluster, above = waiting.pop()
        if len(cluster.nodes) < SMALLEST:
            continue
        pairs = _inside(cluster, near)
        stored = [part for part in cluster.parts if len(part.nodes) >= SMALLEST]
        covered = {node for part in stored for node in part.nodes}
        triples = sorted(id for pair in pairs for id in weighted.triples[pair])
        keys = [weighted.keys[node] for node in cluster.nodes]
        community = Community(
            _id(collection, [*keys, *triples]),
            cluster.level,
            len(cluster.nodes),
            len(frozenset[str]().union(*(weighted.passages[pair] for pair in pairs))),
            above,
            tuple(sorted(weighted.ids[node] for node in cluster.nodes if node not in covered)),
            collection=collection,
        )
        yield BuiltCommunity(community, _readers(weighted, cluster, pairs, near))
        waiting.extend((part, community.id) for part in reversed(stored))


def _inside(cluster: Cluster, near: Mapping[int, Sequence[Pair]]) -> list[Pair]:
    """The connected pairs of nodes in a cluster."""
    inside = frozenset(cluster.nodes)
    return [pair for node in cluster.nodes for pair in near[node] if pair[0] == node and pair[1] in inside]


def _id(collection: str, parts: Sequence[str]) -> str:
    """The id of a community; in the default collection, the same as in versions without collections."""
    kind = ("community",) if collection == DEFAULT_COLLECTION else ("community of", collection)
    return digest(*kind, *parts)


def _readers(
    weighted: WeightedGraph, cluster: Cluster, pairs: Sequence[Pair], near: Mapping[int, Sequence[Pair]]
) -> tuple[str, ...]:
    """The sets of readers of a cluster's triples, and of outside triples for nodes without an inside one."""
    tied = {node for pair in pairs for node in pair}
    outside = (pair for node in cluster.nodes if node not in tied for pair in near[node])
    return bounded({names for pair in (*pairs, *outside) for names in weighted.readers.get(pair, ())})


def _starting(weighted: WeightedGraph, before: Hierarchy) -> dict[int, int]:
    """The former coarsest community of each node that had one."""
    index = {id: number for number, id in enumerate(weighted.ids)}
    roots = {root.id: number for number, root in enumerate(before.roots)}
    return {
        index[member]: roots[before.line(community.id)[-1].id]
        for community in before.communities.values()
        for member in community.members
        if member in index
    }
