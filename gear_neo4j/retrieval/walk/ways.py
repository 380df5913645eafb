"""The most probable way of a walk to a passage, as a path of triples: why the passage was found."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import dijkstra

from gear_neo4j.domain import Path
from gear_neo4j.graph.read.adjacency import AdjacencyReader, Node
from gear_neo4j.graph.read.pagerank_queries import Seed
from gear_neo4j.graph.read.store import ScoredTriple, Vector
from gear_neo4j.retrieval.walk.local_pagerank import LocalGraph

# Maximum number of edges of a way, and of one that joins a name to a passage without it. Chosen on even questions of
# musique_train100.
LONGEST = 4
JOINING = 3
# Lengths that differ by less are equal: they were only added in another order.
EQUAL = 1e-9
# Maximum number of equally probable ways to a passage whose triples are compared.
MOST_EQUAL = 8


def best_ways(
    graph: LocalGraph,
    start: Mapping[int, float],
    targets: Iterable[int],
    *,
    damping: float,
    names: Collection[int] = (),
    longest: int = LONGEST,
) -> dict[int, list[list[int]]]:
    """For each target, the most probable ways of the walk that reach it from another node, as indexes of nodes.

    The probability of a way is the share of its seed in all weights, times the share of each edge and the damping. A
    way that joins is preferred: one of at most three edges from one of the ``names`` without an edge to the target.
    Of equally probable ways, there are at most eight. Targets that cannot be reached by ``longest`` edges are left out.

    Args:
        start: the weights of the seeds, by their indexes.
        names: the seeds that the question names.

    Example:
        >>> from gear_neo4j.graph.read.adjacency import Adjacency, NodeEdges
        >>> graph = LocalGraph()
        >>> edges = {"a": NodeEdges({"p": 1.0}, {"b": 1.0}, 2.0), "b": NodeEdges({"q": 1.0}, {}, 1.0)}
        >>> graph.add(Adjacency({}, edges))
        >>> ways = best_ways(graph, {graph.entity("a"): 1.0}, [graph.passage("q")], damping=0.5)
        >>> [[graph.nodes[index][1] for index in way] for way in ways[graph.passage("q")]]
        [['a', 'b', 'q']]
    """
    seeds = {index: weight for index, weight in start.items() if weight > 0} if damping else {}
    wanted = list(dict.fromkeys(targets))
    neighbours = graph.neighbours(wanted)
    sources = {target: seeds.keys() & set(names) - neighbours[target] for target in wanted}
    ways = _ways_from(graph, seeds, sources, damping=damping, longest=min(JOINING, longest))
    sources = {target: seeds.keys() - {target} for target in wanted if target not in ways}
    return ways | _ways_from(graph, seeds, sources, damping=damping, longest=longest)


def _ways_from(
    graph: LocalGraph,
    seeds: Mapping[int, float],
    sources: Mapping[int, Set[int]],
    *,
    damping: float,
    longest: int,
) -> dict[int, list[list[int]]]:
    """The ways to targets that have seeds of their own; one search for those that have the same ones."""
    groups: dict[frozenset[int], list[int]] = {}
    for target, some in sources.items():
        groups.setdefault(frozenset(some), []).append(target)
    ways: dict[int, list[list[int]]] = {}
    for some, targets in groups.items():
        weights = {index: weight for index, weight in seeds.items() if index in some}
        ways |= _ways(graph, weights, targets, damping=damping) if weights else {}
    short = {target: [way for way in some if len(way) <= longest + 1] for target, some in ways.items()}
    return {target: some for target, some in short.items() if some}


def _ways(
    graph: LocalGraph, seeds: Mapping[int, float], targets: Sequence[int], *, damping: float
) -> dict[int, list[list[int]]]:
    """The shortest ways by the negative logarithm of probabilities, from a further node that leads to the seeds."""
    source = len(graph.nodes)
    heads, tails, shares = graph.edges
    weights = np.array(list(seeds.values()))
    rows = np.concatenate([heads, np.full(weights.size, source)])
    columns = np.concatenate([tails, np.array(list(seeds))])
    # Halved, so that not even a single seed has a length of 0, which a sparse matrix takes for no edge.
    lengths = -np.log(np.concatenate([damping * shares, weights / (2 * weights.sum())]))
    matrix = csr_array((lengths, (rows, columns)), shape=(source + 1, source + 1))
    distances = dijkstra(matrix, indices=source)
    incoming = csc_array(matrix)
    return {
        target: list(islice(_back(incoming, distances, target), MOST_EQUAL))
        for target in targets
        if np.isfinite(distances[target])
    }


def _back(incoming: csc_array, distances: npt.NDArray[np.float64], index: int) -> Iterator[list[int]]:
    """All shortest ways from the source to a node, without the source, whose index is the last."""
    column = slice(*incoming.indptr[index : index + 2])
    rows = incoming.indices[column]
    # Only from nearer nodes, so that no way goes round in circles.
    lengths = np.where(distances[rows] < distances[index], distances[rows] + incoming.data[column], np.inf)
    for row in rows[lengths <= lengths.min() + EQUAL].tolist():
        if row == distances.size - 1:
            yield [index]
        else:
            yield from ([*way, index] for way in _back(incoming, distances, row))


def paths_along(
    ways: Sequence[Sequence[Sequence[Node]]], *, edges: AdjacencyReader, query: Vector, pool: Sequence[Seed]
) -> list[Path]:
    """For each passage, the path along the one of its ways whose triples are nearest to the query, on the average.

    The triples behind each edge that are nearest to the query take one round trip, or none. A triple behind two edges
    is there once; the last edge then gets the next nearest one, which says what the passage adds. No triple is behind
    an edge between synonyms. A path can be empty; its score is 0.

    Args:
        ways: the ways to each passage, at least one.
        pool: the triples nearest to the query, best first; edges with one of them are not looked up.
    """
    wanted = list(dict.fromkeys(edge for choices in ways for way in choices for edge in pairwise(way)))
    behind = {
        edge: near
        for edge in wanted
        if (near := [ScoredTriple(seed.triple, seed.score) for seed in pool if _is_behind(seed, *edge)])
    }
    missing = [edge for edge in wanted if edge not in behind]
    behind |= dict(zip(missing, edges.triples(missing, query=query) if missing else (), strict=True))
    paths = [[_path([behind[edge] for edge in pairwise(way)]) for way in choices] for choices in ways]
    return [min(choices, key=_farness) for choices in paths]


def _farness(path: Path) -> tuple[float, tuple[str, ...]]:
    """How far the triples of a path are from the query, on the average; of equal ones, the first by id."""
    return -sum(path.scores) / len(path.scores) if path.scores else 0.0, tuple(triple.id for triple in path.triples)


def _path(behind: Sequence[Sequence[ScoredTriple]]) -> Path:
    scores = {near[0].triple: near[0].score for near in behind[:-1] if near}
    last = next((scored for scored in behind[-1] if scored.triple not in scores), None)
    if last:
        scores[last.triple] = last.score
    return Path(tuple(scores), 0.0, tuple(scores.values()))


def _is_behind(seed: Seed, *ends: Node) -> bool:
    """Whether a triple is stated by the passage, and mentions the entities, among the two ends of an edge."""
    entities = {id for is_passage, id in ends if not is_passage}
    passages = {id for is_passage, id in ends if is_passage}
    return passages <= {seed.triple.passage_id} and entities <= set(seed.ends)
