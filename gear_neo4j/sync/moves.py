"""Passages of a document that has moved, under the ids that they have there: nothing is embedded or extracted again."""

from collections.abc import Iterable, Mapping

from gear_neo4j.domain import Passage, make_triple
from gear_neo4j.graph.corpus_writes import Rename
from gear_neo4j.graph.graph import Graph

PASSAGES_A_BATCH = 256


def move(graph: Graph, former: str, passages: Iterable[Passage], *, collection: str) -> int:
    """Rename the passages that a document has under its former name and now; returns how many.

    Those with another title or text stay, for they are not the same: a title may be made of the name of the file.
    """
    ids = [id for id, _ in graph.sources.of_documents([former], collection=collection)]
    now = {(passage.title, passage.text): passage for passage in passages}
    renamed = 0
    for start in range(0, len(ids), PASSAGES_A_BATCH):
        stored = graph.store.passages(ids[start : start + PASSAGES_A_BATCH])
        same = {id: now[old.title, old.text] for id, old in stored.items() if (old.title, old.text) in now}
        if same:
            renamed += graph.corpus.rename_passages(_renames(graph, same))
    return renamed


def _renames(graph: Graph, passages: Mapping[str, Passage]) -> list[Rename]:
    pairs: dict[str, list[tuple[str, str]]] = {id: [] for id in passages}
    for triple in graph.corpus.triples_of(list(passages)):
        new = make_triple(passages[triple.passage_id].id, triple.subject, triple.predicate, triple.object)
        pairs[triple.passage_id].append((triple.id, new.id))
    return [Rename(old, passage, tuple(pairs[old])) for old, passage in passages.items()]
