"""Origins of documents that a loader of LangChain gives, such as the pages of a wiki or the messages of a channel."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from hashlib import blake2b
from pathlib import PurePosixPath
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import ValidationError

from gear_neo4j.domain import Passage
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.graph.write.overlay_store import NOBODY
from gear_neo4j.ingestion import heads, office
from gear_neo4j.ingestion.lines import LONGEST_SOURCE
from gear_neo4j.ingestion.loaders import first_line, markdown_parts
from gear_neo4j.ingestion.naming import SourceNames, checked_source
from gear_neo4j.ingestion.parts import Part, encodable, shorten
from gear_neo4j.scope import reader_names
from gear_neo4j.sync.origins import Listed, Listing, ReadDocument
from gear_neo4j.sync.passages import PassageMaker
from gear_neo4j.text.address import is_address
from gear_neo4j.text.paths import composed, public_address
from gear_neo4j.text.printable import is_storable
from gear_neo4j.text.redaction import HIDDEN, redacted

if TYPE_CHECKING:
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document

# The texts of a loader wait in memory up to this size, and beyond it on the disk.
IN_MEMORY = 16 * 2**20
LONGEST_REASON = 300
PAGE = "page"
# Fields of a single page, which say nothing of the whole document.
OF_PAGES = frozenset({PAGE, "page_label"})
# What loaders give of these files is Markdown; that of others is plain, such as code, where # begins no heading.
MARKDOWN = frozenset({".md", ".markdown", ".mdx", ".html", ".htm", ".pdf", *office.SUFFIXES})
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9_+-]{0,9}")

Readers = Callable[[Mapping[str, Any]], Iterable[str] | str | None]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a loader of LangChain gives, as a source for :meth:`gear_neo4j.types.Corpus.sync`.

    Args:
        loader: any loader; its ``lazy_load`` is called once in each sync.
        name: the name of the source, which begins the names of its documents.
        key: the field of the metadata that names a document below the source, or a function from the document to its
            name; by default ``source``, else ``id``. Documents with one key are the pages of one document if each has
            another number in ``page``; otherwise only the first is read, and the others are reported.
        version: a field that changes with the document, such as ``last_modified``; by default, a document has changed
            if its text or its metadata has.
        readers: the field with the readers of a document, or a function from its metadata to them. No readers mean
            that nobody may read it; a document without the field, or for which the function returns None, has the
            readers of the sync, and without such nobody.
        hidden: texts that no message may contain, such as a token.

    Raises:
        SettingsError: it is no loader, or the name cannot be used.

    Example:
        >>> from langchain_core.document_loaders import BaseLoader
        >>> Loaded(BaseLoader(), name="wiki", readers="groups").kind
        'langchain_core.document_loaders.base.BaseLoader'
    """

    loader: "BaseLoader" = field(repr=False)
    _: KW_ONLY
    name: str
    key: "str | Callable[[Document], object] | None" = None
    version: str | None = None
    readers: str | Readers | None = None
    hidden: Sequence[str] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        # Slow to import, and most sources are no loaders.
        from langchain_core.document_loaders import BaseLoader

        if not isinstance(self.loader, BaseLoader):
            raise SettingsError(f"{type(self.loader).__name__} is no loader: give one of langchain's BaseLoader")
        object.__setattr__(self, "name", checked_source(self.name))

    @property
    def kind(self) -> str:
        """The class of the loader, without its options, because they may contain a secret."""
        return f"{type(self.loader).__module__}.{type(self.loader).__qualname__}"

    def reason(self, error: Exception) -> str:
        """What an error says, on one line and without secrets."""
        return reason_of(error, self.hidden)


@dataclass(frozen=True, slots=True)
class _Page:
    """A document of a loader, or a page of one: where its text is, and the digests of its text and of all of it."""

    number: float | None
    start: int
    text: str
    content: str


@dataclass(slots=True)
class _Found:
    """The pages of one document, and its readers; None if the loader says nothing of readers."""

    pages: list[_Page]
    readers: tuple[str, ...] | None

    @property
    def in_order(self) -> list[_Page]:
        """The pages by number."""
        return sorted(self.pages, key=lambda page: page.number or 0)

    def digest(self, part: Callable[[_Page], str]) -> str:
        """One digest of those of the pages."""
        return _digest("".join(map(part, self.in_order)))


class Documents:
    """The documents of a loader, which is read once: their texts wait in a temporary file until they are wanted."""

    def __init__(self, loaded: Loaded, spool: IO[bytes], *, most_characters: int) -> None:
        self._loaded = loaded
        self._spool = spool
        self._most = most_characters
        self._found: dict[str, _Found] = {}
        self._problems: list[tuple[str, str]] = []
        self._left_out: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """The name of the source."""
        return self._loaded.name

    def list(self) -> Listing:
        """All documents that the loader gives; if it fails in the middle, those before.

        Raises:
            InputError: it fails before its first document.
        """
        failure, number = "", 0
        try:
            for number, document in enumerate(self._loaded.loader.lazy_load(), start=1):
                self._add(number, document)
        except Exception as error:
            failure = self._loaded.reason(error)
            if not number:
                raise InputError(f"the loader of {self.name!r} fails: {failure}") from error
        documents = [
            Listed(key, found.digest(lambda page: page.content), key, readers=found.readers)
            for key, found in sorted(self._found.items())
        ]
        return Listing(
            tuple(documents), problems=tuple(self._problems), failure=failure, fields_left_out=dict(self._left_out)
        )

    def named(self, listing: Listing, sources: SourceNames) -> tuple[str, Listing]:
        """The documents by the name of the source and their keys."""
        prefix = sources.loader(self.name, self._loaded.kind, [listed.name for listed in listing.documents])
        return self.name, replace(listing.named(lambda listed: prefix.name(listed.name)), below=prefix.all)

    def digest(self, listed: Listed) -> str:
        """The digest of the text, which is the same for a document that has moved."""
        return self._found[listed.key].digest(lambda page: page.text)

    def read(self, wanted: Sequence[Listed], maker: PassageMaker) -> Iterator[ReadDocument]:
        """Read documents from the temporary file."""
        for listed in wanted:
            content = self.digest(listed)
            try:
                passages = self._passages(listed, maker)
            except InputError as error:
                yield ReadDocument(listed, content, problem=str(error))
            else:
                yield ReadDocument(listed, content, passages)

    def _passages(self, listed: Listed, maker: PassageMaker) -> tuple[Passage, ...]:
        rows = [self._stored(page) for page in self._found[listed.key].in_order]
        text = "\n\n".join(row["text"] for row in rows)
        if not text.strip():
            raise InputError("holds no text")
        if len(text) > self._most:
            raise InputError(f"holds more than {self._most:,} characters of text: split it")
        dropped = OF_PAGES if len(rows) > 1 else frozenset()
        metadata = {name: value for name, value in rows[0]["metadata"].items() if name not in dropped}
        return maker.of_parts(listed.name, _parts(listed.key, text, metadata), metadata=metadata)

    def _add(self, number: int, document: "Document") -> None:
        key = self._key(document)
        if key is None or not is_storable(key) or len(key) > LONGEST_SOURCE:
            self._problems.append((self.name, f"document {number:,} has no key that can be used: {key!r:.80}"))
            return
        given = document.metadata
        page = given.get(PAGE)
        page = page if isinstance(page, int | float) else None
        known = self._found.get(key)
        if known and (page is None or any(one.number in (None, page) for one in known.pages)):
            self._problems.append((f"{self.name}/{key}", "another document has this key: only the first is read"))
            return
        readers = self._readers(key, given)
        if known:
            known.pages.append(self._keep(document, page))
            known.readers = _of_both(known.readers, readers)
        else:
            self._found[key] = _Found([self._keep(document, page)], readers)

    def _key(self, document: "Document") -> str | None:
        match self._loaded.key:
            case None:
                named = (document.metadata.get("source"), document.metadata.get("id"), document.id)
                key = next((one for one in named if one is not None), None)
            case str(field):
                key = document.metadata.get(field)
            case function:
                key = function(document)
                return None if key is None else composed(str(key)).strip("/") or None
        text = "" if key is None else str(key)
        return composed(public_address(text) if is_address(text) else text).strip("/") or None

    def _readers(self, key: str, given: Mapping[str, Any]) -> tuple[str, ...] | None:
        if self._loaded.readers is None:
            return None
        try:
            named = self._loaded.readers
            found = given.get(named) if isinstance(named, str) else named(given)
            # An empty tuple means that the loader says nothing of this document.
            return () if found is None else reader_names(found) or tuple(NOBODY)
        except Exception as error:
            # Nobody may read a document whose readers are unknown.
            reason = f"its readers are unknown, so nobody may read it: {self._loaded.reason(error)}"
            self._problems.append((f"{self.name}/{key}", reason))
            return tuple(NOBODY)

    def _keep(self, document: "Document", page: float | None) -> _Page:
        """Write a document to the temporary file."""
        # The names of the readers would say who else may read a passage.
        given = {str(name): value for name, value in document.metadata.items() if name != self._loaded.readers}
        metadata = heads.fields(given)
        self._left_out.update(name for name, value in given.items() if value is not None and name not in metadata)
        text = encodable(document.page_content)
        row = {"text": text, "metadata": metadata}
        version = document.metadata.get(self._loaded.version) if self._loaded.version else None
        content = json.dumps(row, sort_keys=True) if version is None else str(version)
        start = self._spool.seek(0, 2)
        self._spool.write(json.dumps(row).encode() + b"\n")
        return _Page(page, start, _digest(text), _digest(content))

    def _stored(self, page: _Page) -> dict[str, Any]:
        self._spool.seek(page.start)
        row: dict[str, Any] = json.loads(self._spool.readline())
        return row


def refuse_bare(source: object) -> None:
    """Refuse a loader without a name for its source: two loaders of one class would remove each other's documents.

    Raises:
        SettingsError: says how to name it.
    """
    # The class itself is slow to import.
    if hasattr(source, "lazy_load"):
        raise SettingsError("a loader needs a name for its source: give Loaded(loader, name=...)")


def reason_of(error: Exception, hidden: Sequence[str]) -> str:
    """What an error says, on one line, without hidden texts.

    Example:
        >>> reason_of(ConnectionError("https://ada:pw@wiki refuses\\ns3cret"), ["s3cret"])
        'ConnectionError: https://***@wiki refuses ***'
    """
    # Pydantic's own message quotes all that a class was given.
    said = (
        error.errors(include_input=False, include_url=False)[0]["msg"] if isinstance(error, ValidationError) else error
    )
    text = redacted(f"{type(error).__name__}: {' '.join(str(said).split())}".rstrip(": "))
    for secret in sorted(filter(None, hidden), key=len, reverse=True):
        text = text.replace(secret, HIDDEN).replace(quote(secret, safe=""), HIDDEN)
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]}…"


@contextmanager
def documents_of(loaded: Loaded, *, most_characters: int) -> Iterator[Documents]:
    """The documents of a loader as an origin, until the end of the block."""
    with SpooledTemporaryFile(IN_MEMORY) as spool:
        yield Documents(loaded, spool, most_characters=most_characters)


def _of_both(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The readers of two pages of one document: those who may read both."""
    if one == other:
        return one
    return tuple(sorted({*(one or ())} & {*(other or ())})) or tuple(NOBODY)


def _parts(key: str, text: str, metadata: Mapping[str, Any]) -> Iterator[Part]:
    """The parts of a text, which is Markdown unless its key is the name of another file."""
    suffix = "" if is_address(key) else PurePosixPath(key).suffix
    is_file = _SUFFIX.fullmatch(suffix) is not None
    title = shorten(str(metadata.get("title") or "")) or (PurePosixPath(key).stem if is_file else "")
    if is_file and suffix.lower() not in MARKDOWN:
        return iter([Part(title or first_line(text), text, "line")])
    return markdown_parts(text, title)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
