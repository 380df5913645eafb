"""The numbered files of ``migrations/``: reads, splits, checksums and orders them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from zlib import crc32

from gear_neo4j.errors import MigrationError
from gear_neo4j.graph.fragments import resource_folder

# The target of our migrations, to distinguish them from those of other tools in the same database.
TARGET = "gear-neo4j"
_FILE = re.compile(r"V(?P<version>\d+(?:_\d+)*)__(?P<words>\w+)\.cypher")


@dataclass(frozen=True, slots=True)
class Migration:
    """A file of ``migrations/``: its version, its description, and its statements with placeholders."""

    version: str
    description: str
    source: str
    statements: tuple[str, ...]

    @property
    def checksum(self) -> str:
        """CRC32 over the statements in order, in decimal, with placeholders as they are."""
        total = 0
        for statement in self.statements:
            total = crc32(statement.encode(), total)
        return str(total)


def load(folder: Path | None = None) -> tuple[Migration, ...]:
    """The migrations of a folder (default: those of the package), in order of their versions.

    Raises:
        MigrationError: a file's name does not follow ``V001__words.cypher``, or two files have one version.
    """
    files = sorted((folder or resource_folder("migrations")).glob("*.cypher"))
    migrations = sorted(map(_parse, files), key=lambda migration: numbers(migration.version))
    for first, second in pairwise(migrations):
        if numbers(first.version) == numbers(second.version):
            raise MigrationError(f"{first.source} and {second.source} have the same version: renumber one of them")
    return tuple(migrations)


@cache
def variant(source: str, *, folder: str) -> tuple[str, ...] | None:
    """The statements of a migration for servers that can do more, from a folder of ``migrations/``, or None.

    They create the same schema under the same names; the checksum is that of the migration's own text.
    """
    file = resource_folder("migrations") / folder / source
    return statements_of(file.read_text("utf-8")) if file.is_file() else None


@cache
def newest() -> str:
    """The version of the newest migration of the package."""
    return load()[-1].version


def require_known(versions: Iterable[str], *, database: str) -> None:
    """Refuse a database that a newer gear-neo4j has migrated, given the versions of its migrations.

    Raises:
        MigrationError: the schema is newer; the message names both versions.
    """
    latest = max(versions, key=numbers, default="0")
    if numbers(latest) > numbers(newest()):
        raise MigrationError(
            f"the database {database} has the schema {latest}, newer than {newest()}, the last that this gear-neo4j "
            "knows: upgrade gear-neo4j (pip install --upgrade gear-neo4j)"
        )


def numbers(version: str) -> tuple[int, ...]:
    """A version as numbers, for sorting.

    Example:
        >>> sorted(["10", "2", "2.1"], key=numbers)
        ['2', '2.1', '10']
    """
    return tuple(int(part) for part in version.split("."))


def statements_of(text: str) -> tuple[str, ...]:
    """The statements of a migration file: each ends with a semicolon at the end of a line.

    A last statement without one counts too; a comment stays with the statement that follows it. A file of comments has
    no statement: what it does is done in Python.

    Example:
        >>> statements_of("CREATE (a);\\nCREATE (b)"), statements_of("// The rest follows.")
        (('CREATE (a)', 'CREATE (b)'), ())
    """
    parts = (part.strip() for part in re.split(r";[ \t]*(?:\r?\n|$)", text))
    return tuple(part for part in parts if any(line and not line.startswith("//") for line in part.splitlines()))


def _parse(path: Path) -> Migration:
    match = _FILE.fullmatch(path.name)
    if match is None:
        raise MigrationError(f"{path.name}: the name of a migration must be like V001__words.cypher")
    words = match["words"].replace("_", " ")
    return Migration(match["version"].replace("_", "."), words, path.name, statements_of(path.read_text("utf-8")))
