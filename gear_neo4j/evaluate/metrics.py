"""Retrieval metrics, each a small function of a ranking and the gold passages.

A passage ranked twice counts at its first rank; relevance is binary.
"""

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


def hit(ranking: Sequence[str], gold: Collection[str], *, k: int) -> bool:
    """Hit rate of one question: whether the first k hold any gold passage.

    Example:
        >>> hit(["a", "b", "c"], {"b", "d"}, k=2)
        True
    """
    return not set(gold).isdisjoint(ranking[:k])


def precision(ranking: Sequence[str], gold: Collection[str], *, k: int) -> float:
    """Precision at k: |gold in the first k| / k, even if fewer than k were retrieved.

    Example:
        >>> precision(["a", "b", "c"], {"b", "c"}, k=4)
        0.5
    """
    return len(set(ranking[:k]) & set(gold)) / k


def reciprocal_rank(ranking: Sequence[str], gold: Collection[str], *, k: int) -> float:
    """Reciprocal rank: 1 / rank of the first gold passage, 0 if none is in the first k; its mean is the MRR.

    Example:
        >>> reciprocal_rank(["a", "b", "c"], {"b", "c"}, k=3)
        0.5
    """
    return next((1 / rank for rank, relevant in enumerate(_relevance(ranking, gold, k), start=1) if relevant), 0.0)


def average_precision(ranking: Sequence[str], gold: Collection[str], *, k: int) -> float:
    """Average precision at k: the sum of P@i over the ranks i <= k of gold passages / |gold|; its mean is the MAP.

    Example:
        >>> average_precision(["a", "x", "b"], {"a", "b"}, k=3)
        0.8333333333333333
    """
    return sum(_precisions(_relevance(ranking, gold, k))) / len(set(gold))


def ndcg(ranking: Sequence[str], gold: Collection[str], *, k: int) -> float:
    """Normalised discounted cumulative gain at k: the sum of 1 / log2(1 + rank) over gold passages / the best possible.

    Example:
        >>> round(ndcg(["a", "x", "b"], {"a", "b"}, k=3), 4)
        0.9197
    """
    best = [True] * min(k, len(set(gold)))
    return _gain(_relevance(ranking, gold, k)) / _gain(best)


def useful_precision(useful: Sequence[bool]) -> float:
    """Average precision of a ranking of judged passages: the sum of P@i over useful ones / |useful|, else 0.

    Example:
        >>> round(useful_precision([True, False, True]), 4)
        0.8333
    """
    return sum(_precisions(useful)) / sum(useful) if any(useful) else 0.0


def _relevance(ranking: Sequence[str], gold: Collection[str], k: int) -> list[bool]:
    return [id in gold for id in dict.fromkeys(ranking[:k])]


def _precisions(relevance: Sequence[bool]) -> list[float]:
    """The precision at the rank of each relevant passage."""
    ranks = [rank for rank, relevant in enumerate(relevance, start=1) if relevant]
    return [number / rank for number, rank in enumerate(ranks, start=1)]


def _gain(relevance: Sequence[bool]) -> float:
    return sum(1 / math.log2(1 + rank) for rank, relevant in enumerate(relevance, start=1) if relevant)


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which a percentage of the values lies (nearest rank).

    Example:
        >>> percentile([4.0, 1.0, 3.0, 2.0], 50)
        2.0
    """
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
