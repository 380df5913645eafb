"""Diverse triple beam search (GeAR, Algorithm 1): the walk over triples that share entities."""

import math
from collections.abc import Callable, Sequence
from typing import ClassVar

from gear_neo4j.domain import Path
from gear_neo4j.graph.read.store import ScoredTriple
from gear_neo4j.recipes.recipe import Options, option

# For each path, the triples one step beyond its end, each with the score of the path that it makes.
Expand = Callable[[Sequence[Path]], Sequence[Sequence[ScoredTriple]]]


class Beam(Options):
    """How wide and how far the beam search goes; the defaults are the paper's (section C.2).

    For an entity in more than ``hub`` triples, only the triples nearest to the question are considered.

    Raises:
        SettingsError: a number is below 1.
    """

    label: ClassVar[str] = "the beam"
    width: int = option(10, "number of paths to keep after each step", least=1)
    length: int = option(2, "maximum length of a path, in triples", least=1, client_most=8)
    neighbours: int = option(100, "maximum number of candidates per path", least=1)
    gamma: int | None = option(
        None, "rank after which the weight of a path's candidates stops falling; 2 x width if not set", least=1
    )
    diverse: bool = option(True, "give a path's further candidates less weight")
    hub: int = option(300, "number of triples above which an entity is a hub", least=1)

    def weight(self, rank: int) -> float:
        """The diversity weight of a path's candidate by its rank, from 0: exp(-min(rank, gamma) / gamma).

        Example:
            >>> [round(Beam().weight(rank), 3) for rank in (0, 1, 2, 20, 50)]
            [1.0, 0.951, 0.905, 0.368, 0.368]
        """
        if not self.diverse:
            return 1.0
        gamma = self.gamma or 2 * self.width
        return math.exp(-min(rank, gamma) / gamma)


def beam_search(start: Sequence[ScoredTriple], *, expand: Expand, beam: Beam = Beam()) -> list[Path]:
    """The best paths that begin with a start triple, best first; the same input gives the same output.

    The score of a path is the sum of its similarities to the question after each triple, weighted at each step by the
    rank of the new triple among the path's candidates. Similarities below 0 count as 0: a weight below 1 would raise
    them. A path without candidates is dropped, unless no path has any: then the paths so far are the result. Ties are
    broken by the ids of the triples.

    Example:
        >>> from gear_neo4j.domain import make_triple
        >>> triple = make_triple("p1", "Curie", "born in", "Warsaw")
        >>> paths = beam_search([ScoredTriple(triple, 0.9)], expand=lambda paths: [[] for _ in paths])
        >>> print(paths[0], paths[0].score)
        Curie —born in→ Warsaw 0.9
    """
    paths = _best([_step(None, candidate, weight=1.0) for candidate in start], beam.width)
    for _ in range(1, beam.length):
        longer = [
            _step(path, candidate, weight=beam.weight(rank))
            for path, candidates in zip(paths, expand(paths) if paths else [], strict=True)
            for rank, candidate in enumerate(_in_order(candidates)[: beam.neighbours])
        ]
        if not longer:
            break
        paths = _best(longer, beam.width)
    return paths


def passages_of(paths: Sequence[Path]) -> list[str]:
    """The passages of the paths, breadth first: those of all first triples, then of all second ones, each once."""
    longest = max((len(path.triples) for path in paths), default=0)
    ids = (path.triples[i].passage_id for i in range(longest) for path in paths if i < len(path.triples))
    return list(dict.fromkeys(ids))


def _step(path: Path | None, candidate: ScoredTriple, *, weight: float) -> Path:
    similarity = max(0.0, candidate.score)
    if path is None:
        return Path((candidate.triple,), similarity, (similarity,))
    return Path((*path.triples, candidate.triple), (path.score + similarity) * weight, (*path.scores, similarity))


def _in_order(candidates: Sequence[ScoredTriple]) -> list[ScoredTriple]:
    return sorted(candidates, key=lambda candidate: (-max(0.0, candidate.score), candidate.triple.id))


def _best(paths: list[Path], width: int) -> list[Path]:
    return sorted(paths, key=lambda path: (-path.score, [triple.id for triple in path.triples]))[:width]
