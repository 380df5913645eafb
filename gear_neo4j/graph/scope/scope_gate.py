"""The gate for every query of a scoped database: adds the conditions of the scope, or refuses the query."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gear_neo4j.errors import ScopeRefusal
from gear_neo4j.graph.queries import SCALED, Query
from gear_neo4j.graph.scope.scope_macros import reads_communities, shape_of
from gear_neo4j.scope import Scope

# Maximum number of an entity's triples to examine when counting those in the scope.
MOST_EXAMINED = 10_000
# A scope with at most this many passages is read without an index, which takes the server 9 microseconds per vector.
MOST_READ = 1_000
# Maximum number of candidates from an index, however few of them are in the scope.
MOST_CANDIDATES = 20_000
# Why a metadata filter admits no community.
RESTS_ON_ALL = "a report rests on passages that the filter may exclude"
# About how many candidates a search requests from an index without a scope.
CANDIDATES = 100
# This many times the expected number is requested, because candidates in the scope are not spread evenly.
MARGIN = 1.5
# An index with a filter finds worse candidates: of the ten nearest in half of 150,000 passages, 90 % were among 100
# candidates and 98 % among 400, which took less time than 100 from the whole index.
FILTERED_MARGIN = 5.0


@dataclass(frozen=True, slots=True)
class ScopeSize:
    """How much of a database is in a scope: passages, triples, and the ids of the passages if they are few.

    ``adopted`` passages represent nodes of an adopted graph, and ``described`` triples are theirs. ``reach`` is the
    number of passages and triples that the vector indexes can return: those of the scope's collections if the indexes
    filter by collection, or None for all. These numbers only plan searches; each query checks what it reads. ``graph``
    allows queries that read the user's own nodes: every node of the adopted graph, even a future one, is in the scope,
    because all have the same readers.

    Example:
        >>> ScopeSize(passages=50, triples=600, all_passages=1_000, all_triples=12_000).vector_factor
        30.0
        >>> ScopeSize(passages=50, triples=600, all_passages=1_000, all_triples=12_000, reach=(50, 600)).vector_factor
        5.0
    """

    passages: int
    triples: int
    all_passages: int
    all_triples: int
    adopted: int = 0
    described: int = 0
    reach: tuple[int, int] | None = None
    ids: tuple[str, ...] | None = None
    graph: bool = False

    @property
    def factor(self) -> float:
        """The number of candidates to request from the full-text index for each needed one."""
        return self._factor(self.all_passages, self.all_triples)

    @property
    def vector_factor(self) -> float:
        """The number of candidates to request from a vector index for each needed one."""
        return max(FILTERED_MARGIN, self._factor(*self.reach)) if self.reach else self.factor

    def _factor(self, passages: int, triples: int) -> float:
        shares = ((self.passages, passages), (self.triples, triples))
        least = min((part / whole for part, whole in shares if part), default=1.0)
        return 1.0 if least >= 1 else min(MARGIN / least, MOST_CANDIDATES)

    @property
    def is_capped(self) -> bool:
        """Whether the indexes return fewer candidates than the scope requires, so that a search may miss some."""
        return self.ids is None and self.vector_factor * CANDIDATES > MOST_CANDIDATES

    @property
    def plan(self) -> str:
        """How the vectors in the scope are searched, in words.

        Example:
            >>> ScopeSize(passages=50, triples=600, all_passages=1_000, all_triples=12_000, ids=("p1",)).plan
            'reads all vectors of the scope'
            >>> ScopeSize(passages=5_000, triples=60_000, all_passages=100_000, all_triples=1_200_000).plan
            'requests 30 times the candidates from the indexes'
        """
        if self.ids is not None:
            return "reads all vectors of the scope"
        if self.is_capped:
            return f"requests {MOST_CANDIDATES:,} candidates from the indexes, which may be too few"
        factor = math.ceil(self.vector_factor)
        times = f"{factor:,} times the candidates" if factor > 1 else "candidates"
        filtering = ", which filter by collection" if self.reach else ""
        return f"requests {times} from the indexes{filtering}"


class ScopeGate:
    """Adds the conditions of one scope to queries; threads may share it.

    Args:
        size: reads the current size of the scope.
    """

    def __init__(self, scope: Scope, *, size: Callable[[], ScopeSize]) -> None:
        self.scope = scope
        self.size = size
        self._shape = shape_of(scope)
        self._parameters = {**scope.parameters, "most": MOST_EXAMINED}

    @property
    def is_small(self) -> bool:
        """Whether the scope's passages are read without an index."""
        return self.size().ids is not None

    def admit(self, query: Query, parameters: Mapping[str, Any]) -> tuple[Query, dict[str, Any]]:
        """A query with its parameters, as sent under the scope.

        Raises:
            ScopeRefusal: it reads or writes the whole graph.
        """
        if query.scope == "refused" or (query.scope == "graph" and not self.size().graph):
            what = query.file or "a text of your own"
            raise ScopeRefusal(f"this is refused under a scope: {what} reads or writes the whole graph")
        if query.scope in ("free", "graph"):
            return query, dict(parameters)
        if self.scope.where is not None and reads_communities(query.marked):
            raise ScopeRefusal(f"communities are refused under a filter: {RESTS_ON_ALL}")
        given = {name: value for name, value in parameters.items() if name not in query.ignored}
        scaled, shape = SCALED & query.parameters, self._shape
        if scaled:
            size = self.size()
            shape = shape._replace(in_index=size.reach is not None)
            given |= {name: min(MOST_CANDIDATES, math.ceil(given[name] * size.vector_factor)) for name in scaled}
        sized = self._sized() if query.sized else {}
        return query.within(shape), {**given, "scope": {**self._parameters, **sized}}

    def _sized(self) -> dict[str, Any]:
        size = self.size()
        return {
            "ids": size.ids,
            "factor": size.factor,
            "adopted": size.adopted,
            "triples": size.triples - size.described,
        }
