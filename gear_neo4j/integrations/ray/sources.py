"""The rows of a Ray dataset as files to read: paths, documents with their bytes, or passages and triples."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.loaders import is_document
from gear_neo4j.ingestion.reading import Location, PassageBatch, TripleBatch

if TYPE_CHECKING:
    import pyarrow as pa

# The file name of a dataset's rows in problems, and the default source of their passages.
ROWS = "dataset"
DOCUMENTS_A_PIECE = 32
BYTES_A_BLOCK = 4_000_000
Batch = TypeVar("Batch", PassageBatch, TripleBatch)


@dataclass(frozen=True, slots=True)
class RowSources:
    """The files of rows.

    ``names`` has the names of files that are not their own, ``documents`` those of their documents, and ``known`` those
    of files in problems.
    """

    paths: Sequence[Path]
    names: dict[Path, str] = field(default_factory=dict)
    documents: dict[Path, str] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)

    def groups(self) -> Iterator[list[Path]]:
        """Groups of documents, and each JSONL file alone."""
        for documents, paths in groupby(self.paths, is_document):
            some, most = list(paths), DOCUMENTS_A_PIECE if documents else 1
            yield from (some[start : start + most] for start in range(0, len(some), most))

    def shown(self, batch: Batch) -> Batch:
        """The batch with the file names that the user knows."""
        batch.problems = [replace(problem, file=self._known(problem.file)) for problem in batch.problems]
        if isinstance(batch, TripleBatch):
            batch.locations = {id: self._location(location) for id, location in batch.locations.items()}
        else:
            batch.locations = [self._location(location) for location in batch.locations]
        return batch

    def _location(self, location: Location) -> Location:
        return replace(location, file=self._known(location.file))

    def _known(self, file: str) -> str:
        return self.known.get(file, file)


def file_rows(paths: Sequence[Path], documents: Mapping[Path, str]) -> list[list[dict[str, str]]]:
    """Rows for files that all machines can read, in blocks: large files alone, small files together.

    Args:
        documents: the names of the documents that they are.
    """
    blocks: list[list[dict[str, str]]] = []
    room = 0
    for path in paths:
        size = path.stat().st_size if path.is_file() else 0
        if size > room or len(blocks[-1]) == DOCUMENTS_A_PIECE or not is_document(path):
            blocks.append([])
            room = BYTES_A_BLOCK
        room -= size if is_document(path) else room
        blocks[-1].append({"path": path.as_posix(), "document": documents.get(path, "")})
    return blocks


@contextmanager
def sources_of(table: "pa.Table", *, folder: Path) -> Iterator[RowSources]:
    """The files of a table, relative to a folder; the content of rows is written to temporary files.

    Raises:
        InputError: this machine cannot read the folder.
    """
    with ExitStack() as stack:
        try:
            # The ids of passages include the path of their document.
            stack.enter_context(chdir(folder))
        except OSError as error:
            raise InputError(f"a machine of the cluster cannot read {folder}: {error.strerror or error}") from error
        drafts = stack.enter_context(TemporaryDirectory(prefix="gear-ray-"))
        yield _sources(table.to_pylist(), Path(drafts))


def _sources(rows: Sequence[dict[str, Any]], folder: Path) -> RowSources:
    sources, paths, lines = RowSources([]), [], []
    for number, row in enumerate(rows):
        given = row.get("path")
        if given is None:
            lines.append(json.dumps({key: value for key, value in row.items() if value is not None}, default=str))
            continue
        path = Path(given)
        if row.get("bytes") is not None:
            path = folder / f"{number}{path.suffix}"
            path.write_bytes(row["bytes"])
            # The default source of a JSONL line is the file's name without its folder.
            sources.names[path] = given if is_document(path) else Path(given).name
            sources.known[str(path)] = given
        if row.get("document"):
            sources.documents[path] = row["document"]
        paths.append(path)
    if lines:
        path = folder / f"{ROWS}.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        paths.append(path)
        sources.names[path] = sources.known[str(path)] = ROWS
    return replace(sources, paths=paths)
