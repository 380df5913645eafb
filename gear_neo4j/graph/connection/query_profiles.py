"""The cost of a query on the server, from its PROFILE plan."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# Operators whose work grows with the database, whatever the question.
SCANS = frozenset({"AllNodesScan", "NodeByLabelScan", "NodeIndexScan", "CartesianProduct"})


@dataclass(frozen=True, slots=True)
class QueryProfile:
    """One run of a query: operators, rows, db hits, page cache misses and time."""

    query: str
    operators: frozenset[str]
    rows: int
    db_hits: int
    page_misses: int
    milliseconds: float

    @property
    def scans(self) -> frozenset[str]:
        """The operators whose work grows with the database."""
        return self.operators & SCANS


def profile_of(query: str, plan: Mapping[str, Any], *, rows: int, milliseconds: float) -> QueryProfile:
    """The costs of a query, summed over its plan.

    Example:
        >>> leaf = {"operatorType": "NodeByLabelScan@neo4j", "args": {"DbHits": 12, "PageCacheMisses": 1}}
        >>> plan = {"operatorType": "ProduceResults@neo4j", "args": {"DbHits": 3}, "children": [leaf]}
        >>> profile = profile_of("counts", plan, rows=1, milliseconds=2.5)
        >>> profile.db_hits, profile.page_misses, sorted(profile.scans)
        (15, 1, ['NodeByLabelScan'])
    """
    steps = list(_steps(plan))
    return QueryProfile(
        query,
        frozenset(step["operatorType"].split("@")[0] for step in steps),
        rows,
        _sum(steps, "DbHits"),
        _sum(steps, "PageCacheMisses"),
        milliseconds,
    )


def _steps(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for child in plan.get("children", ()):
        yield from _steps(child)


def _sum(steps: list[Mapping[str, Any]], key: str) -> int:
    return sum(int(step.get("args", {}).get(key) or 0) for step in steps)
