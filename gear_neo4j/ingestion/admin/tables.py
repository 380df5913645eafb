"""The CSV files of a bulk import: their columns, their format, and the options of neo4j-admin that name them."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self, TextIO

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.admin.columns import SEPARATOR
from gear_neo4j.text.files import write_file

ARGUMENTS = "import.args"
# A separate file, since the metadata columns are only known at the end.
HEADER = "Passage-header"
# The suffix of an incomplete table.
PART = ".part"
STORE = "__GearStore"
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
    STORE: ("id:ID(Store)", "embeddingModel", "dimension:long", "createdAt:datetime"),
}
RELATIONSHIPS = {
    "SUBJECT": (":START_ID(Triple)", ":END_ID(Entity)"),
    "OBJECT": (":START_ID(Triple)", ":END_ID(Entity)"),
    "FROM": (":START_ID(Triple)", ":END_ID(Passage)"),
    "NEXT_PASSAGE": (":START_ID(Passage)", ":END_ID(Passage)"),
}
# The tables of passages and their triples.
CORPUS = ("Passage", HEADER, "Triple", *RELATIONSHIPS)


class Tables:
    """Tables in a folder; they get their final names once all are finished, and are removed otherwise.

    Raises:
        InputError: from every method, if the folder cannot be written to or the disk is full.
    """

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._folder = folder
        self._drafts = {name: folder / f"{name}.csv{PART}" for name in names}
        self._files: dict[str, TextIO] = {}

    def write(self, name: str, rows: Iterable[Sequence[object]]) -> None:
        """Add rows to a table."""
        with explained(self._folder):
            self._files[name].writelines(_line(row) for row in rows)

    def finish(self) -> None:
        """Give the tables their final names."""
        with explained(self._folder):
            for file in self._files.values():
                file.close()
            for draft in self._drafts.values():
                draft.replace(draft.with_suffix(""))

    def __enter__(self) -> Self:
        try:
            with explained(self._folder):
                for name, draft in self._drafts.items():
                    self._files[name] = draft.open("w", encoding="utf-8", newline="\n")
                    if name not in ("Passage", HEADER):
                        self._files[name].write(",".join((NODES | RELATIONSHIPS)[name]) + "\n")
        except InputError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name, draft in self._drafts.items():
            if name in self._files:
                # If the disk is full, the buffer cannot be flushed, and need not be.
                with suppress(OSError):
                    self._files[name].close()
            draft.unlink(missing_ok=True)


def write_arguments(folder: Path) -> None:
    """Write the options of the import to a file for ``@import.args``; tables may be in subfolders.

    Raises:
        InputError: the file cannot be written.
    """
    options = []
    for kind, names in (("nodes", NODES), ("relationships", RELATIONSHIPS)):
        for name in names:
            for table in sorted(folder.resolve().rglob(f"{name}.csv")):
                header = f"{table.with_name(f'{HEADER}.csv').as_posix()}," if name == "Passage" else ""
                options.append(f"--{kind}={name}={header}{table.as_posix()}")
    options += ["--multiline-fields=true", f"--array-delimiter={SEPARATOR}"]
    # In quotes, since the name of the folder may contain spaces.
    write_file(folder / ARGUMENTS, "".join(f'"{option}"\n' for option in options))


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn the errors of a full disk, from files or SQLite, into an InputError."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"{folder} cannot be written: {getattr(error, 'strerror', None) or error}") from error


def _line(row: Sequence[object]) -> str:
    """A row of CSV that distinguishes empty from missing texts, as the module csv writes it from 3.12 on.

    Example:
        >>> print(_line(("p1", "", None, 'a "no" it was')), end="")
        "p1","",,"a ""no"" it was"
    """
    return ",".join("" if cell is None else '"' + str(cell).replace('"', '""') + '"' for cell in row) + "\n"
