"""The ingest itself: passages first, then their triples, in batches that are each committed by themselves.

Killed at any point, it can be run again: what is committed is found by its ids and skipped.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Self

from gear_neo4j.graph.corpus_writes import Deletion
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.chunking import CHUNK_SIZE
from gear_neo4j.ingestion.forgetting import remove_stale
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.membership import DEFAULT_MEMBERSHIP, Membership
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.reading import (
    PassageBatch,
    TripleBatch,
    estimated_triples,
    read_passages,
    read_triples,
    require_content,
    size_of,
)
from gear_neo4j.ingestion.sources import Files
from gear_neo4j.ingestion.synonyms import write_synonyms
from gear_neo4j.ingestion.writers import Writers
from gear_neo4j.ingestion.writing import PassagesWritten, TriplesWritten, write_passages, write_triples
from gear_neo4j.models.embeddings import Embedder


@dataclass(slots=True)
class IngestReport:
    """What an ingest read, wrote and removed, and what the rules extracted.

    ``problems`` counts what could not be used, each reported as it came up; ``skipped`` counts the files in folders
    that are of no kind that can be ingested, by suffix; ``links`` names the links out of their folders that were not
    followed.
    """

    documents_read: int = 0
    passages_read: int = 0
    characters_read: int = 0
    passages_written: int = 0
    passages_replaced: int = 0
    passages_removed: int = 0
    triples_read: int = 0
    triples_written: int = 0
    triples_removed: int = 0
    entities_removed: int = 0
    passages_extracted: int = 0
    characters_extracted: int = 0
    triples_extracted: int = 0
    synonyms_written: int = 0
    problems: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    links: tuple[str, ...] = ()

    @classmethod
    def of(cls, files: Files) -> Self:
        """The report of an ingest that begins: what of its files was left out."""
        return cls(skipped=files.skipped, links=tuple(map(str, files.links)))


@dataclass(frozen=True, slots=True)
class Ingest:
    """One ingest: its graph, its embedder, the callbacks for problems and progress, and its options.

    ``replace`` lets a passage of a JSONL file take the place of another text under its id; a document always replaces
    what an earlier form of it left. ``chunk_size`` is the length of a document's passages, in characters, ``limits``
    what a document may take, ``membership`` the collection and the readers of all passages. ``names`` has the names by
    which files are known where that is not their path: as a source, in metadata and in problems.
    """

    graph: Graph
    embedder: Embedder
    on_problem: Callable[[Problem], None] = lambda _: None
    on_progress: Callable[[Progress], None] = lambda _: None
    replace: bool = False
    chunk_size: int = CHUNK_SIZE
    limits: Limits = DEFAULT_LIMITS
    membership: Membership = DEFAULT_MEMBERSHIP
    names: Mapping[Path, str] = field(default_factory=dict)
    report: IngestReport = field(default_factory=IngestReport)

    def run(self, passages: Sequence[Path], triples: Sequence[Path]) -> IngestReport:
        """Ingest files of passages, then files of triples.

        Raises:
            InputError: a JSONL file is missing or empty; nothing was written.
            EmbeddingMismatch, ForeignGraph, MigrationError: the database is not one to write to; it is untouched.
        """
        require_content(passages, triples)
        self.graph.prepare(model=self.embedder.name, dimension=self.embedder.dimension)
        self._passages(passages)
        self._triples(triples)
        if self.report.entities_removed:
            self.graph.communities.delete_empty()
        return self.report

    def link_synonyms(self) -> None:
        """Link entities with similar names."""
        for done, total, written in write_synonyms(self.graph, embedder=self.embedder):
            self.report.synonyms_written = written
            self.on_progress(Progress("synonyms", done, total, written))

    def _passages(self, files: Sequence[Path]) -> None:
        # Of two texts that a run meets under the same id, the second must not replace the first, in either order.
        earlier: set[str] = set()
        ahead: Counter[str] = Counter()
        total = size_of(files)

        def on_written(batch: PassageBatch, outcome: tuple[PassagesWritten, Deletion]) -> None:
            ahead.subtract(passage.id for passage in batch.passages)
            self._passages_written(batch, *outcome)
            self.on_progress(Progress("passages", batch.done, total, self.report.passages_written))

        with Writers() as writers:
            for batch in read_passages(
                files,
                chunk_size=self.chunk_size,
                limits=self.limits,
                membership=self.membership,
                names=self.names,
            ):
                self._report_problems(batch.problems)
                ids = [passage.id for passage in batch.passages]
                # Whether an id is taken is known only once everything before it is written.
                if self.replace or any(ahead[id] > 0 for id in ids):
                    writers.drain()
                ahead.update(ids)
                writers.submit(partial(self._write_passages, batch, frozenset(earlier)), partial(on_written, batch))
                if self.replace:
                    earlier.update(ids)

    def _write_passages(self, batch: PassageBatch, earlier: Set[str]) -> tuple[PassagesWritten, Deletion]:
        written = write_passages(
            self.graph,
            batch.passages,
            embedder=self.embedder,
            replaceable=lambda id: self.replace and id not in earlier,
        )
        return written, remove_stale(self.graph, batch.documents, collection=self.membership.collection)

    def _passages_written(self, batch: PassageBatch, written: PassagesWritten, removed: Deletion) -> None:
        for number in written.different:
            place, id = batch.places[number], batch.passages[number].id
            reason = f"another text has the id {id!r} already: give this one an id of its own"
            self._report_problems([Problem(place.file, place.line, reason)])
        self.report.documents_read += len(batch.documents)
        self.report.passages_read += len(batch.passages)
        self.report.characters_read += _characters(batch)
        self.report.passages_written += written.new
        self.report.passages_replaced += written.replaced
        self.report.passages_removed += removed.passages
        self.report.triples_removed += written.triples_removed + removed.triples
        self.report.entities_removed += written.entities_removed + removed.entities

    def _triples(self, files: Sequence[Path]) -> None:
        def on_percent(percent: float) -> None:
            self.on_progress(Progress("index", round(percent), 100, self.report.triples_written))

        total, expected, dimension = size_of(files), estimated_triples(files), self.embedder.dimension
        with (
            self.graph.loading(dimension=dimension, expected=expected, on_percent=on_percent),
            Writers() as writers,
        ):
            for batch in read_triples(files, membership=self.membership):
                self._report_problems(batch.problems)
                if batch.goes_on:
                    # What completes a passage must not be written before the rest of it.
                    writers.drain()
                write = partial(
                    write_triples, self.graph, batch.triples, completed=batch.completed, embedder=self.embedder
                )
                writers.submit(write, partial(self._triples_written, batch, total))

    def _triples_written(self, batch: TripleBatch, total: int, written: TriplesWritten) -> None:
        unknown = sorted((batch.places[passage], passage) for passage in written.unknown)
        for place, passage in unknown:
            reason = f"names the passage {passage!r}, which does not exist: ingest it first, then this file again"
            self._report_problems([Problem(place.file, place.line, reason)])
        self.report.triples_read += len(batch.triples)
        self.report.triples_written += written.new
        self.on_progress(Progress("triples", batch.done, total, self.report.triples_written))

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
    """Read the files as an ingest would and report what is in them; no database is queried and nothing is written.

    Raises:
        InputError: a JSONL file is missing or empty.
    """
    require_content(files.passages, files.triples)
    report = IngestReport.of(files)
    for batch in read_passages(files.passages, chunk_size=chunk_size, limits=limits):
        report.documents_read += len(batch.documents)
        report.passages_read += len(batch.passages)
        report.characters_read += _characters(batch)
        _report_each(batch.problems, report, on_problem)
    for facts in read_triples(files.triples):
        report.triples_read += len(facts.triples)
        _report_each(facts.problems, report, on_problem)
    return report


def _characters(batch: PassageBatch) -> int:
    return sum(len(passage.content) for passage in batch.passages)


def _report_each(problems: Iterable[Problem], report: IngestReport, on_problem: Callable[[Problem], None]) -> None:
    for problem in problems:
        report.problems += 1
        on_problem(problem)
