"""An import in progress: the key by which relationships find its nodes, and the progress of each file."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.connection.database import Database, Row

CONSTRAINTS = {
    "gear_import_key": "FOR (n:__GearImport) REQUIRE n.__gearImport IS UNIQUE",
    "gear_import_file": "FOR (f:__GearImportFile) REQUIRE f.file IS UNIQUE",
}
SECONDS = 300


@dataclass(frozen=True, slots=True)
class FileProgress:
    """A file's progress: its path, its fingerprint, and the last committed line, -1 once the import is given up.

    ``complete`` says that every row of the import is written, so that only its keys must still be removed.
    """

    file: str
    fingerprint: str
    line: int = 0
    complete: bool = False


class Imports:
    """The import into one database.

    Several processes may run the same import: a batch is written only by the first one that continues from the line
    before it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._holder = str(uuid.uuid4())

    def progress(self) -> list[FileProgress]:
        """The files of the import in progress; empty if there is none. One round trip."""
        return [FileProgress(**row) for row in self._database.call("import_progress")]

    def begin(self, files: Sequence[FileProgress]) -> list[FileProgress]:
        """Create the constraints on keys and files, and record the files; returns the progress of all files."""
        for name, rule in CONSTRAINTS.items():
            self._database.execute(f"CREATE CONSTRAINT {name} IF NOT EXISTS {rule}")
        self._database.call("await_indexes", seconds=SECONDS)
        rows = [{"file": file.file, "fingerprint": file.fingerprint} for file in files]
        return [FileProgress(**row) for row in self._database.call("begin_import", files=rows, holder=self._holder)]

    def give_up(self, files: Sequence[FileProgress]) -> None:
        """Undo :meth:`begin`, unless another process continues the import."""
        self._database.call("give_up_import", files=[file.file for file in files], holder=self._holder)
        if not self.progress():
            self.end()

    def drop_unwritten(self) -> bool:
        """Forget an import that has written nothing; returns whether there was one."""
        return bool(self._database.call("drop_unwritten_import", holder=self._holder)[0]["files"])

    def complete(self) -> bool:
        """Record that every row is written; False if the import was given up, or another process finished it."""
        return bool(self._database.call("complete_import", holder=self._holder)[0]["complete"])

    def stop(self) -> bool:
        """Keep every process from writing more of the import; False if every row is already written."""
        return not self._database.call("stop_import", holder=self._holder)[0]["complete"]

    def count(self) -> int:
        """The number of nodes that the import has written; one round trip."""
        return int(self._database.call("count_imported")[0]["nodes"])

    def delete(self, *, limit: int) -> int:
        """Delete up to ``limit`` of the nodes that the import has written; returns their number. One round trip."""
        return int(self._database.call("delete_imported", limit=limit)[0]["nodes"])

    def has_twin(self, labels: Sequence[str], *, property: str, value: object) -> bool:
        """Whether a node with all of the labels already has the value; scans those nodes once."""
        row = self._database.call("import_twin", labels=list(labels), property=property, value=value)[0]
        return bool(row["found"])

    def known_keys(self, keys: Iterable[str]) -> set[str]:
        """The keys that belong to imported nodes. One round trip."""
        return {row["key"] for row in self._database.call("imported_keys", keys=list(dict.fromkeys(keys)))}

    def write_nodes(self, rows: Sequence[Row], *, file: str, after: int, line: int) -> bool:
        """Write nodes and the progress of their file from one line to another in one transaction.

        Returns False, and writes nothing, if the file is not at the line ``after``, because another process continued.
        """
        return self._write("import_nodes", rows, file=file, after=after, line=line)

    def write_relationships(self, rows: Sequence[Row], *, file: str, after: int, line: int) -> bool:
        """Write relationships and the progress of their file; see :meth:`write_nodes`."""
        return self._write("import_relationships", rows, file=file, after=after, line=line)

    def clear_keys(self, *, limit: int) -> int:
        """Remove the key from up to ``limit`` nodes; returns their number. One round trip."""
        return int(self._database.call("finish_import", limit=limit)[0]["nodes"])

    def end(self) -> None:
        """Drop the constraints, and delete the progress of the files."""
        for name in CONSTRAINTS:
            self._database.execute(f"DROP CONSTRAINT {name} IF EXISTS")
        self._database.call("forget_import")

    def _write(self, name: str, rows: Sequence[Row], *, file: str, after: int, line: int) -> bool:
        row = self._database.call(name, rows=list(rows), file=file, holder=self._holder, after=after, line=line)[0]
        return bool(row["written"])
