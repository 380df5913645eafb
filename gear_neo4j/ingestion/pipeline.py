"""The ingest itself: passages first, then their triples, in batches that are each committed by themselves.

Killed at any point, it can be run again: what is committed is found by its ids and skipped.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from gear_neo4j.domain import Passage, Triple
from gear_neo4j.errors import InputError
from gear_neo4j.graph.database import Database
from gear_neo4j.graph.store import prepare
from gear_neo4j.ingestion.lines import Line, Problem, parsed, read_lines, to_passage, to_triples
from gear_neo4j.ingestion.synonyms import write_synonyms
from gear_neo4j.ingestion.writing import write_passages, write_triples
from gear_neo4j.models.embeddings import Embedder

PASSAGES_A_BATCH = 256
TRIPLES_A_BATCH = 500


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is: ``done`` of ``total`` (bytes of its file, or entities), and how many items it wrote."""

    stage: str
    done: int
    total: int
    written: int


@dataclass(slots=True)
class IngestReport:
    """What an ingest read and wrote; ``problems`` counts what could not be used, each was reported as it came up."""

    passages_read: int = 0
    passages_written: int = 0
    triples_read: int = 0
    triples_written: int = 0
    synonyms_written: int = 0
    problems: int = 0


@dataclass(frozen=True, slots=True)
class Ingest:
    """One ingest: where it writes, what embeds, and who hears of problems and progress."""

    database: Database
    embedder: Embedder
    on_problem: Callable[[Problem], None] = lambda _: None
    on_progress: Callable[[Progress], None] = lambda _: None
    report: IngestReport = field(default_factory=IngestReport)

    def run(self, passages: list[Path], triples: list[Path], *, synonyms: bool = False) -> IngestReport:
        """Ingest files of passages, then files of triples, and, if asked for, link synonymous entities.

        Raises:
            InputError: a file is missing or empty; nothing was written.
            EmbeddingMismatch, ForeignGraph, MigrationError: the database is not one to write to; it is untouched.
        """
        for path in (*passages, *triples):
            _require_content(path)
        prepare(self.database, model=self.embedder.name, dimension=self.embedder.dimension)
        for path in passages:
            self._passages(path)
        for path in triples:
            self._triples(path)
        if synonyms:
            self._synonyms()
        return self.report

    def _passages(self, path: Path) -> None:
        batch: dict[int, Passage] = {}
        for line in read_lines(path):
            passage = parsed(line, partial(to_passage, source=path.name))
            if isinstance(passage, Problem):
                self._problem(passage)
                continue
            batch[line.number] = passage
            if len(batch) >= PASSAGES_A_BATCH:
                self._write_passages(batch, line, path)
                batch = {}
        self._write_passages(batch, None, path)

    def _write_passages(self, batch: dict[int, Passage], line: Line | None, path: Path) -> None:
        written = write_passages(self.database, list(batch.values()), embedder=self.embedder)
        lines = list(batch)
        for place in written.different:
            passage = batch[lines[place]]
            reason = f"another text has the id {passage.id!r} already: give this one an id of its own"
            self._problem(Problem(str(path), lines[place], reason))
        self.report.passages_read += len(batch)
        self.report.passages_written += written.new
        self._progress("passages", path, line, self.report.passages_written)

    def _triples(self, path: Path) -> None:
        batch = _TripleBatch()
        for line in read_lines(path):
            found = parsed(line, to_triples)
            if isinstance(found, Problem):
                self._problem(found)
                continue
            for reason in found.malformed:
                self._problem(Problem(line.file, line.number, reason))
            batch.lines.setdefault(found.passage, line.number)
            # A passage of very many triples is spread over several batches; its status comes with the last.
            for triple in found.triples:
                batch.triples.append(triple)
                if len(batch.triples) >= TRIPLES_A_BATCH:
                    self._write_triples(batch, line, path)
                    batch = _TripleBatch(lines={found.passage: line.number})
            batch.completed.append(found.passage)
        self._write_triples(batch, None, path)

    def _write_triples(self, batch: "_TripleBatch", line: Line | None, path: Path) -> None:
        written = write_triples(self.database, batch.triples, completed=batch.completed, embedder=self.embedder)
        for passage in sorted(written.unknown, key=batch.lines.__getitem__):
            reason = f"names the passage {passage!r}, which does not exist: ingest it first, then this file again"
            self._problem(Problem(str(path), batch.lines[passage], reason))
        self.report.triples_read += len(batch.triples)
        self.report.triples_written += written.new
        self._progress("triples", path, line, self.report.triples_written)

    def _synonyms(self) -> None:
        for done, total, written in write_synonyms(self.database, embedder=self.embedder):
            self.report.synonyms_written = written
            self.on_progress(Progress("synonyms", done, total, written))

    def _problem(self, problem: Problem) -> None:
        self.report.problems += 1
        self.on_problem(problem)

    def _progress(self, stage: str, path: Path, line: Line | None, written: int) -> None:
        size = path.stat().st_size
        self.on_progress(Progress(stage, line.end if line else size, size, written))


@dataclass(slots=True)
class _TripleBatch:
    """Triples to be written together, the passages they complete, and the line that each passage was named on."""

    triples: list[Triple] = field(default_factory=list)
    completed: list[str] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)


def read_only(
    passages: list[Path], triples: list[Path], *, on_problem: Callable[[Problem], None] = lambda _: None
) -> IngestReport:
    """Read the files as an ingest would and report what is in them; no database is asked and nothing is written.

    Raises:
        InputError: a file is missing or empty.
    """
    report = IngestReport()
    for path in (*passages, *triples):
        _require_content(path)
    for path in passages:
        for line in read_lines(path):
            passage = parsed(line, to_passage)
            problems = [passage] if isinstance(passage, Problem) else []
            report.passages_read += not problems
            _tell(problems, report, on_problem)
    for path in triples:
        for line in read_lines(path):
            found = parsed(line, to_triples)
            if isinstance(found, Problem):
                _tell([found], report, on_problem)
                continue
            report.triples_read += len(found.triples)
            _tell([Problem(line.file, line.number, reason) for reason in found.malformed], report, on_problem)
    return report


def _tell(problems: Sequence[Problem], report: IngestReport, on_problem: Callable[[Problem], None]) -> None:
    report.problems += len(problems)
    for problem in problems:
        on_problem(problem)


def files_to_ingest(sources: Sequence[str | Path], triples: Sequence[str | Path]) -> tuple[list[Path], list[Path]]:
    """The files of passages and the files of triples that sources stand for.

    A folder holds ``corpus.jsonl`` and perhaps ``triples.jsonl``; a single file holds passages.

    Raises:
        InputError: a source does not exist, or is a folder without a corpus.
    """
    passages: list[Path] = []
    facts: list[Path] = []
    for source in map(Path, sources):
        if not source.exists():
            raise InputError(f"{source} does not exist: give a JSONL file of passages, or a folder with corpus.jsonl")
        corpus = source / "corpus.jsonl" if source.is_dir() else source
        if not corpus.is_file():
            raise InputError(f"{source} has no corpus.jsonl: give a JSONL file of passages, or a folder that holds one")
        passages.append(corpus)
        if source.is_dir() and (source / "triples.jsonl").is_file():
            facts.append(source / "triples.jsonl")
    return passages, [*facts, *map(Path, triples)]


def _require_content(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"{path} is not a file: give a JSONL file")
    if next(read_lines(path), None) is None:
        raise InputError(f"{path} is empty: one JSON object a line is expected")
