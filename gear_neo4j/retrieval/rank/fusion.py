"""Fusion of ranked lists: by rank (Cormack et al., SIGIR 2009), by score (Bruch et al., TOIS 2023), or as a mixture."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from gear_neo4j.domain import FoundBy

RRF_K = 60


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage id in a ranked list: its score, and the lists that contain it."""

    id: str
    score: float
    sources: tuple[FoundBy, ...]


def ranked(name: str, scored: Sequence[tuple[str, float]]) -> list[Ranked]:
    """A ranked list under a name, from ids with scores, best first.

    Example:
        >>> ranked("bm25", [("p2", 7.5)])
        [Ranked(id='p2', score=7.5, sources=(FoundBy(name='bm25', rank=1),))]
    """
    return [Ranked(id, score, (FoundBy(name, rank),)) for rank, (id, score) in enumerate(scored, start=1)]


def fuse(
    rankings: Mapping[str, Sequence[Ranked]], *, weights: Mapping[str, Fraction] = MappingProxyType({}), k: int = RRF_K
) -> list[Ranked]:
    """Fuse named rankings: the score of an id is the sum of weight / (k + its rank), ranks from 1; best first.

    A ranking without a weight has weight 1.

    If a list repeats an id, its first rank counts, and later ids move up. Ties are broken by the better best rank, then
    by id. The sources name each list that contains an id, then the lists that those were fused from.

    Raises:
        ValueError: k is below 1.

    Example:
        >>> lists = {"one": ranked("one", [("a", 3.0), ("b", 2.0)]), "two": ranked("two", [("b", 9.0), ("d", 8.0)])}
        >>> [item.id for item in fuse(lists)]
        ['b', 'a', 'd']
    """
    if k < 1:
        raise ValueError(f"k is {k}: reciprocal rank fusion needs at least 1")
    ranks: dict[str, list[FoundBy]] = {}
    parts: dict[str, list[FoundBy]] = {}
    for name, ranking in rankings.items():
        first = {item.id: item for item in reversed(ranking)}
        for rank, id in enumerate(dict.fromkeys(item.id for item in ranking), start=1):
            ranks.setdefault(id, []).append(FoundBy(name, rank))
            parts.setdefault(id, []).extend(source for source in first[id].sources if source.name != name)
    # Exact sums: rounding would decide between items whose scores are equal.
    sums = {
        id: sum(weights.get(source.name, 1) * Fraction(1, k + source.rank) for source in sources)
        for id, sources in ranks.items()
    }
    order = sorted(sums, key=lambda id: (-sums[id], min(source.rank for source in ranks[id]), id))
    return [Ranked(id, float(sums[id]), (*ranks[id], *parts[id])) for id in order]


def combine(rankings: Mapping[str, Sequence[Ranked]], *, weights: Mapping[str, float]) -> list[Ranked]:
    """Combine named rankings by score: the weighted sum of an id's scores, 0 if a list does not have it; best first.

    The scores must be comparable, such as cosines and shares of a best score. Ties are broken by id. The sources name
    each list that contains an id.

    Example:
        >>> lists = {"one": ranked("one", [("a", 0.9), ("b", 0.8)]), "two": ranked("two", [("b", 1.0)])}
        >>> [(item.id, item.score) for item in combine(lists, weights={"one": 0.5, "two": 0.5})]
        [('b', 0.9), ('a', 0.45)]
    """
    scores: dict[str, float] = {}
    sources: dict[str, list[FoundBy]] = {}
    for name, ranking in rankings.items():
        for item in ranking:
            scores[item.id] = scores.get(item.id, 0.0) + weights[name] * item.score
            sources.setdefault(item.id, []).extend(item.sources)
    order = sorted(scores, key=lambda id: (-scores[id], id))
    return [Ranked(id, scores[id], tuple(sources[id])) for id in order]


def mix(first: Sequence[Ranked], second: Sequence[Ranked], *, share: float, sharpness: float) -> list[Ranked]:
    """Mix two rankings as probabilities; best first.

    ``first``, whose scores are positive, gets 1 - ``share``, divided in proportion to them; ``second`` gets ``share``,
    in proportion to exp(``sharpness`` x score / best score). So the leaders of both lists lead, and what only one list
    has may still follow soon. An empty list leaves everything to the other one. Ties keep the order of the lists.

    Example:
        >>> walked = ranked("pagerank", [("a", 0.8), ("b", 0.2)])
        >>> similar = ranked("weighted", [("c", 0.9), ("a", 0.3)])
        >>> [(item.id, round(item.score, 2)) for item in mix(walked, similar, share=0.5, sharpness=10)]
        [('c', 0.5), ('a', 0.4), ('b', 0.1)]
    """
    masses = {item.id: item.score for item in first}
    best = max((item.score for item in second), default=0.0)
    # Cosines may all be negative.
    fits = {item.id: math.exp(sharpness * (item.score - best) / (abs(best) or 1.0)) for item in second}
    whole, sum_of_fits = sum(masses.values()), sum(fits.values())
    share = share if whole and fits else float(bool(fits))
    sources: dict[str, list[FoundBy]] = {}
    for item in (*first, *second):
        held = sources.setdefault(item.id, [])
        held += [source for source in item.sources if source not in held]
    scores = {
        id: (1 - share) * masses.get(id, 0.0) / (whole or 1.0) + share * fits.get(id, 0.0) / (sum_of_fits or 1.0)
        for id in sources
    }
    order = sorted(scores, key=lambda id: -scores[id])
    return [Ranked(id, scores[id], tuple(sources[id])) for id in order]
