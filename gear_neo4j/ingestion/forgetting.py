"""Removes passages from the graph, with the triples that they state and the entities that only they mention."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from gear_neo4j.domain import Passage, make_passage
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.corpus_writes import Deletion
from gear_neo4j.graph.write.reader_records import ReaderRecord
from gear_neo4j.graph.write.source_registry import KnownSource
from gear_neo4j.ingestion.finding import (
    SourceFolder,
    find_folder,
    find_source,
    forget_if_empty,
    known_source,
    prefixes_of,
    recorded_name,
)
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.scope import DEFAULT_COLLECTION, qualified_id

PASSAGES_A_BATCH = 500
COMMUNITIES_A_BATCH = 1_000
DOCUMENTS_A_BATCH = 100
RECORDS_A_PAGE = 1_000


def forget(
    graph: Graph,
    source: str | Path,
    *,
    collection: str = DEFAULT_COLLECTION,
    exact: bool = False,
    dry_run: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Deletion:
    """Remove the passages of a source from a collection, 500 per transaction; a killed run can be repeated.

    A document is given by its name, or by its path if it is in a folder that was read; with ``exact`` by its name only.

    Raises:
        InputError: the database holds no passages.
        NothingFound: no passage has that source; the message names some that exist.
        MigrationError: a dry run needs the newest schema, since it changes nothing.
    """
    _require_schema(graph, dry_run=dry_run)
    name, total = find_source(graph, source, collection=collection, exact=exact)
    if dry_run:
        return graph.sources.preview(name, collection=collection)

    # Before the passages, so that a sync after a killed run reads the document again.
    graph.manifest.forget([name], collection=collection)

    def batch() -> list[str]:
        return graph.sources.passage_ids(name, collection=collection, limit=PASSAGES_A_BATCH)

    return _remove(graph, batch, collection=collection, total=total, on_progress=on_progress)


def forget_folder(
    graph: Graph,
    source: str | Path,
    *,
    collection: str = DEFAULT_COLLECTION,
    dry_run: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Deletion:
    """Remove all documents of a source, or of a folder in one; a killed run can be repeated.

    The source is forgotten, too, unless readers are on record for its documents. A dry run counts only passages.

    Raises:
        InputError: the database holds no passages.
        NothingFound: there is no such source or folder; the message names some documents that exist.
        MigrationError: a dry run needs the newest schema, since it changes nothing.
    """
    _require_schema(graph, dry_run=dry_run)
    folder = find_folder(graph, source, collection=collection)
    if dry_run:
        return Deletion(folder.passages)

    def batch() -> list[str]:
        prefixes = prefixes_of(folder.name)
        pages = (graph.registry.below(prefix, collection=collection, limit=DOCUMENTS_A_BATCH) for prefix in prefixes)
        names = [name for page in pages for name, _ in page]
        graph.manifest.forget(names, collection=collection)
        return [id for id, _ in graph.sources.of_documents(names, collection=collection)][:PASSAGES_A_BATCH]

    removed = _remove(graph, batch, collection=collection, total=folder.passages, on_progress=on_progress)
    forget_if_empty(graph, folder.name, collection=collection)
    return removed


def drop_collection(
    graph: Graph,
    collection: str,
    *,
    dry_run: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Deletion:
    """Remove the communities and passages of a collection, 500 per transaction; a killed run can be repeated.

    Who may read its documents stays on record: they may come back. A dry run counts passages and triples, but not the
    entities that would be removed with them.

    Raises:
        InputError: the database holds no passages.
        NothingFound: there is no such collection; the message names those that exist.
        MigrationError: a dry run needs the newest schema, since it changes nothing.
    """
    _require_schema(graph, dry_run=dry_run)
    passages, triples = graph.collections.preview(collection)
    if not passages:
        raise graph.collections.missing(collection)
    if dry_run:
        return Deletion(passages, triples)

    graph.manifest.drop(collection)
    for source in graph.registry.all(collection):
        graph.registry.forget(source.name, collection=collection)
    # First, so that a killed run leaves no report on removed passages.
    while graph.communities.drop(collection, limit=COMMUNITIES_A_BATCH):
        pass

    def batch() -> list[str]:
        return graph.collections.passage_ids(collection, limit=PASSAGES_A_BATCH)

    return _remove(graph, batch, collection=collection, total=passages, on_progress=on_progress)


def set_readers(graph: Graph, source: str | Path, readers: Sequence[str], *, collection: str) -> int:
    """Set the readers of a document, or of a source and all its documents; returns how many passages are theirs.

    They are recorded for what comes later, also where the document has no passages now. Each transaction changes at
    most 500 passages with their triples; a killed run can be repeated.

    Raises:
        InputError: the database holds no passages.
        NothingFound: the name is that of a folder in a source, or it shall be for everybody, but has neither passages
            nor a record.
    """
    _require_schema(graph, dry_run=False)
    if folder := known_source(graph, source, collection=collection):
        return _set_readers_below(graph, folder, readers, collection=collection)
    name = recorded_name(graph, source, collection=collection, may_come=bool(readers))
    return _set_readers(graph, [name], readers, collection=collection)


def _set_readers(graph: Graph, names: Sequence[str], readers: Sequence[str], *, collection: str) -> int:
    # First the record: what is written meanwhile has its readers.
    graph.readers.record(dict.fromkeys(names, readers), collection=collection, widen=True)
    ids = [id for id, _ in graph.sources.of_documents(names, collection=collection)]
    for start in range(0, len(ids), PASSAGES_A_BATCH):
        graph.corpus.write_readers(dict.fromkeys(ids[start : start + PASSAGES_A_BATCH], readers), widen=True)
    return len(ids)


def _set_readers_below(graph: Graph, folder: SourceFolder, readers: Sequence[str], *, collection: str) -> int:
    """Set the readers of a source, and of all its documents, also of those without passages now."""
    # First those of the source: a document that is written meanwhile has its readers.
    graph.registry.restrict(folder.name, readers, collection=collection, widen=True)
    for batch in _documents_below(graph, folder.name, collection=collection):
        _set_readers(graph, batch, readers, collection=collection)
    return folder.passages


def _documents_below(graph: Graph, source: str, *, collection: str) -> Iterator[list[str]]:
    """The documents of a source, those with a record of readers before those with passages."""
    # An earlier version set the readers of a source as if it were a document.
    yield list(graph.readers.of([source], collection=collection))
    for prefix in prefixes_of(source):
        after = prefix
        while batch := [
            record.source
            for record in graph.readers.page(collection, after=after, limit=DOCUMENTS_A_BATCH)
            if record.source.startswith(prefix)
        ]:
            yield batch
            after = batch[-1]
        after = ""
        while page := graph.registry.below(prefix, collection=collection, after=after, limit=DOCUMENTS_A_BATCH):
            yield [name for name, _ in page]
            after = page[-1][0]


def reader_records(graph: Graph, source: str | Path | None, *, collection: str) -> list[ReaderRecord]:
    """The records of readers of a collection, of one document, or of a source, whose name then ends with a slash.

    Raises:
        NothingFound: there is no such document; the message names some.
    """
    if source is not None and (folder := known_source(graph, source, collection=collection)):
        same = [one for one in graph.registry.all(collection) if one.name == folder.name]
        return _records_of(graph, same, collection=collection)
    if source is not None:
        name = recorded_name(graph, source, collection=collection, may_come=False)
        passages = graph.sources.passages(name).get(collection, 0)
        known = graph.readers.of([name], collection=collection)
        return [ReaderRecord(collection, one, readers, passages) for one, readers in known.items()]
    records: list[ReaderRecord] = []
    restricted = [source for source in graph.registry.all(collection) if source.readers]
    while page := graph.readers.page(collection, after=records[-1].source if records else "", limit=RECORDS_A_PAGE):
        records += page
    return _records_of(graph, restricted, collection=collection) + records


def _records_of(graph: Graph, sources: Sequence[KnownSource], *, collection: str) -> list[ReaderRecord]:
    """The readers of sources, each with the number of all its passages now."""
    prefixes = {source.name: prefixes_of(source.name) for source in sources}
    sizes = graph.registry.count([*chain(*prefixes.values())], collection=collection) if sources else {}
    return [
        ReaderRecord(
            collection, f"{source.name}/", source.readers, sum(sizes[prefix][1] for prefix in prefixes[source.name])
        )
        for source in sources
    ]


def _remove(
    graph: Graph,
    batch: Callable[[], list[str]],
    *,
    collection: str,
    total: int,
    on_progress: Callable[[Progress], None],
) -> Deletion:
    """Delete passages of a collection batch by batch until there are none."""
    _reopen_dataset(graph, collection)
    removed = Deletion()
    while ids := batch():
        removed += graph.corpus.delete_passages(ids)
        on_progress(Progress("forgetting", removed.passages, total, removed.passages))
    graph.communities.delete_empty()
    return removed


def remove_stale(
    graph: Graph, documents: Mapping[str, Collection[str]], *, collection: str = DEFAULT_COLLECTION
) -> Deletion:
    """Remove passages that their documents no longer contain; ``documents`` holds the current ids by source.

    Passages from JSONL that name a document as their source stay.
    """
    stored = graph.sources.of_documents(list(documents), collection=collection) if documents else []
    held = {source: frozenset(ids) for source, ids in documents.items()}
    ids = [id for id, source in stored if id not in held[source]]
    removed = Deletion()
    for start in range(0, len(ids), PASSAGES_A_BATCH):
        passages = graph.store.passages(ids[start : start + PASSAGES_A_BATCH]).values()
        stale = [passage.id for passage in passages if is_of_document(passage)]
        removed += graph.corpus.delete_passages(stale) if stale else Deletion()
    return removed


def forget_documents(graph: Graph, names: Sequence[str], *, collection: str) -> Deletion:
    """Remove the passages of deleted documents, and their records of syncs."""
    _reopen_dataset(graph, collection)
    removed = remove_stale(graph, dict.fromkeys(names, ()), collection=collection)
    graph.manifest.forget(names, collection=collection)
    return removed


def is_of_document(passage: Passage) -> bool:
    """Whether a passage was made from a document, and not from a line of JSONL that names it."""
    made = make_passage(passage.source or "", passage.title, passage.text)
    return passage.id == qualified_id(made.id, passage.collection)


def _require_schema(graph: Graph, *, dry_run: bool) -> None:
    record = graph.require_record()
    if dry_run:
        graph.require_newest_schema()
    graph.migrate(dimension=record.dimension)


def _reopen_dataset(graph: Graph, collection: str) -> None:
    """Mark the data set as incomplete, so that an evaluation ingests it again."""
    if dataset := graph.store.dataset(collection=collection):
        graph.store.record_dataset(dataset.name, fingerprint=None, collection=collection)
