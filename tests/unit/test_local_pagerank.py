"""PageRank over a part of the graph: equal to the global one if it may read the whole graph, and bounded otherwise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.graph.read.adjacency import Adjacency, NodeEdges
from gear_neo4j.retrieval.walk.local_pagerank import WAITING, LocalGraph, local_pagerank
from gear_neo4j.retrieval.walk.pagerank import matrix, pagerank, transition
from tests.examples import examples

PASSAGES, ENTITIES = [f"p{number}" for number in range(5)], [f"e{number}" for number in range(6)]
NODES = [*PASSAGES, *ENTITIES]


@st.composite
def graphs(draw):
    """Symmetric weights between passages and entities and among entities; and weights of some seeds."""
    size, first = len(NODES), len(PASSAGES)
    weights = np.zeros((size, size))
    for row in range(size):
        for column in range(max(row + 1, first), size):
            weights[row, column] = weights[column, row] = draw(st.sampled_from([0, 0, 0, 1, 2, 0.8]))
    seeds = draw(st.dictionaries(st.sampled_from(NODES), st.floats(0.01, 2), min_size=1, max_size=4))
    return weights, seeds


class Reads:
    """Reads the edges of a matrix, and counts the nodes."""

    def __init__(self, weights):
        self.weights, self.calls = weights, []

    def __call__(self, passages, entities):
        self.calls.append([*passages, *entities])
        return Adjacency({id: self._edges(id) for id in passages}, {id: self._edges(id) for id in entities})

    def _edges(self, id):
        row = dict(zip(NODES, self.weights[NODES.index(id)], strict=True))
        near = {other: weight for other, weight in row.items() if weight}
        parts = [{other: near[other] for other in near if other in part} for part in (PASSAGES, ENTITIES)]
        return NodeEdges(*parts, sum(near.values()))


def walked(weights, seeds, *, damping, rounds, frontier):
    graph, reads = LocalGraph(), Reads(weights)
    start = {graph.passage(id) if id in PASSAGES else graph.entity(id): weight for id, weight in seeds.items()}
    mass = local_pagerank(graph, start, read=reads, damping=damping, rounds=rounds, frontier=frontier)
    indexes = graph.passages | graph.entities
    return {id: mass[index] for id, index in indexes.items()}, reads.calls


@given(graphs(), st.floats(0, 0.9))
@settings(max_examples=examples(150), deadline=None)
def test_a_walk_that_may_read_everything_gives_pagerank(graph, damping):
    """Except for its scale, and for mass that still waits at the end."""
    weights, seeds = graph
    rows, columns = np.nonzero(weights)
    moves = transition(matrix(rows, columns, weights[rows, columns], shape=weights.shape))
    first = np.array([seeds.get(id, 0.0) for id in NODES])
    expected = pagerank(moves, first, damping=damping, tolerance=1e-12, rounds=2_000)

    mass, _ = walked(weights, seeds, damping=damping, rounds=len(NODES), frontier=len(NODES))

    actual = np.array([mass.get(id, 0.0) for id in NODES])
    assert expected == pytest.approx(actual / actual.sum(), abs=3 * WAITING)


@given(graphs(), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=examples(100), deadline=None)
def test_no_more_is_read_than_allowed_and_nothing_twice(graph, rounds, frontier):
    """In any graph."""
    weights, seeds = graph

    mass, calls = walked(weights, seeds, damping=0.6, rounds=rounds, frontier=frontier)

    read = [id for call in calls for id in call]
    assert len(calls) <= rounds
    assert all(0 < len(call) <= frontier for call in calls)
    assert len(read) == len(set(read))
    assert all(value >= 0 for value in mass.values())


def test_the_edges_where_most_mass_waits_are_read_first():
    """A seed of little weight comes later."""
    weights = np.zeros((len(NODES), len(NODES)))

    _, calls = walked(weights, {"e0": 0.1, "e1": 5.0, "p2": 1.0}, damping=0.5, rounds=3, frontier=1)

    assert [["e1"], ["p2"], ["e0"]] == calls


def test_a_node_that_is_gone_ends_nothing():
    """Deleted between two round trips, it has no edges, and the walk continues."""
    graph = LocalGraph()
    start = {graph.entity("gone"): 1.0, graph.entity("there"): 1.0}
    edges = Adjacency({}, {"there": NodeEdges({"p": 1.0}, {}, 1.0)})

    mass = local_pagerank(graph, start, read=lambda *_: edges, damping=0.5, rounds=3, frontier=10)

    assert 0.5 == mass[graph.passage("p")]


@pytest.mark.parametrize("weights", [{}, {0: 0.0}, {0: -1.0, 1: 2.0}])
def test_a_walk_needs_a_seed(weights):
    """No weight below 0, and one above."""
    graph = LocalGraph()
    for number in range(2):
        graph.entity(str(number))

    with pytest.raises(ValueError, match="a seed of weight above 0"):
        local_pagerank(graph, weights, read=Reads(np.zeros((11, 11))), damping=0.5, rounds=1, frontier=1)
