"""The other way to expand: one query per beam, with neighbours scored in Python, by vectors or by encoding paths."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from gear_neo4j.domain import Path
from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.read.store import ScoredTriple, triple_of
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.walk.beam import Beam, beam_search

Vector = npt.NDArray[np.float64]
STARTS = Query(
    "starts_with_vectors",
    """
    MATCH (p:Passage)
    USING INDEX p:Passage(id)
    WHERE p.id IN $passages
    MATCH (p)<-[:FROM]-(t:Triple)
    RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage,
      t.embedding AS embedding
    """,
    frozenset({"passages"}),
)
NEIGHBOURS = Query(
    "neighbours",
    """
    MATCH (last:Triple {id: $last})
    USING INDEX last:Triple(id)
    MATCH (last)-[:SUBJECT|OBJECT]->()<-[:SUBJECT|OBJECT]-(t:Triple)
    WHERE NOT t.id IN $visited
    WITH DISTINCT t
    ORDER BY t.id
    LIMIT $limit
    MATCH (t)-[:FROM]->(p)
    RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage,
      CASE WHEN $vectors THEN t.embedding END AS embedding
    """,
    frozenset({"last", "visited", "limit", "vectors"}),
)
EMBEDDINGS = Query(
    "embeddings",
    "MATCH (t:Triple) USING INDEX t:Triple(id) WHERE t.id IN $ids RETURN t.id AS id, t.embedding AS embedding",
    frozenset({"ids"}),
)


def walk(database: Database, passages: Sequence[str], query: Sequence[float], *, beam: Beam) -> list[Path]:
    """The whole walk: the triples of the passages are returned with their vectors, then one query per beam and step."""
    return beam_search(
        _starts(database, passages, query, limit=beam.width),
        expand=lambda paths: one_query_a_beam(database, paths, query, neighbours=beam.neighbours),
        beam=beam,
    )


def walk_encoding(
    database: Database, passages: Sequence[str], query: Sequence[float], *, beam: Beam, embedder: Embedder
) -> list[Path]:
    """The whole walk as in GeAR's code: each beam is a query, and each possible path is encoded."""
    vector = np.asarray(query, dtype=np.float32)

    def expand(paths: Sequence[Path]) -> list[list[ScoredTriple]]:
        visited = [triple.id for path in paths for triple in path.triples]
        neighbours = [
            database.run(NEIGHBOURS, last=path.triples[-1].id, visited=visited, limit=beam.neighbours, vectors=False)
            for path in paths
        ]
        longer = [(*path.triples, triple_of(row)) for path, rows in zip(paths, neighbours, strict=True) for row in rows]
        texts = ["; ".join(triple.text for triple in triples) for triples in longer]
        scored = (
            ScoredTriple(triples[-1], score)
            for triples, score in zip(longer, (embedder.embed(texts) @ vector).tolist(), strict=True)
        )
        return [list(islice(scored, len(rows))) for rows in neighbours]

    return beam_search(_starts(database, passages, query, limit=beam.width), expand=expand, beam=beam)


def one_query_a_beam(
    database: Database, paths: Sequence[Path], query: Sequence[float], *, neighbours: int
) -> list[list[ScoredTriple]]:
    """Expand each path with its own query, and score the results by the composed cosine with numpy."""
    vector = np.asarray(query)
    visited = [triple.id for path in paths for triple in path.triples]
    known = {row["id"]: np.asarray(row["embedding"]) for row in database.run(EMBEDDINGS, ids=visited)}
    expansions = []
    for path in paths:
        rows = database.run(NEIGHBOURS, last=path.triples[-1].id, visited=visited, limit=neighbours, vectors=True)
        walked = sum(known[triple.id] for triple in path.triples)
        expansions.append([_scored(row, walked + np.asarray(row["embedding"]), vector) for row in rows])
    return expansions


def _starts(database: Database, passages: Sequence[str], query: Sequence[float], *, limit: int) -> list[ScoredTriple]:
    query_vector = np.asarray(query)
    rows = database.run(STARTS, passages=list(passages))
    starts = [_scored(row, np.asarray(row["embedding"]), query_vector) for row in rows]
    return sorted(starts, key=lambda start: (-start.score, start.triple.id))[:limit]


def _scored(row: Row, vector: Vector, query: Vector) -> ScoredTriple:
    return ScoredTriple(triple_of(row), float(vector @ query / np.linalg.norm(vector)))
