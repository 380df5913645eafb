"""Retrieval metrics, each a small function of a ranking and the gold passages."""

import math
from collections.abc import Collection, Sequence


def recall(ranking: Sequence[str], gold: Collection[str], *, k: int) -> float:
    """Recall at k: |gold in the first k| / |gold|, 0 to 1.

    Example:
        >>> recall(["a", "b", "c"], {"b", "d"}, k=2)
        0.5
    """
    return len(set(ranking[:k]) & set(gold)) / len(set(gold))


def all_found(ranking: Sequence[str], gold: Collection[str], *, k: int) -> bool:
    """Whether the first k hold every gold passage.

    Example:
        >>> all_found(["a", "b", "c"], {"b", "c"}, k=3)
        True
    """
    return set(gold) <= set(ranking[:k])


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which a percentage of the values lies (nearest rank).

    Example:
        >>> percentile([4.0, 1.0, 3.0, 2.0], 50)
        2.0
    """
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
