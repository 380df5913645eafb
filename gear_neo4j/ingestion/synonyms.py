"""Synonym edges between entities whose names mean nearly the same, found by the vector index, not by all pairs."""

from collections.abc import Iterator

from gear_neo4j.graph.database import Database
from gear_neo4j.models.embeddings import Embedder

THRESHOLD = 0.8
NEIGHBOURS = 100
ENTITIES_A_BATCH = 500
SHORTEST_NAME = 3


def write_synonyms(database: Database, *, embedder: Embedder) -> Iterator[tuple[int, int, int]]:
    """Embed the entities that lack it, then link each to those at cosine 0.8 or above among its 100 nearest.

    Names with fewer than three letters or digits get no edge. The edges are kept apart from identity: no name and no
    triple changes. Yields after each batch: entities done, entities in all (each counts twice: embedding, linking),
    edges written.
    """
    total = 2 * database.call("counts")[0]["entities"]
    done = written = 0
    for keys in _batches(database):
        _embed(database, keys, embedder)
        done += len(keys)
        yield done, total, written
    for keys in _batches(database):
        linkable = [key for key in keys if sum(map(str.isalnum, key)) >= SHORTEST_NAME]
        rows = database.call("link_synonyms", keys=linkable, k=NEIGHBOURS, threshold=THRESHOLD)
        done, written = done + len(keys), written + rows[0]["written"]
        yield done, total, written


def _batches(database: Database) -> Iterator[list[str]]:
    last = ""
    while keys := [row["key"] for row in database.call("entities_after", key=last, limit=ENTITIES_A_BATCH)]:
        yield keys
        last = keys[-1]


def _embed(database: Database, keys: list[str], embedder: Embedder) -> None:
    rows = database.call("entities_to_embed", keys=keys)
    if rows:
        vectors = embedder.embed([row["name"] for row in rows]).tolist()
        embedded = [{"key": row["key"], "embedding": vector} for row, vector in zip(rows, vectors, strict=True)]
        database.call("write_entity_embeddings", rows=embedded)
