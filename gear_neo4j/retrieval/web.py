"""Web search for questions that the graph cannot answer; off unless a user supplies a search engine."""

from collections.abc import Sequence
from typing import Protocol

from gear_neo4j.domain import Passage


class WebSearch(Protocol):
    """A search engine for texts outside the graph."""

    @property
    def name(self) -> str:
        """Its name in reports."""

    def search(self, query: str, *, k: int) -> Sequence[Passage]:
        """At most k texts, best first; the id and the source of each are its URL. Raises SearchError."""
