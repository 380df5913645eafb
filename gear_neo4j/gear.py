"""The front door: one object that ingests into a database, searches it, and answers questions from it."""

from collections.abc import Callable
from functools import cached_property

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.cypher import CypherAgent
from gear_neo4j.agents.gear import GearAgent, GearOptions
from gear_neo4j.agents.ircot import IRCoT, IRCoTOptions
from gear_neo4j.agents.kgt import KgtAgent
from gear_neo4j.agents.outline import outline
from gear_neo4j.agents.paths import PathAgent
from gear_neo4j.agents.run import Event
from gear_neo4j.domain import Cypher, Hits, Path
from gear_neo4j.errors import InputError, ModelError
from gear_neo4j.graph.store import path_cypher
from gear_neo4j.graph.templates import Templates
from gear_neo4j.models.analysis import Analyst, PromptedAnalyst
from gear_neo4j.models.cypher import PromptedQuerent, Querent
from gear_neo4j.models.roles import PromptedRoles, Reader, Roles, Thinker
from gear_neo4j.models.seeds import PromptedSeeder
from gear_neo4j.overlay import Overlay
from gear_neo4j.retrieval.beam import Beam
from gear_neo4j.retrieval.catalogue import BaseName, Catalogue, RetrieverName
from gear_neo4j.retrieval.expansion import Score
from gear_neo4j.retrieval.paths import Connected, PathOptions
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.retrievers import BASE_K, Retriever


class Gear(Overlay):
    """Multi-hop retrieval and answers over one Neo4j database.

    Args:
        driver: your own Neo4j driver, which is neither changed nor closed.
        database: the database's name; by default the user's home database.
        embedder: what turns texts into vectors; by default the packaged MiniLM (384 dimensions, no download).
        chat: any LangChain chat model, for :meth:`ask` and the retriever ``sync``.

    Usage (the README's longer form of it is a test)::

        with Gear.connect() as gear:
            gear.ingest(["corpus.jsonl"], triples=["triples.jsonl"])
            for hit in gear.search("Where did the laureate study?"):
                print(hit.rank, hit.passage.title)
    """

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

    def ask(
        self,
        question: str,
        *,
        k: int = 10,
        base: BaseName = "hybrid",
        beam: Beam = Beam(),
        score: Score = "composed",
        options: GearOptions = GearOptions(),
        on_event: Callable[[Event], None] = lambda _: None,
    ) -> Answer:
        """Answer a question by GeAR's agent, with citations; a run whose model fails still returns its passages.

        Args:
            options: how far the agent goes: steps, tokens, seconds.
            on_event: hears of each question asked, of the facts noted, and of why it goes on.

        Raises:
            ModelError: there is no chat model.
            InputError, EmbeddingMismatch: see :meth:`search`.
        """
        return self.agent(base=base, beam=beam, score=score, options=options).ask(question, k=k, on_event=on_event)

    def agent(
        self,
        *,
        base: BaseName = "hybrid",
        beam: Beam = Beam(),
        score: Score = "composed",
        options: GearOptions = GearOptions(),
        roles: Roles | None = None,
    ) -> GearAgent:
        """An agent to ask many questions of; ``roles`` plays the chat model's part, such as a replay of a trace."""
        roles = roles or PromptedRoles(self.chat)
        sync = self._catalogue.sync(base=base, beam=beam, score=score, base_k=options.step_k, reader=roles)
        found = self._catalogue.base(base)
        return GearAgent(self.store, sync=sync, base=found, roles=roles, embedder=self.embedder, options=options)

    def ircot(
        self, retriever: Retriever, *, options: IRCoTOptions = IRCoTOptions(), thinker: Thinker | None = None
    ) -> IRCoT:
        """IRCoT over a retriever of :meth:`retriever`; ``thinker`` plays the chat model's part."""
        return IRCoT(retriever, thinker=thinker or PromptedRoles(self.chat), options=options)

    def cypher_agent(self, *, querent: Querent | None = None, rows: int = 50, timeout: float = 10.0) -> CypherAgent:
        """An agent whose chat model writes Cypher, which only reads; docs/cypher.md says when to let it.

        Args:
            querent: plays the chat model's part.
            rows: the most rows that are read.
            timeout: the seconds after which a query is broken off.

        Raises:
            ModelError: there is no chat model.
            SettingsError: ``rows`` or ``timeout`` is not above 0.
        """
        return CypherAgent(self.database, querent=querent or PromptedQuerent(self.chat), rows=rows, timeout=timeout)

    def path_agent(self, *, base: BaseName = "hybrid", roles: Thinker | None = None) -> PathAgent:
        """An agent that answers from the paths between what the question names, and from passages, in one call.

        Raises:
            ModelError: there is no chat model.
        """
        return PathAgent(self.retriever("paths", base=base), roles=roles or PromptedRoles(self.chat))

    def kgt_agent(self, *, analyst: Analyst | None = None, roles: Thinker | None = None) -> KgtAgent:
        """An agent that sorts a question and fills in one of five templates over a graph that was adopted.

        Args:
            analyst: plays the chat model's part in the analysis.
            roles: plays its part in the answer.

        Raises:
            ModelError: there is no chat model.
            InputError: no graph was adopted.
        """
        templates = Templates(self.database)
        types = templates.types()
        if not types.ties:
            raise InputError("kgt asks by the types of a graph of your own: adopt one first ('gear adopt')")
        return KgtAgent(
            templates,
            heads=self._catalogue.heads(described=templates.described),
            outline=outline(self.survey(), types),
            types=types,
            analyst=analyst or PromptedAnalyst(self.chat),
            roles=roles or PromptedRoles(self.chat),
        )

    def cypher(self, *paths: Path) -> Cypher:
        """The query that shows paths in Neo4j Browser, with its parameters."""
        return path_cypher(*paths)

    @cached_property
    def _catalogue(self) -> Catalogue:
        return Catalogue(
            self.store, embedder=self.embedder, reader=lambda: PromptedRoles(self.chat), seeder=self._seeder
        )

    def _seeder(self) -> PromptedSeeder | None:
        try:
            return PromptedSeeder(self.chat)
        except ModelError:
            # HippoRAG works without a model, too.
            return None

    def _changed(self) -> None:
        self._catalogue.renew()
