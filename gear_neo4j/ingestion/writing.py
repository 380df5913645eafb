"""Writes batches to Neo4j; existing items are looked up first, so nothing is embedded or written twice."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from gear_neo4j.domain import Passage, Triple
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.corpus_writes import Deletion
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.ingestion.naming import SourceNames
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.models.triple_vectors import encode

# The extractor of triples from files, on triples and passages.
GIVEN = "given"
PASSAGES_A_BATCH = 500
DOCUMENTS_A_BATCH = 100
NEIGHBOURS_A_BATCH = 5_000
KEPT_READERS = "keeps its readers: the given ones would let more people read it; add --widen to allow that"
NO_NEW_READERS = "gets no new readers: its source names more people than before; add --widen to let them read it"
KEPT_SOURCE = "new documents keep the readers of their source: add --widen to let more people read them"


@dataclass(frozen=True, slots=True)
class PassagesWritten:
    """The numbers of new passages, of replaced texts, and of items removed with these.

    ``different`` holds the indexes of passages that were left out because another text has their id, ``kept`` the
    sources that keep fewer readers than they were given.
    """

    new: int
    replaced: int = 0
    triples_removed: int = 0
    entities_removed: int = 0
    different: tuple[int, ...] = ()
    kept: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TriplesWritten:
    """The number of new triples, and the missing passages that triples name."""

    new: int
    unknown: frozenset[str]


def write_passages(
    graph: Graph,
    passages: Sequence[Passage],
    *,
    embedder: Embedder,
    replaceable: Callable[[str], bool] = lambda _: False,
    readers: Sequence[str] | None = None,
    widen: bool = False,
) -> PassagesWritten:
    """Write new passages with their embeddings in one transaction; existing ones stay unchanged.

    ``replaceable`` says whether another text with the same id may be replaced; its triples are then removed in the same
    transaction. A passage that only moved within its document gets its new position. ``readers`` are those of every
    source of the batch, None leaves them as they are on record; only with ``widen`` may what is stored get more.
    """
    named = _named_readers(passages, readers)
    kept = restrict(graph, named, collection=passages[0].collection, widen=widen) if named else frozenset()
    first: dict[str, Passage] = {}
    for passage in map(_on_record, passages):
        first.setdefault(passage.id, passage)
    known = graph.corpus.check_passages(first.values())
    fresh = [passage for id, passage in first.items() if id not in known]
    moved = [passage for id, passage in first.items() if id in known and known[id].same and known[id].moved]
    changed = {id for id, state in known.items() if not state.same}
    replaced = [first[id] for id in sorted(changed) if replaceable(id)]
    conflicting = changed - {passage.id for passage in replaced}
    new = 0
    if fresh:
        new = graph.corpus.write_passages(fresh, _embed(fresh, embedder))
        if new < len(fresh):
            # Another writer was faster, perhaps with other texts for the same ids.
            states = graph.corpus.check_passages(fresh)
            conflicting |= {id for id, state in states.items() if not state.same}
    if moved:
        graph.corpus.move_passages(moved)
        graph.corpus.write_readers(_readers_of_lines(graph, moved), widen=widen)
    deletion = (
        graph.corpus.replace_passages(replaced, _embed(replaced, embedder), widen=widen) if replaced else Deletion()
    )
    different = tuple(
        index
        for index, passage in enumerate(passages)
        if passage.id in conflicting or passage.content != first[passage.id].content
    )
    return PassagesWritten(new, len(replaced), deletion.triples, deletion.entities, different, kept)


def write_triples(
    graph: Graph,
    triples: Sequence[Triple],
    *,
    completed: Sequence[str],
    embedder: Embedder,
    extractor: str = GIVEN,
    read: Sequence[Passage] = (),
) -> TriplesWritten:
    """Write new triples, and mark the passages that they complete as read, in one transaction.

    ``completed`` names the passages whose triples by ``extractor`` are complete with this batch. A passage in ``read``
    whose text has been replaced since then waits for the next extraction.
    """
    named = {triple.passage_id for triple in triples} | set(completed)
    check = graph.corpus.check_triples(passages=named, triples=[triple.id for triple in triples], extractor=extractor)
    new = {
        triple.id: triple
        for triple in triples
        if triple.passage_id in check.passages and triple.id not in check.triples
    }
    fresh = list(new.values())
    done = [passage for passage in completed if passage in check.unfinished]
    if fresh or done:
        vectors = encode(fresh, embedder).tolist()
        graph.corpus.write_triples(fresh, vectors, completed=done, extractor=extractor, read=read)
    return TriplesWritten(len(fresh), frozenset(named - check.passages))


def passages_to_embed(graph: Graph, passages: Sequence[Passage]) -> list[str]:
    """The texts that :func:`write_passages` will embed, each once."""
    known = graph.corpus.check_passages(passages)
    return list(dict.fromkeys(passage.content for passage in passages if passage.id not in known))


def triples_to_embed(graph: Graph, triples: Sequence[Triple], *, extractor: str = GIVEN) -> list[str]:
    """The texts that :func:`write_triples` will embed, each once."""
    ids = [triple.id for triple in triples]
    check = graph.corpus.check_triples(
        passages={triple.passage_id for triple in triples}, triples=ids, extractor=extractor
    )
    return list(dict.fromkeys(triple.text for triple in triples if triple.id not in check.triples))


def restrict(
    graph: Graph,
    readers: Mapping[str, Sequence[str]],
    *,
    collection: str,
    widen: bool = False,
    narrow: bool = False,
) -> frozenset[str]:
    """Record who may read documents, and give their passages and triples the same readers.

    Returns:
        The sources that get no new readers, because ``widen`` is not set; with ``narrow``, they lose those that are not
        among the given ones.
    """
    other = graph.readers.other(readers, collection=collection) if readers else {}
    if not other:
        return frozenset()
    # First the record: what is written meanwhile has its readers, and a killed run can be repeated.
    kept = graph.readers.record(other, collection=collection, widen=widen, narrow=narrow)
    for source in other:
        while lagging := graph.readers.lagging(source, collection=collection, limit=PASSAGES_A_BATCH):
            graph.corpus.write_readers(lagging, widen=True)
    return kept


def link_neighbours(graph: Graph, documents: Mapping[str, Sequence[str]]) -> None:
    """Link the passages of each document in their order; ``documents`` holds their ids by source."""
    pairs = (pair for ids in documents.values() for pair in zip_longest(ids, ids[1:]))
    while batch := list(islice(pairs, NEIGHBOURS_A_BATCH)):
        graph.corpus.link_neighbours(batch)


def record_given(graph: Graph, sources: Iterable[str], membership: CollectionAccess) -> None:
    """Record the readers that documents are given before they are read: some may be readable only another time."""
    if membership.readers is None:
        return
    waiting = iter(sources)
    while batch := list(islice(waiting, DOCUMENTS_A_BATCH)):
        named = dict.fromkeys(batch, membership.readers)
        restrict(graph, named, collection=membership.collection, widen=membership.widen)


def restrict_sources(
    graph: Graph, names: SourceNames, read: Iterable[str], membership: CollectionAccess
) -> Iterator[Problem]:
    """Set who may read new documents of the sources among the folders and addresses that are read.

    Yields:
        Those that keep their readers, because they would get more and the membership does not widen.
    """
    if membership.readers is None:
        return
    sources = [names.known[name] for name in dict.fromkeys(one.rstrip("/") for one in read) if name in names.known]
    for source in sources:
        readers, widen = membership.readers, membership.widen
        if source.readers != readers and not graph.registry.restrict(
            source.name, readers, collection=membership.collection, widen=widen
        ):
            yield Problem(source.name, 0, KEPT_SOURCE)


def _named_readers(passages: Sequence[Passage], readers: Sequence[str] | None) -> dict[str, Sequence[str]]:
    """The readers that sources are given; a line of JSONL that names its own says nothing of its source."""
    named: dict[str, Sequence[str]] = {}
    for passage in passages:
        own = passage.readers if passage.position else readers
        if passage.source and passage.readers is not None and own is not None:
            named[passage.source] = own
    return named


def _readers_of_lines(graph: Graph, moved: Sequence[Passage]) -> dict[str, Sequence[str]]:
    """The readers of lines of JSONL: their own, or those on record for the source that they name now."""
    lines = [passage for passage in moved if not passage.position]
    silent = {passage.source for passage in lines if passage.source and passage.readers is None}
    known = graph.readers.of(sorted(silent), collection=lines[0].collection) if silent else {}
    named = {line.id: known.get(line.source or "") if line.readers is None else line.readers for line in lines}
    return {id: readers for id, readers in named.items() if readers is not None}


def _on_record(passage: Passage) -> Passage:
    """The passage of a document without readers: it gets those on record."""
    return replace(passage, readers=None) if passage.position and passage.source else passage


def _embed(passages: Sequence[Passage], embedder: Embedder) -> list[list[float]]:
    vectors: list[list[float]] = embedder.embed([passage.content for passage in passages]).tolist()
    return vectors
