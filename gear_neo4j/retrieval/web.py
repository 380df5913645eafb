"""What searches outside the graph, where the graph has nothing; there is none unless a user brings one."""

from collections.abc import Sequence
from typing import Protocol

from gear_neo4j.domain import Passage


class WebSearch(Protocol):
    """What finds texts elsewhere."""

    @property
    def name(self) -> str:
        """What reports call it."""

    def search(self, query: str, *, k: int) -> Sequence[Passage]:
        """At most k texts, best first; the id and the source of each are its address. Raises SearchError."""
