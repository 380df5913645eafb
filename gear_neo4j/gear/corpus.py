"""``gear.corpus``: adds documents and triples to the graph, and removes them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path as File

from gear_neo4j.errors import SettingsError
from gear_neo4j.extraction.extractor import Model, Rules
from gear_neo4j.extraction.forecast import Forecast, forecast
from gear_neo4j.extraction.run import Extraction, ExtractionReport, Failure
from gear_neo4j.gear.extractors import add_extracted, extract_by_rules
from gear_neo4j.gear.session import Session
from gear_neo4j.gear.stats import Stats, stats_of
from gear_neo4j.gear.syncing import ingested, planned_only, synced
from gear_neo4j.graph.read.collections import Collection
from gear_neo4j.graph.read.sources import SourcePage
from gear_neo4j.graph.read.store import Counts
from gear_neo4j.graph.write.corpus_writes import Deletion
from gear_neo4j.graph.write.extraction_queue import Selection
from gear_neo4j.graph.write.reader_records import ReaderRecord
from gear_neo4j.graph.write.source_registry import KnownSource
from gear_neo4j.ingestion.chunking import CHUNK_SIZE, check_size
from gear_neo4j.ingestion.forgetting import drop_collection, forget, forget_folder, reader_records, set_readers
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.ingestion.naming import Naming
from gear_neo4j.ingestion.pipeline import Ingest
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.reading import NO_NAMES
from gear_neo4j.ingestion.renaming import Renamed, rename_source
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.recipes.recipe import ExtractorRecipe
from gear_neo4j.recipes.registry import EXTRACTORS
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.sync.loaders import Loaded, refuse_bare
from gear_neo4j.sync.report import MOST_DELETED, SyncReport
from gear_neo4j.sync.run import SourceSync
from gear_neo4j.sync.tables import Table


class Corpus:
    """Passages, triples and entities in one database."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._graph = session.graph
        self._embedder = session.plain_embedder

    def ingest(
        self,
        sources: Sequence[str | File] | str | File | Loaded,
        *,
        triples: Sequence[str | File] | str | File = (),
        extract: bool = True,
        synonyms: bool = False,
        replace: bool = False,
        chunk_size: int = CHUNK_SIZE,
        follow_links: bool = False,
        collection: str = DEFAULT_COLLECTION,
        readers: Sequence[str] | str | None = None,
        confined: bool = False,
        limits: Limits = DEFAULT_LIMITS,
        names: Mapping[File, str] = NO_NAMES,
        source_name: str | None = None,
        confirm_source: Callable[[str], bool] = lambda _: False,
        widen: bool = False,
        on_problem: Callable[[Problem], None] = lambda _: None,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> IngestReport:
        """Ingest passages and their triples; stored ones are skipped, so an interrupted run can be repeated.

        Passages without triples get theirs by rules, without a model; :meth:`extract` lets a model read them.

        Args:
            sources: documents (text, Markdown, HTML, PDF, CSV, office files), JSONL files of passages, or folders of
                them, or a single one; from a folder with ``corpus.jsonl``, only that file and ``triples.jsonl`` are
                read. Or what a loader of LangChain gives (:class:`Loaded`).
            triples: JSONL files of triples; a line has those of one passage.
            extract: make triples by rules for the passages of the collection that have none.
            synonyms: link entities with similar names.
            replace: let a passage in JSONL replace the stored text of its id; a document always replaces its earlier
                version.
            chunk_size: the length of a document's passages, in characters.
            follow_links: also follow links that lead out of a folder; see ``links`` of the report.
            collection: the collection of the passages, a prefix of their ids: ``legal/p1``.
            readers: the principals that may read the passages; by default, the readers of a document's earlier version,
                else those of its source, else everybody who may read the collection. Those of a folder are also those
                of the documents that it gets later. A line of JSONL may have its own.
            confined: refuse lines of JSONL with an id that could belong to another collection: in the default
                collection, an id with a slash.
            limits: the limits of size, time and memory for a document; a document beyond them is a problem.
            names: the names of files, if not their paths, such as those of an upload: used as the source, in metadata
                and in problems.
            source_name: the name of the folder as a source, a prefix of its documents' names; by default, the folder's
                own name, or the one stored in the database. Only a given name is also a prefix of the sources in lines
                of JSONL.
            confirm_source: called with a question if a folder contains no document of the stored source of that name;
                returns whether it is the same source. By default, it is not.
            widen: let ``readers`` add readers to stored documents.
            on_problem: called with each line or file that could not be used; the rest is ingested.

        Raises:
            InputError: a source is missing or not of a supported kind, a JSONL file is empty, or a folder is not the
                stored source of its name.
            SettingsError: chunk_size is below 100, or a name cannot be used.
            EmbeddingMismatch, ForeignGraph, MigrationError: the database must not be written to; it is unchanged.
        """
        check_size(chunk_size)
        membership = CollectionAccess.of(collection, readers, confined=confined, widen=widen)
        refuse_bare(sources)
        if isinstance(sources, Loaded):
            if triples or replace or synonyms:
                raise SettingsError("a loader gives documents: leave out triples, replace and synonyms")
            sync = SourceSync(
                self._graph,
                self._embedder,
                on_problem=on_problem,
                on_progress=on_progress,
                chunk_size=chunk_size,
                limits=limits,
                membership=membership,
                naming=Naming(confirm=confirm_source),
                removes=False,
            )
            with self._session.writing():
                return ingested(self._session, sync, sources, extract=extract, on_progress=on_progress)
        files = files_to_ingest(sources, triples, follow_links=follow_links)
        run = Ingest(
            self._graph,
            self._embedder,
            on_problem=on_problem,
            on_progress=on_progress,
            replace=replace,
            chunk_size=chunk_size,
            limits=limits,
            membership=membership,
            names=names,
            naming=Naming.of(source_name, confirm=confirm_source),
            report=IngestReport.of(files),
        )
        with self._session.writing():
            report = run.run(files.passages, files.triples, roots=files.roots)
            if extract:
                extracted = extract_by_rules(self._session, collection=collection, on_progress=on_progress)
                add_extracted(report, extracted)
            if synonyms:
                run.link_synonyms()
            return report

    def sync(
        self,
        sources: Sequence[str | File | Table | Loaded] | str | File | Table | Loaded,
        *,
        extract: bool = True,
        chunk_size: int = CHUNK_SIZE,
        follow_links: bool = False,
        collection: str = DEFAULT_COLLECTION,
        readers: Sequence[str] | str | None = None,
        limits: Limits = DEFAULT_LIMITS,
        most_deleted: float = MOST_DELETED,
        source_name: str | None = None,
        confirm_source: Callable[[str], bool] = lambda _: False,
        widen: bool = False,
        dry_run: bool = False,
        on_plan: Callable[[SyncReport], None] = lambda _: None,
        on_problem: Callable[[Problem], None] = lambda _: None,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> SyncReport:
        """Update a collection from its sources: documents that are new, changed, moved or gone.

        Unchanged documents are not read. From changed ones, only new passages are embedded and get triples. A document
        that cannot be read or converted this time keeps its passages; one whose content cannot be used loses them.

        Args:
            sources: folders and documents, addresses such as ``s3://bucket/folder`` that fsspec can read, a
                :class:`Table` whose rows are documents, and what a loader of LangChain gives (:class:`Loaded`); or one
                of these. If a loader fails in the middle, what it has not given yet stays; see ``failures`` of the
                report.
            extract: make triples by rules for the passages of the collection that have none.
            readers: the principals that may read the passages, as in :meth:`ingest`.
            most_deleted: the share of the known documents that may be gone; five may always be.
            dry_run: change nothing, only report what would be done.
            on_plan: called with the plan before anything is written; it may raise to end the sync.
            on_problem: called with each document that could not be used.

        The other arguments are those of :meth:`ingest`.

        Raises:
            InputError: a source does not exist or cannot be read, or too many documents are gone; nothing was written.
            SettingsError: chunk_size is below 100, or a name cannot be used.
            EmbeddingMismatch, ForeignGraph, MigrationError: the database must not be written to; it is unchanged.
        """
        check_size(chunk_size)
        sync = SourceSync(
            self._graph,
            self._embedder,
            on_problem=on_problem,
            on_progress=on_progress,
            chunk_size=chunk_size,
            limits=limits,
            membership=CollectionAccess.of(collection, readers, widen=widen),
            naming=Naming.of(source_name, confirm=confirm_source),
            writes=not dry_run,
            blank=dry_run and self._graph.record() is None,
        )
        if dry_run:
            return planned_only(sync, sources, follow_links=follow_links)
        with self._session.writing():
            return synced(
                self._session,
                sync,
                sources,
                extract=extract,
                follow_links=follow_links,
                most_deleted=most_deleted,
                on_plan=on_plan,
                on_progress=on_progress,
            )

    def link_synonyms(self, *, on_progress: Callable[[Progress], None] = lambda _: None) -> int:
        """Link entities with similar names; returns the number of new edges.

        Raises:
            EmbeddingMismatch, ForeignGraph, MigrationError: the database must not be written to; it is unchanged.
        """
        self.prepare()
        run = Ingest(self._graph, self._embedder, on_progress=on_progress)
        with self._session.writing():
            run.link_synonyms()
        return run.report.synonyms_written

    def extract(
        self,
        *,
        extractor: str | ExtractorRecipe = Model.name,
        max_tokens: int | None = None,
        retry_failed: bool = False,
        collection: str | None = None,
        on_failure: Callable[[Failure], None] = lambda _: None,
        on_progress: Callable[[ExtractionReport], None] = lambda _: None,
    ) -> ExtractionReport:
        """Extract triples from every passage that waits for the extractor; an interrupted run continues.

        For the chat model, that is every passage that nothing but the rules has read; their triples are kept. For
        ``rules``, it is every passage that they have not read.

        Args:
            extractor: a name or a recipe: ``model`` (the chat model), ``rules``, or your own.
            max_tokens: start no further passage once this many are spent.
            retry_failed: also read the passages with a recorded failure.
            collection: read only the passages of this collection; by default, those of all.
            on_failure: called with each passage without a usable reply; the others continue.

        Raises:
            ModelError: there is no chat model, it failed permanently, or the first ten passages yielded no triple.
            SettingsError: max_tokens is below 1, or there is no extractor of that name.
        """
        if max_tokens is not None and max_tokens < 1:
            raise SettingsError(f"max_tokens is {max_tokens}: it must be at least 1")
        recipe = EXTRACTORS.recipe(extractor)
        run = Extraction(
            self._graph,
            self._embedder,
            EXTRACTORS.make(self._session, recipe),
            again=recipe.name == Rules.name,
            max_tokens=max_tokens,
            retry_failed=retry_failed,
            collection=collection,
            on_failure=on_failure,
            on_progress=on_progress,
        )
        self.prepare()
        with self._session.writing():
            return run.run()

    def forecast(self, *, retry_failed: bool = False) -> Forecast:
        """An estimate of the cost of :meth:`extract` with the chat model."""
        backlog = self._graph.extraction.backlog(Selection(Model.name, (Rules.name,)), failed=retry_failed)
        return forecast(backlog.passages, backlog.characters)

    def forget(
        self,
        source: str | File,
        *,
        collection: str = DEFAULT_COLLECTION,
        exact: bool = False,
        whole: bool = False,
        dry_run: bool = False,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> Deletion:
        """Remove all passages of a document, with their triples and the entities that no other triple names.

        Args:
            source: the name of a document, such as ``docs/a.md``, its path, or the source in a line of JSONL.
            collection: its collection.
            exact: take the name literally, never as a path.
            whole: it is a source, or a folder in one: remove all its documents.
            dry_run: change nothing, only count what would be removed; with ``whole``, only the passages.

        Raises:
            InputError: no passage has that source; the message names some that exist.
            MigrationError: the schema cannot be brought up to date, or, in a dry run, is not.
        """
        with self._session.writing():
            if whole:
                return forget_folder(
                    self._graph, source, collection=collection, dry_run=dry_run, on_progress=on_progress
                )
            return forget(
                self._graph, source, collection=collection, exact=exact, dry_run=dry_run, on_progress=on_progress
            )

    def sources(self, *, after: str = "", limit: int = 100) -> SourcePage:
        """The sources of the passages that this view sees, in order, with their collections; at most ``limit``.

        Args:
            after: ``next`` of the previous page; empty for the first page.
        """
        return self._graph.sources.page(after=after, limit=limit) if self._graph.record() else SourcePage(())

    def origins(self, *, collection: str = DEFAULT_COLLECTION) -> list[KnownSource]:
        """The sources that have been read into a collection, in order of name, each with where and when it was read."""
        return self._graph.registry.all(collection) if self._graph.record() else []

    def rename_source(
        self,
        old: str,
        new: str,
        *,
        collection: str = DEFAULT_COLLECTION,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> Renamed:
        """Rename a source: its documents keep their readers, their vectors and their triples.

        Raises:
            NothingFound: there is no such source; the message names those that exist.
            InputError: another source has the new name.
            SettingsError: the new name cannot be used.
        """
        self.prepare()
        with self._session.writing():
            return rename_source(self._graph, old, new, collection=collection, on_progress=on_progress)

    def collections(self) -> list[Collection]:
        """Every collection, in order of name; the query reads every passage."""
        return self._graph.collections.all()

    def drop(
        self,
        collection: str,
        *,
        dry_run: bool = False,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> Deletion:
        """Remove a collection: all its passages, with their triples and the entities that no other triple names.

        Args:
            dry_run: change nothing, only count the passages and triples that would be removed.

        Raises:
            NothingFound: there is no such collection; the message names those that exist.
            MigrationError: the schema cannot be brought up to date, or, in a dry run, is not.
        """
        with self._session.writing():
            return drop_collection(self._graph, collection, dry_run=dry_run, on_progress=on_progress)

    def readers(self, source: str | File | None = None, *, collection: str = DEFAULT_COLLECTION) -> list[ReaderRecord]:
        """The records of who may read documents, in order of name; documents without a record are for everybody.

        The first are those of whole sources, such as ``docs/``: documents that these get later have these readers.

        Args:
            source: a document or a source; by default, all of the collection, even those without passages now.

        Raises:
            NothingFound: no document has that name; the message names some that exist.
        """
        return reader_records(self._graph, source, collection=collection) if self._graph.record() else []

    def set_readers(
        self, source: str | File, readers: Sequence[str] | str, *, collection: str = DEFAULT_COLLECTION
    ) -> int:
        """Set who may read the passages of a document or a source, and their triples; returns the number of passages.

        The readers are stored even if the document has not been ingested yet, or has no passages any more. Those of a
        source are also those of the documents that it gets later.

        Args:
            source: the name or the path of a document or of a source, or the source in lines of JSONL.
            readers: principals; none means everybody who may read the collection.

        Raises:
            NothingFound: the name is that of a folder in a source, which has no readers of its own; or no readers are
                given, and the document has neither passages nor a record.
            SettingsError: a name cannot be used.
        """
        members = CollectionAccess.of(collection, readers)
        with self._session.writing():
            return set_readers(self._graph, source, members.readers or (), collection=members.collection)

    def prepare(self) -> None:
        """Migrate the database and record the embedding model; :meth:`ingest` does this itself.

        Raises:
            EmbeddingMismatch, ForeignGraph, MigrationError: the database must not be written to; it is unchanged.
        """
        self._graph.prepare(model=self._embedder.name, dimension=self._embedder.dimension)

    def stats(self) -> Stats:
        """The contents of the database, its schema and its embedding model; counting documents visits every passage.

        Raises:
            MigrationError: this gear-neo4j does not know the schema.
        """
        return stats_of(self._graph)

    def counts(self) -> Counts:
        """The numbers of passages, triples, entities and synonym edges in the database."""
        return self._graph.store.counts()
