"""The other way to expand: one query a beam, whose neighbours come back with their vectors and are scored in Python."""

from collections.abc import Sequence

import numpy as np

from gear_neo4j.domain import Path, Triple
from gear_neo4j.graph.database import Database
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.store import ScoredTriple

NEIGHBOURS = Query(
    "neighbours_with_vectors",
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
      t.embedding AS embedding
    """,
    frozenset({"last", "visited", "limit"}),
)
EMBEDDINGS = Query(
    "embeddings",
    "MATCH (t:Triple) USING INDEX t:Triple(id) WHERE t.id IN $ids RETURN t.id AS id, t.embedding AS embedding",
    frozenset({"ids"}),
)


def one_query_a_beam(
    database: Database, paths: Sequence[Path], query: Sequence[float], *, neighbours: int
) -> list[list[ScoredTriple]]:
    """Expand each path by a query of its own, and score what comes back by the composed cosine with numpy."""
    asked = np.asarray(query)
    visited = [triple.id for path in paths for triple in path.triples]
    known = {row["id"]: np.asarray(row["embedding"]) for row in database.run(EMBEDDINGS, ids=visited)}
    found = []
    for path in paths:
        rows = database.run(NEIGHBOURS, last=path.triples[-1].id, visited=visited, limit=neighbours)
        walked = sum(known[triple.id] for triple in path.triples)
        candidates = []
        for row in rows:
            vector = walked + np.asarray(row["embedding"])
            triple = Triple(row["id"], row["subject"], row["predicate"], row["object"], row["passage"])
            candidates.append(ScoredTriple(triple, float(vector @ asked / np.linalg.norm(vector))))
        found.append(candidates)
    return found
