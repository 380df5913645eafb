"""Searches outside the graph, where the graph has nothing; none unless a user supplies one."""

from collections.abc import Sequence
from typing import Protocol

from gear_neo4j.domain import Passage


class WebSearch(Protocol):
    """A search engine for texts outside the graph."""

    @property
    def name(self) -> str:
        """What reports call it."""

    def search(self, query: str, *, k: int) -> Sequence[Passage]:
        """At most k texts, best first; the id and the source of each are its address. Raises SearchError."""
