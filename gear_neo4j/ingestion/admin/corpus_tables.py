"""Writes the tables of passages and their triples, as an ingest would store them, in constant memory."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from itertools import pairwise
from typing import TypeAlias

from gear_neo4j.domain import Passage, Triple, entity_key
from gear_neo4j.graph.write.corpus_writes import entity_rows
from gear_neo4j.ingestion.admin.columns import SEPARATOR, MetadataColumns
from gear_neo4j.ingestion.admin.seen import Seen
from gear_neo4j.ingestion.admin.tables import HEADER, NODES, Tables
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.reading import PassageBatch, TripleBatch
from gear_neo4j.ingestion.writing import GIVEN
from gear_neo4j.models.embeddings import Embedder, Vectors
from gear_neo4j.usage import Usage


@dataclass(slots=True)
class ExportReport:
    """The numbers of items written; ``problems`` counts the problems, which are reported as they occur."""

    passages: int = 0
    triples: int = 0
    entities: int = 0
    problems: int = 0
    # The passages that extractors read, the triples they made, and the passages without a usable result.
    passages_extracted: int = 0
    triples_extracted: int = 0
    unread: int = 0
    usage: Usage = Usage()

    def add(self, other: "ExportReport") -> None:
        """Add what was written elsewhere."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedTriples:
    """The triples that an extractor made, by the id of each passage that it read, and the problems with the rest."""

    extractor: str
    triples: Mapping[str, Sequence[Triple]]
    problems: Sequence[Problem] = ()
    usage: Usage = Usage()


ExtractTriples: TypeAlias = Callable[[Sequence[Passage]], ExtractedTriples]


class CorpusTables:
    """Writes the tables of passages and their triples; ``report`` counts their rows.

    Raises:
        InputError: from every method, where a table cannot be written to or the disk is full.
    """

    def __init__(
        self,
        tables: Tables,
        seen: Seen,
        embedder: Embedder,
        *,
        readers: Sequence[ExtractTriples] = (),
        on_problem: Callable[[Problem], None],
    ) -> None:
        self.report = ExportReport()
        self._tables, self._seen, self._embedder = tables, seen, embedder
        self._readers, self._on_problem = readers, on_problem
        self._columns, self._now = MetadataColumns(), now()

    def expect(self, batch: TripleBatch) -> None:
        """Record the passages that already have triples, before they are written."""
        self._seen.fresh("completed", batch.completed)

    def write_passages(self, batch: PassageBatch) -> None:
        """Write the passages of a batch with new ids, and the triples that the readers extract from them."""
        self._report_problems(batch.problems)
        new = set(self._seen.fresh("id", [passage.id for passage in batch.passages]))
        # If two texts have the same id, the first counts, as in an ingest.
        first = {passage.id: passage for passage in reversed(batch.passages) if passage.id in new}
        metadata = self._metadata(batch, first)
        passages = [first[id] for id in metadata]
        self._seen.fresh("passage", metadata)
        completed = self._seen.known("completed", metadata)
        made = [read([one for one in passages if one.id not in completed]) for read in self._readers]
        extractors = {id: [GIVEN] for id in completed}
        for read in made:
            for id in read.triples:
                extractors.setdefault(id, []).append(read.extractor)
        vectors = self._embedder.embed([passage.content for passage in passages]) if passages else ()
        self._tables.write(
            "Passage",
            (
                (*_passage_row(passage, extractors.get(passage.id, ()), self._now, vector), *metadata[passage.id])
                for passage, vector in zip(passages, vectors, strict=True)
            ),
        )
        self._write_order(batch.documents)
        self.report.passages += len(passages)
        self.report.passages_extracted += len(extractors) - len(completed)
        for read in made:
            self._write_extracted(read)

    def write_header(self) -> None:
        """Write the header of the passages; call this last, since each passage may add columns."""
        self._tables.write(HEADER, [(*NODES["Passage"], *self._columns.header())])

    def write_triples(self, batch: TripleBatch) -> None:
        """Write the new triples of a batch whose passages were written."""
        self._report_problems(batch.problems)
        known = self._seen.known("passage", list(batch.locations))
        for passage, location in batch.locations.items():
            if passage not in known:
                reason = f"names the passage {passage!r}, which is in no file"
                self._report_problems([Problem(location.file, location.line, reason)])
        self._write([triple for triple in batch.triples if triple.passage_id in known], extractor=GIVEN)

    def _write_order(self, documents: Mapping[str, Sequence[str]]) -> None:
        """Write which passage follows which in each document; a document in two files has the order of the first."""
        for source in self._seen.fresh("document", documents):
            written = self._seen.known("passage", documents[source])
            ids = [id for id in documents[source] if id in written]
            self._tables.write("NEXT_PASSAGE", pairwise(ids))

    def _write_extracted(self, read: ExtractedTriples) -> None:
        for problem in read.problems:
            self._on_problem(problem)
        written = self._write([triple for some in read.triples.values() for triple in some], extractor=read.extractor)
        self.report.add(ExportReport(triples_extracted=written, unread=len(read.problems), usage=read.usage))

    def _write(self, found: Sequence[Triple], *, extractor: str) -> int:
        """Write the new triples; returns their number."""
        by_id = {triple.id: triple for triple in found}
        triples = [by_id[id] for id in self._seen.fresh("triple", by_id)]
        self._seen.name({row["key"]: row["name"] for row in entity_rows(triples)})
        vectors = self._embedder.embed([triple.text for triple in triples]) if triples else ()
        self._tables.write("Triple", (_triple_row(*one, extractor) for one in zip(triples, vectors, strict=True)))
        self._tables.write("SUBJECT", ((triple.id, entity_key(triple.subject)) for triple in triples))
        self._tables.write("OBJECT", ((triple.id, entity_key(triple.object)) for triple in triples))
        self._tables.write("FROM", ((triple.id, triple.passage_id) for triple in triples))
        self.report.triples += len(triples)
        return len(triples)

    def _metadata(self, batch: PassageBatch, passages: Mapping[str, Passage]) -> dict[str, list[str | None]]:
        """The metadata cells of the passages that the files can represent, by id; reports the problems with others."""
        metadata: dict[str, list[str | None]] = {}
        for passage, location in zip(batch.passages, batch.locations, strict=True):
            if passages.get(passage.id) is not passage:
                continue
            if any(SEPARATOR in name for name in passage.readers or ()):
                reasons = [f"names a reader with {SEPARATOR!r} in its name: ingest it instead"]
            else:
                metadata[passage.id], misfits = self._columns.cells(passage.metadata)
                reasons = [f"{misfit}: left out; an ingest keeps it" for misfit in misfits]
            self._report_problems(Problem(location.file, location.line, reason) for reason in reasons)
        return metadata

    def _report_problems(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.report.problems += 1
            self._on_problem(problem)


def _passage_row(passage: Passage, extractors: Sequence[str], now: str, vector: Vectors) -> tuple[str | None, ...]:
    described = (passage.id, passage.title, passage.text, passage.source, passage.position)
    readers = SEPARATOR.join(passage.readers) if passage.readers else None
    extracted = (now, SEPARATOR.join(extractors)) if extractors else (None, None)
    return (*described, readers, *extracted, _numbers(vector))


def _triple_row(triple: Triple, vector: Vectors, extractor: str) -> tuple[str, ...]:
    return triple.id, triple.subject, triple.predicate, triple.object, triple.text, extractor, _numbers(vector)


def _numbers(vector: Vectors) -> str:
    """A vector in the format of the import; nine digits distinguish every float32 from its neighbours.

    Example:
        >>> import numpy as np
        >>> _numbers(np.array([0.1, -2.0], dtype=np.float32))
        '0.100000001;-2'
    """
    return SEPARATOR.join(["%.9g"] * len(vector)) % tuple(vector.tolist())


def now() -> str:
    """The time in the format of the import."""
    return datetime.now(UTC).isoformat(timespec="seconds")
