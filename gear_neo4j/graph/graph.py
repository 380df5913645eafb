"""The graph in one database: the rest of the package reads and writes only through it."""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from gear_neo4j.domain import VectorSource
from gear_neo4j.errors import MigrationError
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.connection.query_profiles import QueryProfile
from gear_neo4j.graph.guard.excerpt import Excerpt
from gear_neo4j.graph.read.adjacency import AdjacencyReader
from gear_neo4j.graph.read.collections import Collections
from gear_neo4j.graph.read.diagnostics import Diagnostics, SurveyQueries
from gear_neo4j.graph.read.entities import Entities
from gear_neo4j.graph.read.lexicon import Lexicon
from gear_neo4j.graph.read.neighbourhoods import Neighbourhoods
from gear_neo4j.graph.read.pagerank_queries import PageRankQueries, Version
from gear_neo4j.graph.read.pattern_queries import PatternQueries
from gear_neo4j.graph.read.sources import Sources
from gear_neo4j.graph.read.store import Store
from gear_neo4j.graph.read.surroundings import Surroundings
from gear_neo4j.graph.read.templates import Templates
from gear_neo4j.graph.schema import bulk, indexes, migrations, preparation
from gear_neo4j.graph.schema.migration_files import Migration
from gear_neo4j.graph.schema.record import StoreRecord, read_record, require_record
from gear_neo4j.graph.scope.scoped import scoped
from gear_neo4j.graph.write.community_store import CommunityStore
from gear_neo4j.graph.write.corpus_writes import CorpusWrites
from gear_neo4j.graph.write.extraction_queue import ExtractionQueue
from gear_neo4j.graph.write.imports import Imports
from gear_neo4j.graph.write.manifest import Manifest
from gear_neo4j.graph.write.overlay_store import OverlayStore
from gear_neo4j.graph.write.reader_records import ReaderRecords
from gear_neo4j.graph.write.source_registry import SourceRegistry
from gear_neo4j.graph.write.synonyms import Synonyms
from gear_neo4j.graph.write.template_store import TemplateStore
from gear_neo4j.graph.write.terms import TermStore
from gear_neo4j.graph.write.usage_store import UsageStore
from gear_neo4j.scope import Scope


class Graph:
    """The graph in one database, by areas: nothing outside this package calls a query by its name.

    Attributes:
        store: passages, triples and the steps of a walk, for retrieval.
        pagerank: ids, seeds and names, for PageRank.
        edges: the edges around passages and entities, for PageRank.
        surroundings: the passages around others in their documents.
        neighbourhoods: paths between nodes, and facts around them.
        entities: single nodes with their facts.
        templates: the five templates of KG-based Thought.
        own_templates: the queries that the graph's owner wrote.
        patterns: the schema of an adopted graph, and patterns over it.
        lexicon: the names of nodes and the values of an adopted graph.
        terms: writes these names and values.
        corpus: writes and deletions of passages and triples.
        sources: the sources of passages.
        manifest: the documents that syncs have read.
        registry: the sources that have been read, and from where.
        readers: who may read documents, including those without passages now.
        collections: the collections of passages.
        synonyms: synonym edges between entities.
        extraction: the passages waiting for extraction.
        overlay: the passages and triples over a user's own graph.
        communities: communities of entities and their reports.
        imports: an import from CSV files in progress.
        usage: what callers of a service have used.
        survey: the contents of a graph, by counters and samples.
        diagnostics: the queries of the doctor.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.store = Store(database)
        self.pagerank = PageRankQueries(database)
        self.edges = AdjacencyReader(database)
        self.surroundings = Surroundings(database)
        self.neighbourhoods = Neighbourhoods(database)
        self.entities = Entities(database)
        self.templates = Templates(database)
        self.own_templates = TemplateStore(database)
        self.patterns = PatternQueries(database)
        self.lexicon = Lexicon(database)
        self.terms = TermStore(database)
        self.corpus = CorpusWrites(database)
        self.sources = Sources(database)
        self.manifest = Manifest(database)
        self.registry = SourceRegistry(database)
        self.readers = ReaderRecords(database)
        self.collections = Collections(database)
        self.synonyms = Synonyms(database)
        self.extraction = ExtractionQueue(database)
        self.overlay = OverlayStore(database)
        self.communities = CommunityStore(database)
        self.imports = Imports(database)
        self.usage = UsageStore(database)
        self.survey = SurveyQueries(database)
        self.diagnostics = Diagnostics(database)

    @property
    def name(self) -> str:
        """The name of the database."""
        return self.database.name

    @property
    def version(self) -> str:
        """The version of the Neo4j server; that of the graph itself is ``pagerank.version()``."""
        return self.database.version

    @property
    def has_search_clause(self) -> bool:
        """Whether the server plans the SEARCH clause of Cypher 25."""
        return self.database.has_search_clause

    def record(self) -> StoreRecord | None:
        """The database's record of itself; None if it holds no gear-neo4j data. One round trip."""
        return read_record(self.database)

    def require_record(self) -> StoreRecord:
        """The database's record of itself. One round trip.

        Raises:
            InputError: the database is empty.
        """
        return require_record(self.database)

    def prepare(self, *, model: str, dimension: int) -> None:
        """Migrate, and record the embedding model; see :func:`gear_neo4j.graph.schema.preparation.prepare`."""
        preparation.prepare(self.database, model=model, dimension=dimension)

    def prepare_overlay(
        self,
        *,
        model: str,
        dimension: int,
        profile: str,
        names: Sequence[str],
        vectors: VectorSource | None,
        collection: str,
        readers: Sequence[str] | None,
    ) -> VectorSource:
        """Migrate for an adoption; see :func:`gear_neo4j.graph.schema.preparation.prepare_overlay`."""
        return preparation.prepare_overlay(
            self.database,
            model=model,
            dimension=dimension,
            profile=profile,
            names=names,
            vectors=vectors,
            collection=collection,
            readers=readers,
        )

    def migrate(self, *, dimension: int) -> tuple[Migration, ...]:
        """Bring the schema up to date; returns the applied migrations."""
        return migrations.migrate(self.database, dimension=dimension)

    @property
    def could_filter(self) -> bool:
        """Whether vector indexes of this server can filter by collection, but those of this database do not."""
        return self.database.has_index_filters and not indexes.filter_by_collection(self.database)

    def rebuild_indexes(self, *, dimension: int) -> None:
        """Recreate the vector indexes of passages and triples in the best form for this server; does not wait."""
        migrations.rebuild(self.database, dimension=dimension)

    def pending_migrations(self) -> tuple[Migration, ...]:
        """The migrations that the database lacks; read-only."""
        return migrations.pending(self.database)

    def require_newest_schema(self) -> None:
        """Check that the database lacks no migration, for work that must read it without migrating first.

        Raises:
            MigrationError: it lacks one, or a newer gear-neo4j has migrated it.
        """
        if self.pending_migrations():
            raise MigrationError(f"the schema of {self.name} is older than this gear-neo4j: run 'gear migrate' first")

    def schema_version(self) -> str | None:
        """The version of the last migration in the database; None if it has no schema of ours."""
        return migrations.version(self.database)

    def drop_schema(self) -> None:
        """Drop our indexes and the chain of migrations, once the database holds no gear-neo4j data."""
        migrations.drop_schema(self.database)

    def verify(self, *, dimension: int) -> None:
        """Check that every index is correct and online; see :func:`gear_neo4j.graph.schema.indexes.verify`."""
        indexes.verify(self.database, dimension=dimension)

    def await_online(self, *, seconds: float = math.inf, on_percent: Callable[[float], None] = lambda _: None) -> None:
        """Wait until all our indexes are built."""
        indexes.await_online(self.database, seconds=seconds, on_percent=on_percent)

    def loading(
        self, *, dimension: int, expected: int, on_percent: Callable[[float], None] = lambda _: None
    ) -> AbstractContextManager[None]:
        """Drop the vector index during a large load; see :func:`gear_neo4j.graph.schema.bulk.loading`."""
        return bulk.loading(self.database, dimension=dimension, expected=expected, on_percent=on_percent)

    def explain(self, text: str, *, timeout: float = 10.0) -> str:
        """The query type of a statement, which is not run; see :meth:`Database.explain`."""
        return self.database.explain(text, timeout=timeout)

    def read_text(self, text: str, *, timeout: float = 10.0, limit: int = 100) -> Excerpt:
        """The first rows of an untrusted statement; see :meth:`Database.read_text`."""
        return self.database.read_text(text, timeout=timeout, limit=limit)

    def scoped(self, scope: Scope) -> "Graph":
        """The same graph under a scope: read-only, and without anything that the scope does not admit."""
        return self if scope.is_everything else Graph(scoped(self.database, scope))

    @property
    def scope(self) -> Scope:
        """What may be read of the graph."""
        return self.database.scope

    @property
    def admits_graph(self) -> bool:
        """Whether the scope admits every node of the adopted graph."""
        return self.patterns.admitted

    def passages(self, version: Version) -> int:
        """The number of passages in a version of the graph; under a scope, approximately those in it."""
        size = self.database.scope_size
        return version.passages if size is None else size.passages

    def profiling(self, listener: Callable[[QueryProfile], None]) -> "Graph":
        """The same graph; the listener receives the profile of each query."""
        return Graph(self.database.profiling(listener))

    def close(self) -> None:
        """Close the connection, unless the driver is the caller's."""
        self.database.close()
