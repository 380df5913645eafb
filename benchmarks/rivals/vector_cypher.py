"""neo4j-graphrag's VectorCypherRetriever over our graph: the nearest passages, then two hops written in Cypher."""

import neo4j

from gear_neo4j import Gear

NEAREST = 10
# The passages whose triples share an entity with the nearest ones, by the number of shared entities.
TWO_HOPS = """
MATCH (node)<-[:FROM]-(:Triple)-[:SUBJECT|OBJECT]->(e:Entity)
WITH node, score, e
WHERE COUNT {{ (e)<-[:SUBJECT]-() }} + COUNT {{ (e)<-[:OBJECT]-() }} <= {hub}
MATCH (e)<-[:SUBJECT|OBJECT]-(:Triple)-[:FROM]->(p:Passage)
WITH p, max(score) AS score, count(*) AS shared
RETURN p.id AS id, score, shared
ORDER BY score DESC, shared DESC, id
LIMIT 100
"""


class VectorCypher:
    """The retriever with its two-hop query; entities in more than ``hub`` triples are skipped."""

    def __init__(self, gear: Gear, *, hub: int = 10**9) -> None:
        from neo4j_graphrag.retrievers import VectorCypherRetriever
        from neo4j_graphrag.types import RetrieverResultItem

        def item(record: neo4j.Record) -> RetrieverResultItem:
            return RetrieverResultItem(content=record["id"])

        self._retriever = VectorCypherRetriever(
            gear.graph.database._driver,
            "gear_passage_embedding",
            TWO_HOPS.format(hub=hub),
            result_formatter=item,
            neo4j_database=gear.graph.name,
        )

    def search(self, vector: list[float], *, k: int) -> list[str]:
        """The ids of k passages, best first."""
        result = self._retriever.search(query_vector=vector, top_k=NEAREST)
        return [item.content for item in result.items][:k]
