"""The ids and names that a bulk export has seen, on disk: those of a large corpus do not fit into memory."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self

from gear_neo4j.domain import digest, spelling_rank
from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.admin.tables import explained

SEEN = "seen.sqlite"
TABLES = """
CREATE TABLE seen (key BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE entities (key TEXT PRIMARY KEY, shouted INTEGER, name TEXT) WITHOUT ROWID;
"""
NAME = """
INSERT INTO entities VALUES (?, ?, ?)
ON CONFLICT (key) DO UPDATE SET shouted = excluded.shouted, name = excluded.name
WHERE (excluded.shouted, excluded.name) < (shouted, name)
"""


class Seen:
    """A set of ids by kind, and the entities, each with its name among all its spellings.

    Raises:
        InputError: the folder cannot be written to, or the disk is full.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._file = folder, folder / SEEN
        self._base = sqlite3.connect(self._file, isolation_level=None)
        try:
            with explained(folder):
                self._base.execute("PRAGMA journal_mode = OFF")
                self._base.execute("PRAGMA synchronous = OFF")
                self._base.executescript(TABLES)
        except InputError:
            self.__exit__()
            raise

    def fresh(self, kind: str, names: Iterable[str]) -> list[str]:
        """Add names to the set; returns the new ones, in order."""
        add = "INSERT OR IGNORE INTO seen VALUES (?)"
        with explained(self._folder):
            self._base.execute("BEGIN")
            new = [name for name in names if self._base.execute(add, (_key(kind, name),)).rowcount]
            self._base.execute("COMMIT")
        return new

    def known(self, kind: str, names: Iterable[str]) -> set[str]:
        """The names that are in the set."""
        select = "SELECT 1 FROM seen WHERE key = ?"
        return {name for name in names if self._base.execute(select, (_key(kind, name),)).fetchone()}

    def name(self, spellings: Mapping[str, str]) -> None:
        """Add spellings of entities by key; the spelling that an ingest would choose becomes the name."""
        with explained(self._folder):
            self._base.execute("BEGIN")
            self._base.executemany(NAME, ((key, *spelling_rank(name)) for key, name in spellings.items()))
            self._base.execute("COMMIT")

    def count(self) -> int:
        """The number of entities."""
        (count,) = self._base.execute("SELECT count(*) FROM entities").fetchone()
        return int(count)

    def entities(self) -> Iterator[tuple[str, str]]:
        """The key and the name of each entity, by key."""
        with explained(self._folder):
            yield from self._base.execute("SELECT key, name FROM entities ORDER BY key")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()
        self._file.unlink(missing_ok=True)


def _key(kind: str, name: str) -> bytes:
    return bytes.fromhex(digest(kind, name))
