"""The sync itself: the plan first, then documents in batches that are each committed and recorded.

Killed at any point, it can be run again: what is recorded is not read again, and what is written is found by its ids.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from gear_neo4j.domain import Passage
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.corpus_writes import Deletion
from gear_neo4j.graph.write.manifest import ReadSource
from gear_neo4j.ingestion.chunking import CHUNK_SIZE
from gear_neo4j.ingestion.conversion import Converter
from gear_neo4j.ingestion.forgetting import forget_documents, remove_stale
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.loaders import needs_extra
from gear_neo4j.ingestion.membership import DEFAULT_MEMBERSHIP, CollectionAccess
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.writers import Writers
from gear_neo4j.ingestion.writing import write_passages
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.sync.moves import move
from gear_neo4j.sync.origins import Origin
from gear_neo4j.sync.passages import PassageMaker
from gear_neo4j.sync.plan import Plan, plan
from gear_neo4j.sync.report import SyncReport

PASSAGES_A_BATCH = 256
DOCUMENTS_A_BATCH = 100


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan for an origin."""

    origin: Origin
    plan: Plan


@dataclass(frozen=True, slots=True)
class _Document:
    """A document as it was read: its passages, the record of it, and the name that it had before."""

    passages: tuple[Passage, ...]
    record: ReadSource
    former: str | None = None


@dataclass(frozen=True, slots=True)
class SourceSync:
    """Brings a collection to what its origins hold: the graph, the embedder, the callbacks, and how documents are read.

    ``membership`` is the collection and the readers of all passages. ``blank`` says that the database has no schema of
    ours yet, and may only be read.
    """

    graph: Graph
    embedder: Embedder
    on_problem: Callable[[Problem], None] = lambda _: None
    on_progress: Callable[[Progress], None] = lambda _: None
    chunk_size: int = CHUNK_SIZE
    limits: Limits = DEFAULT_LIMITS
    membership: CollectionAccess = DEFAULT_MEMBERSHIP
    blank: bool = False
    report: SyncReport = field(default_factory=SyncReport)

    def plan(self, origins: Sequence[Origin]) -> list[Planned]:
        """What there is to do, which the report counts; read-only.

        Raises:
            InputError: an origin is not there or cannot be read.
        """
        planned = [self._plan(origin) for origin in origins]
        for one in planned:
            self.report.add_plan(one.plan)
            for source in one.plan.unusable:
                self._problem(source.name, source.problem or "")
        return planned

    def preview(self, planned: Sequence[Planned]) -> SyncReport:
        """Read what is new and changed, and count the passages that would be written; read-only."""
        for one in planned:
            for batch in self._batches(one):
                passages = [passage for document in batch for passage in document.passages]
                known = {} if self.blank else self.graph.corpus.check_passages(passages)
                for document in batch:
                    kept = self._contents(document.former) if document.former else set()
                    fresh = (passage for passage in document.passages if passage.id not in known)
                    written = [passage for passage in fresh if (passage.title, passage.text) not in kept]
                    self.report.passages_written += len(written)
                    self.report.characters_written += sum(len(passage.content) for passage in written)
        return self.report

    def run(self, planned: Sequence[Planned]) -> SyncReport:
        """Do it; the database must be prepared."""
        for one in planned:
            with Writers() as writers:
                for batch in self._batches(one):
                    writers.submit(partial(self._write, one, batch), lambda done: self.report.add_written(*done))
            for start in range(0, len(one.plan.deleted), DOCUMENTS_A_BATCH):
                names = one.plan.deleted[start : start + DOCUMENTS_A_BATCH]
                self.report.add_written(
                    0, 0, forget_documents(self.graph, names, collection=self.membership.collection)
                )
        if self.report.entities_removed:
            self.graph.communities.delete_empty()
        return self.report

    def _plan(self, origin: Origin) -> Planned:
        listing = origin.list()
        skipped = Counter(self.report.skipped) + Counter(listing.skipped)
        self.report.skipped = dict(sorted(skipped.items()))
        for name, reason in listing.problems:
            self._problem(name, reason)
        here = [replace(one, version=self._version(one.version)) for one in listing.documents]
        known = {} if self.blank else self._known(origin)
        as_listed = {one.name: one for one in listing.documents}
        return Planned(origin, plan(here, known, digest=lambda one: origin.digest(as_listed[one.name])))

    def _known(self, origin: Origin) -> dict[str, ReadSource]:
        collection = self.membership.collection
        known = {source.name: source for source in self.graph.manifest.read(origin.name, collection=collection)}
        known = known or self._ingested(origin)
        # What cannot be listed here is not gone.
        return {name: source for name, source in known.items() if not needs_extra(Path(name))}

    def _version(self, version: str) -> str:
        """The version of a document together with what its passages depend on besides; empty if it has none."""
        readers = self.membership.readers
        return f"{self.chunk_size} {'' if readers is None else ' '.join(readers)} {version}" if version else ""

    def _ingested(self, origin: Origin) -> dict[str, ReadSource]:
        """The documents of an origin that an ingest brought in before there were syncs of it."""
        found: dict[str, ReadSource] = {}
        below, after = f"{origin.name.rstrip('/')}/", origin.name[:-1]
        while True:
            page = self.graph.sources.page(after=after, limit=DOCUMENTS_A_BATCH)
            for one in page.sources:
                if one.collection == self.membership.collection and (
                    f"{one.source}/" == below or one.source.startswith(below)
                ):
                    found[one.source] = ReadSource(one.source, "", "")
            if page.next is None or not (page.next < below or page.next.startswith(below)):
                return found
            after = page.next

    def _batches(self, planned: Planned) -> Iterator[list[_Document]]:
        batch: list[_Document] = []
        # Where names change hands, all must have their passages before any is written or removed.
        exchanged: list[_Document] = []
        overwritten = planned.plan.overwritten
        passages = 0
        for document in self._documents(planned):
            if document.record.name in overwritten or document.former in overwritten:
                exchanged.append(document)
                continue
            batch.append(document)
            passages += len(document.passages)
            if passages >= PASSAGES_A_BATCH or len(batch) >= DOCUMENTS_A_BATCH:
                yield batch
                batch, passages = [], 0
        yield from filter(None, (batch, exchanged))

    def _documents(self, planned: Planned) -> Iterator[_Document]:
        """The documents to write, as they are read; one that is known and cannot be read stays as it is."""
        former = {one.name: old for old, one in planned.plan.moved}
        wanted = [*(one for _, one in planned.plan.moved), *planned.plan.changed, *planned.plan.new]
        with Converter(self.limits) as converter:
            read = planned.origin.read(wanted, PassageMaker(converter, self.chunk_size))
            for number, document in enumerate(read, start=1):
                name = document.listed.name
                if document.problem is not None:
                    self._problem(name, document.problem)
                if document.digest:
                    own = tuple(self.membership.passage(passage) for passage in document.passages)
                    record = ReadSource(name, document.listed.version, document.digest, document.problem)
                    yield _Document(own, record, former.get(name))
                self.on_progress(Progress("documents", number, len(wanted), self.report.passages_written))

    def _write(self, planned: Planned, documents: Sequence[_Document]) -> tuple[int, int, Deletion]:
        """Write a batch, and remove what its documents no longer hold; then record them."""
        collection = self.membership.collection
        records = [document.record for document in documents]
        # First without a version: a document that is written and gone before its record is made would never be deleted.
        begun = [replace(record, version="", digest="") for record in records]
        self.graph.manifest.record(begun, planned.origin.name, collection=collection)
        moved = move(
            self.graph,
            {document.record.name: (document.former, document.passages) for document in documents if document.former},
            collection=collection,
        )
        passages = [passage for document in documents for passage in document.passages]
        written = 0
        for start in range(0, len(passages), PASSAGES_A_BATCH):
            part = passages[start : start + PASSAGES_A_BATCH]
            written += write_passages(self.graph, part, embedder=self.embedder).new
        held = {document.record.name: frozenset(passage.id for passage in document.passages) for document in documents}
        removed = remove_stale(self.graph, held, collection=collection)
        former = {document.former for document in documents if document.former}
        if gone := sorted(former - planned.plan.overwritten):
            removed += forget_documents(self.graph, gone, collection=collection)
        self.graph.manifest.record(records, planned.origin.name, collection=collection)
        return written, moved, removed

    def _contents(self, name: str) -> set[tuple[str, str]]:
        ids = [id for id, _ in self.graph.sources.of_documents([name], collection=self.membership.collection)]
        return {(passage.title, passage.text) for passage in self.graph.store.passages(ids).values()}

    def _problem(self, name: str, reason: str) -> None:
        self.report.problems += 1
        self.on_problem(Problem(name, 0, reason))
