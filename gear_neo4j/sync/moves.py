"""Renames the passages of a moved document, so that nothing is embedded or extracted again."""

from collections.abc import Iterable, Iterator, Mapping

from gear_neo4j.domain import Passage
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.renaming import PASSAGES_A_BATCH, renames_of

# The former name of a document, and its current passages.
Move = tuple[str, Iterable[Passage]]


def move(graph: Graph, moves: Mapping[str, Move], *, collection: str) -> int:
    """Rename the unchanged passages of moved documents, which are given by their new names; returns their number.

    A passage whose title or text changed is not renamed: its title may come from the name of the file.
    """
    return sum(_move(graph, *moves[name], collection=collection) for name in in_order(moves))


def in_order(moves: Mapping[str, Move]) -> Iterator[str]:
    """The names in an order in which each is free before it is taken, except in cycles.

    Example:
        >>> list(in_order({"b": ("a", ()), "c": ("b", ()), "z": ("y", ())}))
        ['c', 'b', 'z']
    """
    left = {former for former, _ in moves.values()}
    waiting = dict.fromkeys(moves)
    for first in sorted(moves, key=lambda name: name in left):
        name = first
        while name in waiting:
            del waiting[name]
            yield name
            name = moves[name][0]


def _move(graph: Graph, former: str, passages: Iterable[Passage], *, collection: str) -> int:
    ids = [id for id, _ in graph.sources.of_documents([former], collection=collection)]
    now = {(passage.title, passage.text): passage for passage in passages}
    renamed = 0
    for start in range(0, len(ids), PASSAGES_A_BATCH):
        stored = graph.store.passages(ids[start : start + PASSAGES_A_BATCH])
        same = {id: now[old.title, old.text] for id, old in stored.items() if (old.title, old.text) in now}
        if same:
            renamed += graph.corpus.rename_passages(renames_of(graph, same))
    return renamed
