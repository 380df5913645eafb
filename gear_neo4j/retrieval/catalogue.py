"""Which retrievers there are, by name, and how each is put together over one database."""

from collections.abc import Callable, Sequence
from threading import RLock
from typing import Literal

from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.base import Base, BaseSearch, Fulltext, Hybrid, Sbert
from gear_neo4j.retrieval.beam import Beam
from gear_neo4j.retrieval.bm25 import BM25
from gear_neo4j.retrieval.colbert import ColBERT, PyLateEncoder
from gear_neo4j.retrieval.dictionary import Dictionaries
from gear_neo4j.retrieval.expansion import Expansion, Score
from gear_neo4j.retrieval.hipporag import HippoRAG, HippoRAG2, Memory
from gear_neo4j.retrieval.linking import Heads
from gear_neo4j.retrieval.paths import PathOptions, PathRetriever
from gear_neo4j.retrieval.projection import Projections
from gear_neo4j.retrieval.retrievers import BaseRetriever, NaiveRetriever, Retriever, SyncRetriever
from gear_neo4j.retrieval.scout import Scout
from gear_neo4j.retrieval.subgraph import SubgraphRetriever
from gear_neo4j.retrieval.sync import Sync
from gear_neo4j.roles.answering import Reader
from gear_neo4j.roles.seeds import Seeder
from gear_neo4j.settings import Settings

RetrieverName = Literal["naive", "sync", "base", "hipporag", "hipporag2", "scout", "paths", "subgraph"]
BaseName = Literal["bm25", "fulltext", "sbert", "hybrid", "colbert"]
# The in-memory index takes 5 ms a question for every 1,000 passages, and so Neo4j's own is faster from 2,000 on; up to
# here it is still the less of what a search takes.
BM25_LIMIT = 5_000


class Catalogue:
    """The retrievers over one database; base retrievers are made once and kept.

    Args:
        reader: gives what reads for ``sync``; asked only when it is needed.
        seeder: gives what chooses seeds for ``hipporag`` and ``hipporag2``, or None where there is no model.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        embedder: Embedder,
        reader: Callable[[], Reader],
        seeder: Callable[[], Seeder | None] = lambda: None,
    ) -> None:
        self._graph = graph
        self._store = graph.store
        self._embedder = embedder
        self._reader = reader
        self._seeder = seeder
        self._memory = Memory(graph.store, graph.export, Projections(graph.export), embedder)
        self._dictionaries = Dictionaries(graph.export)
        self._bases: dict[BaseName, Base] = {}
        self._making = RLock()
        self._checked = False

    def retriever(
        self,
        name: RetrieverName,
        *,
        base: BaseName,
        beam: Beam,
        score: Score,
        base_k: int,
        reader: Reader | None = None,
    ) -> Retriever:
        """The retriever of a name.

        Raises:
            SettingsError: base_k is below 1.
            ModelError: ``sync`` has no reader.
        """
        if name == "sync":
            found = self.sync(base=base, beam=beam, score=score, base_k=base_k, reader=reader or self._reader())
            return SyncRetriever(found, embedder=self._embedder)
        search = self.base(base)
        if name in ("hipporag", "scout"):
            self._store.require_entities(name)
        if name == "base":
            return BaseRetriever(self._store, base=search, embedder=self._embedder)
        if name == "hipporag":
            return HippoRAG(self._memory, base=search, namer=self._seeder())
        if name == "hipporag2":
            return HippoRAG2(self._memory, filter=self._seeder())
        if name == "scout":
            return Scout(self._memory)
        if name == "subgraph":
            return SubgraphRetriever(self._graph, embedder=self._embedder)
        if name == "paths":
            return self.paths(base=base, base_k=base_k)
        expansion = self._expansion(beam, score, base_k)
        return NaiveRetriever(self._store, base=search, expansion=expansion, embedder=self._embedder, base_k=base_k)

    def paths(self, *, base: BaseName, base_k: int, options: PathOptions = PathOptions()) -> PathRetriever:
        """Retrieval by the paths between the entities that a question names."""
        return PathRetriever(
            self._graph,
            base=self.base(base),
            dictionaries=self._dictionaries,
            embedder=self._embedder,
            base_k=base_k,
            options=options,
        )

    def heads(self, *, described: Callable[[Sequence[str]], dict[str, str]]) -> Heads:
        """What finds the nodes of a name; see :class:`Heads`."""
        return Heads(self._store, dictionaries=self._dictionaries, embedder=self._embedder, described=described)

    def sync(self, *, base: BaseName, beam: Beam, score: Score, base_k: int, reader: Reader) -> Sync:
        """SyncGE, as a retriever and the agent need it."""
        expansion = self._expansion(beam, score, base_k)
        return Sync(
            self._store,
            base=self.base(base),
            expansion=expansion,
            reader=reader,
            embedder=self._embedder,
            base_k=base_k,
        )

    def base(self, name: BaseName) -> BaseSearch:
        """The base retriever of a name.

        Raises:
            InputError: the database holds no passages.
            EmbeddingMismatch: another model built it.
        """
        if not self._checked:
            self._store.require_model(name=self._embedder.name, dimension=self._embedder.dimension)
            self._checked = True
        return BaseSearch(self._store, self._base(name))

    def renew(self) -> None:
        """Forget what was made from passages that may have changed since."""
        with self._making:
            self._bases.clear()

    def _expansion(self, beam: Beam, score: Score, base_k: int) -> Expansion:
        if base_k < 1:
            raise SettingsError(f"base_k is {base_k}: the expansion starts from at least 1 passage")
        return Expansion(self._store, embedder=self._embedder, beam=beam, score=score)

    def _base(self, name: BaseName) -> Base:
        # Threads that search at once must not each read the whole corpus; a hybrid is made of others.
        with self._making:
            if name not in self._bases:
                self._bases[name] = self._made(name)
            return self._bases[name]

    def _made(self, name: BaseName) -> Base:
        match name:
            case "fulltext":
                return Fulltext()
            case "sbert":
                return Sbert()
            case "bm25":
                return BM25(self._store.all_passages())
            case "colbert":
                folder = Settings.load().home / "colbert" / f"{self._graph.name}-{self._embedder.name}"
                return ColBERT(self._store.all_passages(), encoder=PyLateEncoder(), folder=folder)
        small = self._store.counts().passages <= BM25_LIMIT
        return Hybrid([self._base("bm25" if small else "fulltext"), self._base("sbert")])
