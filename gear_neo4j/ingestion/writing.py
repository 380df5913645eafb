"""Writes batches to Neo4j; existing items are looked up first, so nothing is embedded or written twice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gear_neo4j.domain import Passage, Triple
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.corpus_writes import Deletion
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.models.triple_vectors import encode

# The extractor of triples from files, on triples and passages.
GIVEN = "given"


@dataclass(frozen=True, slots=True)
class PassagesWritten:
    """The numbers of new passages, of replaced texts, and of items removed with these.

    ``different`` holds the indexes of passages that were left out because another text has their id.
    """

    new: int
    replaced: int = 0
    triples_removed: int = 0
    entities_removed: int = 0
    different: tuple[int, ...] = ()


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
) -> PassagesWritten:
    """Write new passages with their embeddings in one transaction; existing ones stay unchanged.

    ``replaceable`` says whether another text with the same id may be replaced; its triples are then removed in the same
    transaction. A passage that only moved within its document gets its new position.
    """
    first: dict[str, Passage] = {}
    for passage in passages:
        first.setdefault(passage.id, passage)
    known = graph.corpus.check_passages(first.values())
    fresh = [passage for id, passage in first.items() if id not in known]
    moved = [passage for id, passage in first.items() if id in known and known[id].same and known[id].moved]
    changed = {id for id, state in known.items() if not state.same}
    replaced = [first[id] for id in sorted(changed) if replaceable(id)]
    conflicting = changed - {passage.id for passage in replaced}
    new = 0
    if fresh:
        fresh = _with_readers(graph, fresh)
        new = graph.corpus.write_passages(fresh, _embed(fresh, embedder))
        if new < len(fresh):
            # Another writer was faster, perhaps with other texts for the same ids.
            states = graph.corpus.check_passages(fresh)
            conflicting |= {id for id, state in states.items() if not state.same}
    if moved:
        graph.corpus.move_passages(moved)
        graph.corpus.write_readers({passage.id: passage.readers for passage in moved if passage.readers is not None})
    deletion = graph.corpus.replace_passages(replaced, _embed(replaced, embedder)) if replaced else Deletion()
    different = tuple(
        index
        for index, passage in enumerate(passages)
        if passage.id in conflicting or passage.content != first[passage.id].content
    )
    return PassagesWritten(new, len(replaced), deletion.triples, deletion.entities, different)


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


def _with_readers(graph: Graph, passages: Sequence[Passage]) -> list[Passage]:
    """New passages, with the readers of the document's earlier version if they do not name any."""
    silent = {passage.source for passage in passages if passage.readers is None and passage.position and passage.source}
    if not silent:
        return list(passages)
    known = graph.sources.readers(sorted(silent), collection=passages[0].collection)
    return [
        replace(passage, readers=known[passage.source])
        if passage.readers is None and passage.source in known and passage.position
        else passage
        for passage in passages
    ]


def _embed(passages: Sequence[Passage], embedder: Embedder) -> list[list[float]]:
    vectors: list[list[float]] = embedder.embed([passage.content for passage in passages]).tolist()
    return vectors
