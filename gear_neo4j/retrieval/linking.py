"""Links names to nodes: by the same name, else by full-text search over passages about nodes."""

from collections.abc import Callable, Sequence

from gear_neo4j.graph.read.store import Store
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.dictionary import Names
from gear_neo4j.retrieval.lucene import lucene_query


class EntityLinker:
    """Finds the nodes of one database by their names.

    Args:
        described: maps the ids of passages to the nodes that they describe.
    """

    def __init__(
        self,
        store: Store,
        *,
        names: Names,
        embedder: Embedder,
        described: Callable[[Sequence[str]], dict[str, str]],
    ) -> None:
        self.store = store
        self.embedder = embedder
        self._names = names
        self._described = described

    def find(self, name: str) -> tuple[str, ...]:
        """The element ids of at most three nodes with the name, else of the best full-text match; may be empty."""
        matches = self._names.find(name)
        if matches:
            return max(matches, key=lambda match: match.end - match.start).nodes
        text = lucene_query(name)
        if not text:
            return ()
        hits = self.store.find_passages([{"vector": None, "text": text}], k=3)[0].words
        nodes = self._described([id for id, _ in hits])
        return tuple(nodes[id] for id, _ in hits if id in nodes)[:1]
