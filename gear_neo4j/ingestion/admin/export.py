"""Exports a corpus as the files of a bulk import, equal to an ingest of the same sources.

The import creates no indexes: ``gear migrate`` creates them afterwards.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.admin.corpus_tables import CorpusTables, ExportReport, ExtractTriples, now
from gear_neo4j.ingestion.admin.seen import Seen
from gear_neo4j.ingestion.admin.tables import HEADER, NODES, RELATIONSHIPS, STORE, Tables, write_arguments
from gear_neo4j.ingestion.chunking import CHUNK_SIZE
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.naming import names_offline
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.reading import read_passages, read_triples, require_content, size_of
from gear_neo4j.ingestion.sources import Files
from gear_neo4j.models.embeddings import Embedder


@dataclass(frozen=True, slots=True)
class AdminExport:
    """One export: its folder, its embedder, the callbacks for problems and progress, and its extractors.

    The ``readers`` extract triples from passages that have none in the files, as in an ingest.
    """

    folder: Path
    embedder: Embedder
    on_problem: Callable[[Problem], None] = lambda _: None
    on_progress: Callable[[Progress], None] = lambda _: None
    chunk_size: int = CHUNK_SIZE
    limits: Limits = DEFAULT_LIMITS
    readers: Sequence[ExtractTriples] = ()

    def run(self, files: Files) -> ExportReport:
        """Write the files of a corpus into a new or empty folder.

        Raises:
            InputError: a JSONL file is missing or empty, the folder is not empty, or the disk is full; the folder is
                then left empty.
        """
        require_content(files.passages, files.triples)
        make_folder(self.folder)
        with Tables(self.folder, (*NODES, *RELATIONSHIPS, HEADER)) as tables, Seen(self.folder) as seen:
            corpus = CorpusTables(tables, seen, self.embedder, readers=self.readers, on_problem=self.on_problem)
            for batch in read_triples(files.triples):
                corpus.expect(batch)
            total = size_of(files.passages)
            named = names_offline(files)
            for path, reason in named.problems:
                self.on_problem(Problem(str(path), 0, reason))
            for passages in read_passages(
                [path for path in files.passages if path in named.names],
                chunk_size=self.chunk_size,
                limits=self.limits,
                documents=named.names,
            ):
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


def make_folder(folder: Path) -> None:
    """Create the folder of an export.

    Raises:
        InputError: it is not empty, or cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        require_empty(folder)
    except OSError as error:
        raise InputError(f"{folder} cannot be written to: {error.strerror or error}") from error


def require_empty(folder: Path) -> None:
    """Check that a folder is empty or does not exist.

    Raises:
        InputError: it is not empty.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty: name a new folder")


def store_row(embedder: Embedder) -> tuple[str, str, int, str]:
    """The row of the store, which records the embedding model."""
    return "store", embedder.name, embedder.dimension, now()
