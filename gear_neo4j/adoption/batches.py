"""The batches of an overlay: what of them is there already is asked first, so nothing is embedded or written twice."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from gear_neo4j.adoption.nodes import LONGEST_TEXT, OTHERS, Adopted, Overlaid, adopted
from gear_neo4j.adoption.profile import Profile
from gear_neo4j.graph.database import Row
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.overlay_store import NodeReading
from gear_neo4j.models.embeddings import Embedder

PASSAGES_A_BATCH = 256
NODES_A_BATCH = 2_000
TRIPLES_A_BATCH = 1_000
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class OverlayWriter:
    """What writes passages and triples over the nodes and relationships of a graph, as a profile reads them."""

    graph: Graph
    profile: Profile
    embedder: Embedder

    @property
    def reading(self) -> NodeReading:
        """What is read of nodes."""
        labels = [*self.profile.entities, *self.profile.chunks]
        texts = [name for label in labels for name in self.profile.prose_properties(label)]
        titles = [name for chunk in self.profile.chunks.values() for name in chunk.title]
        return NodeReading(
            names=list(self.profile.name_properties),
            texts=list(dict.fromkeys([*texts, *titles])),
            longest=LONGEST_TEXT,
            few=OTHERS,
        )

    def write_passages(self, rows: Sequence[Row], *, where: Callable[[Row], bool] = lambda _: True) -> int:
        """Write the passages of nodes that are new, if they are wanted, or that read differently by now."""
        found = {row["id"]: one for row in rows if (one := adopted(row, self.profile))}
        stored = self.graph.corpus.check_passages(node.passage for node in found.values())
        known = {id: state.same for id, state in stored.items()}
        wanted = {row["id"] for row in rows if where(row)}
        fresh = [node for node in found.values() if not known.get(node.passage.id, node.node not in wanted)]
        return self.graph.overlay.write_passages(self._passage_rows(fresh)) if fresh else 0

    def write_triples(self, batch: Sequence[Overlaid]) -> tuple[int, int]:
        """Write the triples that are new, and the passages that they need; says how many of both."""
        by_id = {one.id: one for one in batch}
        states = {one.passage: one.stated_by for one in batch}
        check = self.graph.corpus.check_triples(passages=states, triples=by_id)
        missing = [node for passage, node in states.items() if passage not in check.passages]
        passages = triples = 0
        for ids in batches(missing, PASSAGES_A_BATCH):
            passages += self.write_passages(self.graph.overlay.nodes_by_id(ids, self.reading))
        fresh = [triple for id, triple in by_id.items() if id not in check.triples]
        if fresh:
            triples = self.graph.overlay.write_triples(self._triple_rows(fresh))
        return passages, triples

    def _passage_rows(self, found: list[Adopted]) -> list[dict[str, object]]:
        vectors = self.embedder.embed([one.passage.content for one in found]).tolist()
        return [
            {
                "id": one.passage.id,
                "title": one.passage.title,
                "text": one.passage.text,
                "node": one.node,
                "card": one.card,
                "embedding": vector,
            }
            for one, vector in zip(found, vectors, strict=True)
        ]

    def _triple_rows(self, fresh: list[Overlaid]) -> list[dict[str, object]]:
        texts = list(dict.fromkeys(one.text for one in fresh))
        vectors = dict(zip(texts, self.embedder.embed(texts).tolist(), strict=True))
        return [
            {
                "id": one.id,
                "passage": one.passage,
                "relationship": one.relationship,
                "start": one.start,
                "end": one.end,
                "subject": one.subject,
                "predicate": one.predicate,
                "object": one.object,
                "text": one.text,
                "rank": one.rank,
                "embedding": vectors[one.text],
            }
            for one in fresh
        ]


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of so many items, the last one shorter."""
    found = iter(items)
    while batch := list(islice(found, size)):
        yield batch


def batches_of_nodes(rows: Iterable[Row], *, where: Callable[[Row], bool]) -> Iterator[list[Row]]:
    """Nodes with a batch of passages among them, or fewer: each commit has a segment of the indexes to itself."""
    found: list[Row] = []
    passages = 0
    for row in rows:
        found.append(row)
        passages += where(row)
        if passages == PASSAGES_A_BATCH or len(found) == NODES_A_BATCH:
            yield found
            found, passages = [], 0
    if found:
        yield found
