"""``Gear``: the entry point of the library, composed of its parts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path as File
from typing import TYPE_CHECKING, Any, Self

from gear_neo4j.agents.agent import Agent
from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.citing import CitingAgent
from gear_neo4j.agents.conversation import ConversationAgent
from gear_neo4j.agents.recording import RecordedAgent
from gear_neo4j.agents.run import OnEvent
from gear_neo4j.domain import Cypher, Hits, PassageRecord, Path
from gear_neo4j.gear.connecting import open_graph, resolve_chat, resolve_embedder, resolve_reranker
from gear_neo4j.gear.entities import MOST_ENTITIES, entities_named, entity_record, passage_record
from gear_neo4j.gear.events import EventStream
from gear_neo4j.gear.session import Session
from gear_neo4j.gear.stats import status_of
from gear_neo4j.graph.connection.database import Database, Driver
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.entities import EntityRecord, EntitySummary
from gear_neo4j.graph.read.memory import Memory
from gear_neo4j.graph.read.path_cypher import path_cypher
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.models.chat import ChatModel
from gear_neo4j.models.cross_encoder import Reranker
from gear_neo4j.models.embeddings import Embedder, SentenceTransformerEmbedder
from gear_neo4j.recipes.recipe import AgentRecipe, RetrieverRecipe
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS
from gear_neo4j.retrieval.context import Context, checked_context, with_context
from gear_neo4j.retrieval.paths import PathResult, PathRetriever, Paths
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rerank import reranked, reranking
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.retrieval.traced import record_hits, retrieval_span
from gear_neo4j.roles.follow_up import PromptedFollowUpWriter, Turn
from gear_neo4j.scope import EVERYTHING, Scope
from gear_neo4j.settings import Settings
from gear_neo4j.status import Status
from gear_neo4j.tracing import SOURCE, span

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from gear_neo4j.gear.communities import Communities
    from gear_neo4j.gear.corpus import Corpus
    from gear_neo4j.gear.overlay import Overlay


class Gear:
    """Multi-hop retrieval and answers over one Neo4j database.

    Its parts: ``corpus`` (documents in and out, extraction), ``overlay`` (an existing graph),
    ``communities``, and ``graph`` (the database itself).

    Args:
        driver: your own Neo4j driver, which is neither changed nor closed.
        database: the database's name; by default the user's home database.
        impersonate: a user of the server under whose rights every query runs (Neo4j Enterprise and Aura); the login
            needs the privilege.
        bookmarks: those of another process, to see its writes; see :meth:`catch_up`.
        embedder: the embedding model; by default, the packaged MiniLM (384 dimensions, no download).
        chat: any LangChain chat model, for features that need a language model.
        reranker: orders the first passages of every search anew: a cross-encoder of sentence-transformers (a name or a
            folder), or an object that scores.
        settings: the folders of calibrations and caches; by default, the settings of the environment.

    Usage (the README's longer form of it is a test)::

        with Gear.connect() as gear:
            gear.ingest(["corpus.jsonl"], triples=["triples.jsonl"])
            for hit in gear.search("Where did the laureate study?"):
                print(hit.rank, hit.passage.title)
    """

    def __init__(
        self,
        driver: Driver,
        *,
        database: str | None = None,
        impersonate: str | None = None,
        bookmarks: Iterable[str] = (),
        embedder: Embedder | None = None,
        chat: "BaseChatModel | ChatModel | None" = None,
        reranker: Reranker | str | None = None,
        settings: Settings | None = None,
    ) -> None:
        settings = settings or Settings.load()
        self._compose(
            Session(
                Graph(Database(driver, name=database, impersonate=impersonate, bookmarks=bookmarks)),
                embedder=embedder or SentenceTransformerEmbedder(home=settings.home),
                chat=lambda: resolve_chat(chat),
                reranker=resolve_reranker(settings, reranker),
                settings=settings,
            )
        )

    @classmethod
    def connect(
        cls,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        chat: "BaseChatModel | ChatModel | None" = None,
        reranker: Reranker | str | None = None,
        create: bool = True,
        impersonate: str | None = None,
        bookmarks: Iterable[str] = (),
        report: Callable[[str], None] = lambda _: None,
    ) -> Self:
        """Connect by settings (default: those of the environment), or to the local server, which is started on demand.

        Args:
            create: create the local server if it does not exist, so that a first ingest needs no other step; with
                False, a mistyped name is an error, as in ``gear search``.
            impersonate: a user of the server under whose rights every query runs (Neo4j Enterprise and Aura).
            bookmarks: those of another process, to see its writes; see :meth:`catch_up`.
            report: called with a line for each slow step.

        Raises:
            NoLocalServer: there is no local server of that name, and ``create`` is False.
            SettingsError, DatabaseError, LocalServerError: the connection failed; the message says what to do.
        """
        settings = settings or Settings.load()
        self = cls.__new__(cls)
        self._compose(
            Session(
                open_graph(settings, create=create, impersonate=impersonate, bookmarks=bookmarks, report=report),
                embedder=resolve_embedder(settings, embedder),
                chat=lambda: resolve_chat(chat, settings),
                reranker=resolve_reranker(settings, reranker),
                settings=settings,
            )
        )
        return self

    def _compose(self, session: Session) -> None:
        self._session = session
        self.graph = session.graph
        self.embedder = session.plain_embedder

    @cached_property
    def corpus(self) -> "Corpus":
        """Adds and removes documents and their triples."""
        # The three parts are imported late: a search needs none of them.
        from gear_neo4j.gear.corpus import Corpus

        return Corpus(self._session)

    @cached_property
    def overlay(self) -> "Overlay":
        """An existing graph, adopted."""
        from gear_neo4j.gear.overlay import Overlay

        return Overlay(self._session)

    @cached_property
    def communities(self) -> "Communities":
        """Clusters of entities, and reports on them."""
        from gear_neo4j.gear.communities import Communities

        return Communities(self._session)

    @property
    def chat(self) -> ChatModel:
        """The language model.

        Raises:
            ModelError: no chat model; the message names the setting.
        """
        return self._session.chat

    def scoped(
        self,
        scope: Scope = EVERYTHING,
        *,
        collections: Iterable[str] | str | None = None,
        principals: Iterable[str] | str | None = None,
        where: object = None,
        strict: bool = False,
    ) -> "Gear":
        """A read-only view of what a caller may see; it can be narrowed further, but never widened.

        Searches in it return the same as in a database with only these passages, except that full-text scores depend on
        all passages (see ``strict``). Make one view per caller and keep it, because it caches what searches reuse. It
        stays open as long as this object.

        Args:
            scope: an existing scope, such as that of another view; the other conditions narrow it.
            collections: names of collections, or one name; by default all.
            principals: who the caller *is*, such as ``["user:ada", "group:legal"]``: passages with readers are visible
                if one of the readers is among these. By default, readers are ignored.
            where: a metadata filter, as text (``year >= 2020 and team in ["a", "b"]``) or as JSON.
            strict: leave out Neo4j's full-text index, whose scores depend on the words of the whole database.

        Raises:
            SettingsError: a name or the filter cannot be used.
        """
        scope = (self.scope & scope).narrowed(
            collections=collections, principals=principals, where=where, strict=strict
        )
        view = type(self).__new__(type(self))
        view._compose(self._session.scoped(scope))
        return view

    @property
    def scope(self) -> Scope:
        """What this view may see; everything for :class:`Gear` itself."""
        return self.graph.scope

    def search(
        self, question: str, *, k: int = 10, retriever: str | RetrieverRecipe = "auto", context: Context = 0
    ) -> Hits:
        """The k best passages for a question, and the paths through the graph that led to them.

        Args:
            retriever: a name, or a recipe with options: ``Naive(base="sbert")``; docs/recipes.md lists them.
            context: how many passages before and after each hit in its document are returned with it, up to 5, or
                "section" for those of its section.

        Raises:
            InputError: the question is blank, k is below 1, or the database has no passages.
            EmbeddingMismatch: the database was built with another embedding model.
            SettingsError: there is no retriever of that name, or no such context.
            ModelError: the retriever needs a chat model, which is missing or failed.
        """
        checked_context(context)
        with retrieval_span(question, k=k, source=self.graph.name) as active:
            hits = record_hits(active, self.retriever(retriever).retrieve(question, k=k))
        hits = with_context(hits, self.graph.surroundings, context)
        size = self.graph.database.scope_size
        if size is None:
            return hits
        exact = hits.exact and not size.is_capped
        return replace(hits, exact=exact, scope=self.scope.json, scope_plan=size.plan)

    def ask(
        self,
        question: str,
        *,
        k: int = 10,
        agent: str | AgentRecipe = "gear",
        history: Sequence[tuple[str, str]] = (),
        context: Context = 0,
        on_event: OnEvent | None = None,
    ) -> Answer:
        """Answer a question, with citations; a run whose model fails still returns its passages.

        Args:
            agent: a name, or a recipe with options: ``Crag(over=Scout())``; docs/recipes.md lists them.
            history: the earlier questions of a conversation with their answers, oldest first. A question that refers to
                them is made to stand alone, in one more call of the model.
            context: the model that answers also reads this many passages before and after each one, or those of its
                section ("section").
            on_event: called with each question, new facts, each verdict, and the answer's text as the model writes it.

        Raises:
            ModelError: there is no chat model.
            InputError, EmbeddingMismatch, SettingsError: see :meth:`search`.
        """
        return self.agent(agent, history=history, context=context).ask(question, k=k, on_event=on_event)

    def stream(
        self,
        question: str,
        *,
        k: int = 10,
        agent: str | AgentRecipe = "gear",
        history: Sequence[tuple[str, str]] = (),
        context: Context = 0,
    ) -> EventStream:
        """The events of :meth:`ask` as they happen; the last one, of kind ``answer``, has the answer.

        If the stream is closed or dropped early, the run ends at its next step.
        """
        made = self.agent(agent, history=history, context=context)
        return EventStream(lambda on_event: made.ask(question, k=k, on_event=on_event))

    def retriever(self, recipe: str | RetrieverRecipe = "auto", *, player: object | None = None) -> Retriever:
        """A retriever for many questions; see :meth:`search`.

        Args:
            player: replaces the chat model in the roles whose methods it has, such as a custom reader.
        """
        made = RETRIEVERS.recipe(recipe)
        made = reranked(made) if self._session.has_reranker else made
        return self._session.with_player(player).retriever(made)

    def agent(
        self,
        recipe: str | AgentRecipe = "gear",
        *,
        player: object | None = None,
        history: Sequence[tuple[str, str]] = (),
        context: Context = 0,
    ) -> Agent:
        """An agent for many questions, or for the next ones of a conversation; see :meth:`ask`.

        Args:
            player: replaces the chat model in the roles whose methods it has, such as an oracle.
        """
        made = AGENTS.recipe(recipe)
        made = reranking(made) if self._session.has_reranker else made
        session = self._session.with_player(player).in_context(context)
        agent: Agent = CitingAgent(session.agent(made), embedder=lambda: session.plain_embedder)
        if history:
            writer = session.optional_role(PromptedFollowUpWriter, method="stand_alone")
            agent = ConversationAgent(agent, turns=[Turn(*turn) for turn in history], writer=writer)
        return RecordedAgent(agent, name=made.name, source=self.graph.name, scope=self.scope)

    def ingest(
        self,
        sources: Sequence[str | File] | str | File,
        *,
        triples: Sequence[str | File] | str | File = (),
        **options: Any,
    ) -> IngestReport:
        """Ingest passages and their triples; see :meth:`gear_neo4j.types.Corpus.ingest` for the options."""
        return self.corpus.ingest(sources, triples=triples, **options)

    def paths(self, question: str, *, options: Paths = Paths()) -> PathResult:
        """The nodes that answer a question, the shortest paths between those that it names, and the facts around them.

        No language model is called.

        Raises:
            InputError: the question is blank, or the database has no passages.
        """
        with span("paths", "CHAIN", {SOURCE: self.graph.name}) as active:
            active.content(lambda: {"input.value": question})
            retriever = self._session.retriever(options.model_copy(update={"base": "sbert", "base_k": 1}))
            assert isinstance(retriever, PathRetriever)
            return retriever.explore(Question(question, embedder=self._session.embedder))

    def passage(self, id: str) -> PassageRecord:
        """One passage, such as that of a hit or a citation, with its triples.

        Raises:
            NothingFound: there is no passage with that id that this view may see.
        """
        return passage_record(self.graph, id)

    def entities(self, name: str, *, limit: int = MOST_ENTITIES) -> tuple[EntitySummary, ...]:
        """The entity with a name first, then those with similar names; empty if there are none."""
        return entities_named(self._session, name, limit=limit)

    def entity(self, id: str) -> EntityRecord:
        """One entity by its id, its facts by passage (only some for a hub), and entities with similar names.

        Raises:
            NothingFound: there is no entity with that id that this view may see.
        """
        return entity_record(self.graph, id)

    def status(self) -> Status:
        """What this view sees of the database, and the retrievers and agents for it; read-only.

        Raises:
            MigrationError: a newer gear-neo4j has migrated the database.
        """
        return status_of(self.graph)

    def cypher(self, *paths: Path) -> Cypher:
        """The query that shows paths in Neo4j Browser or cypher-shell, with its parameters."""
        return path_cypher(*paths)

    @property
    def bookmarks(self) -> tuple[str, ...]:
        """Bookmarks of this process's reads and writes: plain strings, for :meth:`catch_up` in another process."""
        return self.graph.database.bookmarks

    def catch_up(self, bookmarks: Iterable[str]) -> None:
        """See the writes of another process from now on, on every server of a cluster.

        It waits until a server has them. Views and other objects over the same driver also see them.

        Args:
            bookmarks: the :attr:`bookmarks` of the other process after it has written; for your own session,
                ``session.last_bookmarks().raw_values``.

        Raises:
            SettingsError: they are not bookmarks.
            DatabaseError: no server had the writes in time.
        """
        self.graph.database.catch_up(bookmarks)

    def close(self) -> None:
        """Close the connection, unless the driver is the caller's."""
        self.graph.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def within(gear: Gear, memory: Memory) -> Gear:
    """The same database, with the caches of its searches, and of all its views, in a shared memory."""
    other = type(gear).__new__(type(gear))
    other._compose(gear._session.within(memory))
    return other
