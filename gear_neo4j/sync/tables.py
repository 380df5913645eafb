"""Origins of rows: a table in a file, read by pyarrow, or in a database, read by SQLAlchemy."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

from gear_neo4j.domain import Passage
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.ingestion import heads
from gear_neo4j.ingestion.lines import LONGEST_SOURCE
from gear_neo4j.ingestion.naming import Root, SourceNames
from gear_neo4j.sync.files import explained, file_system
from gear_neo4j.sync.origins import Listed, Listing, ReadDocument
from gear_neo4j.sync.passages import PassageMaker
from gear_neo4j.text.address import is_address
from gear_neo4j.text.paths import composed, folder_name, public_address
from gear_neo4j.text.printable import is_storable
from gear_neo4j.text.redaction import redacted

NEEDS_EXTRA = "a table needs the extra: pip install 'gear-neo4j[tables]'"
ROWS_A_BATCH = 1_000
# pyarrow's names of formats, by suffix.
FORMATS = {".parquet": "parquet", ".arrow": "ipc", ".feather": "feather", ".csv": "csv"}
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table whose rows are documents, for :meth:`gear_neo4j.types.Corpus.sync`.

    Args:
        source: the path or address of a Parquet, Arrow, Feather or CSV file; or the address of a database, such as
            ``postgresql://host/shop``.
        key: the column that identifies a row, also after a change.
        text: the columns with text, in order, joined by blank lines.
        title: the column with the title of a row.
        metadata: the columns to keep as metadata, for filters.
        table: the database table to read, or a name for the rows of ``query``.
        query: a SELECT to read from the database instead of a whole table.

    Raises:
        SettingsError: a column or the table is missing.

    Example:
        >>> table = Table(source="products.parquet", key="id", text=("description",), metadata=("year",))
        >>> table.columns
        ('id', 'description', 'year')
    """

    source: str
    key: str
    text: Sequence[str]
    title: str | None = None
    metadata: Sequence[str] = ()
    table: str | None = None
    query: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.text, str) or isinstance(self.metadata, str):
            raise SettingsError("text and metadata are lists of columns")
        if not (self.key and self.text):
            raise SettingsError("a table needs the column of its key (--key), and one of text at least (--text)")
        if self.query and not self.table:
            raise SettingsError("a query needs a name for its rows: give the table (--table), too")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to read, each once."""
        return tuple(dict.fromkeys((self.key, *self.content)))

    @property
    def content(self) -> tuple[str, ...]:
        """The columns of the document; the key only if it is one of them."""
        return tuple(dict.fromkeys((*self.text, *([self.title] if self.title else []), *self.metadata)))


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a table as documents, named by the table and their keys."""

    table: Table

    @property
    def name(self) -> str:
        """The path or address, without what may be a secret, and the table in a database."""
        if not self.table.table:
            source = self.table.source
            return public_address(source) if is_address(source) else Path(source).as_posix()
        return f"{_without_login(self.table.source)}/{self.table.table}"

    def list(self) -> Listing:
        """All rows; the version of a row is the digest of its content."""
        documents: dict[str, Listed] = {}
        problems = []
        for number, row in enumerate(self._rows(), start=1):
            key = row[self.table.key]
            name = composed(str(key))
            if key is None or not is_storable(name) or len(name) > LONGEST_SOURCE:
                problems.append((self.name, f"row {number:,} has no key that can be used: {key!r:.80}"))
            elif name in documents:
                problems.append((f"{self.name}#{name}", "another row has this key: only the first is read"))
            else:
                documents[name] = Listed(name, self._digest(row), name)
        return Listing(tuple(documents[name] for name in sorted(documents)), problems=tuple(problems))

    def named(self, listing: Listing, sources: SourceNames) -> tuple[str, Listing]:
        """The rows by the name of their table and their keys."""
        keys = [listed.name for listed in listing.documents]
        if self.table.table or is_address(self.table.source) or sources.naming.source:
            name, prefix = sources.address(self._where, keys)
            text = f"{name}#" if prefix is None else prefix.text
        else:
            file = Path(self.table.source)
            root = Root.of_folder(file.parent, whole=False)
            name = sources.prefix(root, [f"{composed(file.name)}#{key}" for key in keys]).name(composed(file.name))
            text = f"{name}#"
        return name, listing.named(lambda listed: f"{text}{listed.name}")

    def digest(self, listed: Listed) -> str:
        """The version, which is the same for an equal row with another key."""
        return listed.version

    def read(self, wanted: Sequence[Listed], maker: PassageMaker) -> Iterator[ReadDocument]:
        """Read rows, in the order of the table."""
        waiting = {listed.key: listed for listed in wanted}
        for row in self._rows() if waiting else ():
            if listed := waiting.pop(composed(str(row[self.table.key])), None):
                passages = self._passages(listed.name, row, maker)
                problem = None if passages else "holds no text"
                yield ReadDocument(listed, self._digest(row), passages, problem)

    @property
    def _where(self) -> str:
        """What identifies the table, on every machine."""
        if self.table.table or is_address(self.table.source):
            return self.name
        return f"{folder_name(Path(self.table.source).parent).rstrip('/')}/{Path(self.table.source).name}"

    def _digest(self, row: Row) -> str:
        content = json.dumps([[name, row[name]] for name in self.table.content], default=str)
        return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def _passages(self, name: str, row: Row, maker: PassageMaker) -> tuple[Passage, ...]:
        title = " ".join(str(row[self.table.title] or "").split()) if self.table.title else ""
        text = "\n\n".join(str(row[column]) for column in self.table.text if row[column] is not None)
        metadata = heads.fields({column: _plain(row[column]) for column in self.table.metadata})
        return maker.of_text(name, title, text, metadata=metadata)

    def _rows(self) -> Iterator[Row]:
        """The rows; checks the columns of the first one."""
        with explained(redacted(self.name)):
            rows = iter(_of_database(self.table) if self.table.table else _of_file(self.table))
            first = next(rows, None)
            if first is not None:
                missing = [column for column in self.table.columns if column not in first]
                if missing:
                    raise InputError(f"{self.name} has no column {missing[0]!r}: it has {', '.join(map(str, first))}")
                yield from chain([first], rows)


def _plain(value: object) -> object:
    return float(value) if isinstance(value, Decimal) else value


def _of_file(table: Table) -> Iterator[Row]:
    try:
        from pyarrow import dataset
    except ImportError as error:
        raise SettingsError(NEEDS_EXTRA) from error
    form = FORMATS.get(Path(table.source).suffix.lower())
    if form is None:
        raise InputError(f"{table.source} is no table that can be read: give {', '.join(FORMATS)}, or --table")
    system, path = file_system(table.source)
    if not system.exists(path):
        raise InputError(f"{table.source} does not exist")
    for batch in dataset.dataset(path, format=form, filesystem=system).to_batches():
        yield from batch.to_pylist()


def _of_database(table: Table) -> Iterator[Row]:
    try:
        import sqlalchemy
    except ImportError as error:
        raise SettingsError(NEEDS_EXTRA) from error
    schema, _, name = (table.table or "").rpartition(".")
    whole = sqlalchemy.select(sqlalchemy.text("*")).select_from(sqlalchemy.table(name, schema=schema or None))
    statement = sqlalchemy.text(table.query) if table.query else whole
    try:
        with _engine(table.source) as engine, engine.connect() as connection:
            streamed = connection.execution_options(stream_results=True, yield_per=ROWS_A_BATCH)
            yield from streamed.execute(statement).mappings()
    except sqlalchemy.exc.DBAPIError as error:
        # SQLAlchemy's own message has the whole statement, and a link.
        raise InputError(f"{table.table} cannot be read: {' '.join(str(error.orig).split())}") from error


@contextmanager
def _engine(address: str) -> Iterator[Any]:
    import sqlalchemy

    engine = sqlalchemy.create_engine(address)
    file = engine.url.database if engine.url.get_backend_name() == "sqlite" else None
    if file and not Path(file).is_file():
        # SQLite would create it.
        raise InputError(f"{file} does not exist")
    try:
        yield engine
    finally:
        engine.dispose()


def _without_login(address: str) -> str:
    try:
        from sqlalchemy.engine import make_url
    except ImportError as error:
        raise SettingsError(NEEDS_EXTRA) from error
    with explained("the address of the database"):
        return make_url(address).set(username=None, password=None).render_as_string()
