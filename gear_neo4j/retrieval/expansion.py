"""From base passages to paths: their triples, the beam search over the graph, and three ways to score a path."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from gear_neo4j.domain import Path
from gear_neo4j.graph.store import ScoredTriple, Store
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.beam import Beam, beam_search
from gear_neo4j.retrieval.question import Question

Score = Literal["composed", "encoded", "last"]
# Of 1.5 million triples, the index gives its 100 nearest in under a tenth of a second.
POOL = 100


@dataclass(frozen=True, slots=True)
class Expanded:
    """The paths of an expansion, best first; ``exact`` is False where a hub's triples were not all looked at."""

    paths: tuple[Path, ...] = ()
    exact: bool = True


class Expansion:
    """The graph expansion of GeAR (section 4): from start triples to paths; no language model is called.

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

    def expand(self, question: Question, *, passages: Sequence[str]) -> Expanded:
        """The best paths from the triples of the passages (NaiveGE), best first.

        One round trip a triple of the longest path, and one more for a question whose paths meet a hub.
        """
        with question.timed("expand"):
            start = self._store.start_triples(passages, query=question.vector, limit=self._beam.width)
        return self.walk(question, start=start)

    def walk(self, question: Question, *, start: Sequence[ScoredTriple]) -> Expanded:
        """The best paths from the given triples, each scored against the question, best first."""
        walk = _Walk(self._store, self._embedder, question.vector, self._beam, self._score)
        with question.timed("expand"):
            walk.note(start)
            return Expanded(tuple(beam_search(start, expand=walk.step, beam=self._beam)), exact=walk.pool is None)


@dataclass(slots=True)
class _Walk:
    """One question's walk: it remembers the degrees it saw, and the pool of nearest triples once it met a hub."""

    store: Store
    embedder: Embedder
    vector: list[float]
    beam: Beam
    score: Score
    degrees: dict[str, int] = field(default_factory=dict)
    pool: list[str] | None = None

    def note(self, found: Sequence[ScoredTriple]) -> None:
        """Remember the degrees of triples that paths may end in."""
        self.degrees.update((one.triple.id, one.degree) for one in found)

    def step(self, paths: Sequence[Path]) -> list[list[ScoredTriple]]:
        """The candidates of each path, scored."""
        if self.pool is None and any(self.degrees[path.triples[-1].id] > self.beam.hub for path in paths):
            self.pool = self.store.nearest_triples(self.vector, k=POOL)
        encoded = self.score == "encoded"
        # Weights only fall with the place, so a path's candidates beyond the width cannot be among the best; but which
        # those are by encoded text, the database cannot say.
        ranked = self.beam.neighbours if encoded else min(self.beam.width, self.beam.neighbours)
        found = self.store.expand(
            [[triple.id for triple in path.triples] for path in paths],
            query=self.vector,
            scores=[path.score for path in paths],
            weights=[self.beam.weight(place) for place in range(ranked)],
            keep=ranked * len(paths) if encoded else self.beam.width,
            scoring="composed" if self.score == "composed" else "last",
            hub=self.beam.hub,
            pool=self.pool or (),
            degrees=len(paths[0].triples) + 1 < self.beam.length,
        )
        for candidates in found:
            self.note(candidates)
        return self._encoded(paths, found) if encoded else found

    def _encoded(self, paths: Sequence[Path], found: Sequence[Sequence[ScoredTriple]]) -> list[list[ScoredTriple]]:
        texts = [
            "; ".join(triple.text for triple in (*path.triples, candidate.triple))
            for path, candidates in zip(paths, found, strict=True)
            for candidate in candidates
        ]
        scores = iter((self.embedder.embed(texts) @ np.asarray(self.vector, dtype=np.float32)).tolist())
        return [[replace(candidate, score=next(scores)) for candidate in candidates] for candidates in found]
