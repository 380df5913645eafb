"""Writes an overlay in batches: existing items are looked up first, so nothing is embedded or written twice."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from gear_neo4j.adoption.nodes import LONGEST_TEXT, OTHERS, NodePassage, node_passage
from gear_neo4j.adoption.profile import Profile
from gear_neo4j.adoption.triples import AdoptedTriple
from gear_neo4j.graph.connection.database import Row
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.overlay_store import NodeReading
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.models.triple_vectors import TripleVectors

PASSAGES_A_BATCH = 256
NODES_A_BATCH = 2_000
TRIPLES_A_BATCH = 1_000
# The extractor of triples from relationships and properties.
ADOPTED = "adopted"
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class OverlayWriter:
    """Writes the passages and triples of an overlay, according to its profile."""

    graph: Graph
    profile: Profile
    embedder: Embedder
    triple_vectors: TripleVectors

    def write_passages(self, rows: Sequence[Row], *, where: Callable[[Row], bool] = lambda _: True) -> int:
        """Write the passages of new nodes that pass ``where``, and of nodes whose text changed.

        Triples extracted from the earlier text are deleted first: after a kill, the next run continues from there.
        """
        nodes = {row["id"]: node for row in rows if (node := node_passage(row, self.profile))}
        stored = self.graph.corpus.check_passages(node.passage for node in nodes.values())
        known = {id: state.same for id, state in stored.items()}
        wanted = {row["id"] for row in rows if where(row)}
        fresh = [node for node in nodes.values() if not known.get(node.passage.id, node.node not in wanted)]
        changed = [node.passage.id for node in fresh if node.passage.id in known]
        if changed and (stale := self.graph.overlay.extracted(changed)):
            self.graph.corpus.delete_triples(stale)
        if not fresh:
            return 0
        collection, hidden = self.profile.collection, self.profile.restricts_readers
        return self.graph.overlay.write_passages(self._passage_rows(fresh), collection=collection, hidden=hidden)

    def write_triples(self, batch: Sequence[AdoptedTriple]) -> tuple[int, int]:
        """Write the new triples and the passages that they need; returns the numbers of passages and triples."""
        by_id = {triple.id: triple for triple in batch}
        states = {triple.passage: triple.stated_by for triple in batch}
        check = self.graph.corpus.check_triples(passages=states, triples=by_id, extractor=ADOPTED)
        missing = [node for passage, node in states.items() if passage not in check.passages]
        passages = triples = 0
        for ids in batches(missing, PASSAGES_A_BATCH):
            passages += self.write_passages(self.graph.overlay.nodes_by_id(ids, node_reading(self.profile)))
        fresh = [triple for id, triple in by_id.items() if id not in check.triples]
        if fresh:
            hidden = self.profile.restricts_readers
            triples = self.graph.overlay.write_triples(self._triple_rows(fresh), hidden=hidden)
        return passages, triples

    def _passage_rows(self, nodes: list[NodePassage]) -> list[dict[str, object]]:
        vectors = self.embedder.embed([node.passage.content for node in nodes]).tolist()
        return [
            {
                "id": node.passage.id,
                "title": node.passage.title,
                "text": node.passage.text,
                "node": node.node,
                "card": node.card,
                "embedding": vector,
            }
            for node, vector in zip(nodes, vectors, strict=True)
        ]

    def _triple_rows(self, fresh: list[AdoptedTriple]) -> list[dict[str, object]]:
        vectors = self.triple_vectors(fresh).tolist()
        return [
            {
                "id": triple.id,
                "passage": triple.passage,
                "relationship": triple.relationship,
                "property": triple.property_name,
                "start": triple.start,
                "end": triple.end,
                "subject": triple.subject,
                "predicate": triple.predicate,
                "object": triple.object,
                "text": triple.text,
                "rank": triple.rank,
                "embedding": vector,
            }
            for triple, vector in zip(fresh, vectors, strict=True)
        ]


def node_reading(profile: Profile) -> NodeReading:
    """The node properties to read."""
    return NodeReading(
        names=list(profile.calling_properties),
        texts=list(profile.text_properties),
        longest=LONGEST_TEXT,
        few=OTHERS,
    )


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of ``size`` items; the last may be shorter."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def batches_of_nodes(rows: Iterable[Row], *, where: Callable[[Row], bool]) -> Iterator[list[Row]]:
    """Batches of nodes with a limited number of passages: each commit adds a segment to the indexes."""
    batch: list[Row] = []
    passages = 0
    for row in rows:
        batch.append(row)
        passages += where(row)
        if passages == PASSAGES_A_BATCH or len(batch) == NODES_A_BATCH:
            yield batch
            batch, passages = [], 0
    if batch:
        yield batch
