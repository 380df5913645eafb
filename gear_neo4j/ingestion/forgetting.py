"""Passages taken out of the graph, with the triples they state and the entities that nothing else names."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from gear_neo4j.domain import Passage, make_passage
from gear_neo4j.errors import InputError, MigrationError
from gear_neo4j.graph.corpus_writes import Deletion
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.progress import Progress

PASSAGES_A_BATCH = 500
SHOWN_SOURCES = 5


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many passages, triples and entities went, or in a dry run would go."""

    passages: int = 0
    triples: int = 0
    entities: int = 0

    def __add__(self, other: "Forgotten") -> "Forgotten":
        return Forgotten(self.passages + other.passages, self.triples + other.triples, self.entities + other.entities)


def forget(
    graph: Graph,
    source: str | Path,
    *,
    dry_run: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Forgotten:
    """Remove the passages of a source, 500 a transaction; killed, it can be run again and goes on.

    A path is taken as an ingest of it would write it: ``./docs/a.md`` is ``docs/a.md``.

    Raises:
        InputError: no passage has that source; names some that exist.
        MigrationError: a dry run needs the newest schema, and changes nothing.
    """
    _require_schema(graph, dry_run=dry_run)
    name, total = _found(graph, source)
    if dry_run:
        return _forgotten(graph.sources.weigh(name))
    _reopen_dataset(graph)
    gone = Forgotten()
    while ids := graph.sources.passage_ids(name, limit=PASSAGES_A_BATCH):
        gone += _delete(graph, ids)
        on_progress(Progress("forgetting", gone.passages, total, gone.passages))
    graph.communities.delete_empty()
    return gone


def remove_stale(graph: Graph, documents: Mapping[str, frozenset[str]]) -> Forgotten:
    """Remove the passages of documents that are no longer in them: ``documents`` holds the ids that are, by source.

    A passage that some file of JSONL gave the source of a document is not the document's, and stays.
    """
    stored = graph.sources.of_documents(list(documents)) if documents else []
    ids = [id for id, source in stored if id not in documents[source]]
    gone = Forgotten()
    for start in range(0, len(ids), PASSAGES_A_BATCH):
        passages = graph.store.passages(ids[start : start + PASSAGES_A_BATCH]).values()
        stale = [passage.id for passage in passages if _is_of_document(passage)]
        gone += _delete(graph, stale) if stale else Forgotten()
    return gone


def _found(graph: Graph, source: str | Path) -> tuple[str, int]:
    """The name under which a source is known, and the number of its passages."""
    for name in dict.fromkeys((str(source), Path(source).as_posix())):
        if passages := graph.sources.passages(name):
            return name, passages
    raise InputError(f"no passage has the source {name!r}: {_existing(graph, name)}")


def _delete(graph: Graph, ids: Sequence[str]) -> Forgotten:
    return _forgotten(graph.corpus.delete_passages(ids))


def _forgotten(deletion: Deletion) -> Forgotten:
    return Forgotten(deletion.passages, deletion.triples, deletion.entities)


def _is_of_document(passage: Passage) -> bool:
    return passage.id == make_passage(passage.source or "", passage.title, passage.text).id


def _require_schema(graph: Graph, *, dry_run: bool) -> None:
    record = graph.require_record()
    if dry_run and graph.pending_migrations():
        raise MigrationError(f"the schema of {graph.name} is older than this gear-neo4j: run 'gear migrate' first")
    graph.migrate(dimension=record.dimension)


def _reopen_dataset(graph: Graph) -> None:
    """An evaluation must not take the rest for its whole data set."""
    if stamp := graph.store.dataset():
        graph.store.record_dataset(stamp[0], fingerprint=None)


def _existing(graph: Graph, source: str) -> str:
    """Some sources that exist: those in it, if it is a folder, then those beside it, then any."""
    folder, slash, _ = source.rpartition("/")
    found = chain.from_iterable(_sources_in(graph, prefix) for prefix in (f"{source}/", folder + slash, ""))
    names: dict[str, None] = {}
    while len(names) < SHOWN_SOURCES and (name := next(found, None)):
        names[name] = None
    return f"there are {', '.join(names)}" if names else "none of the passages has a source"


def _sources_in(graph: Graph, prefix: str) -> Iterator[str]:
    source = graph.sources.next(prefix)
    while source and source.startswith(prefix):
        yield source
        source = graph.sources.next(source)
