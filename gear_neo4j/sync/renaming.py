"""Renames a source: its documents, with their readers, vectors and triples, batch by batch."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from gear_neo4j.domain import Passage, make_passage
from gear_neo4j.errors import InputError, NothingFound
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.source_registry import KnownSource
from gear_neo4j.ingestion.forgetting import is_of_document
from gear_neo4j.ingestion.naming import checked_source
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.scope import qualified_id
from gear_neo4j.sync.moves import PASSAGES_A_BATCH, renames_of

DOCUMENTS_A_BATCH = 100


@dataclass(frozen=True, slots=True)
class Renamed:
    """How many documents and passages have the new name of their source."""

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
    documents = passages = 0
    for batch in _batches(graph, f"{old}/", collection=collection):
        names = {name: f"{new}/{name.removeprefix(f'{old}/')}" for name in batch}
        graph.registry.rename(names, origin=(old, new), collection=collection)
        passages += sum(_rename(graph, name, names[name], collection=collection) for name in batch)
        documents += len(batch)
        on_progress(Progress("renaming", documents, max(total, documents), passages))
    graph.registry.forget(old, collection=collection)
    return Renamed(documents, passages)


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
