"""The resources of retrievers and agents: one graph, the models, and caches between questions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from threading import Lock
from typing import Any, Self, TypeVar, cast

from gear_neo4j.adoption.survey import RecentSurvey
from gear_neo4j.agents.agent import Agent
from gear_neo4j.errors import ModelError, ScopeRefusal, SettingsError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.memory import UNLIMITED, Memory
from gear_neo4j.graph.read.versioned import Versioned
from gear_neo4j.models.chat import ChatModel
from gear_neo4j.models.cross_encoder import Reranker
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes.recipe import AgentRecipe, Recipe, RetrieverRecipe
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS
from gear_neo4j.retrieval.context import AnswererInContext, Context, checked_context
from gear_neo4j.retrieval.first_stage import FirstStage, RankerStage, RetrieverStage
from gear_neo4j.retrieval.hipporag import GraphMemory
from gear_neo4j.retrieval.patterns.finder import PatternFinder
from gear_neo4j.retrieval.rank.ranker_cache import RECHECK, RankerCache
from gear_neo4j.retrieval.rank.rankers import BaseName
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.retrieval.templates.finder import TemplateFinder
from gear_neo4j.retrieval.walk.beam import Beam
from gear_neo4j.retrieval.walk.expansion import Expansion, Score
from gear_neo4j.retrieval.walk.projection import Projections
from gear_neo4j.scope import Scope
from gear_neo4j.settings import Settings

Role = TypeVar("Role")


class Session:
    """One graph with the user's models, from which the factories of recipes take what they need.

    Args:
        chat: opens the chat model on first use.
        settings: the folder of calibrations and file indexes.
        reranker: what orders the first passages of each search anew.
        memory: the memory shared by the indexes of all scopes.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        embedder: Embedder,
        chat: Callable[[], ChatModel],
        settings: Settings,
        reranker: Reranker | None = None,
        memory: Memory = UNLIMITED,
    ) -> None:
        self.graph = graph
        self.settings = settings
        self.plain_embedder = embedder
        self.player: object | None = None
        self.context: Context = 0
        self._reranker = reranker
        self._memory = memory
        self.rankers = RankerCache(graph, home=settings.home, memory=memory)
        self.projections = Projections(graph.pagerank, memory=memory)
        self.finder = PatternFinder(graph, embedder=embedder)
        self.templates = TemplateFinder(graph, self.finder)
        self.survey = RecentSurvey(graph)
        self._open_chat = chat
        self._opening = Lock()
        self._chats: list[ChatModel] = []
        # Another process may rebuild the graph with another model.
        self._matched = Versioned(lambda _: self._require_model(), version=graph.pagerank.version, recheck=RECHECK)
        # A list, so that copies with a player share it.
        self._known: list[bool] = []

    @property
    def embedder(self) -> Embedder:
        """The embedding model, after a check (at most a second ago) that the database was built with it.

        Raises:
            InputError: the database has no passages.
            EmbeddingMismatch: it was built with another model.
        """
        self._matched.current()
        return self.plain_embedder

    @property
    def reranker(self) -> Reranker:
        """The model that reads questions with passages.

        Raises:
            SettingsError: no reranker; the message names the setting.
        """
        if self._reranker is None:
            raise SettingsError("there is no reranker: give a model (--rerank MODEL, or GEAR_RERANK)")
        return self._reranker

    @property
    def has_reranker(self) -> bool:
        """Whether the first passages of each search are ordered anew."""
        return self._reranker is not None

    @property
    def chat(self) -> ChatModel:
        """The language model.

        Raises:
            ModelError: no chat model; the message names the setting.
        """
        with self._opening:
            if not self._chats:
                self._chats.append(self._open_chat())
        return self._chats[0]

    @property
    def memory(self) -> GraphMemory:
        """The resources of a PageRank over the whole graph."""
        return GraphMemory(self.graph.store, self.graph.pagerank, self.projections, self.embedder)

    def with_player(self, player: object | None) -> Self:
        """A copy of the session with a player, which plays the roles whose methods it has."""
        other = copy(self)
        other.player = player
        return other

    def in_context(self, context: Context) -> Self:
        """A copy of the session whose answering role also reads the passages around each passage."""
        other = copy(self)
        other.context = checked_context(context)
        return other

    def scoped(self, scope: Scope) -> "Session":
        """The session under a scope, with its own caches."""
        return self._with(self.graph.scoped(scope), self._memory)

    def within(self, memory: Memory) -> "Session":
        """The session with its own caches in a shared memory, which those of its scopes share, too."""
        return self._with(self.graph, memory)

    def _with(self, graph: Graph, memory: Memory) -> "Session":
        other = Session(
            graph,
            embedder=self.plain_embedder,
            chat=self._open_chat,
            settings=self.settings,
            reranker=self._reranker,
            memory=memory,
        )
        # All share one model, which is opened once.
        other._opening, other._chats, other.player = self._opening, self._chats, self.player
        return other

    def role(self, prompted: Callable[[ChatModel], Role], *, method: str = "answer") -> Role:
        """The player of a role: the custom one if it has the method, else the chat model.

        Raises:
            ModelError: there is no chat model.
        """
        role: Any = self.player if hasattr(self.player, method) else prompted(self.chat)
        if self.context and hasattr(role, "answer"):
            role = AnswererInContext(role, self.graph.surroundings, self.context)
        return cast(Role, role)

    def optional_role(self, prompted: Callable[[ChatModel], Role], *, method: str = "answer") -> Role | None:
        """The player of a role, or None without a chat model."""
        try:
            return self.role(prompted, method=method)
        except ModelError:
            return None

    def retriever(self, recipe: RetrieverRecipe) -> Retriever:
        """The retriever of a recipe.

        Raises:
            ScopeRefusal: it reads more than the scope admits.
        """
        self._require_scope(recipe)
        return cast(Retriever, RETRIEVERS.make(self, recipe))

    def agent(self, recipe: AgentRecipe) -> Agent:
        """The agent of a recipe.

        Raises:
            MigrationError: a newer gear-neo4j has migrated the database.
            ScopeRefusal: it reads more than the scope admits.
        """
        self._require_scope(recipe)
        if not self._known:
            # Once per session, because an agent may call its model before it reads anything.
            self.graph.record()
            self._known.append(True)
        return cast(Agent, AGENTS.make(self, recipe))

    def _require_model(self) -> None:
        model = self.plain_embedder
        self.graph.store.require_model(name=model.name, dimension=model.dimension)

    def _require_scope(self, recipe: Recipe) -> None:
        if reason := recipe.refusal(self.graph):
            raise ScopeRefusal(reason)

    def first_stage(self, base: BaseName | RetrieverRecipe) -> FirstStage:
        """The first stage: a ranker by its name, or any retriever."""
        store = self.graph.store
        if isinstance(base, RetrieverRecipe):
            return RetrieverStage(store, self.retriever(base), name=base.title)
        # Checks the embedding model even for a ranker without vectors, because later stages need it.
        _ = self.embedder
        return RankerStage(store, lambda: self.rankers.ranker(base))

    def expansion(self, *, beam: Beam, score: Score) -> Expansion:
        """The graph expansion of the paper."""
        return Expansion(self.graph.store, embedder=self.embedder, beam=beam, score=score)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write to the graph in the block; caches are checked again afterwards."""
        try:
            yield
        finally:
            self._matched.invalidate()
            self.rankers.invalidate()
