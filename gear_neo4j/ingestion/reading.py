"""Reads files as a stream of batches, for an ingest or a dry run, without a database."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gear_neo4j.domain import Passage, Triple
from gear_neo4j.errors import InputError
from gear_neo4j.graph.write.manifest import ReadSource
from gear_neo4j.ingestion.chunking import CHUNK_SIZE
from gear_neo4j.ingestion.conversion import Converter
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import PassageTriples, Problem, parsed, read_lines, to_passage, to_triples
from gear_neo4j.ingestion.loaders import is_document
from gear_neo4j.ingestion.membership import DEFAULT_MEMBERSHIP, CollectionAccess
from gear_neo4j.ingestion.versions import digest, file_version, read_options
from gear_neo4j.scope import qualified_id

PASSAGES_A_BATCH = 256
TRIPLES_A_BATCH = 500
# Up to this many triples of one passage stay together in a batch.
TRIPLES_AT_MOST = 2_000
SAMPLED_LINES = 100
NO_NAMES: Mapping[Path, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A line of a file; line 0 means the whole file."""

    file: str
    line: int


@dataclass(slots=True)
class PassageBatch:
    """Passages with their locations, problems, and the documents that end in this batch.

    ``documents`` holds the ids of all passages of each such document in order, by its source, and ``records`` those of
    them that are files of a source, as they were read; ``done`` counts the bytes read so far.
    """

    passages: list[Passage] = field(default_factory=list)
    locations: list[Location] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    documents: dict[str, list[str]] = field(default_factory=dict)
    records: list[ReadSource] = field(default_factory=list)
    done: int = 0

    @property
    def full(self) -> bool:
        """Whether to write it before reading more."""
        return max(len(self.passages), len(self.problems)) >= PASSAGES_A_BATCH


@dataclass(slots=True)
class TripleBatch:
    """Triples, the passages that they complete, the location of each passage, and problems.

    ``goes_on`` says that the first triples belong to a passage that the previous batch began.
    """

    triples: list[Triple] = field(default_factory=list)
    completed: list[str] = field(default_factory=list)
    locations: dict[str, Location] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    done: int = 0
    goes_on: bool = False

    @property
    def full(self) -> bool:
        """Whether to write it before reading more."""
        return max(len(self.triples), len(self.completed), len(self.problems)) >= TRIPLES_A_BATCH


def require_content(passages: Sequence[Path], triples: Sequence[Path]) -> None:
    """Refuse JSONL files that are missing or empty; documents without text are reported later, as problems.

    Raises:
        InputError: names the first such file.
    """
    for path in (*(path for path in passages if not is_document(path)), *triples):
        if not path.is_file():
            raise InputError(f"{path} is not a file: give a JSONL file")
        if next(read_lines(path), None) is None:
            raise InputError(f"{path} is empty: one JSON object a line is expected")


def size_of(files: Sequence[Path]) -> int:
    """The total size of files in bytes; missing files count as 0."""
    return sum(path.stat().st_size for path in files if path.is_file())


def estimated_triples(files: Sequence[Path]) -> int:
    """The approximate number of triples in files, from their sizes and first lines."""
    return round(sum(_estimate(path) for path in files))


def read_passages(
    files: Sequence[Path],
    *,
    chunk_size: int = CHUNK_SIZE,
    limits: Limits = DEFAULT_LIMITS,
    membership: CollectionAccess = DEFAULT_MEMBERSHIP,
    names: Mapping[Path, str] = NO_NAMES,
    documents: Mapping[Path, str] = NO_NAMES,
    prefix: str = "",
) -> Iterator[PassageBatch]:
    """The passages of documents and JSONL files, in batches that may span files; at most one document is in memory.

    Args:
        names: what replaces the names of files in titles and metadata.
        documents: the names of the documents that files are; by default their names, or their paths.
        prefix: begins the sources that lines of JSONL name.
    """
    batch, before = PassageBatch(), 0
    with Converter(limits) as converter:
        for path in files:
            name, source = names.get(path), documents.get(path)
            record = _record(path, source, chunk_size, limits, membership) if source and is_document(path) else None
            items = (
                _from_document(path, name, source, chunk_size, converter)
                if is_document(path)
                else _from_lines(path, source or name or path.name, prefix, membership)
            )
            for item in items:
                # A document ends in the batch of its last passage, so that what is stale goes with it.
                if batch.full and not isinstance(item, _DocumentEnd):
                    yield batch
                    batch = PassageBatch()
                match item:
                    case Problem():
                        batch.problems.append(item)
                    case _DocumentEnd(source, ids):
                        batch.documents[source] = [qualified_id(id, membership.collection) for id in ids]
                        batch.records += [record] if record else []
                    case _ReadPassage(passage, location, end):
                        batch.passages.append(membership.passage(passage))
                        batch.locations.append(location)
                        batch.done = before + end
            before += size_of([path])
    batch.done = before
    yield batch


def read_triples(files: Sequence[Path], *, membership: CollectionAccess = DEFAULT_MEMBERSHIP) -> Iterator[TripleBatch]:
    """The triples of JSONL files; if those of a passage span several batches, the last batch completes it."""

    def parse(row: dict[str, Any]) -> PassageTriples:
        record = to_triples(row)
        membership.own(record.passage)
        return record

    batch, before = TripleBatch(), 0
    for path in files:
        for line in read_lines(path):
            batch.done = before + line.end
            record = parsed(line, parse)
            if isinstance(record, Problem):
                batch.problems.append(record)
            else:
                location = Location(line.file, line.number)
                batch.problems.extend(Problem(location.file, location.line, reason) for reason in record.malformed)
                passage = qualified_id(record.passage, membership.collection)
                batch.locations.setdefault(passage, location)
                for triple in record.triples:
                    if len(batch.triples) >= TRIPLES_AT_MOST:
                        yield batch
                        batch = TripleBatch(locations={passage: location}, done=batch.done, goes_on=True)
                    batch.triples.append(membership.triple(triple))
                batch.completed.append(passage)
            if batch.full:
                yield batch
                batch = TripleBatch()
        before += size_of([path])
    batch.done = before
    yield batch


@dataclass(frozen=True, slots=True)
class _ReadPassage:
    """A passage, its location, and the offset of its end in the file, in bytes."""

    passage: Passage
    location: Location
    end: int


@dataclass(frozen=True, slots=True)
class _DocumentEnd:
    """Marks the end of a document: its source, and the ids of all its passages in order."""

    source: str
    ids: tuple[str, ...]


def _record(
    path: Path, source: str, chunk_size: int, limits: Limits, membership: CollectionAccess
) -> ReadSource | None:
    """The record of a file that is about to be read; None if it cannot be."""
    options = read_options(source, chunk_size=chunk_size, readers=membership.readers, limits=limits)
    version = file_version(path, now=time.time())
    try:
        return ReadSource(source, version, digest(path), options=options)
    except InputError:
        return None


def _estimate(path: Path) -> float:
    triples = end = 0
    for line in islice(read_lines(path), SAMPLED_LINES):
        record = parsed(line, to_triples)
        triples, end = triples + (0 if isinstance(record, Problem) else len(record.triples)), line.end
    return triples * size_of([path]) / end if end else 0


def _from_lines(path: Path, source: str, prefix: str, membership: CollectionAccess) -> Iterator[_ReadPassage | Problem]:
    def parse(row: dict[str, Any]) -> Passage:
        passage = to_passage(row, source=source, prefix=prefix)
        membership.own(passage.id)
        return passage

    for line in read_lines(path):
        passage = parsed(line, parse)
        yield (
            passage
            if isinstance(passage, Problem)
            else _ReadPassage(passage, Location(line.file, line.number), line.end)
        )


def _from_document(
    path: Path, name: str | None, source: str | None, chunk_size: int, converter: Converter
) -> Iterator[_ReadPassage | _DocumentEnd | Problem]:
    try:
        converted = converter.convert(path, size=chunk_size, name=name, source=source)
    except InputError as error:
        yield Problem(str(path), 0, str(error))
        return
    for passage in converted.passages:
        yield _ReadPassage(passage, Location(str(path), 0), 0)
    for remark in converted.remarks:
        yield Problem(str(path), 0, remark)
    yield _DocumentEnd(source or name or path.as_posix(), tuple(passage.id for passage in converted.passages))
