"""The front door: one object that ingests into a database and searches it."""

from collections.abc import Callable, Sequence
from pathlib import Path as File
from typing import Literal, Self

from gear_neo4j.domain import Cypher, Hits, Path
from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.connection import connect
from gear_neo4j.graph.database import Database, Driver
from gear_neo4j.graph.store import Counts, Store, path_cypher, prepare
from gear_neo4j.ingestion.chunking import CHUNK_SIZE, SMALLEST_CHUNK
from gear_neo4j.ingestion.forgetting import Forgotten, forget
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.pipeline import Ingest, IngestReport
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.models.embeddings import Embedder, SentenceTransformerEmbedder
from gear_neo4j.retrieval.base import Base, Fulltext, Hybrid, Sbert
from gear_neo4j.retrieval.beam import Beam
from gear_neo4j.retrieval.bm25 import BM25
from gear_neo4j.retrieval.expansion import Expansion, Score
from gear_neo4j.retrieval.retrievers import BASE_K, BaseRetriever, NaiveRetriever, Retriever
from gear_neo4j.settings import Settings

RetrieverName = Literal["naive", "base"]
BaseName = Literal["bm25", "fulltext", "sbert", "hybrid"]
# Above this, the in-memory index takes seconds to build and tens of milliseconds a question.
BM25_LIMIT = 20_000


class Gear:
    """Multi-hop retrieval over one Neo4j database.

    Args:
        driver: your own Neo4j driver, which is neither changed nor closed.
        database: the database's name; by default the user's home database.
        embedder: what turns texts into vectors; by default the packaged MiniLM (384 dimensions, no download).

    Usage (the README's longer form of it is a test)::

        with Gear.connect() as gear:
            gear.ingest(["corpus.jsonl"], triples=["triples.jsonl"])
            for hit in gear.search("Where did the laureate study?"):
                print(hit.rank, hit.passage.title)
    """

    def __init__(self, driver: Driver, *, database: str | None = None, embedder: Embedder | None = None) -> None:
        self._open(Database(driver, name=database), embedder)

    @classmethod
    def connect(
        cls,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        report: Callable[[str], None] = lambda _: None,
    ) -> Self:
        """Connect by settings (default: those of the environment), starting the local server where none is named.

        Raises:
            DatabaseError, LocalServerError: with what to do.
        """
        settings = settings or Settings.load()
        self = cls.__new__(cls)
        self._open(connect(settings, report=report), embedder or SentenceTransformerEmbedder(settings.embedding_model))
        return self

    def _open(self, database: Database, embedder: Embedder | None) -> None:
        self.database = database
        self.embedder: Embedder = embedder or SentenceTransformerEmbedder()
        self.store = Store(database)
        self._bases: dict[BaseName, Base] = {}
        self._checked = False

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
        self._bases.clear()
        run = Ingest(
            self.database,
            self.embedder,
            on_problem=on_problem,
            on_progress=on_progress,
            replace=replace,
            chunk_size=chunk_size,
            report=IngestReport(skipped=files.skipped),
        )
        return run.run(files.passages, files.triples, synonyms=synonyms)

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
        self._bases.clear()
        return forget(self.database, source, dry_run=dry_run, on_progress=on_progress)

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
            retriever: ``naive`` expands the base retriever's passages over the graph, ``base`` does not.
            base: what finds the first passages: words (``bm25``, ``fulltext``), meaning (``sbert``), or both.
            base_k: how many passages the expansion starts from.

        Raises:
            InputError: the question is blank, k is below 1, or the database holds no passages.
            EmbeddingMismatch: the database was built with another embedding model.
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
    ) -> Retriever:
        """A retriever to ask many questions of; see :meth:`search` for its options."""
        if base_k < 1:
            raise SettingsError(f"base_k is {base_k}: the expansion starts from at least 1 passage")
        found = self._base(base)
        if name == "base":
            return BaseRetriever(self.store, base=found, embedder=self.embedder)
        expansion = Expansion(self.store, embedder=self.embedder, beam=beam, score=score)
        return NaiveRetriever(self.store, base=found, expansion=expansion, embedder=self.embedder, base_k=base_k)

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

    def _base(self, name: BaseName) -> Base:
        if not self._checked:
            self.store.require_model(name=self.embedder.name, dimension=self.embedder.dimension)
            self._checked = True
        if name not in self._bases:
            self._bases[name] = self._made_base(name)
        return self._bases[name]

    def _made_base(self, name: BaseName) -> Base:
        match name:
            case "fulltext":
                return Fulltext(self.store)
            case "sbert":
                return Sbert(self.store)
            case "bm25":
                return BM25(self.store.all_passages())
        small = self.store.counts().passages <= BM25_LIMIT
        return Hybrid([self._base("bm25" if small else "fulltext"), self._base("sbert")])
