"""A corpus as the files of a bulk import: what an ingest of the same sources would write, in memory that does not grow.

The import makes no index: ``gear migrate`` does, afterwards.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gear_neo4j.domain import Passage, Triple, entity_key
from gear_neo4j.errors import InputError
from gear_neo4j.graph.corpus_writes import entity_rows
from gear_neo4j.ingestion.admin.columns import SEPARATOR, MetadataColumns
from gear_neo4j.ingestion.admin.seen import Seen
from gear_neo4j.ingestion.admin.tables import HEADER, NODES, RELATIONSHIPS, STORE, Tables, write_arguments
from gear_neo4j.ingestion.chunking import CHUNK_SIZE
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.reading import (
    PassageBatch,
    TripleBatch,
    read_passages,
    read_triples,
    require_content,
    size_of,
)
from gear_neo4j.ingestion.sources import Files
from gear_neo4j.ingestion.writing import GIVEN
from gear_neo4j.models.embeddings import Embedder, Vectors


@dataclass(slots=True)
class ExportReport:
    """How much was written; ``problems`` counts what could not be used, each reported as it came up."""

    passages: int = 0
    triples: int = 0
    entities: int = 0
    problems: int = 0


@dataclass(frozen=True, slots=True)
class AdminExport:
    """One export: its folder, its embedder, and the callbacks for problems and progress."""

    folder: Path
    embedder: Embedder
    on_problem: Callable[[Problem], None] = lambda _: None
    on_progress: Callable[[Progress], None] = lambda _: None
    chunk_size: int = CHUNK_SIZE
    limits: Limits = DEFAULT_LIMITS

    def run(self, files: Files) -> ExportReport:
        """Write the files of a corpus into the folder, which is made, and must be empty.

        Raises:
            InputError: a JSONL file is missing or empty, the folder is neither new nor empty, or the disk is full; the
                folder is then left empty.
        """
        require_content(files.passages, files.triples)
        make_folder(self.folder)
        with Tables(self.folder, (*NODES, *RELATIONSHIPS, HEADER)) as tables, Seen(self.folder) as seen:
            corpus = CorpusTables(tables, seen, self.embedder, on_problem=self.on_problem)
            for batch in read_triples(files.triples):
                corpus.expect(batch)
            total = size_of(files.passages)
            for passages in read_passages(files.passages, chunk_size=self.chunk_size, limits=self.limits):
                corpus.write_passages(passages)
                self.on_progress(Progress("passages", passages.done, total, corpus.report.passages))
            total = size_of(files.triples)
            for batch in read_triples(files.triples):
                corpus.write_triples(batch)
                self.on_progress(Progress("triples", batch.done, total, corpus.report.triples))
            corpus.write_header()
            corpus.report.entities = seen.count()
            tables.write("Entity", seen.entities())
            tables.write(STORE, [store_row(self.embedder)])
            tables.finish()
        write_arguments(self.folder)
        return corpus.report


class CorpusTables:
    """Writes the tables of passages and their triples; ``report`` has what they hold so far.

    Raises:
        InputError: from every method, where a table cannot be written to or the disk is full.
    """

    def __init__(
        self, tables: Tables, seen: Seen, embedder: Embedder, *, on_problem: Callable[[Problem], None]
    ) -> None:
        self.report = ExportReport()
        self._tables, self._seen, self._embedder, self._on_problem = tables, seen, embedder, on_problem
        self._columns, self._now = MetadataColumns(), _now()

    def expect(self, batch: TripleBatch) -> None:
        """Keep which passages have been read by an extractor, before they are written."""
        self._seen.fresh("completed", batch.completed)

    def write_passages(self, batch: PassageBatch) -> None:
        """Write those passages of a batch whose ids are new."""
        self._report_problems(batch.problems)
        new = set(self._seen.fresh("id", [passage.id for passage in batch.passages]))
        # Of two texts under one id the first counts, as in an ingest.
        first = {passage.id: passage for passage in reversed(batch.passages) if passage.id in new}
        metadata = self._metadata(batch, first)
        passages = [first[id] for id in metadata]
        self._seen.fresh("passage", metadata)
        completed = self._seen.known("completed", metadata)
        vectors = self._embedder.embed([passage.content for passage in passages]) if passages else ()
        self._tables.write(
            "Passage",
            (
                (*_passage_row(passage, self._now if passage.id in completed else None, vector), *metadata[passage.id])
                for passage, vector in zip(passages, vectors, strict=True)
            ),
        )
        self.report.passages += len(passages)

    def write_header(self) -> None:
        """Write the header of the passages; call it last, because each passage may add columns."""
        self._tables.write(HEADER, [(*NODES["Passage"], *self._columns.header())])

    def write_triples(self, batch: TripleBatch) -> None:
        """Write those triples of a batch that are new, and whose passages were written."""
        self._report_problems(batch.problems)
        known = self._seen.known("passage", list(batch.places))
        for passage, place in batch.places.items():
            if passage not in known:
                reason = f"names the passage {passage!r}, which is in no file"
                self._report_problems([Problem(place.file, place.line, reason)])
        by_id = {triple.id: triple for triple in batch.triples if triple.passage_id in known}
        triples = [by_id[id] for id in self._seen.fresh("triple", by_id)]
        self._seen.name({row["key"]: row["name"] for row in entity_rows(triples)})
        vectors = self._embedder.embed([triple.text for triple in triples]) if triples else ()
        self._tables.write("Triple", (_triple_row(*one) for one in zip(triples, vectors, strict=True)))
        self._tables.write("SUBJECT", ((triple.id, entity_key(triple.subject)) for triple in triples))
        self._tables.write("OBJECT", ((triple.id, entity_key(triple.object)) for triple in triples))
        self._tables.write("FROM", ((triple.id, triple.passage_id) for triple in triples))
        self.report.triples += len(triples)

    def _metadata(self, batch: PassageBatch, passages: Mapping[str, Passage]) -> dict[str, list[str | None]]:
        """The cells of the metadata of those passages that the files can carry, by id; reports all that they cannot."""
        metadata: dict[str, list[str | None]] = {}
        for passage, place in zip(batch.passages, batch.places, strict=True):
            if passages.get(passage.id) is not passage:
                continue
            if any(SEPARATOR in name for name in passage.readers or ()):
                reasons = [f"names a reader with {SEPARATOR!r} in its name: ingest it instead"]
            else:
                metadata[passage.id], misfits = self._columns.cells(passage.metadata)
                reasons = [f"{misfit}: left out; an ingest keeps it" for misfit in misfits]
            self._report_problems(Problem(place.file, place.line, reason) for reason in reasons)
        return metadata

    def _report_problems(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.report.problems += 1
            self._on_problem(problem)


def make_folder(folder: Path) -> None:
    """Make the folder of an export.

    Raises:
        InputError: it is neither new nor empty, or cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise InputError(f"{folder} is not empty: name a new folder")
    except OSError as error:
        raise InputError(f"{folder} cannot be written to: {error.strerror or error}") from error


def store_row(embedder: Embedder) -> tuple[str, str, int, str]:
    """The row of the store: which model made the vectors."""
    return "store", embedder.name, embedder.dimension, _now()


def _passage_row(passage: Passage, extracted: str | None, vector: Vectors) -> tuple[str | None, ...]:
    described = (passage.id, passage.title, passage.text, passage.source, passage.position)
    readers = SEPARATOR.join(passage.readers) if passage.readers else None
    return (*described, readers, extracted, GIVEN if extracted else None, _numbers(vector))


def _triple_row(triple: Triple, vector: Vectors) -> tuple[str, ...]:
    return triple.id, triple.subject, triple.predicate, triple.object, triple.text, GIVEN, _numbers(vector)


def _numbers(vector: Vectors) -> str:
    """A vector as the import reads it; nine digits distinguish every float32 from its neighbours.

    Example:
        >>> import numpy as np
        >>> _numbers(np.array([0.1, -2.0], dtype=np.float32))
        '0.100000001;-2'
    """
    return SEPARATOR.join(["%.9g"] * len(vector)) % tuple(vector.tolist())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
