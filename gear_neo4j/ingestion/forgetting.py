"""Removes passages from the graph, with the triples that they state and the entities that only they mention."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from gear_neo4j.domain import Passage, make_passage
from gear_neo4j.errors import NothingFound
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.corpus_writes import Deletion
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.scope import DEFAULT_COLLECTION, qualified_id

PASSAGES_A_BATCH = 500
COMMUNITIES_A_BATCH = 1_000
SHOWN_SOURCES = 5


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

    A path is normalised as in an ingest: ``./docs/a.md`` is ``docs/a.md``; ``exact`` takes the name as it stands.

    Raises:
        InputError: the database holds no passages.
        NothingFound: no passage has that source; the message names some that exist.
        MigrationError: a dry run needs the newest schema, since it changes nothing.
    """
    _require_schema(graph, dry_run=dry_run)
    name, total = _find_source(graph, source, collection=collection, exact=exact)
    if dry_run:
        return graph.sources.preview(name, collection=collection)

    # Before the passages, so that a sync after a killed run reads the document again.
    graph.manifest.forget([name], collection=collection)

    def batch() -> list[str]:
        return graph.sources.passage_ids(name, collection=collection, limit=PASSAGES_A_BATCH)

    return _remove(graph, batch, collection=collection, total=total, on_progress=on_progress)


def drop_collection(
    graph: Graph,
    collection: str,
    *,
    dry_run: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Deletion:
    """Remove the communities and passages of a collection, 500 per transaction; a killed run can be repeated.

    A dry run counts passages and triples, but not the entities that would be removed with them.

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
    # First, so that a killed run leaves no report on removed passages.
    while graph.communities.drop(collection, limit=COMMUNITIES_A_BATCH):
        pass

    def batch() -> list[str]:
        return graph.collections.passage_ids(collection, limit=PASSAGES_A_BATCH)

    return _remove(graph, batch, collection=collection, total=passages, on_progress=on_progress)


def set_readers(graph: Graph, source: str | Path, readers: Sequence[str], *, collection: str) -> int:
    """Set the readers of a source's passages in a collection, and of their triples; returns the number of passages.

    Each transaction changes at most 500 passages with their triples; a killed run can be repeated.

    Raises:
        InputError: the database holds no passages.
        NothingFound: no passage has that source; the message names some that exist.
    """
    _require_schema(graph, dry_run=False)
    name, _ = _find_source(graph, source, collection=collection)
    ids = [id for id, _ in graph.sources.of_documents([name], collection=collection)]
    for start in range(0, len(ids), PASSAGES_A_BATCH):
        graph.corpus.write_readers(dict.fromkeys(ids[start : start + PASSAGES_A_BATCH], readers))
    return len(ids)


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
    graph: Graph, documents: Mapping[str, frozenset[str]], *, collection: str = DEFAULT_COLLECTION
) -> Deletion:
    """Remove passages that their documents no longer contain; ``documents`` holds the current ids by source.

    Passages from JSONL that name a document as their source stay.
    """
    stored = graph.sources.of_documents(list(documents), collection=collection) if documents else []
    ids = [id for id, source in stored if id not in documents[source]]
    removed = Deletion()
    for start in range(0, len(ids), PASSAGES_A_BATCH):
        passages = graph.store.passages(ids[start : start + PASSAGES_A_BATCH]).values()
        stale = [passage.id for passage in passages if _is_of_document(passage)]
        removed += graph.corpus.delete_passages(stale) if stale else Deletion()
    return removed


def forget_documents(graph: Graph, names: Sequence[str], *, collection: str) -> Deletion:
    """Remove the passages of deleted documents, and their records of syncs."""
    _reopen_dataset(graph, collection)
    removed = remove_stale(graph, dict.fromkeys(names, frozenset()), collection=collection)
    graph.manifest.forget(names, collection=collection)
    return removed


def _find_source(graph: Graph, source: str | Path, *, collection: str, exact: bool = False) -> tuple[str, int]:
    """The name that a source is stored under, and the number of its passages."""
    for name in dict.fromkeys((str(source), str(source) if exact else Path(source).as_posix())):
        held = graph.sources.passages(name)
        if collection in held:
            return name, held[collection]
    if held:
        raise NothingFound(f"{name!r} is not in the collection {collection!r}: it is in {', '.join(held)}")
    where = "" if collection == DEFAULT_COLLECTION else f" in the collection {collection!r}"
    raise NothingFound(f"no passage{where} has the source {name!r}: {_existing(graph, name)}")


def _is_of_document(passage: Passage) -> bool:
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
