"""PageRank, compared with its definition: sums, symmetry, and a dense linear solve."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gear_neo4j.retrieval.walk.pagerank import blocks, matrix, min_max_scaled, pagerank, transition
from tests.examples import examples

SIZES = st.integers(1, 12)


@st.composite
def graphs(draw):
    """Directed edge weights, many of them 0, so that some nodes have no edges; and seed weights that are not all 0."""
    size = draw(SIZES)
    cells = st.one_of(st.just(0.0), st.floats(0.01, 100.0))
    weights = draw(arrays.arrays(np.float64, (size, size), elements=cells))
    seeds = draw(arrays.arrays(np.float64, size, elements=cells))
    seeds[draw(st.integers(0, size - 1))] += 1.0
    return weights, seeds, draw(st.floats(0.0, 0.95))


def sparse(weights):
    rows, columns = np.nonzero(weights)
    return matrix(rows, columns, weights[rows, columns], shape=weights.shape)


def solved(weights, seeds, damping):
    """The stationary distribution from (I - d·M) x = (1 - d)·v; a node without edges leads to the seeds."""
    start = seeds / seeds.sum()
    leaving = weights.sum(axis=1)
    moves = np.array([row / total if total else start for row, total in zip(weights, leaving, strict=True)]).T
    return np.linalg.solve(np.eye(len(seeds)) - damping * moves, (1 - damping) * start)


@given(graphs())
@settings(max_examples=examples(200), deadline=None)
def test_it_is_the_solution_of_its_equation(graph):
    """Even if nodes have no edges, and for any scale of edges and seeds."""
    weights, seeds, damping = graph

    found = pagerank(transition(sparse(weights)), seeds, damping=damping, tolerance=1e-12, rounds=2_000)

    assert solved(weights, seeds, damping) == pytest.approx(found, abs=1e-9)


@given(graphs())
@settings(max_examples=examples(100), deadline=None)
def test_it_is_a_distribution_that_knows_no_scale(graph):
    """It sums to 1, has no negative values, and does not change if all seeds or all edges are scaled."""
    weights, seeds, damping = graph
    moves = transition(sparse(weights))

    found = pagerank(moves, seeds, damping=damping)

    assert 1.0 == pytest.approx(found.sum(), abs=1e-9)
    assert (found >= 0).all()
    assert found == pytest.approx(pagerank(moves, 1_000 * seeds, damping=damping), abs=1e-7)
    assert found == pytest.approx(pagerank(transition(sparse(1_000 * weights)), seeds, damping=damping), abs=1e-7)


@pytest.mark.parametrize("size", [2, 3, 7])
def test_nodes_that_look_alike_rank_alike(size):
    """On a ring where every node is a seed, all are equal; with one seed, its neighbours are."""
    ring = np.roll(np.eye(size), 1, axis=1)
    moves = transition(sparse(ring + ring.T))

    everywhere = pagerank(moves, np.ones(size))
    from_one = pagerank(moves, np.eye(size)[0])

    assert np.full(size, 1 / size) == pytest.approx(everywhere)
    assert from_one[1:] == pytest.approx(from_one[:0:-1])
    assert from_one[0] == max(from_one)


def test_linear_in_its_seeds():
    """The rank from two seeds is the mean of the ranks from each."""
    moves = transition(sparse(np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]], dtype=float)))
    one, two = np.eye(3)[0], np.eye(3)[2]

    both = pagerank(moves, one + two, tolerance=1e-12)

    assert (pagerank(moves, one, tolerance=1e-12) + pagerank(moves, two, tolerance=1e-12)) / 2 == pytest.approx(both)


def test_it_ends_after_so_many_rounds():
    """With a damping of 1, a walk between two nodes would oscillate forever."""
    moves = transition(sparse(np.array([[0.0, 1.0], [1.0, 0.0]])))

    assert [0.0, 1.0] == pytest.approx(pagerank(moves, np.array([1.0, 0.0]), damping=1.0, rounds=7), abs=1e-12)


@pytest.mark.parametrize("seeds", [[0.0, 0.0], [1.0, -0.5]])
def test_seeds_that_weigh_nothing_are_refused(seeds):
    """The walk could not start."""
    with pytest.raises(ValueError, match="seed"):
        pagerank(transition(sparse(np.ones((2, 2)))), np.array(seeds))


def test_a_graph_without_edges_stays_where_it_started():
    """Each node is dangling."""
    there = pagerank(transition(sparse(np.zeros((2, 2)))), np.array([1.0, 3.0]))
    assert [0.25, 0.75] == pytest.approx(there, abs=1e-12)


def test_blocks_put_matrices_together():
    """None stands for zeros of the matching size."""
    edge = matrix([0], [1], [2.0], shape=(1, 2))

    assert [[0, 0, 2], [0, 0, 0], [2, 0, 0]] == blocks([[None, edge], [edge.T, None]]).toarray().tolist()


@pytest.mark.parametrize(("values", "expected"), [([], []), ([3.0], [1.0]), ([0.0, 0.0], [1.0, 1.0])])
def test_values_that_are_all_the_same_are_not_divided_by_zero(values, expected):
    """A corpus of one passage has one value."""
    assert expected == min_max_scaled(np.array(values)).tolist()
