"""Renames documents and sources, with their readers, vectors and triples, batch by batch."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from gear_neo4j.domain import Passage, make_passage, make_triple
from gear_neo4j.errors import InputError, NothingFound
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.corpus_writes import Rename
from gear_neo4j.graph.write.source_registry import KnownSource
from gear_neo4j.ingestion.forgetting import is_of_document
from gear_neo4j.ingestion.naming import checked_source
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.scope import qualified_id

DOCUMENTS_A_BATCH = 100
PASSAGES_A_BATCH = 256


@dataclass(frozen=True, slots=True)
class Renamed:
    """How many documents and passages have the new name of their source.

    Example:
        >>> Renamed(documents=2, passages=31).documents
        2
    """

    documents: int
    passages: int


def rename_source(
    graph: Graph, old: str, new: str, *, collection: str, on_progress: Callable[[Progress], None] = lambda _: None
) -> Renamed:
    """Rename a source of a collection; a killed run can be repeated.

    Raises:
        NothingFound: there is no such source; the message names those that exist.
        InputError: another source has the new name.
        SettingsError: the new name cannot be used.
    """
    new = checked_source(new)
    known = {source.name: source for source in graph.registry.all(collection)}
    total, _ = graph.registry.count([f"{old}/"], collection=collection)[f"{old}/"]
    if old not in known and not total:
        others = ", ".join(known) or "none"
        raise NothingFound(f"no source of the collection {collection!r} has the name {old!r}: there are {others}")
    source = known.get(old, KnownSource(name=old))
    _refuse_taken(graph, source, known.get(new), new, collection=collection)
    for root in reversed(source.roots):
        graph.registry.record(replace(source, name=new, roots=(root,)), collection=collection, known=True)
    if source.readers:
        graph.registry.restrict(new, source.readers, collection=collection, widen=True)
    documents = passages = 0
    for batch in _batches(graph, f"{old}/", collection=collection):
        names = {name: f"{new}/{name.removeprefix(f'{old}/')}" for name in batch}
        passages += rename_documents(graph, names, collection=collection, origin=(old, new))
        documents += len(batch)
        on_progress(Progress("renaming", documents, max(total, documents), passages))
    if source.readers:
        # A source with readers is not forgotten.
        graph.registry.restrict(old, (), collection=collection, widen=True)
    graph.registry.forget(old, collection=collection)
    return Renamed(documents, passages)


def rename_documents(
    graph: Graph, names: Mapping[str, str], *, collection: str, origin: tuple[str, str] = ("", "")
) -> int:
    """Give documents other names; returns the number of their passages.

    Args:
        names: the new names, by the old ones.
        origin: what the name of their origin begins with in the records of syncs, and with what instead. A sync reads
            the files of an origin of another name once more.
    """
    if names:
        graph.registry.rename(names, origin=origin, collection=collection)
    return sum(_rename(graph, old, new, collection=collection) for old, new in names.items())


def _refuse_taken(graph: Graph, source: KnownSource, other: KnownSource | None, new: str, *, collection: str) -> None:
    if new == source.name:
        raise InputError(f"the source has the name {new!r} already")
    # A killed run has recorded the folders of the source under its new name.
    goes_on = other is not None and set(other.roots) == set(source.roots)
    if not goes_on and (other or graph.registry.below(f"{new}/", collection=collection, limit=1)):
        raise InputError(f"another source has the name {new!r}: give another name")


def _batches(graph: Graph, prefix: str, *, collection: str) -> Iterator[list[str]]:
    after = ""
    while page := graph.registry.below(prefix, collection=collection, after=after, limit=DOCUMENTS_A_BATCH):
        yield [name for name, _ in page]
        after = page[-1][0]


def _rename(graph: Graph, old: str, new: str, *, collection: str) -> int:
    ids = [id for id, _ in graph.sources.of_documents([old], collection=collection)]
    renamed = 0
    for start in range(0, len(ids), PASSAGES_A_BATCH):
        stored = graph.store.passages(ids[start : start + PASSAGES_A_BATCH])
        passages = {id: _under(passage, new) for id, passage in stored.items()}
        renamed += graph.corpus.rename_passages(renames_of(graph, passages))
    return renamed


def _under(passage: Passage, source: str) -> Passage:
    """The passage under another source, of which its id is made unless a line of JSONL has given it."""
    if not is_of_document(passage):
        return replace(passage, source=source)
    id = qualified_id(make_passage(source, passage.title, passage.text).id, passage.collection)
    return replace(passage, id=id, source=source)


def renames_of(graph: Graph, passages: Mapping[str, Passage]) -> list[Rename]:
    """The renames of stored passages, given by their old ids, and of the triples that they state."""
    pairs: dict[str, list[tuple[str, str]]] = {id: [] for id in passages}
    for triple in graph.corpus.triples_of(list(passages)):
        new = make_triple(passages[triple.passage_id].id, triple.subject, triple.predicate, triple.object)
        pairs[triple.passage_id].append((triple.id, new.id))
    return [Rename(old, passage, tuple(pairs[old])) for old, passage in passages.items()]
