"""HippoRAG's method: the whole graph in memory, and personalised PageRank over all of it per question (igraph)."""

import time
from typing import Any

from benchmarks.measure import peak_megabytes
from gear_neo4j import Gear

DAMPING = 0.5
SEEDS = 5


class PageRank:
    """Passages and entities as one undirected graph; the walk restarts at the entities of the nearest facts."""

    def __init__(self, gear: Gear) -> None:
        import igraph

        before, started = peak_megabytes(), time.perf_counter()
        self._export = gear.graph.pagerank
        self._passages: list[str] = []
        numbers: dict[str, int] = {}
        edges: list[tuple[int, int]] = []
        for id, facts in self._export.facts():
            index = numbers.setdefault(f"passage {id}", len(numbers))
            self._passages.append(id)
            for ends in facts:
                subject, object = (numbers.setdefault(end, len(numbers)) for end in ends)
                edges += [(subject, object), (index, subject), (index, object)]
        self._numbers = numbers
        self._indexes = [numbers[f"passage {id}"] for id in self._passages]
        self._graph = igraph.Graph(n=len(numbers), edges=edges)
        self._graph.simplify()
        self.report: dict[str, Any] = {
            "nodes": len(numbers),
            "edges": self._graph.ecount(),
            "seconds": round(time.perf_counter() - started, 1),
            "mb": peak_megabytes() - before,
        }

    def search(self, vector: list[float], *, k: int) -> list[str]:
        """The ids of k passages, best first."""
        reset = [0.0] * len(self._numbers)
        for seed in self._export.seeds(vector, k=SEEDS):
            for end in seed.ends:
                reset[self._numbers[end]] += max(seed.score, 0.0)
        scores = self._graph.personalized_pagerank(damping=DAMPING, reset=reset, implementation="prpack")
        ranked = sorted(
            range(len(self._indexes)), key=lambda index: (-scores[self._indexes[index]], self._passages[index])
        )
        return [self._passages[index] for index in ranked[:k]]
