"""Bootstrap intervals of a mean and of a difference, deterministic for the same values."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RESAMPLES = 10_000
SEED = 20_240_131
LEVEL = 0.95
# Indices drawn at a time, which bounds memory to some megabytes.
BLOCK = 1_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % confidence interval over questions of the same kind.

    ``counted`` values entered, ``skipped`` values were NaN.
    """

    mean: float
    low: float
    high: float
    counted: int
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """B - A on the same questions: the mean difference, its interval, and the wins, ties and losses of B."""

    mean: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int

    @property
    def clear(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


def interval(values: Sequence[float], *, level: float = LEVEL, seed: int = SEED) -> Interval:
    """The mean of values with its bootstrap interval (percentiles of 10,000 resamples); NaN is skipped and counted.

    Without values, mean and bounds are NaN.

    Example:
        >>> estimate = interval([0.0, 1.0, 1.0, 1.0, math.nan])
        >>> estimate.mean, estimate.low, estimate.high, estimate.counted, estimate.skipped
        (0.75, 0.25, 1.0, 4, 1)
    """
    defined = np.array([value for value in values if not math.isnan(value)], dtype=np.float64)
    skipped = len(values) - len(defined)
    if not len(defined):
        return Interval(math.nan, math.nan, math.nan, 0, skipped)
    low, high = _bounds(defined, level=level, seed=seed)
    return Interval(float(defined.mean()), low, high, len(defined), skipped)


def difference(a: Sequence[float], b: Sequence[float], *, level: float = LEVEL, seed: int = SEED) -> Difference:
    """B - A with its paired bootstrap interval: questions are resampled with both of their values.

    Raises:
        ValueError: the lengths differ or are 0, or a value is NaN.

    Example:
        >>> difference([0.0, 0.5, 1.0], [0.5, 1.0, 1.0]).wins
        2
    """
    if len(a) != len(b) or not len(a):
        raise ValueError(f"{len(a)} values cannot be paired with {len(b)}")
    gains = np.array(b, dtype=np.float64) - np.array(a, dtype=np.float64)
    if np.isnan(gains).any():
        raise ValueError("a value is NaN: leave out its pair")
    low, high = _bounds(gains, level=level, seed=seed)
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    return Difference(float(gains.mean()), low, high, wins, len(a) - wins - losses, losses)


def _bounds(values: npt.NDArray[np.float64], *, level: float, seed: int) -> tuple[float, float]:
    means = _resampled(values, np.random.default_rng(seed))
    outside = 100 * (1 - level) / 2
    low, high = np.percentile(means, [outside, 100 - outside])
    return float(low), float(high)


def _resampled(values: npt.NDArray[np.float64], generator: np.random.Generator) -> npt.NDArray[np.float64]:
    rows = max(1, BLOCK // len(values))
    sizes = [min(rows, RESAMPLES - start) for start in range(0, RESAMPLES, rows)]
    blocks = [values[generator.integers(len(values), size=(size, len(values)))].mean(axis=1) for size in sizes]
    return np.concatenate(blocks)
