"""Synonym edges between entities whose names mean nearly the same, found by the vector index, not by all pairs."""

from collections.abc import Iterator

from gear_neo4j.graph.graph import Graph
from gear_neo4j.models.embeddings import Embedder

THRESHOLD = 0.8
NEIGHBOURS = 100
ENTITIES_A_BATCH = 500
SHORTEST_NAME = 3


def write_synonyms(graph: Graph, *, embedder: Embedder) -> Iterator[tuple[int, int, int]]:
    """Embed the entities that lack it, then link each to those at cosine 0.8 or above among its 100 nearest.

    Names with fewer than three letters or digits get no edge. The edges are kept apart from identity: no name and no
    triple changes. Yields after each batch: entities done, entities in all (each counts twice: embedding, linking),
    edges written.
    """
    total = 2 * graph.store.counts().entities
    done = written = 0
    for keys in _batches(graph):
        _embed(graph, keys, embedder)
        done += len(keys)
        yield done, total, written
    for keys in _batches(graph):
        linkable = [key for key in keys if sum(map(str.isalnum, key)) >= SHORTEST_NAME]
        new = graph.synonyms.link(linkable, k=NEIGHBOURS, threshold=THRESHOLD)
        done, written = done + len(keys), written + new
        yield done, total, written


def _batches(graph: Graph) -> Iterator[list[str]]:
    last = ""
    while keys := graph.synonyms.keys_after(last, limit=ENTITIES_A_BATCH):
        yield keys
        last = keys[-1]


def _embed(graph: Graph, keys: list[str], embedder: Embedder) -> None:
    if names := graph.synonyms.without_embedding(keys):
        vectors = embedder.embed(list(names.values())).tolist()
        graph.synonyms.write_embeddings(dict(zip(names, vectors, strict=True)))
