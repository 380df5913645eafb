"""The writing half of the front door: one database, and what goes into it and out of it again."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path as File
from typing import TYPE_CHECKING, Self

from gear_neo4j.errors import ModelError, SettingsError
from gear_neo4j.graph.database import Database, Driver
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.store import Counts
from gear_neo4j.ingestion.chunking import CHUNK_SIZE, SMALLEST_CHUNK
from gear_neo4j.ingestion.extraction import Extracted, Extraction, Failure, Forecast, forecast
from gear_neo4j.ingestion.forgetting import Forgotten, forget
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.pipeline import Ingest, IngestReport
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.models.chat import Chat
from gear_neo4j.models.embeddings import Embedder, SentenceTransformerEmbedder, open_embedder
from gear_neo4j.models.openai import open_chat
from gear_neo4j.server.connection import connect
from gear_neo4j.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class Corpus:
    """Passages, triples and entities in one Neo4j database; :class:`gear_neo4j.Gear` adds the searching."""

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
        embedder = embedder or open_embedder(settings)
        self._open(
            connect(settings, report=report),
            embedder,
            lambda: _chat(chat) if chat else open_chat(settings, cache=settings.chat_cache),
        )
        return self

    def _open(self, database: Database, embedder: Embedder, chat: Callable[[], Chat]) -> None:
        self.graph = Graph(database)
        self.database = database
        self.embedder = embedder
        self.store = self.graph.store
        self._make_chat = chat

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
        replace: bool = False,
        chunk_size: int = CHUNK_SIZE,
        on_problem: Callable[[Problem], None] = lambda _: None,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> IngestReport:
        """Ingest passages and their triples; what is there already is skipped, so an interrupted run can be repeated.

        Args:
            sources: documents (text, Markdown, HTML, PDF, CSV), JSONL files of passages, or folders of them; a folder
                with ``corpus.jsonl`` is a data set, of which only that and ``triples.jsonl`` are read.
            triples: JSONL files of triples, each line those of one passage.
            synonyms: link entities whose names mean nearly the same.
            replace: let a passage of JSONL replace another text under its id; a document always replaces what an
                earlier form of it left.
            chunk_size: the length of a document's passages, in characters.
            on_problem: hears of each line or file that could not be used; the rest is ingested.

        Raises:
            InputError: a source is missing or of no kind that can be ingested, or a JSONL file is empty.
            SettingsError: chunk_size is below 100.
            EmbeddingMismatch, ForeignGraph, MigrationError: the database is not one to write to; it is untouched.
        """
        if chunk_size < SMALLEST_CHUNK:
            raise SettingsError(f"chunk_size is {chunk_size}: a passage takes at least {SMALLEST_CHUNK} characters")
        files = files_to_ingest(sources, triples)
        self._changed()
        run = Ingest(
            self.graph,
            self.embedder,
            on_problem=on_problem,
            on_progress=on_progress,
            replace=replace,
            chunk_size=chunk_size,
            report=IngestReport(skipped=files.skipped),
        )
        return run.run(files.passages, files.triples, synonyms=synonyms)

    def extract(
        self,
        *,
        max_tokens: int | None = None,
        retry_failed: bool = False,
        on_failure: Callable[[Failure], None] = lambda _: None,
        on_progress: Callable[[Extracted], None] = lambda _: None,
    ) -> Extracted:
        """Let the chat model extract triples from every passage that has no status yet; an interrupted run goes on.

        Args:
            max_tokens: begin no further passage once so many are spent.
            retry_failed: also read the passages whose failure is on record.
            on_failure: hears of each passage without a usable reply; the rest goes on.

        Raises:
            ModelError: there is no chat model, it failed for good, or it gave no triple for the first ten passages.
            SettingsError: max_tokens is below 1.
        """
        if max_tokens is not None and max_tokens < 1:
            raise SettingsError(f"max_tokens is {max_tokens}: it must be at least 1")
        chat = self.chat
        self.prepare()
        self._changed()
        run = Extraction(
            self.graph,
            self.embedder,
            chat,
            max_tokens=max_tokens,
            retry_failed=retry_failed,
            on_failure=on_failure,
            on_progress=on_progress,
        )
        return run.run()

    def forecast(self, *, retry_failed: bool = False) -> Forecast:
        """What :meth:`extract` would ask of the model for the passages in the database, estimated."""
        backlog = self.graph.extraction.backlog(failed=retry_failed)
        return forecast(backlog.passages, backlog.characters)

    def forget(
        self,
        source: str | File,
        *,
        dry_run: bool = False,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> Forgotten:
        """Remove all passages of a source, with their triples and the entities that nothing else names.

        Args:
            source: a document as its path was given to :meth:`ingest`, or what a line of JSONL said.
            dry_run: change nothing, only count what would go.

        Raises:
            InputError: no passage has that source; names some that exist.
            MigrationError: the schema cannot be brought up to date, or, in a dry run, is not.
        """
        self._changed()
        return forget(self.graph, source, dry_run=dry_run, on_progress=on_progress)

    def prepare(self) -> None:
        """Migrate the database and put the embedding model on record; :meth:`ingest` does so by itself.

        Raises:
            EmbeddingMismatch, ForeignGraph, MigrationError: the database is not one to write to; it is untouched.
        """
        self.graph.prepare(model=self.embedder.name, dimension=self.embedder.dimension)

    def counts(self) -> Counts:
        """How many passages, triples, entities and synonym edges the database holds."""
        return self.store.counts()

    def close(self) -> None:
        """Close the connection, unless the driver is the caller's."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _changed(self) -> None:
        """The passages are about to change."""


def _chat(given: "BaseChatModel | Chat | None") -> Chat:
    if given is None:
        raise ModelError("there is no language model: give Gear one (chat=...); search with 'naive' needs none")
    return given if isinstance(given, Chat) else Chat(given)
