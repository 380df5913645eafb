"""Personalised PageRank over a sparse matrix."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float64]
# A sparse matrix of scipy in CSR form, float64.
Matrix = Any
DAMPING = 0.5
TOLERANCE = 1e-9
ROUNDS = 100


def matrix(rows: npt.ArrayLike, columns: npt.ArrayLike, values: npt.ArrayLike, *, shape: tuple[int, int]) -> Matrix:
    """A sparse matrix in CSR form, float64; values at the same coordinates are summed.

    Example:
        >>> matrix([0, 0], [1, 1], [1.0, 2.0], shape=(2, 2)).toarray().tolist()
        [[0.0, 3.0], [0.0, 0.0]]
    """
    # Here and below: scipy takes a tenth of a second to import, and most searches rank without it.
    from scipy import sparse

    coordinates = np.asarray(rows, dtype=np.int32), np.asarray(columns, dtype=np.int32)
    return sparse.coo_array((np.asarray(values, dtype=np.float64), coordinates), shape=shape).tocsr()


def blocks(rows: Sequence[Sequence[Matrix | None]]) -> Matrix:
    """One matrix out of several; None stands for zeros."""
    from scipy import sparse

    return sparse.block_array(rows, format="csr")


def transition(weights: Matrix) -> Matrix:
    """The transition matrix of a walk: column j holds the probabilities of the next node, by the weights of j's edges.

    ``weights`` holds the edge from i to j at [i, j], not negative. The column of a node without edges is empty.

    Example:
        >>> transition(matrix([0, 0], [0, 1], [1.0, 3.0], shape=(2, 2))).toarray().tolist()
        [[0.25, 0.0], [0.75, 0.0]]
    """
    from scipy import sparse

    leaving = np.asarray(weights.sum(axis=1)).ravel()
    shares = np.divide(1.0, leaving, out=np.zeros_like(leaving), where=leaving > 0)
    return (weights.T @ sparse.dia_array((shares[None, :], [0]), shape=weights.shape)).tocsr()


def pagerank(
    transitions: Matrix, seeds: Weights, *, damping: float = DAMPING, tolerance: float = TOLERANCE, rounds: int = ROUNDS
) -> Weights:
    """The PageRank of each node: shape (nodes,), sums to 1.

    A walker follows an edge with probability ``damping``, else restarts at a seed, by the seeds' weights; from a node
    without edges it always restarts: x = d·M·x + (d·dangling + 1 - d)·v. Stops when a round changes less than
    ``tolerance`` (L1), or after ``rounds``.

    Args:
        transitions: a matrix of :func:`transition`.
        seeds: shape (nodes,), any scale.

    Raises:
        ValueError: a seed's weight is below 0, or all are 0.

    Example:
        >>> transitions = transition(matrix([0, 1], [1, 0], [1.0, 1.0], shape=(2, 2)))
        >>> pagerank(transitions, np.array([1.0, 0.0])).round(4).tolist()
        [0.6667, 0.3333]
    """
    total = float(seeds.sum())
    if total <= 0 or float(seeds.min()) < 0:
        raise ValueError("PageRank needs a seed of weight above 0, and none below")
    start = np.asarray(seeds, dtype=np.float64) / total
    here = start
    for _ in range(rounds):
        moved = damping * (transitions @ here)
        # The mass that did not follow an edge restarts: the share 1 - d, and the mass at nodes without edges.
        moved += (1.0 - moved.sum()) * start
        change = float(np.abs(moved - here).sum())
        here = moved
        if change < tolerance:
            break
    return here


def min_max_scaled(values: Weights) -> Weights:
    """Values rescaled to 0 to 1; if all are equal, each becomes 1.

    Example:
        >>> min_max_scaled(np.array([2.0, 4.0, 3.0])).tolist(), min_max_scaled(np.array([2.0, 2.0])).tolist()
        ([0.0, 1.0, 0.5], [1.0, 1.0])
    """
    if not values.size:
        return values
    least, most = values.min(), values.max()
    return np.ones_like(values) if least == most else (values - least) / (most - least)
