"""``gear import``: imports nodes and relationships from neo4j-admin's CSV files into a running database.

Each batch commits the progress in its file, so a killed import continues with the next row. Until the import is
finished, the nodes have an internal label and key, by which relationships find them, and by which it can be given up.
Of a batch that the server refuses, the rows at fault are found by halves.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from gear_neo4j.adoption.admin_csv import Dialect, Header, Row, ServerValue, open_csv, parse_row
from gear_neo4j.errors import DatabaseError, InputError
from gear_neo4j.graph.connection.refusals import is_about_values
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.imports import FileProgress
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress

ROWS_A_BATCH = 1_000
FINISHED_A_BATCH = 10_000
DELETED_A_BATCH = 1_000
GIVE_UP = "give it up with 'gear import --abandon'"
COMMAS = Dialect()
# Rows to write, and the lines of unusable rows, with the reasons.
_Batch = tuple[list[dict[str, object]], list[tuple[int, str]]]


@dataclass(slots=True)
class ImportReport:
    """The numbers of nodes and relationships written, and of unusable rows."""

    nodes: int = 0
    relationships: int = 0
    problems: int = 0


@dataclass(slots=True)
class _File:
    """A file of an import: its path, its header, and the last line that an earlier run has read."""

    path: Path
    header: Header
    fingerprint: str
    done: int = 0


@dataclass(frozen=True, slots=True)
class Import:
    """An import: the graph, the dialect of the files, and the callbacks for problems and progress."""

    graph: Graph
    dialect: Dialect = COMMAS
    on_problem: Callable[[Problem], None] = lambda _: None
    on_progress: Callable[[Progress], None] = lambda _: None
    report: ImportReport = field(default_factory=ImportReport)

    def run(self, paths: Sequence[Path]) -> ImportReport:
        """Import files of nodes, then files of relationships; their headers distinguish them.

        What an earlier import has left on record without writing anything is forgotten.

        Raises:
            InputError: a file or its header cannot be used, or the first node is already in the database; nothing was
                written. Or another import is not finished, or another process is importing the same files.
            MigrationError: a newer gear-neo4j has migrated the database.
        """
        files = [self._file(path) for path in paths]
        if not files:
            raise InputError("nothing to import: give CSV files of nodes and relationships")
        self.graph.record()
        self._begin(files)
        for file in sorted(files, key=lambda file: file.header.relationships):
            self._import(file)
        self._finish()
        return self.report

    def _file(self, path: Path) -> _File:
        with open_csv(path, self.dialect) as (header, _, _):
            stamp = [path.name, path.stat().st_size, [column.name for column in header.columns]]
        return _File(path, header, blake2b(json.dumps(stamp).encode(), digest_size=16).hexdigest())

    def _begin(self, files: Sequence[_File]) -> None:
        try:
            self._resume(files, self.graph.imports.progress())
        except InputError:
            if not self.graph.imports.drop_unwritten():
                raise
        new = [FileProgress(str(file.path), file.fingerprint) for file in files]
        progress = self.graph.imports.begin(new)
        try:
            # Only after the files are recorded: until then, another process may have finished the same import.
            self._resume(files, progress)
            if all(file.done == 0 for file in files):
                self._refuse_twice(files)
        except InputError:
            self.graph.imports.give_up(new)
            raise

    def _resume(self, files: Sequence[_File], progress: Sequence[FileProgress]) -> None:
        if any(known.line < 0 for known in progress):
            raise InputError(f"an import is being given up: {GIVE_UP}, which goes on with that")
        before = {known.file: known for known in progress}
        for file in files:
            known = before.pop(str(file.path), None)
            if known and known.fingerprint != file.fingerprint:
                raise InputError(
                    f"{file.path} changed since its import began: finish that with the file as it was, or {GIVE_UP}"
                )
            file.done = known.line if known else 0
        if before:
            unfinished = ", ".join(sorted(before))
            raise InputError(f"an import of {unfinished} is not finished: give these files again first, or {GIVE_UP}")

    def _refuse_twice(self, files: Sequence[_File]) -> None:
        """Refuse a second import of the same files, which would duplicate every node."""
        for file in files:
            stored = next((column for column in file.header.columns if column.role == "ID" and column.name), None)
            first = next(self._rows(file, report=False), None) if stored else None
            if stored and first and first.labels:
                value = first.properties[stored.name]
                if self.graph.imports.has_twin(first.labels, property=stored.name, value=value):
                    raise InputError(
                        f"the database {self.graph.name} has a {':'.join(first.labels)} with "
                        f"{stored.name} {value!r} already: nothing was imported"
                    )

    def _import(self, file: _File) -> None:
        batch: list[Row] = []
        for row in self._rows(file, report=True):
            if row.line > file.done:
                batch.append(row)
            if len(batch) == ROWS_A_BATCH:
                self._write(file, batch)
                batch = []
        if batch:
            self._write(file, batch)
        self._progress(file, file.path.stat().st_size)

    def _rows(self, file: _File, *, report: bool) -> Iterator[Row]:
        with open_csv(file.path, self.dialect) as (header, rows, text):
            for line, fields in rows:
                try:
                    yield parse_row(fields, header, self.dialect, line=line)
                except ValueError as error:
                    if report and line > file.done:
                        self._problem(file, line, str(error))
                if report and line % ROWS_A_BATCH == 0:
                    self._progress(file, text.buffer.tell())

    def _write(self, file: _File, rows: Sequence[Row]) -> None:
        """Write a batch; of one that the server refuses, the halves, down to the rows at fault."""
        try:
            self._write_batch(file, rows, last=rows[-1].line)
        except DatabaseError as error:
            if not is_about_values(error):
                raise
            if len(rows) == 1:
                self._problem(file, rows[0].line, f"{error}: the row is left out")
                self._write_batch(file, (), last=rows[0].line)
                return
            middle = len(rows) // 2
            self._write(file, rows[:middle])
            self._write(file, rows[middle:])

    def _write_batch(self, file: _File, rows: Sequence[Row], *, last: int) -> None:
        imports, path = self.graph.imports, str(file.path)
        are_relationships = file.header.relationships
        written, problems = self._relationships(rows) if are_relationships else self._nodes(rows)
        write = imports.write_relationships if are_relationships else imports.write_nodes
        if not write(written, file=path, after=file.done, line=last):
            raise InputError(f"another process is importing {path}, and goes on: wait for it, or stop it and retry")
        file.done = last
        if are_relationships:
            self.report.relationships += len(written)
        else:
            self.report.nodes += len(written)
        for line, reason in problems:
            self._problem(file, line, reason)

    def _nodes(self, rows: Sequence[Row]) -> _Batch:
        known = self.graph.imports.known_keys([_key(row, "ID") for row in rows])
        written: list[dict[str, object]] = []
        problems: list[tuple[int, str]] = []
        for row in rows:
            key = _key(row, "ID")
            if key in known:
                problems.append((row.line, f"the id {row.ids['ID'][1]!r} was there before: the row is left out"))
                continue
            known.add(key)
            written.append(_common(row) | {"key": key, "labels": row.labels})
        return written, problems

    def _relationships(self, rows: Sequence[Row]) -> _Batch:
        known = self.graph.imports.known_keys([_key(row, role) for row in rows for role in ("START_ID", "END_ID")])
        written: list[dict[str, object]] = []
        problems: list[tuple[int, str]] = []
        for row in rows:
            start, end = _key(row, "START_ID"), _key(row, "END_ID")
            unknown = [row.ids[role][1] for role in ("START_ID", "END_ID") if _key(row, role) not in known]
            if unknown or not row.labels:
                reason = f"no node has the id {unknown[0]!r}" if unknown else "its :TYPE is empty"
                problems.append((row.line, f"{reason}: the row is left out"))
                continue
            written.append(_common(row) | {"start": start, "end": end, "type": row.labels[0]})
        return written, problems

    def _finish(self) -> None:
        imports = self.graph.imports
        if not imports.complete() and imports.progress():
            raise InputError(f"the import was given up meanwhile: {GIVE_UP}, which goes on with that")
        finish(self.graph)

    def _problem(self, file: _File, line: int, reason: str) -> None:
        self.report.problems += 1
        self.on_problem(Problem(str(file.path), line, reason))

    def _progress(self, file: _File, done: int) -> None:
        written = self.report.relationships if file.header.relationships else self.report.nodes
        self.on_progress(Progress(file.path.name, done, file.path.stat().st_size, written))


def finish(graph: Graph) -> None:
    """Remove the keys of an import whose rows are all there, and its record."""
    while graph.imports.clear_keys(limit=FINISHED_A_BATCH):
        pass
    graph.imports.end()


def abandon(graph: Graph) -> int:
    """Delete what an unfinished import has written, and its record; returns the number of deleted nodes.

    An import whose rows are all there is finished instead. An interrupted call can be repeated.

    Raises:
        MigrationError: a newer gear-neo4j has migrated the database.
    """
    graph.record()
    deleted = 0
    if not graph.imports.stop():
        finish(graph)
        return deleted
    while batch := graph.imports.delete(limit=DELETED_A_BATCH):
        deleted += batch
    graph.imports.end()
    return deleted


def _key(row: Row, role: str) -> str:
    # JSON separates group and id, whatever characters they contain.
    return json.dumps(row.ids[role], ensure_ascii=False)


def _common(row: Row) -> dict[str, object]:
    return {"properties": row.properties, "built": list(map(_server_value, row.server_values))}


def _server_value(value: ServerValue) -> dict[str, object]:
    array = isinstance(value.value, list)
    return {"name": value.name, "type": value.type, "array": array, "texts": value.value if array else [value.value]}
