"""The front door: one object that ingests into a database, searches it, and answers questions from it."""

from collections.abc import Callable, Sequence

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.crag import Corrector, Crag, CragOptions
from gear_neo4j.agents.cypher import CypherAgent
from gear_neo4j.agents.gear import GearAgent, GearOptions
from gear_neo4j.agents.graphrag import GlobalGraphRag, GlobalOptions, LocalGraphRag
from gear_neo4j.agents.ircot import IRCoT, IRCoTOptions
from gear_neo4j.agents.kgt import KgtAgent
from gear_neo4j.agents.outline import outline
from gear_neo4j.agents.paths import PathAgent
from gear_neo4j.agents.planner import PlanAgent, PlanOptions
from gear_neo4j.agents.reflecting import SelfRagOptions
from gear_neo4j.agents.run import Event
from gear_neo4j.agents.selfrag import SelfRag
from gear_neo4j.agents.tools import AgentTool, RetrieverTool, Tool
from gear_neo4j.errors import InputError, ModelError
from gear_neo4j.retrieval.beam import Beam
from gear_neo4j.retrieval.catalogue import BaseName
from gear_neo4j.retrieval.expansion import Score
from gear_neo4j.retrieval.retrievers import Retriever
from gear_neo4j.retrieval.subgraph import SubgraphRetriever
from gear_neo4j.retrieval.web import WebSearch
from gear_neo4j.roles.analyst import Analyst, PromptedAnalyst
from gear_neo4j.roles.answering import PromptedRoles, Roles, Thinker
from gear_neo4j.roles.critic import Critic, PromptedCritic
from gear_neo4j.roles.evaluators import Evaluator, SimilarityEvaluator
from gear_neo4j.roles.planner import Planner, PromptedPlanner
from gear_neo4j.roles.reporter import PromptedReporter, Reporter
from gear_neo4j.roles.text_to_cypher import PromptedQuerent, Querent
from gear_neo4j.searching import Searching


class Gear(Searching):
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

    def crag(
        self,
        retriever: Retriever,
        *,
        evaluator: Evaluator | None = None,
        roles: Corrector | None = None,
        searcher: WebSearch | None = None,
        options: CragOptions = CragOptions(),
    ) -> Crag:
        """CRAG over a retriever: what it finds is judged, cut to what helps, or replaced.

        Args:
            evaluator: judges; by default the cosine of the embedding model.
            roles: play the chat model's part; without one, and without a chat model, nothing is answered.
            searcher: searches elsewhere where the graph has nothing; there is none by default.

        Raises:
            SettingsError: a second search is asked for, and there is no chat model.
        """
        judge = evaluator or SimilarityEvaluator(self.embedder)
        return Crag(retriever, evaluator=judge, roles=roles or self._roles(), searcher=searcher, options=options)

    def selfrag(
        self, retriever: Retriever, *, critic: Critic | None = None, options: SelfRagOptions = SelfRagOptions()
    ) -> SelfRag:
        """Self-RAG over a retriever; ``critic`` plays the chat model's part.

        Raises:
            ModelError: there is no chat model.
        """
        return SelfRag(retriever, critic=critic or PromptedCritic(self.chat), options=options)

    def graphrag_local(self, *, roles: Thinker | None = None) -> LocalGraphRag:
        """GraphRAG's local search: the subgraph that a question is about, and reports of its communities.

        Raises:
            ModelError: there is no chat model.
        """
        subgraph = SubgraphRetriever(self.graph, embedder=self.embedder)
        return LocalGraphRag(subgraph, self.graph, embedder=self.embedder, roles=roles or PromptedRoles(self.chat))

    def graphrag_global(
        self, *, reporter: Reporter | None = None, options: GlobalOptions = GlobalOptions()
    ) -> GlobalGraphRag:
        """GraphRAG's global search: an answer from the reports of all communities.

        Raises:
            ModelError: there is no chat model.
        """
        return GlobalGraphRag(self.graph, reporter=reporter or PromptedReporter(self.chat), options=options)

    def planner(
        self,
        *,
        tools: Sequence[Tool] = (),
        planner: Planner | None = None,
        options: PlanOptions = PlanOptions(),
    ) -> PlanAgent:
        """An agent that plans which tool to ask what; by default :meth:`tools`.

        Raises:
            ModelError: there is no chat model.
        """
        return PlanAgent(tools or self.tools(), planner=planner or PromptedPlanner(self.chat), options=options)

    def tools(self, *, cypher: bool = False) -> list[Tool]:
        """What a plan can ask: retrievers with an answer from what they find, and agents; ``cypher`` adds that one.

        Raises:
            ModelError: there is no chat model.
        """
        roles = PromptedRoles(self.chat)
        naive, base = self.retriever("naive"), self.retriever("base")
        found: list[Tool] = [
            RetrieverTool("naive", "facts that several documents state together; the first choice", naive, roles),
            RetrieverTool("base", "what one document says in so many words", base, roles),
            AgentTool("paths", "how two or more things that are named are tied together", self.path_agent),
            AgentTool("kgt", "lists and properties out of a knowledge graph that was adopted", self.kgt_agent),
            AgentTool("local", "a description of a thing and all that is around it", self.graphrag_local),
            AgentTool("global", "themes and summaries of the whole collection", self.graphrag_global),
        ]
        queries = AgentTool("cypher", "counts and comparisons over a whole graph, by a query", self.cypher_agent)
        return [*found, queries] if cypher else found

    def _roles(self) -> PromptedRoles | None:
        try:
            return PromptedRoles(self.chat)
        except ModelError:
            # What is retrieved can be judged without a model, too.
            return None

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
        return CypherAgent(self.graph, querent=querent or PromptedQuerent(self.chat), rows=rows, timeout=timeout)

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
        templates = self.graph.templates
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
