"""Synonym edges between entities whose names have nearly the same meaning.

Exact as long as all embeddings fit into memory: new entities are compared with all others by matrix products. Beyond
that, the neighbours of each new entity come from the vector index.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.synonyms import SynonymPair
from gear_neo4j.models.embeddings import Embedder, Vectors

THRESHOLD = 0.8
NEIGHBOURS = 100
ENTITIES_A_BATCH = 500
SHORTEST_NAME = 3
# At 384 dimensions, their embeddings take 300 MB.
MOST_IN_MEMORY = 200_000


def write_synonyms(
    graph: Graph, *, embedder: Embedder, most_in_memory: int = MOST_IN_MEMORY
) -> Iterator[tuple[int, int, int]]:
    """Embed entities without an embedding, then link each new one to those of its 100 nearest at cosine 0.8 or above.

    Names with fewer than three letters or digits get no edge. Only edges are added: names and triples stay unchanged.
    Yields after each batch: entities done, entities in total (each counts twice: embedding, linking), edges written.
    """
    count = graph.store.counts().entities
    total, done, written = 2 * count, 0, 0
    for keys in _batches(graph):
        _embed(graph, keys, embedder)
        done += len(keys)
        yield done, total, written
    if count <= most_in_memory:
        linked = _link_in_memory(graph, count=count, dimension=embedder.dimension)
    else:
        linked = _link_by_index(graph)
    for keys_done, new in linked:
        done, written = done + keys_done, written + new
        yield done, total, written


@dataclass(frozen=True, slots=True)
class Names:
    """Entities with their embeddings, shape (entities, dimension), and the indexes of those not linked yet."""

    keys: Sequence[str]
    vectors: Vectors
    new: Sequence[int]
    linkable: npt.NDArray[np.bool_]
    long: npt.NDArray[np.bool_]

    def pairs(self, indexes: Sequence[int]) -> list[SynonymPair]:
        """The synonyms of the entities at these indexes, each pair once."""
        cosines = self.vectors[indexes] @ self.vectors.T
        cosines[np.arange(len(indexes)), indexes] = -1.0
        cosines[~self.linkable[indexes]] = -1.0
        cosines[:, ~self.long] = -1.0
        pairs: dict[tuple[str, str], float] = {}
        for row in np.flatnonzero(cosines.max(axis=1) >= THRESHOLD).tolist():
            near = np.flatnonzero(cosines[row] >= THRESHOLD)
            nearest = near[np.argsort(-cosines[row, near], kind="stable")[:NEIGHBOURS]]
            for other in nearest.tolist():
                first, second = sorted((self.keys[indexes[row]], self.keys[other]))
                pairs[first, second] = float(cosines[row, other])
        return [SynonymPair(first, second, score) for (first, second), score in pairs.items()]


def _link_in_memory(graph: Graph, *, count: int, dimension: int) -> Iterator[tuple[int, int]]:
    names = _read(graph, count=count, dimension=dimension)
    yield len(names.keys) - len(names.new), 0
    for start in range(0, len(names.new), ENTITIES_A_BATCH):
        indexes = names.new[start : start + ENTITIES_A_BATCH]
        yield len(indexes), graph.synonyms.write(names.pairs(indexes), linked=[names.keys[index] for index in indexes])


def _read(graph: Graph, *, count: int, dimension: int) -> Names:
    keys: list[str] = []
    new: list[int] = []
    vectors = np.empty((count, dimension), dtype=np.float32)
    for entity in graph.synonyms.embedded():
        if len(keys) == len(vectors):
            # Another process is adding entities.
            vectors = np.concatenate([vectors, np.empty_like(vectors[: len(vectors) // 2 + 1])])
        if not entity.linked:
            new.append(len(keys))
        vectors[len(keys)] = entity.embedding
        keys.append(entity.key)
    vectors = vectors[: len(keys)]
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    long = np.array([len(key) >= SHORTEST_NAME for key in keys], dtype=bool)
    return Names(keys, vectors, new, np.array([_is_linkable(key) for key in keys], dtype=bool), long)


def _link_by_index(graph: Graph) -> Iterator[tuple[int, int]]:
    for keys in _batches(graph):
        new = graph.synonyms.unlinked(keys)
        linkable = [key for key in new if _is_linkable(key)]
        written = graph.synonyms.link(linkable, k=NEIGHBOURS, threshold=THRESHOLD) if linkable else 0
        graph.synonyms.write([], linked=new)
        yield len(keys), written


def _is_linkable(key: str) -> bool:
    return sum(map(str.isalnum, key)) >= SHORTEST_NAME


def _batches(graph: Graph) -> Iterator[list[str]]:
    last = ""
    while keys := graph.synonyms.keys_after(last, limit=ENTITIES_A_BATCH):
        yield keys
        last = keys[-1]


def _embed(graph: Graph, keys: list[str], embedder: Embedder) -> None:
    # The keys, not the names, whose spelling depends on a passage.
    if new := graph.synonyms.without_embedding(keys):
        graph.synonyms.write_embeddings(dict(zip(new, embedder.embed(new).tolist(), strict=True)))
