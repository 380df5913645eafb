"""From base passages to paths: their triples, the beam search over the graph, and three ways to score a path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from gear_neo4j.domain import Passage, Path
from gear_neo4j.graph.read.store import ScoredTriple, Step, Store
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.walk.beam import Beam, beam_search

Score = Literal["composed", "encoded", "last"]
# Of 1.5 million triples, the index gives its 100 nearest in under a tenth of a second.
POOL = 100


@dataclass(frozen=True, slots=True)
class ExpansionResult:
    """The paths of an expansion, best first; ``exact`` is False if not all triples of a hub were scanned.

    ``passages`` holds, by id, the passages that were fetched with the paths.
    """

    paths: tuple[Path, ...] = ()
    exact: bool = True
    passages: Mapping[str, Passage] = field(default_factory=dict)


class Expansion:
    """The graph expansion of GeAR (section 4): from start triples to paths; no language model is called.

    ``score`` says how a path is scored against the question:

    - ``composed``: by the normalised sum of its triples' embeddings, computed inside Neo4j;
    - ``encoded``: by the embedding of its text, as in the paper, which encodes every candidate path;
    - ``last``: by its newest triple alone, inside Neo4j.
    """

    def __init__(self, store: Store, *, embedder: Embedder, beam: Beam, score: Score) -> None:
        self._store = store
        self._embedder = embedder
        self._beam = beam
        self._score = score

    def expand(self, question: Question, *, passages: Sequence[str]) -> ExpansionResult:
        """The best paths from the triples of the passages (NaiveGE), best first.

        Paths of two triples take one round trip, each further triple one more, and a question whose paths meet a hub
        another two.
        """
        walk = self._start(question)
        with question.timed("expand"):
            return walk.follow(walk.begin(passages))

    def walk(self, question: Question, *, start: Sequence[ScoredTriple]) -> ExpansionResult:
        """The best paths from the given triples, each scored against the question, best first."""
        walk = self._start(question)
        with question.timed("expand"):
            return walk.follow(start)

    def _start(self, question: Question) -> "_Walk":
        return _Walk(self._store, self._embedder, question.vector, self._beam, self._score)


@dataclass(slots=True)
class _Walk:
    """The walk of one question, with the degrees of its triples, and the nearest triples once it meets a hub."""

    store: Store
    embedder: Embedder
    vector: list[float]
    beam: Beam
    score: Score
    degrees: dict[str, int] = field(default_factory=dict)
    pool: list[str] | None = None
    first: dict[str, list[ScoredTriple]] = field(default_factory=dict)
    passages: Mapping[str, Passage] = field(default_factory=dict)

    def begin(self, passages: Sequence[str]) -> list[ScoredTriple]:
        """The triples of the passages, which start the paths; also fetches the candidates of the next step."""
        begun = self.store.start_paths(passages, limit=self.beam.width, step=self._ranking(1))
        self.passages = begun.passages
        if begun.longer is not None:
            pairs = zip(begun.start, begun.longer, strict=True)
            self.first = {scored.triple.id: candidates for scored, candidates in pairs}
        return begun.start

    def follow(self, start: Sequence[ScoredTriple]) -> ExpansionResult:
        """The best paths from the given triples."""
        self._note(start)
        paths = beam_search(start, expand=self._step, beam=self.beam)
        return ExpansionResult(tuple(paths), self.pool is None, self.passages)

    def _note(self, triples: Sequence[ScoredTriple]) -> None:
        """Remember the degrees of triples that paths may end in."""
        self.degrees.update((scored.triple.id, scored.degree) for scored in triples)

    def _step(self, paths: Sequence[Path]) -> list[list[ScoredTriple]]:
        """The candidates of each path, scored."""
        length = len(paths[0].triples)
        if length == 1 and self.first:
            expansions = [self.first[path.triples[0].id] for path in paths]
        else:
            expansions = self._expand(paths, length)
        for candidates in expansions:
            self._note(candidates)
        return self._score_texts(paths, expansions) if self.score == "encoded" else expansions

    def _expand(self, paths: Sequence[Path], length: int) -> list[list[ScoredTriple]]:
        if self.pool is None and any(self.degrees[path.triples[-1].id] > self.beam.hub for path in paths):
            self.pool = self.store.nearest_triples(self.vector, k=POOL)
        return self.store.expand(
            [[triple.id for triple in path.triples] for path in paths],
            scores=[path.score for path in paths],
            step=self._ranking(length),
            pool=self.pool or (),
        )

    def _ranking(self, length: int) -> Step:
        """How to rank paths that are one triple longer than ``length``; keeps none beyond the beam's length."""
        encoded = self.score == "encoded"
        # Weights fall with the rank, so a path's candidates beyond the width cannot be among the best. By encoded text,
        # the database cannot rank them.
        ranked = self.beam.neighbours if encoded else min(self.beam.width, self.beam.neighbours)
        kept = ranked * self.beam.width if encoded else self.beam.width
        return Step(
            query=self.vector,
            weights=[self.beam.weight(rank) for rank in range(ranked)],
            keep=kept if length < self.beam.length else 0,
            scoring="composed" if self.score == "composed" else "last",
            hub=self.beam.hub,
            degrees=length + 1 < self.beam.length,
        )

    def _score_texts(
        self, paths: Sequence[Path], expansions: Sequence[Sequence[ScoredTriple]]
    ) -> list[list[ScoredTriple]]:
        texts = [
            "; ".join(triple.text for triple in (*path.triples, candidate.triple))
            for path, candidates in zip(paths, expansions, strict=True)
            for candidate in candidates
        ]
        scores = iter((self.embedder.embed(texts) @ np.asarray(self.vector, dtype=np.float32)).tolist())
        return [[replace(candidate, score=next(scores)) for candidate in candidates] for candidates in expansions]
