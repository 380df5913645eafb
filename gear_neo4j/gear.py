"""The front door: one object that ingests into a database, searches it, and answers questions from it."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path as File
from typing import TYPE_CHECKING, Self

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.gear import GearAgent, GearOptions
from gear_neo4j.agents.run import Event
from gear_neo4j.domain import Cypher, Hits, Path
from gear_neo4j.errors import ModelError
from gear_neo4j.graph.connection import connect
from gear_neo4j.graph.database import Database, Driver
from gear_neo4j.graph.store import Counts, Store, path_cypher, prepare
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.pipeline import Ingest, IngestReport, Progress, files_to_ingest
from gear_neo4j.models.chat import Chat
from gear_neo4j.models.embeddings import Embedder, SentenceTransformerEmbedder
from gear_neo4j.models.openai import open_chat
from gear_neo4j.models.roles import PromptedRoles, Reader, Roles
from gear_neo4j.retrieval.beam import Beam
from gear_neo4j.retrieval.catalogue import BaseName, Catalogue, RetrieverName
from gear_neo4j.retrieval.expansion import Score
from gear_neo4j.retrieval.retrievers import BASE_K, Retriever
from gear_neo4j.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class Gear:
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

    def __init__(
        self,
        driver: Driver,
        *,
        database: str | None = None,
        embedder: Embedder | None = None,
        chat: "BaseChatModel | Chat | None" = None,
    ) -> None:
        self._open(Database(driver, name=database), embedder or SentenceTransformerEmbedder(), lambda: _chat(chat))

    @classmethod
    def connect(
        cls,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        chat: "BaseChatModel | Chat | None" = None,
        report: Callable[[str], None] = lambda _: None,
    ) -> Self:
        """Connect by settings (default: those of the environment), starting the local server where none is named.

        Raises:
            DatabaseError, LocalServerError: with what to do.
        """
        settings = settings or Settings.load()
        self = cls.__new__(cls)
        embedder = embedder or SentenceTransformerEmbedder(settings.embedding_model)
        self._open(
            connect(settings, report=report),
            embedder,
            lambda: _chat(chat) if chat else open_chat(settings, cache=settings.chat_cache),
        )
        return self

    def _open(self, database: Database, embedder: Embedder, chat: Callable[[], Chat]) -> None:
        self.database = database
        self.embedder = embedder
        self.store = Store(database)
        self._make_chat = chat
        self._catalogue = Catalogue(self.store, embedder=embedder, reader=lambda: PromptedRoles(self.chat))

    @cached_property
    def chat(self) -> Chat:
        """The language model.

        Raises:
            ModelError: there is none; says what to set.
        """
        return self._make_chat()

    def ingest(
        self,
        sources: Sequence[str | File],
        *,
        triples: Sequence[str | File] = (),
        synonyms: bool = False,
        on_problem: Callable[[Problem], None] = lambda _: None,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> IngestReport:
        """Ingest passages and their triples; what is there already is skipped, so an interrupted run can be repeated.

        Args:
            sources: JSONL files of passages, or folders with ``corpus.jsonl`` and perhaps ``triples.jsonl``.
            triples: JSONL files of triples, each line those of one passage.
            synonyms: link entities whose names mean nearly the same.
            on_problem: hears of each line that could not be used; the rest is ingested.

        Raises:
            InputError: a file is missing or empty.
            EmbeddingMismatch, ForeignGraph, MigrationError: the database is not one to write to; it is untouched.
        """
        passages, facts = files_to_ingest(sources, triples)
        self._catalogue.renew()
        run = Ingest(self.database, self.embedder, on_problem=on_problem, on_progress=on_progress)
        return run.run(passages, facts, synonyms=synonyms)

    def prepare(self) -> None:
        """Migrate the database and put the embedding model on record; :meth:`ingest` does so by itself.

        Raises:
            EmbeddingMismatch, ForeignGraph, MigrationError: the database is not one to write to; it is untouched.
        """
        prepare(self.database, model=self.embedder.name, dimension=self.embedder.dimension)

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

    def counts(self) -> Counts:
        """How many passages, triples, entities and synonym edges the database holds."""
        return self.store.counts()

    def cypher(self, *paths: Path) -> Cypher:
        """The query that shows paths in Neo4j Browser, with its parameters."""
        return path_cypher(*paths)

    def close(self) -> None:
        """Close the connection, unless the driver is the caller's."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _chat(given: "BaseChatModel | Chat | None") -> Chat:
    if given is None:
        raise ModelError("there is no language model: give Gear one (chat=...); search with 'naive' needs none")
    return given if isinstance(given, Chat) else Chat(given)
