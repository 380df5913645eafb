"""An import in progress: the key by which relationships find its nodes, and the progress of each file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.database import Database, Row

CONSTRAINT = "gear_import_key"
KEY = "FOR (n:__GearImport) REQUIRE n.__gearImport IS UNIQUE"
SECONDS = 300


@dataclass(frozen=True, slots=True)
class FileProgress:
    """A file's progress: its path, its fingerprint, and the last committed line."""

    file: str
    fingerprint: str
    line: int


class Imports:
    """The import into one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self) -> None:
        """Create the constraint on the key, and wait until its index is online."""
        self._database.execute(f"CREATE CONSTRAINT {CONSTRAINT} IF NOT EXISTS {KEY}")
        self._database.call("await_indexes", seconds=SECONDS)

    def progress(self) -> list[FileProgress]:
        """The files of the import in progress; empty if there is none. One round trip."""
        return [FileProgress(**row) for row in self._database.call("import_progress")]

    def has_twin(self, labels: Sequence[str], *, property: str, value: object) -> bool:
        """Whether a node with all of the labels already has the value; scans those nodes once."""
        row = self._database.call("import_twin", labels=list(labels), property=property, value=value)[0]
        return bool(row["found"])

    def known_keys(self, keys: Iterable[str]) -> set[str]:
        """The keys that belong to imported nodes. One round trip."""
        return {row["key"] for row in self._database.call("imported_keys", keys=list(dict.fromkeys(keys)))}

    def write_nodes(self, rows: Sequence[Row], progress: FileProgress) -> None:
        """Write nodes and their file's progress in one transaction."""
        self._write("import_nodes", rows, progress)

    def write_relationships(self, rows: Sequence[Row], progress: FileProgress) -> None:
        """Write relationships and their file's progress in one transaction."""
        self._write("import_relationships", rows, progress)

    def clear_keys(self, *, limit: int) -> int:
        """Remove the key from up to ``limit`` nodes; returns how many. One round trip."""
        return int(self._database.call("finish_import", limit=limit)[0]["nodes"])

    def end(self) -> None:
        """Drop the constraint on the key, and delete the progress of the files."""
        self._database.execute(f"DROP CONSTRAINT {CONSTRAINT} IF EXISTS")
        self._database.call("forget_import")

    def _write(self, name: str, rows: Sequence[Row], progress: FileProgress) -> None:
        self._database.call(
            name, rows=list(rows), file=progress.file, fingerprint=progress.fingerprint, line=progress.line
        )
