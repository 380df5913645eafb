"""From base passages to paths: their triples, the beam search over the graph, and three ways to score a path."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from gear_neo4j.domain import Path
from gear_neo4j.graph.store import ScoredTriple, Scoring, Store
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.beam import Beam, Expand, beam_search
from gear_neo4j.retrieval.question import Question

Score = Literal["composed", "encoded", "last"]


class Expansion:
    """NaiveGE's expansion (GeAR, section 4.1): all triples of the base passages are start triples; no model is called.

    ``score`` says how a path is scored against the question:

    - ``composed``: by the normalised sum of its triples' embeddings, put together inside Neo4j;
    - ``encoded``: by the embedding of its text, as in the paper, which encodes every candidate path;
    - ``last``: by its newest triple alone, inside Neo4j.
    """

    def __init__(self, store: Store, *, embedder: Embedder, beam: Beam = Beam(), score: Score = "composed") -> None:
        self._store = store
        self._embedder = embedder
        self._beam = beam
        self._score = score

    def paths(self, question: Question, *, passages: Sequence[str]) -> list[Path]:
        """The best paths from the triples of the passages, best first; one round trip a triple of the longest path."""
        vector = question.vector
        with question.timed("expand"):
            start = self._store.start_triples(passages, query=vector, limit=self._beam.width)
            expand = self._encoded(vector) if self._score == "encoded" else self._in_database(vector)
            return beam_search(start, expand=expand, beam=self._beam)

    def _in_database(self, vector: list[float]) -> Expand:
        scoring: Scoring = "last" if self._score == "last" else "composed"
        # Weights only fall with the place, so a path's candidates beyond the width cannot be among the best.
        limit = min(self._beam.width, self._beam.neighbours)
        return lambda paths: self._store.expand(_ids(paths), query=vector, limit=limit, scoring=scoring)

    def _encoded(self, vector: list[float]) -> Expand:
        def expand(paths: Sequence[Path]) -> list[list[ScoredTriple]]:
            found = self._store.expand(_ids(paths), query=vector, limit=self._beam.neighbours, scoring="last")
            texts = [
                "; ".join(triple.text for triple in (*path.triples, candidate.triple))
                for path, candidates in zip(paths, found, strict=True)
                for candidate in candidates
            ]
            scores = iter((self._embedder.embed(texts) @ np.asarray(vector, dtype=np.float32)).tolist())
            return [[ScoredTriple(candidate.triple, next(scores)) for candidate in found_] for found_ in found]

        return expand


def _ids(paths: Sequence[Path]) -> list[list[str]]:
    return [[triple.id for triple in path.triples] for path in paths]
