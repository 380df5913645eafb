"""The searching half of the front door: retrievers over one database, and the paths that they follow."""

from functools import cached_property

from gear_neo4j.domain import Cypher, Hits, Path
from gear_neo4j.errors import ModelError
from gear_neo4j.graph.store import path_cypher
from gear_neo4j.overlay import Overlay
from gear_neo4j.retrieval.beam import Beam
from gear_neo4j.retrieval.catalogue import BaseName, Catalogue, RetrieverName
from gear_neo4j.retrieval.expansion import Score
from gear_neo4j.retrieval.paths import Connected, PathOptions
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.retrievers import BASE_K, Retriever
from gear_neo4j.roles.answering import PromptedRoles, Reader
from gear_neo4j.roles.seeds import PromptedSeeder


class Searching(Overlay):
    """What finds passages; :class:`gear_neo4j.Gear` adds what answers from them."""

    def search(
        self,
        question: str,
        *,
        k: int = 10,
        retriever: RetrieverName = "naive",
        base: BaseName = "hybrid",
        beam: Beam = Beam(),
        score: Score = "composed",
        base_k: int = BASE_K,
    ) -> Hits:
        """The k best passages for a question, and the paths through the graph that led to them.

        Args:
            retriever: ``naive`` expands the base retriever's passages over the graph, ``base`` does not; for ``sync``
                the chat model first reads them, in one call, and the walk starts from the facts that it notes.
                ``hipporag2`` and ``hipporag`` are HippoRAG's PageRank, at its best over synonym edges; a chat model,
                where there is one, chooses the seeds of the former, and the latter is its base without one. ``scout``
                is our own walk of that kind, without any model but the embeddings.
            base: what finds the first passages: words (``bm25``, ``fulltext``), meaning (``sbert``), or both.
            base_k: how many passages the expansion starts from.

        Raises:
            InputError: the question is blank, k is below 1, or the database holds no passages.
            EmbeddingMismatch: the database was built with another embedding model.
            ModelError: ``sync`` has no chat model, or it failed.
        """
        return self.retriever(retriever, base=base, beam=beam, score=score, base_k=base_k).retrieve(question, k=k)

    def retriever(
        self,
        name: RetrieverName = "naive",
        *,
        base: BaseName = "hybrid",
        beam: Beam = Beam(),
        score: Score = "composed",
        base_k: int = BASE_K,
        reader: Reader | None = None,
    ) -> Retriever:
        """A retriever to ask many questions of; see :meth:`search` for its options.

        Args:
            reader: what reads for ``sync`` in the place of the chat model.
        """
        return self._catalogue.retriever(name, base=base, beam=beam, score=score, base_k=base_k, reader=reader)

    def paths(self, question: str, *, options: PathOptions = PathOptions()) -> Connected:
        """What a question names in the graph, the shortest paths between, and the facts around; no model is called.

        Raises:
            InputError: the question is blank, or the database holds no passages.
        """
        return self._catalogue.paths(base="sbert", base_k=1, options=options).connect(
            Question(question, embedder=self.embedder)
        )

    def cypher(self, *paths: Path) -> Cypher:
        """The query that shows paths in Neo4j Browser, with its parameters."""
        return path_cypher(*paths)

    @cached_property
    def _catalogue(self) -> Catalogue:
        return Catalogue(
            self.graph, embedder=self.embedder, reader=lambda: PromptedRoles(self.chat), seeder=self._seeder
        )

    def _seeder(self) -> PromptedSeeder | None:
        try:
            return PromptedSeeder(self.chat)
        except ModelError:
            # HippoRAG works without a model, too.
            return None

    def _changed(self) -> None:
        self._catalogue.renew()
