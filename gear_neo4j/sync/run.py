"""The sync: first the plan, then documents in batches that are committed and recorded one by one.

A killed sync can be repeated: recorded documents are not read again, and written passages are recognised by their ids.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path

from gear_neo4j.domain import Passage
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.corpus_writes import Deletion
from gear_neo4j.graph.write.manifest import ReadSource
from gear_neo4j.graph.write.overlay_store import NOBODY
from gear_neo4j.ingestion.chunking import CHUNK_SIZE
from gear_neo4j.ingestion.conversion import Converter
from gear_neo4j.ingestion.forgetting import forget_documents, remove_stale
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.loaders import needs_extra
from gear_neo4j.ingestion.membership import DEFAULT_MEMBERSHIP, CollectionAccess
from gear_neo4j.ingestion.naming import BY_FOLDER, Naming, SourceNames
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.renaming import rename_documents
from gear_neo4j.ingestion.versions import read_options
from gear_neo4j.ingestion.writers import Writers
from gear_neo4j.ingestion.writing import (
    KEPT_READERS,
    NO_NEW_READERS,
    link_neighbours,
    record_given,
    restrict,
    restrict_sources,
    write_passages,
)
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.sync.files import Files
from gear_neo4j.sync.loaders import Documents
from gear_neo4j.sync.moves import move
from gear_neo4j.sync.origins import Origin
from gear_neo4j.sync.passages import PassageMaker
from gear_neo4j.sync.plan import Plan, plan
from gear_neo4j.sync.report import SyncReport

PASSAGES_A_BATCH = 256
DOCUMENTS_A_BATCH = 100
DOCUMENTS_A_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class OriginPlan:
    """An origin, its name in records, its plan, and the folders or addresses that it reads whole.

    ``readers`` are those that the origin itself names, by document.
    """

    origin: Origin
    name: str
    plan: Plan
    sources: SourceNames
    read: tuple[str, ...]
    readers: Mapping[str, Sequence[str]]

    @property
    def renamed(self) -> frozenset[str]:
        """The documents whose names were, or are, those of others: their readers are set once these have moved."""
        return self.plan.overwritten.union(listed.name for _, listed in self.plan.moved)


@dataclass(frozen=True, slots=True)
class _Document:
    """A document after reading: its passages, its record, and its former name."""

    passages: tuple[Passage, ...]
    record: ReadSource
    former: str | None = None


@dataclass(frozen=True, slots=True)
class _Written:
    """The numbers of a batch, and the documents that keep fewer readers than they were given."""

    passages: int
    moved: int
    removed: Deletion
    kept: frozenset[str]


@dataclass(frozen=True, slots=True)
class SourceSync:
    """Updates a collection from its origins: the graph, the embedder, the callbacks, and options for reading.

    ``membership`` is the collection and the readers of all passages, ``naming`` says how documents are named. ``blank``
    says that the database does not have our schema yet; only with ``writes`` is anything recorded before the run, and
    only with ``removes`` are documents removed that an origin does not list.
    """

    graph: Graph
    embedder: Embedder
    on_problem: Callable[[Problem], None] = lambda _: None
    on_progress: Callable[[Progress], None] = lambda _: None
    chunk_size: int = CHUNK_SIZE
    limits: Limits = DEFAULT_LIMITS
    membership: CollectionAccess = DEFAULT_MEMBERSHIP
    naming: Naming = BY_FOLDER
    blank: bool = False
    writes: bool = True
    removes: bool = True
    report: SyncReport = field(default_factory=SyncReport)

    def plan(self, origins: Sequence[Origin]) -> list[OriginPlan]:
        """Plan the sync and count it in the report; read-only.

        Raises:
            InputError: an origin does not exist or cannot be read.
        """
        sources = SourceNames.load(
            None if self.blank else self.graph.registry,
            collection=self.membership.collection,
            naming=self.naming,
            writes=self.writes,
        )
        plans = [self._plan(origin, sources) for origin in origins]
        self.report.other_names |= sources.other
        for entry in plans:
            self.report.add_plan(entry.plan)
            for source in entry.plan.unusable:
                self._problem(source.name, source.problem or "")
        return plans

    def preview(self, plans: Sequence[OriginPlan]) -> SyncReport:
        """Read new and changed documents, and count the passages that would be written; read-only."""
        for entry in plans:
            for batch in self._batches(entry):
                passages = [passage for document in batch for passage in document.passages]
                known = {} if self.blank else self.graph.corpus.check_passages(passages)
                for document in batch:
                    kept = self._contents(document.former) if document.former else set()
                    fresh = (passage for passage in document.passages if passage.id not in known)
                    written = [passage for passage in fresh if (passage.title, passage.text) not in kept]
                    self.report.passages_written += len(written)
                    self.report.characters_written += sum(len(passage.content) for passage in written)
        return self.report

    def run(self, plans: Sequence[OriginPlan]) -> SyncReport:
        """Carry out the plans; the database must be prepared."""
        for entry in plans:
            # Those of a moved document come with it, and are compared with the given ones then.
            read = (*entry.plan.changed, *entry.plan.new)
            for problem in restrict_sources(self.graph, entry.sources, entry.read, self.membership):
                self.on_problem(problem)
            silent = (document.name for document in read if document.name not in entry.readers)
            record_given(self.graph, silent, self.membership)
            self._report_kept(entry, self._restrict(entry, entry.readers.keys() - entry.renamed))
            with Writers() as writers:
                for batch in self._batches(entry):
                    writers.submit(partial(self._write, entry, batch), partial(self._count, entry))
            for start in range(0, len(entry.plan.deleted), DOCUMENTS_A_BATCH):
                names = entry.plan.deleted[start : start + DOCUMENTS_A_BATCH]
                self.report.add_written(
                    0, 0, forget_documents(self.graph, names, collection=self.membership.collection)
                )
        if self.report.entities_removed:
            self.graph.communities.delete_empty()
        return self.report

    def _plan(self, origin: Origin, sources: SourceNames) -> OriginPlan:
        name, listing = origin.named(origin.list(), sources)
        if self.writes:
            rename_documents(self.graph, sources.former, collection=self.membership.collection)
            sources.former.clear()
        self.report.add_left_out(listing.skipped, listing.fields_left_out)
        for document, reason in listing.problems:
            self._problem(document, reason)
        known = {} if self.blank else self._known(name, listing.below)
        if isinstance(origin, Files):
            # Documents that this installation cannot list are not gone.
            known = {name: source for name, source in known.items() if not needs_extra(Path(name))}
        if listing.failure:
            self._fail(name, listing.failure)
        if listing.failure or not self.removes:
            known = {listed.name: known[listed.name] for listed in listing.documents if listed.name in known}
        elif isinstance(origin, Documents) and known and not listing.documents:
            self.report.emptied = (*self.report.emptied, name)
        changes = plan(listing.documents, known, digest=origin.digest, options=self._options)
        # A document without readers of its own has those of the sync, else nobody may read it.
        default = NOBODY if self.membership.readers is None else self.membership.readers
        named = {listed.name: listed.readers or default for listed in listing.documents if listed.readers is not None}
        return OriginPlan(origin, name, changes, sources, (name, *listing.below), named)

    def _fail(self, name: str, reason: str) -> None:
        self.report.failures[name] = reason
        self.on_problem(Problem(name, 0, f"was not read to its end, and what is missing stays: {reason}"))

    def _known(self, name: str, below: Sequence[str]) -> dict[str, ReadSource]:
        collection = self.membership.collection
        recorded = {
            source.name: source for source in self.graph.manifest.read(name, below=below, collection=collection)
        }
        is_first = all(source.origin != name for source in recorded.values())
        return (self._ingested(name) if is_first else {}) | recorded

    def _options(self, name: str) -> str:
        return read_options(name, chunk_size=self.chunk_size, readers=self.membership.readers, limits=self.limits)

    def _ingested(self, name: str) -> dict[str, ReadSource]:
        """The documents of an origin that were ingested before its first sync."""
        registry, collection = self.graph.registry, self.membership.collection
        known = dict.fromkeys(registry.stored([name], collection=collection))
        after: str | None = ""
        while after is not None:
            page = registry.below(f"{name}/", collection=collection, after=after, limit=DOCUMENTS_A_PAGE)
            known |= dict.fromkeys(document for document, _ in page)
            after = page[-1][0] if len(page) == DOCUMENTS_A_PAGE else None
        return {document: ReadSource(document, "", "") for document in known}

    def _batches(self, entry: OriginPlan) -> Iterator[list[_Document]]:
        batch: list[_Document] = []
        # If documents exchange names, all passages must be renamed before any is written or removed.
        exchanged: list[_Document] = []
        overwritten = entry.plan.overwritten
        passages = 0
        for document in self._documents(entry):
            if document.record.name in overwritten or document.former in overwritten:
                exchanged.append(document)
                continue
            batch.append(document)
            passages += len(document.passages)
            if passages >= PASSAGES_A_BATCH or len(batch) >= DOCUMENTS_A_BATCH:
                yield batch
                batch, passages = [], 0
        yield from filter(None, (batch, exchanged))

    def _documents(self, entry: OriginPlan) -> Iterator[_Document]:
        """The documents to write; a known document that cannot be read stays unchanged."""
        former = {listed.name: old for old, listed in entry.plan.moved}
        wanted = [listed for _, listed in entry.plan.to_read]
        kinds = {listed.name: kind for kind, listed in entry.plan.to_read}
        with Converter(self.limits) as converter:
            read = entry.origin.read(wanted, PassageMaker(converter, self.chunk_size, self.limits))
            for number, document in enumerate(read, start=1):
                name = document.listed.name
                if document.problem is not None:
                    self.report.take_out(kinds[name])
                    self._problem(name, document.problem)
                for remark in document.remarks:
                    self._problem(name, remark)
                if document.digest:
                    own = tuple(self.membership.passage(passage) for passage in document.passages)
                    record = ReadSource(
                        name, document.listed.version, document.digest, document.problem, self._options(name)
                    )
                    yield _Document(own, record, former.get(name))
                self.on_progress(Progress("documents", number, len(wanted), self.report.passages_written))

    def _write(self, entry: OriginPlan, documents: Sequence[_Document]) -> _Written:
        """Write a batch, remove stale passages of its documents, link the others, and record the documents."""
        collection = self.membership.collection
        records = [document.record for document in documents]
        # Recorded first, without a version: a document deleted after an interrupted write must still be known.
        begun = [replace(record, version="") for record in records]
        former = {document.record.name: document.former for document in documents if document.former}
        taken = entry.plan.overwritten
        self.graph.manifest.record(begun, entry.name, collection=collection, moves=former, taken=taken)
        moves = {
            document.record.name: (document.former, document.passages) for document in documents if document.former
        }
        moved = move(self.graph, moves, collection=collection)
        passages = [passage for document in documents for passage in document.passages]
        renamed = entry.renamed.intersection(document.record.name for document in documents)
        written, kept = 0, set(self._restrict(entry, entry.readers.keys() & renamed))
        for start in range(0, len(passages), PASSAGES_A_BATCH):
            part = passages[start : start + PASSAGES_A_BATCH]
            outcome = write_passages(
                self.graph,
                part,
                embedder=self.embedder,
                readers=None if entry.readers else self.membership.readers,
                widen=self.membership.widen,
            )
            written += outcome.new
            kept |= outcome.kept
        held = {document.record.name: [passage.id for passage in document.passages] for document in documents}
        removed = remove_stale(self.graph, held, collection=collection)
        link_neighbours(self.graph, held)
        if gone := sorted(set(former.values()) - taken):
            removed += forget_documents(self.graph, gone, collection=collection)
        self.graph.manifest.record(records, entry.name, collection=collection)
        return _Written(written, moved, removed, frozenset(kept))

    def _restrict(self, entry: OriginPlan, names: Iterable[str]) -> frozenset[str]:
        """Set the readers of documents to those that the origin names; returns those that would get more."""
        waiting, kept = iter(sorted(names)), frozenset[str]()
        while batch := {name: entry.readers[name] for name in islice(waiting, DOCUMENTS_A_BATCH)}:
            collection, widen = self.membership.collection, self.membership.widen
            kept |= restrict(self.graph, batch, collection=collection, widen=widen, narrow=True)
        return kept

    def _contents(self, name: str) -> set[tuple[str, str]]:
        ids = [id for id, _ in self.graph.sources.of_documents([name], collection=self.membership.collection)]
        return {(passage.title, passage.text) for passage in self.graph.store.passages(ids).values()}

    def _count(self, entry: OriginPlan, done: _Written) -> None:
        self.report.add_written(done.passages, done.moved, done.removed)
        self._report_kept(entry, done.kept)

    def _report_kept(self, entry: OriginPlan, kept: Collection[str]) -> None:
        self.report.kept_readers += len(kept)
        for source in sorted(kept):
            self.on_problem(Problem(source, 0, NO_NEW_READERS if source in entry.readers else KEPT_READERS))

    def _problem(self, name: str, reason: str) -> None:
        self.report.problems += 1
        self.on_problem(Problem(name, 0, reason))
