"""Scout with PageRank over the whole graph, exported into memory, which the walk in the graph approximates."""

import numpy as np

from gear_neo4j import Gear, Scout
from gear_neo4j.graph.read.pagerank_queries import PageRankQueries
from gear_neo4j.retrieval.hipporag import rank_by_mass
from gear_neo4j.retrieval.scout import ScoutGraph, ScoutRetriever, Start, Walked, rarest
from gear_neo4j.retrieval.walk.pagerank import pagerank
from gear_neo4j.retrieval.walk.projection import Projections


class ExportedScout(ScoutRetriever):
    """Scout over a projection of the graph, by default of the whole."""

    def __init__(self, gear: Gear, *, options: Scout, queries: PageRankQueries | None = None) -> None:
        graph = gear.graph
        super().__init__(ScoutGraph(graph.store, graph.pagerank, graph.edges, gear.embedder), options=options)
        self._projections = Projections(queries or graph.pagerank)

    def _walk(self, start: Start) -> Walked:
        graph = self._projections.current()
        first = len(graph.passages)
        frequency = {id: float(graph.document_frequency[index]) for id, index in graph.entities.items()}
        weights = np.zeros(first + len(graph.entities))
        for is_passage, id, weight in self._weights(start, frequency):
            weights[graph.passage_index[id] if is_passage else first + graph.entities[id]] = weight
        if not weights.any():
            return Walked()
        mass = pagerank(graph.weighted_transition, weights, damping=self._options.damping)
        return Walked(rank_by_mass(graph, mass[:first]), rarest=rarest(start, frequency))
