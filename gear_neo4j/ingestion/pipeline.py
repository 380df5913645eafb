"""The ingest: passages first, then their triples, in batches that are committed one by one.

A killed ingest can be repeated: committed items are recognised by their ids and skipped.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.batches import BatchOutcome, passages_read, write_passage_batch, write_triple_batch
from gear_neo4j.ingestion.chunking import CHUNK_SIZE
from gear_neo4j.ingestion.finding import without_empty_sources
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.loaders import is_document
from gear_neo4j.ingestion.membership import DEFAULT_MEMBERSHIP, CollectionAccess
from gear_neo4j.ingestion.moves import name_documents
from gear_neo4j.ingestion.naming import BY_FOLDER, NamedFiles, Naming, SourceNames
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.reading import (
    PassageBatch,
    estimated_triples,
    read_passages,
    read_triples,
    require_content,
    size_of,
)
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.ingestion.sources import NO_ROOTS, Files
from gear_neo4j.ingestion.synonyms import write_synonyms
from gear_neo4j.ingestion.writers import Writers
from gear_neo4j.ingestion.writing import KEPT_READERS, record_given, restrict_sources
from gear_neo4j.models.embeddings import Embedder


@dataclass(frozen=True, slots=True)
class Ingest:
    """One ingest: its graph, its embedder, the callbacks for problems and progress, and its options.

    ``replace`` lets a passage of a JSONL file replace another text with the same id; a document always replaces its
    earlier version. ``chunk_size`` is the length of a document's passages in characters, ``limits`` are the limits for
    a document, ``membership`` is the collection and the readers of all passages. ``names`` holds names that replace the
    paths of files as sources, in metadata and in problems; other files are named by their source, as ``naming`` says.
    """

    graph: Graph
    embedder: Embedder
    on_problem: Callable[[Problem], None] = lambda _: None
    on_progress: Callable[[Progress], None] = lambda _: None
    replace: bool = False
    chunk_size: int = CHUNK_SIZE
    limits: Limits = DEFAULT_LIMITS
    membership: CollectionAccess = DEFAULT_MEMBERSHIP
    names: Mapping[Path, str] = field(default_factory=dict)
    naming: Naming = BY_FOLDER
    report: IngestReport = field(default_factory=IngestReport)
    kept: set[str] = field(default_factory=set, init=False)

    def run(
        self, passages: Sequence[Path], triples: Sequence[Path], *, roots: Mapping[Path, Path] = NO_ROOTS
    ) -> IngestReport:
        """Ingest files of passages, then files of triples.

        Args:
            roots: the folder that each file was found in; without one it is its own folder.

        Raises:
            InputError: a JSONL file is missing or empty, or a source is not the one that the database knows by its
                name; nothing was written.
            EmbeddingMismatch, ForeignGraph, MigrationError: the database cannot be written to; it is unchanged.
        """
        require_content(passages, triples)
        self.graph.prepare(model=self.embedder.name, dimension=self.embedder.dimension)
        names = SourceNames.load(self.graph.registry, collection=self.membership.collection, naming=self.naming)
        with without_empty_sources(self.graph, names):
            files = self._documents(names, [path for path in passages if path not in self.names], roots)
            documents = dict(files.names)
            named = {**documents, **self.names}
            usable = [path for path in passages if path in named]
            for problem in restrict_sources(self.graph, names, files.below, self.membership):
                self.on_problem(problem)
            record_given(self.graph, (named[path] for path in usable if is_document(path)), self.membership)
            self._passages(usable, documents)
        self._triples(triples)
        if self.report.entities_removed:
            self.graph.communities.delete_empty()
        return self.report

    def link_synonyms(self) -> None:
        """Link entities with similar names."""
        for done, total, written in write_synonyms(self.graph, embedder=self.embedder):
            self.report.synonyms_written = written
            self.on_progress(Progress("synonyms", done, total, written))

    def _documents(self, names: SourceNames, files: Sequence[Path], roots: Mapping[Path, Path]) -> NamedFiles:
        """The names of the documents that files are."""
        named = name_documents(self.graph, names, files, roots=roots)
        self.report.other_names |= names.other
        self._report_problems(Problem(str(path), 0, reason) for path, reason in named.problems)
        return named

    def _passages(self, files: Sequence[Path], documents: Mapping[Path, str]) -> None:
        # If one run has two texts with the same id, the second must never replace the first.
        earlier: set[str] = set()
        ahead: Counter[str] = Counter()
        total = size_of(files)

        def write(batch: PassageBatch, earlier: Set[str]) -> BatchOutcome:
            return write_passage_batch(
                self.graph,
                batch,
                embedder=self.embedder,
                membership=self.membership,
                replaceable=lambda id: self.replace and id not in earlier,
            )

        def on_written(batch: PassageBatch, outcome: BatchOutcome) -> None:
            ahead.subtract(passage.id for passage in batch.passages)
            self._written("passages", total, batch.done, outcome)

        with Writers() as writers:
            for batch in read_passages(
                files,
                chunk_size=self.chunk_size,
                limits=self.limits,
                membership=self.membership,
                names=self.names,
                documents=documents,
                prefix=self.naming.prefix,
            ):
                ids = [passage.id for passage in batch.passages]
                # Whether an id is taken is only known once all earlier passages are written.
                if self.replace or any(ahead[id] > 0 for id in ids):
                    writers.drain()
                ahead.update(ids)
                writers.submit(partial(write, batch, frozenset(earlier)), partial(on_written, batch))
                if self.replace:
                    earlier.update(ids)

    def _written(self, stage: str, total: int, done: int, outcome: BatchOutcome) -> None:
        self._report_problems(outcome.problems)
        self.report.add(outcome.report)
        report_kept(outcome.kept, self.kept, self.report, self.on_problem)
        self.on_progress(Progress(stage, done, total, self.report.written(stage)))

    def _triples(self, files: Sequence[Path]) -> None:
        def on_percent(percent: float) -> None:
            self.on_progress(Progress("index", round(percent), 100, self.report.triples_written))

        total, expected, dimension = size_of(files), estimated_triples(files), self.embedder.dimension
        with (
            self.graph.loading(dimension=dimension, expected=expected, on_percent=on_percent),
            Writers() as writers,
        ):
            for batch in read_triples(files, membership=self.membership):
                if batch.goes_on:
                    # The triples that complete a passage must be written last.
                    writers.drain()
                write = partial(write_triple_batch, self.graph, batch, embedder=self.embedder)
                writers.submit(write, partial(self._written, "triples", total, batch.done))

    def _report_problems(self, problems: Iterable[Problem]) -> None:
        named = {str(path): name for path, name in self.names.items()}
        known = (replace(problem, file=named.get(problem.file, problem.file)) for problem in problems)
        _report_each(known, self.report, self.on_problem)


def read_only(
    files: Files,
    *,
    chunk_size: int = CHUNK_SIZE,
    limits: Limits = DEFAULT_LIMITS,
    on_problem: Callable[[Problem], None] = lambda _: None,
) -> IngestReport:
    """Read the files as an ingest would and report their content, without a database.

    Raises:
        InputError: a JSONL file is missing or empty.
    """
    require_content(files.passages, files.triples)
    report = IngestReport.of(files)
    for batch in read_passages(files.passages, chunk_size=chunk_size, limits=limits):
        report.add(passages_read(batch))
        _report_each(batch.problems, report, on_problem)
    for facts in read_triples(files.triples):
        report.triples_read += len(facts.triples)
        _report_each(facts.problems, report, on_problem)
    return report


def report_kept(
    sources: Iterable[str], known: set[str], report: IngestReport, on_problem: Callable[[Problem], None]
) -> None:
    """Report the documents that keep their readers, each once; ``known`` collects them over the batches."""
    for source in sorted(set(sources) - known):
        known.add(source)
        report.kept_readers += 1
        on_problem(Problem(source, 0, KEPT_READERS))


def _report_each(problems: Iterable[Problem], report: IngestReport, on_problem: Callable[[Problem], None]) -> None:
    for problem in problems:
        report.problems += 1
        on_problem(problem)
