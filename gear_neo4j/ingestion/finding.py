"""Finds documents and sources by their names or paths; says what there is instead if there is none."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from pathlib import Path

from gear_neo4j.errors import DatabaseError, GearError, NothingFound
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.naming import SourceNames
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.text.address import is_address
from gear_neo4j.text.paths import composed
from gear_neo4j.text.wording import pluralize

SHOWN_SOURCES = 5
# The number of documents whose names are compared with a mistyped one.
COMPARED = 500
# Minimum similarity, by difflib, of a name and its misspelling: documents of one folder have much in common.
MISSPELT = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFolder:
    """A source, or a folder in one: the numbers of its documents and passages, and its first document, if any.

    Example:
        >>> print(SourceFolder(name="docs", is_source=True, documents=2, passages=9, first="docs/a.md"))
        'docs' is a source with 2 documents, such as 'docs/a.md'
    """

    name: str
    is_source: bool
    documents: int
    passages: int
    first: str = ""

    def __str__(self) -> str:
        kind = "source" if self.is_source else "folder"
        if not self.documents:
            return f"{self.name!r} is a {kind} without documents now"
        return f"{self.name!r} is a {kind} with {pluralize(self.documents, 'document')}, such as {self.first!r}"


class _Ambiguous(NothingFound):
    """The name is that of one document, and the path of another."""


def prefixes_of(source: str) -> tuple[str, ...]:
    """What the names of a source's documents begin with: those of files, and of the rows of a table at an address.

    Example:
        >>> prefixes_of("docs"), prefixes_of("postgresql://db/shop")
        (('docs/',), ('postgresql://db/shop/', 'postgresql://db/shop#'))
    """
    return (f"{source}/", f"{source}#") if is_address(source) else (f"{source}/",)


def find_source(graph: Graph, source: str | Path, *, collection: str, exact: bool = False) -> tuple[str, int]:
    """The name that a document is stored under, and the number of its passages.

    It is given by its name, or, unless ``exact`` is set, by its path on this machine, in a folder that was read.

    Raises:
        NothingFound: there is no such document; the message names some that exist.
    """
    try:
        return _stored(graph, source, collection=collection, exact=exact)
    except NothingFound:
        if folder := _folder(graph, source, collection=collection):
            raise NothingFound(f"{folder}: forget one document by its name, or all of them with --all") from None
        raise


def find_folder(graph: Graph, source: str | Path, *, collection: str) -> SourceFolder:
    """The source, or the folder in one, that a name or a path means.

    Raises:
        NothingFound: there is none; the message names some documents that exist.
    """
    if folder := _folder(graph, source, collection=collection):
        return folder
    name, _ = _stored(graph, source, collection=collection)
    raise NothingFound(f"{name!r} is a document, not a source: leave out --all")


def known_source(graph: Graph, source: str | Path, *, collection: str) -> SourceFolder | None:
    """The source that a name or a path means, if it means one and no document."""
    try:
        _stored(graph, source, collection=collection)
    except _Ambiguous:
        raise
    except NothingFound:
        folder = _folder(graph, source, collection=collection)
        return folder if folder and folder.is_source else None
    return None


def recorded_name(graph: Graph, source: str | Path, *, collection: str, may_come: bool) -> str:
    """The name of a document that has passages or a record of readers, or, with ``may_come``, that may get them later.

    Raises:
        NothingFound: there is no such document, or the name is that of a folder in a source; the message names some
            documents.
    """
    try:
        return _stored(graph, source, collection=collection)[0]
    except _Ambiguous:
        raise
    except NothingFound:
        name = _given_name(graph, source, collection=collection)
        if not may_come and graph.readers.of([name], collection=collection):
            return name
        if folder := _folder(graph, source, collection=collection):
            into = "" if collection == DEFAULT_COLLECTION else f" --collection {collection}"
            every = f"'gear ingest FOLDER{into} --readers PRINCIPAL'"
            raise NothingFound(f"{folder}: name one document, or set the readers of all with {every}") from None
        if may_come:
            return name
        raise


def similar_document(graph: Graph, source: str | Path, *, collection: str) -> str:
    """The document with a name close to one that no document has; empty if there is none."""
    name = _given_name(graph, source, collection=collection)
    known = [one.name for one in graph.registry.all(collection)]
    # The name may lack its source.
    if inside := graph.registry.stored([f"{one}/{name}" for one in known], collection=collection):
        return min(inside)
    near = get_close_matches(name, _beside(graph, name, known, collection=collection), n=1, cutoff=MISSPELT)
    return near[0] if near else ""


def forget_if_empty(graph: Graph, source: str, *, collection: str) -> None:
    """Forget a source without documents, unless readers are on record for one: its name must stay the folder's."""
    for prefix in prefixes_of(source):
        if graph.registry.below(prefix, collection=collection, limit=1):
            return
        records = graph.readers.page(collection, after=prefix, limit=1)
        if any(record.source.startswith(prefix) for record in records):
            return
    graph.registry.forget(source, collection=collection)


@contextmanager
def without_empty_sources(graph: Graph, names: SourceNames) -> Iterator[None]:
    """Forget the sources that the block has recorded for the first time, but read no document from."""
    try:
        yield
    except GearError as error:
        if not isinstance(error, DatabaseError):
            _forget_empty(graph, names)
        raise
    _forget_empty(graph, names)


def _forget_empty(graph: Graph, names: SourceNames) -> None:
    for source in names.made:
        forget_if_empty(graph, source, collection=names.collection)


def _stored(graph: Graph, source: str | Path, *, collection: str, exact: bool = False) -> tuple[str, int]:
    path = None if exact or is_address(str(source)) else Path(source)
    here = SourceNames.load(graph.registry, collection=collection).document(path) if path else None
    held: dict[str, int] = {}
    for name in dict.fromkeys(filter(None, (str(source), composed(path.as_posix()) if path else None, here))):
        found = graph.sources.passages(name)
        if collection not in found:
            held = held or found
        elif path and here not in (None, name) and (path.exists() or graph.sources.passages(here or "")):
            raise _Ambiguous(
                f"{name!r} is ambiguous: a document has this name, and the file of this path is {here!r}: give that "
                "name, or the absolute path of the file that you mean"
            )
        else:
            return name, found[collection]
    name = here or str(source)
    if held:
        raise NothingFound(f"{name!r} is not in the collection {collection!r}: it is in {', '.join(held)}")
    if collection != DEFAULT_COLLECTION:
        graph.collections.require(collection)
    where = "" if collection == DEFAULT_COLLECTION else f" in the collection {collection!r}"
    raise NothingFound(f"no passage{where} has the source {name!r}: {_existing(graph, name)}")


def _folder(graph: Graph, source: str | Path, *, collection: str) -> SourceFolder | None:
    """The source, or the folder in one, that a name or a path means, if any."""
    names = SourceNames.load(graph.registry, collection=collection)
    text = str(source).rstrip("/")
    path = None if is_address(text) else Path(source)
    own = [composed(path.as_posix()), names.folder(path) or ""] if path else []
    for name in dict.fromkeys(filter(None, (text, *own))):
        prefixes = prefixes_of(name)
        pages = (graph.registry.below(prefix, collection=collection, limit=1) for prefix in prefixes)
        first = next((page[0][0] for page in pages if page), "")
        if first or name in names.known:
            counts = graph.registry.count(prefixes, collection=collection).values()
            documents, passages = (sum(numbers) for numbers in zip(*counts, strict=True))
            return SourceFolder(
                name=name, is_source=name in names.known, documents=documents, passages=passages, first=first
            )
    return None


def _given_name(graph: Graph, source: str | Path, *, collection: str) -> str:
    """The name of a document that is not stored: as given, or that of its path in a folder that was read."""
    path = Path(source)
    return SourceNames.load(graph.registry, collection=collection).document(path) or composed(path.as_posix())


def _beside(graph: Graph, name: str, known: Sequence[str], *, collection: str) -> list[str]:
    """Some documents: in the folder of a name, in the folder that it is if its source is mistyped, and any."""
    folder, slash, _ = name.rpartition("/")
    source, _, below = folder.partition("/")
    meant = ["/".join(filter(None, (other, below))) for other in get_close_matches(source, known, n=1)]
    pages = (
        graph.registry.below(f"{one}/", collection=collection, limit=COMPARED)
        for one in ((folder, *meant) if slash else ())
    )
    others = graph.sources.page(limit=COMPARED).sources
    return [document for page in pages for document, _ in page] + [
        one.source for one in others if one.collection == collection
    ]


def _existing(graph: Graph, source: str) -> str:
    """Some existing sources: those inside it, if it is a folder, then those beside it, then any."""
    folder, slash, _ = source.rpartition("/")
    sources = chain.from_iterable(_sources_in(graph, prefix) for prefix in (f"{source}/", folder + slash, ""))
    names: dict[str, None] = {}
    while len(names) < SHOWN_SOURCES and (name := next(sources, None)):
        names[name] = None
    return f"there are {', '.join(names)}" if names else "none of the passages has a source"


def _sources_in(graph: Graph, prefix: str) -> Iterator[str]:
    source = graph.sources.next(prefix)
    while source and source.startswith(prefix):
        yield source
        source = graph.sources.next(source)
