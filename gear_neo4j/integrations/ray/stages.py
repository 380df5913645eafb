"""The stages of an ingest on Ray, each a function or a class that Ray runs in separate processes.

Stages pass pieces of work on, and may be repeated for any piece: input is never consumed, and written items are
recognised by their ids.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gear_neo4j.extraction.reader import ExtractionResult, PassageReader
from gear_neo4j.extraction.run import ExtractionReport, triples_of, write_extracted
from gear_neo4j.gear.connecting import open_graph, resolve_chat, resolve_embedder
from gear_neo4j.gear.session import Session
from gear_neo4j.graph.write.extraction_queue import Selection
from gear_neo4j.ingestion.batches import BatchOutcome, write_passage_batch, write_triple_batch
from gear_neo4j.ingestion.chunking import CHUNK_SIZE
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.loaders import is_document
from gear_neo4j.ingestion.membership import DEFAULT_MEMBERSHIP, CollectionAccess
from gear_neo4j.ingestion.reading import PassageBatch, TripleBatch, read_passages, read_triples
from gear_neo4j.ingestion.writing import passages_to_embed, triples_to_embed
from gear_neo4j.integrations.ray.pieces import Batch, Piece, Row, Written, unpacked
from gear_neo4j.integrations.ray.sources import sources_of
from gear_neo4j.models.embeddings import Embedder, Vectors
from gear_neo4j.recipes.recipe import ExtractorRecipe
from gear_neo4j.recipes.registry import EXTRACTORS
from gear_neo4j.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The parameters of every process of an ingest; without an embedder, that of the settings is used.

    ``folder`` is the working folder that paths are relative to, ``prefix`` the prefix of the sources in JSONL lines.
    """

    settings: Settings
    folder: Path = field(default_factory=Path.cwd)
    embedder: Embedder | None = None
    membership: CollectionAccess = DEFAULT_MEMBERSHIP
    prefix: str = ""
    chunk_size: int = CHUNK_SIZE
    limits: Limits = DEFAULT_LIMITS
    recipe: ExtractorRecipe | None = None
    selection: Selection | None = None
    retry_failed: bool = False

    def session(self, *, create: bool = False) -> Session:
        """A session on the graph, whose models are loaded on first use; see :meth:`gear_neo4j.Gear.connect`."""
        return Session(
            open_graph(self.settings, create=create, impersonate=None, bookmarks=(), report=lambda _: None),
            embedder=resolve_embedder(self.settings, self.embedder),
            chat=lambda: resolve_chat(None, self.settings),
            settings=self.settings,
        )


def read_passage_rows(table: "pa.Table", job: Job) -> Iterator[Row]:
    """Read passages from rows: paths of files, documents with their bytes, or passages as in JSONL."""
    with sources_of(table, folder=job.folder) as sources:
        for paths in sources.groups():
            batches = read_passages(
                paths,
                chunk_size=job.chunk_size,
                limits=job.limits,
                membership=job.membership,
                names=sources.names,
                documents=sources.documents,
                prefix=job.prefix,
            )
            # A document's passages stay together: stale passages are removed once these are written.
            yield from _rows(map(sources.shown, batches), together=is_document(paths[0]))


def read_triple_rows(table: "pa.Table", job: Job) -> Iterator[Row]:
    """Read triples from rows: paths of files, or triples as in JSONL."""
    with sources_of(table, folder=job.folder) as sources:
        for path in sources.paths:
            yield from _rows(map(sources.shown, read_triples([path], membership=job.membership)), together=False)


class Stage:
    """The base of the stages that use the graph."""

    def __init__(self, job: Job) -> None:
        self._job = job

    @cached_property
    def _session(self) -> Session:
        # Not when the actor is created: an error there would be lost.
        return self._job.session()


class Extract(Stage):
    """Reads the passages in a range of ids that still wait for an extractor."""

    def __call__(self, row: Row) -> Row:
        """A range: the id before the first, the last id, and the number of passages."""
        job = self._job
        assert job.selection
        page = self._session.graph.extraction.page(
            job.selection, after=row["after"], limit=row["passages"], failed=job.retry_failed
        )
        # If a range is read again, passages of other ranges follow.
        waiting = list(takewhile(lambda passage: passage.id <= row["last"], page))
        return Piece((self._reader.read(waiting),), row["passages"]).row()

    @cached_property
    def _reader(self) -> PassageReader:
        assert self._job.recipe
        return PassageReader(EXTRACTORS.make(self._session, self._job.recipe))


class Embed(Stage):
    """Adds the vectors of items that are not in the graph yet; holds the model."""

    def __call__(self, row: Row) -> Row:
        """A piece without vectors."""
        piece: Piece = unpacked(row)
        texts = list(dict.fromkeys(text for batch in piece.batches for text in self._texts(batch)))
        vectors = self._session.plain_embedder.embed(texts) if texts else ()
        return replace(piece, vectors=dict(zip(texts, vectors, strict=True))).row()

    def _texts(self, batch: Batch) -> list[str]:
        graph = self._session.graph
        match batch:
            case PassageBatch():
                return passages_to_embed(graph, batch.passages)
            case TripleBatch():
                return triples_to_embed(graph, batch.triples)
            case ExtractionResult():
                return triples_to_embed(graph, triples_of(batch.triples), extractor=batch.extractor)


class Write(Stage):
    """Writes pieces into the graph."""

    def __call__(self, row: Row) -> Row:
        """A piece with its vectors."""
        piece: Piece = unpacked(row)
        embedder = Ready(piece.vectors, self._session.plain_embedder)
        written = Written(piece.size)
        for batch in piece.batches:
            match batch:
                case ExtractionResult():
                    written = self._extracted(batch, embedder, piece.size)
                case _:
                    written = replace(written, outcomes=[*written.outcomes, self._ingested(batch, embedder)])
        return written.row()

    def _ingested(self, batch: PassageBatch | TripleBatch, embedder: Embedder) -> BatchOutcome:
        graph = self._session.graph
        if isinstance(batch, TripleBatch):
            return write_triple_batch(graph, batch, embedder=embedder)
        return write_passage_batch(graph, batch, embedder=embedder, membership=self._job.membership)

    def _extracted(self, batch: ExtractionResult, embedder: Embedder, size: int) -> Written:
        graph = self._session.graph
        written = write_extracted(graph, batch.triples, embedder=embedder, extractor=batch.extractor)
        for failure in batch.failures:
            graph.extraction.record_error(failure.passage.id, error=failure.reason, extractor=batch.extractor)
        report = ExtractionReport(
            done=len(batch.triples),
            failed=len(batch.failures),
            triples=written.new,
            malformed=sum(triples.malformed for _, triples in batch.triples),
            usage=batch.usage,
        )
        return Written(size, extraction=report, failures=batch.failures)


@dataclass(frozen=True, slots=True)
class Ready:
    """An embedder with precomputed vectors; missing ones, of items deleted since then, are computed here."""

    vectors: Mapping[str, Vectors]
    rest: Embedder

    @property
    def name(self) -> str:
        """The model's name."""
        return self.rest.name

    @property
    def dimension(self) -> int:
        """The length of each vector."""
        return self.rest.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text."""
        missing = [text for text in texts if text not in self.vectors]
        made = dict(zip(missing, self.rest.embed(missing), strict=True)) if missing else {}
        return np.array([made[text] if text in made else self.vectors[text] for text in texts], dtype=np.float32)


def _rows(batches: Iterator[PassageBatch] | Iterator[TripleBatch], *, together: bool) -> Iterator[Row]:
    """Pieces with one batch each, unless batches must stay together."""
    group: list[PassageBatch | TripleBatch] = []
    before = 0
    for batch in batches:
        # The triples that complete a passage must be written last.
        joined = together or (isinstance(batch, TripleBatch) and batch.goes_on)
        if group and not joined:
            yield Piece(group, group[-1].done - before).rows()
            before, group = group[-1].done, []
        group.append(batch)
    if group:
        yield Piece(group, group[-1].done - before).rows()
