"""Files for ``neo4j-admin database import``, by which a database that does not exist yet is filled fastest.

What an ingest of the same sources would write, as CSV with typed headers, in memory that does not grow with it. The
import makes no index: ``gear migrate`` does, afterwards.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from gear_neo4j.domain import Passage, Triple, digest, entity_key
from gear_neo4j.errors import InputError
from gear_neo4j.files import write_file
from gear_neo4j.graph.corpus_writes import entity_rows
from gear_neo4j.ingestion.admin_columns import SEPARATOR, MetadataColumns
from gear_neo4j.ingestion.chunking import CHUNK_SIZE
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.reading import PassageBatch, read_passages, read_triples, require_content, size_of
from gear_neo4j.ingestion.sources import Files
from gear_neo4j.ingestion.writing import GIVEN
from gear_neo4j.models.embeddings import Embedder, Vectors

ARGUMENTS = "import.args"
# In a file of its own: which metadata there is shows only at the end.
HEADER = "Passage-header"
# The end of the name of a table that is not complete yet.
PART = ".part"
SEEN = "seen.sqlite"
NODES = {
    "Passage": (
        "id:ID(Passage)",
        "title",
        "text",
        "source",
        "position",
        "readers:string[]",
        "extractedAt:datetime",
        "extractors:string[]",
        "embedding:float[]",
    ),
    "Entity": ("key:ID(Entity)", "name"),
    "Triple": ("id:ID(Triple)", "subject", "predicate", "object", "text", "extractor", "embedding:float[]"),
    "__GearStore": ("id:ID(Store)", "embeddingModel", "dimension:long", "createdAt:datetime"),
}
RELATIONSHIPS = {
    "SUBJECT": (":START_ID(Triple)", ":END_ID(Entity)"),
    "OBJECT": (":START_ID(Triple)", ":END_ID(Entity)"),
    "FROM": (":START_ID(Triple)", ":END_ID(Passage)"),
}
TABLES = (*NODES, *RELATIONSHIPS, HEADER)


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
    report: ExportReport = field(default_factory=ExportReport)

    def run(self, files: Files) -> ExportReport:
        """Write the files of a corpus into the folder, which is made, and must be empty.

        Raises:
            InputError: a JSONL file is missing or empty, the folder is neither new nor empty, or the disk is full; the
                folder is then left empty.
        """
        require_content(files.passages, files.triples)
        self._make_folder()
        try:
            self._tables(files)
            for name in TABLES:
                (self.folder / f"{name}.csv{PART}").replace(self.folder / f"{name}.csv")
            self._arguments()
        finally:
            for draft in (*self.folder.glob(f"*{PART}"), self.folder / SEEN):
                draft.unlink(missing_ok=True)
        return self.report

    def _tables(self, files: Files) -> None:
        with ExitStack() as stack:
            ids = stack.enter_context(_IdSet(self.folder / SEEN))
            tables = {name: stack.enter_context(_Table(self.folder, name)) for name in TABLES}
            for batch in read_triples(files.triples):
                ids.fresh("completed", batch.completed)
            self._passages(files.passages, tables, ids)
            self._triples(files.triples, tables, ids)
            tables["__GearStore"].write([("store", self.embedder.name, self.embedder.dimension, _now())])

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if any(self.folder.iterdir()):
                raise InputError(f"{self.folder} is not empty: name a new folder")
        except OSError as error:
            raise InputError(f"{self.folder} cannot be written to: {error.strerror or error}") from error

    def _passages(self, files: Sequence[Path], tables: dict[str, "_Table"], ids: "_IdSet") -> None:
        total, now, columns = size_of(files), _now(), MetadataColumns()
        for batch in read_passages(files, chunk_size=self.chunk_size, limits=self.limits):
            self._report_problems(batch.problems)
            new = set(ids.fresh("id", [passage.id for passage in batch.passages]))
            # Of two texts under one id the first counts, as in an ingest.
            first = {passage.id: passage for passage in reversed(batch.passages) if passage.id in new}
            metadata = self._check(batch, first, columns)
            passages = [first[id] for id in metadata]
            ids.fresh("passage", metadata)
            completed = ids.known("completed", metadata)
            vectors = self.embedder.embed([passage.content for passage in passages]) if passages else ()
            tables["Passage"].write(
                (*_passage_row(passage, now if passage.id in completed else None, vector), *metadata[passage.id])
                for passage, vector in zip(passages, vectors, strict=True)
            )
            self.report.passages += len(passages)
            self.on_progress(Progress("passages", batch.done, total, self.report.passages))
        tables[HEADER].write([(*NODES["Passage"], *columns.header())])

    def _check(
        self, batch: PassageBatch, passages: Mapping[str, Passage], columns: MetadataColumns
    ) -> dict[str, list[str | None]]:
        """The cells of the metadata of those passages that the files can carry, by id; reports all that they cannot."""
        metadata: dict[str, list[str | None]] = {}
        for passage, place in zip(batch.passages, batch.places, strict=True):
            if passages.get(passage.id) is not passage:
                continue
            if any(SEPARATOR in name for name in passage.readers or ()):
                reasons = [f"names a reader with {SEPARATOR!r} in its name: ingest it instead"]
            else:
                metadata[passage.id], misfits = columns.cells(passage.metadata)
                reasons = [f"{misfit}: left out; an ingest keeps it" for misfit in misfits]
            self._report_problems(Problem(place.file, place.line, reason) for reason in reasons)
        return metadata

    def _triples(self, files: Sequence[Path], tables: dict[str, "_Table"], ids: "_IdSet") -> None:
        total = size_of(files)
        for batch in read_triples(files):
            self._report_problems(batch.problems)
            known = ids.known("passage", list(batch.places))
            for passage, place in batch.places.items():
                if passage not in known:
                    self._report_problems(
                        [Problem(place.file, place.line, f"names the passage {passage!r}, which is in no file")]
                    )
            by_id = {triple.id: triple for triple in batch.triples if triple.passage_id in known}
            self._write([by_id[id] for id in ids.fresh("triple", by_id)], tables, ids)
            self.on_progress(Progress("triples", batch.done, total, self.report.triples))

    def _write(self, triples: Sequence[Triple], tables: dict[str, "_Table"], ids: "_IdSet") -> None:
        names = {row["key"]: row["name"] for row in entity_rows(triples)}
        entities = [(key, names[key]) for key in ids.fresh("entity", names)]
        tables["Entity"].write(entities)
        vectors = self.embedder.embed([triple.text for triple in triples]) if triples else ()
        tables["Triple"].write(
            (triple.id, triple.subject, triple.predicate, triple.object, triple.text, GIVEN, _numbers(vector))
            for triple, vector in zip(triples, vectors, strict=True)
        )
        tables["SUBJECT"].write((triple.id, entity_key(triple.subject)) for triple in triples)
        tables["OBJECT"].write((triple.id, entity_key(triple.object)) for triple in triples)
        tables["FROM"].write((triple.id, triple.passage_id) for triple in triples)
        self.report.triples += len(triples)
        self.report.entities += len(entities)

    def _arguments(self) -> None:
        """The options of the import, in a file that it takes as ``@import.args``."""
        here = self.folder.resolve().as_posix()
        headers = {"Passage": f"{here}/{HEADER}.csv,"}
        options = [f"--nodes={name}={headers.get(name, '')}{here}/{name}.csv" for name in NODES]
        options += [f"--relationships={name}={here}/{name}.csv" for name in RELATIONSHIPS]
        options += ["--multiline-fields=true", f"--array-delimiter={SEPARATOR}"]
        # In quotes, for the folder's name may hold spaces.
        write_file(self.folder / ARGUMENTS, "".join(f'"{option}"\n' for option in options))

    def _report_problems(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.report.problems += 1
            self.on_problem(problem)


class _Table:
    """One CSV file, with its header but for passages; it has its own name only once all tables are complete."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        with _explained(folder):
            self._file = (folder / f"{name}.csv{PART}").open("w", encoding="utf-8", newline="\n")
            if name not in ("Passage", HEADER):
                self._file.write(",".join((NODES | RELATIONSHIPS)[name]) + "\n")

    def write(self, rows: Iterable[Sequence[object]]) -> None:
        with _explained(self._folder):
            self._file.writelines(_line(row) for row in rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with _explained(self._folder):
            self._file.close()


class _IdSet:
    """A set of ids on disk: those of a large corpus would fill the memory."""

    def __init__(self, file: Path) -> None:
        self._folder = file.parent
        self._base = sqlite3.connect(file, isolation_level=None)
        try:
            with _explained(self._folder):
                self._base.execute("PRAGMA journal_mode = OFF")
                self._base.execute("PRAGMA synchronous = OFF")
                self._base.execute("CREATE TABLE seen (key BLOB PRIMARY KEY) WITHOUT ROWID")
        except InputError:
            self._base.close()
            raise

    def fresh(self, kind: str, names: Iterable[str]) -> list[str]:
        """The names that are not in the set yet, in their order; adds them."""
        add = "INSERT OR IGNORE INTO seen VALUES (?)"
        with _explained(self._folder):
            self._base.execute("BEGIN")
            new = [name for name in names if self._base.execute(add, (_key(kind, name),)).rowcount]
            self._base.execute("COMMIT")
        return new

    def known(self, kind: str, names: Iterable[str]) -> set[str]:
        """The names that are in the set."""
        select = "SELECT 1 FROM seen WHERE key = ?"
        return {name for name in names if self._base.execute(select, (_key(kind, name),)).fetchone()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Translate what a full disk gives, whether a file or SQLite meets it."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"{folder} cannot be written: {getattr(error, 'strerror', None) or error}") from error


def _key(kind: str, name: str) -> bytes:
    return bytes.fromhex(digest(kind, name))


def _line(row: Sequence[object]) -> str:
    """A row of CSV in which an empty text and a missing one differ, as the module csv writes it from 3.12 on.

    Example:
        >>> print(_line(("p1", "", None, 'a "no" it was')), end="")
        "p1","",,"a ""no"" it was"
    """
    return ",".join("" if cell is None else '"' + str(cell).replace('"', '""') + '"' for cell in row) + "\n"


def _passage_row(passage: Passage, extracted: str | None, vector: Vectors) -> tuple[str | None, ...]:
    described = (passage.id, passage.title, passage.text, passage.source, passage.position)
    readers = SEPARATOR.join(passage.readers) if passage.readers else None
    return (*described, readers, extracted, GIVEN if extracted else None, _numbers(vector))


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
