"""A walk from named nodes: PageRank over the facts around them, then the selection of the most informative facts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from gear_neo4j.graph.read.neighbourhoods import Neighbourhoods
from gear_neo4j.graph.read.pagerank_queries import Seed
from gear_neo4j.graph.read.store import Vector
from gear_neo4j.recipes.recipe import Options, option
from gear_neo4j.retrieval.walk.pagerank import Weights, matrix, pagerank, transition

Indexes = npt.NDArray[np.int64]


class Walk(Options):
    """How far a walk over the facts around named nodes goes, and how its facts are chosen.

    The weight of a fact is exp(``likeness`` x its cosine), times ``repeated`` for each end that an earlier fact covers.

    Raises:
        SettingsError: a number is out of its range.
    """

    label: ClassVar[str] = "the walk"
    steps: int = option(3, "maximum distance from the named nodes, in triples", least=1, client_most=8)
    nearest: int = option(50, "number of facts to keep per node, the nearest to the question", least=1)
    scanned: int = option(3_000, "number of facts to scan per step, shared among its nodes", least=1)
    frontier: int = option(30, "number of nodes to continue from after a step", least=1)
    damping: float = option(0.7, "probability of another step", least=0, below=1)
    likeness: float = option(1.0, "weight of a fact's cosine to the question")
    repeated: float = option(0.03, "weight of an end node that an earlier fact covers", above=0, most=1)
    direct: int = option(5, "number of facts about the named nodes that come first", least=0)


@dataclass(slots=True)
class WalkResult:
    """The facts that a walk met, by triple id; ``exact`` is False if a node had more facts than were scanned."""

    facts: dict[str, Seed] = field(default_factory=dict)
    exact: bool = True


def walk(around: Neighbourhoods, named: Sequence[str], *, query: Vector, options: Walk) -> WalkResult:
    """The facts within some steps of the named nodes; one round trip per step."""
    result = WalkResult()
    visited, frontier = set(named), list(dict.fromkeys(named))
    for _ in range(options.steps):
        if not frontier:
            break
        most = max(1, options.scanned // len(frontier))
        step = around.around(frontier, query=query, limit=options.nearest, most=most)
        result.exact = result.exact and step.exact
        fresh: dict[str, float] = {}
        for fact in step.facts:
            result.facts[fact.triple.id] = fact
            for end in fact.ends:
                if end not in visited:
                    fresh[end] = max(fact.score, fresh.get(end, fact.score))
        frontier = sorted(fresh, key=lambda end: (-fresh[end], end))[: options.frontier]
        visited.update(frontier)
    return result


def choose(facts: Iterable[Seed], named: Sequence[Sequence[str]], *, k: int, options: Walk) -> list[Seed]:
    """Facts about the named nodes, then facts further away, each covering a new node where possible.

    ``named`` groups the nodes that one name may mean; each name has the same start weight. The weight of a fact is the
    PageRank of its two ends, each divided among the facts of that end.
    """
    items = list(facts)
    first = _direct(items, {node for group in named for node in group})[: min(k, options.direct)]
    chosen = {fact.triple.id for fact in first}
    rest = _furthest(items, named, k=k, options=options)
    return [*first, *(fact for fact in rest if fact.triple.id not in chosen)][:k]


def _direct(facts: Sequence[Seed], named: set[str]) -> list[Seed]:
    """Facts that begin or end in a named node, nearest first, one for each other end."""
    nearest: dict[str, Seed] = {}
    for fact in sorted(facts, key=lambda fact: (-fact.score, fact.triple.id)):
        if named.intersection(fact.ends):
            nearest.setdefault(next((end for end in fact.ends if end not in named), fact.ends[0]), fact)
    return list(nearest.values())


def _furthest(items: Sequence[Seed], named: Sequence[Sequence[str]], *, k: int, options: Walk) -> list[Seed]:
    indexes: dict[str, int] = {}
    for fact in items:
        for end in fact.ends:
            indexes.setdefault(end, len(indexes))
    heads = np.array([indexes[fact.ends[0]] for fact in items], dtype=np.int64)
    tails = np.array([indexes[fact.ends[1]] for fact in items], dtype=np.int64)
    starts = np.zeros(len(indexes))
    for group in named:
        for node in group:
            if node in indexes:
                starts[indexes[node]] += 1 / len(group)
    if not starts.any():
        return list(items[:k])
    shares = _shares(heads, tails, starts, options)
    likeness = np.exp(options.likeness * np.array([fact.score for fact in items]))
    known = {indexes[node] for group in named for node in group if node in indexes}
    # A property's fact has one end.
    masses = np.where(heads == tails, shares[heads], shares[heads] + shares[tails])
    chosen = _covering(heads, tails, masses * likeness, known, k=k, repeated=options.repeated)
    return [items[index] for index in chosen]


def _shares(heads: Indexes, tails: Indexes, starts: Weights, options: Walk) -> Weights:
    """The PageRank of each node, divided by the number of its facts."""
    apart = heads != tails
    rows, columns = np.r_[heads[apart], tails[apart]], np.r_[tails[apart], heads[apart]]
    links = matrix(rows, columns, np.ones(rows.size), shape=(starts.size, starts.size))
    mass = pagerank(transition(links), starts, damping=options.damping)
    degree = np.bincount(np.r_[heads, tails], minlength=starts.size)
    return np.asarray(mass / np.maximum(degree, 1))


def _covering(
    heads: Indexes, tails: Indexes, weights: Weights, known: set[int], *, k: int, repeated: float
) -> list[int]:
    """The indexes of k facts, chosen greedily: covered ends count little. Ties go to the earlier fact."""
    fresh = np.ones(int(max(heads.max(), tails.max())) + 1)
    fresh[list(known)] = repeated
    left = np.ones(heads.size, dtype=bool)
    chosen: list[int] = []
    while left.any() and len(chosen) < k:
        worth = np.where(left, weights * fresh[heads] * fresh[tails], -1.0)
        best = int(worth.argmax())
        chosen.append(best)
        left[best] = False
        fresh[[heads[best], tails[best]]] = repeated
    return chosen
