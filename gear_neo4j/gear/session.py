"""What retrievers and agents are made from: one graph, the models, and what is kept between questions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Self, TypeVar, cast

from gear_neo4j.agents.agent import Agent
from gear_neo4j.errors import ModelError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.models.chat import ChatModel
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes import AgentRecipe, RetrieverRecipe
from gear_neo4j.registry import AGENTS, RETRIEVERS
from gear_neo4j.retrieval.beam import Beam
from gear_neo4j.retrieval.dictionary import Dictionaries
from gear_neo4j.retrieval.expansion import Expansion, Score
from gear_neo4j.retrieval.first_stage import FirstStage, RankerStage, RetrieverStage
from gear_neo4j.retrieval.hipporag import GraphMemory
from gear_neo4j.retrieval.kept import Rankers
from gear_neo4j.retrieval.projection import Projections
from gear_neo4j.retrieval.rankers import BaseName
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.settings import Settings

Role = TypeVar("Role")


class Session:
    """One graph with the models of a user; makers of recipes take from it what they need.

    Args:
        chat: gives the chat model when it is first needed.
        settings: where calibrations and indexes in files are kept.
    """

    def __init__(self, graph: Graph, *, embedder: Embedder, chat: Callable[[], ChatModel], settings: Settings) -> None:
        self.graph = graph
        self.settings = settings
        self.plain_embedder = embedder
        self.player: object | None = None
        self.rankers = Rankers(graph, home=settings.home)
        self.projections = Projections(graph.export)
        self.dictionaries = Dictionaries(graph.export)
        self._open_chat = chat
        self._chats: list[ChatModel] = []
        self._matched: list[bool] = []

    @property
    def embedder(self) -> Embedder:
        """The embedding model, once it is known to be the one that the database was built with.

        Raises:
            InputError: the database holds no passages.
            EmbeddingMismatch: another model built it.
        """
        if not self._matched:
            model = self.plain_embedder
            self.graph.store.require_model(name=model.name, dimension=model.dimension)
            self._matched.append(True)
        return self.plain_embedder

    @property
    def chat(self) -> ChatModel:
        """The language model.

        Raises:
            ModelError: there is none; says what to set.
        """
        if not self._chats:
            self._chats.append(self._open_chat())
        return self._chats[0]

    @property
    def memory(self) -> GraphMemory:
        """What a PageRank over the whole graph needs."""
        return GraphMemory(self.graph.store, self.graph.export, self.projections, self.embedder)

    def with_player(self, player: object | None) -> Self:
        """The same session, in which an object plays those roles of the chat model that it has the methods of."""
        other = copy(self)
        other.player = player
        return other

    def role(self, prompted: Callable[[ChatModel], Role], *, method: str = "answer") -> Role:
        """What plays a role: the player, if it has the role's method, else the chat model.

        Raises:
            ModelError: there is no chat model.
        """
        if hasattr(self.player, method):
            return cast(Role, self.player)
        return prompted(self.chat)

    def optional_role(self, prompted: Callable[[ChatModel], Role], *, method: str = "answer") -> Role | None:
        """What plays a role; None without a chat model, for what works without one, too."""
        try:
            return self.role(prompted, method=method)
        except ModelError:
            return None

    def retriever(self, recipe: RetrieverRecipe) -> Retriever:
        """What a recipe of a retriever makes."""
        return cast(Retriever, RETRIEVERS.make(self, recipe))

    def agent(self, recipe: AgentRecipe) -> Agent:
        """What a recipe of an agent makes."""
        return cast(Agent, AGENTS.make(self, recipe))

    def first_stage(self, base: BaseName | RetrieverRecipe) -> FirstStage:
        """What finds first passages: a ranker by its name, or any retriever."""
        store = self.graph.store
        if isinstance(base, RetrieverRecipe):
            return RetrieverStage(store, self.retriever(base), name=base.title)
        # A ranker that needs no vector is refused for another embedding model, too: what follows will need one.
        _ = self.embedder
        return RankerStage(store, lambda: self.rankers.ranker(base))

    def expansion(self, *, beam: Beam, score: Score) -> Expansion:
        """The graph expansion of the paper."""
        return Expansion(self.graph.store, embedder=self.embedder, beam=beam, score=score)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A block that writes to the graph: the next search looks for what changed."""
        try:
            yield
        finally:
            self._matched.clear()
            self.rankers.distrust()
