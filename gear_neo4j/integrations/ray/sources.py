"""The rows of a Ray dataset as files to read: paths, documents with their bytes, or passages and triples themselves."""

import json
from collections.abc import Iterator, Sequence
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

# What problems call the rows of a dataset, and the source of passages that name none.
ROWS = "dataset"
DOCUMENTS_A_PIECE = 32
BYTES_A_BLOCK = 4_000_000
Batch = TypeVar("Batch", PassageBatch, TripleBatch)


@dataclass(frozen=True, slots=True)
class RowSources:
    """Files by which rows are read; ``names`` has the sources of passages, ``known`` what problems call the files."""

    paths: Sequence[Path]
    names: dict[Path, str] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)

    def groups(self) -> Iterator[list[Path]]:
        """Some documents at a time, and each JSONL file by itself."""
        for documents, paths in groupby(self.paths, is_document):
            some, most = list(paths), DOCUMENTS_A_PIECE if documents else 1
            yield from (some[start : start + most] for start in range(0, len(some), most))

    def shown(self, batch: Batch) -> Batch:
        """The batch with the names of files that the user knows."""
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


def file_rows(paths: Sequence[Path]) -> list[list[dict[str, str]]]:
    """Rows for files that all machines can read, in blocks: large files alone, small ones together."""
    blocks: list[list[dict[str, str]]] = []
    room = 0
    for path in paths:
        size = path.stat().st_size if path.is_file() else 0
        if size > room or len(blocks[-1]) == DOCUMENTS_A_PIECE or not is_document(path):
            blocks.append([])
            room = BYTES_A_BLOCK
        room -= size if is_document(path) else room
        blocks[-1].append({"path": path.as_posix()})
    return blocks


@contextmanager
def sources_of(table: "pa.Table", *, folder: Path) -> Iterator[RowSources]:
    """The files of a table, as seen from a folder; what is in the rows themselves is written to temporary ones.

    Raises:
        InputError: this machine has no such folder.
    """
    with ExitStack() as stack:
        try:
            # The path of a document is a part of its passages' ids.
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
            # A line of JSONL that names no source has the file's own name for one, wherever the file lies.
            sources.names[path] = given if is_document(path) else Path(given).name
            sources.known[str(path)] = given
        paths.append(path)
    if lines:
        path = folder / f"{ROWS}.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        paths.append(path)
        sources.names[path] = sources.known[str(path)] = ROWS
    return replace(sources, paths=paths)
