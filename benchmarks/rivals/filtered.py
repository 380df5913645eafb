"""neo4j-graphrag's searches within a collection, each with its own means."""

import logging
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import neo4j

from gear_neo4j import Gear

# VectorCypherRetriever takes a filter, too, but in 1.22.0 every filter raises an error: it reads the name of the
# indexed property from an attribute that it never sets.
FILTERED = "VectorRetriever, filtered"
# HybridCypherRetriever has no filter: its query can only drop hits afterwards.
HITS = 200
AFTERWARDS = f"HybridCypherRetriever, top {HITS} filtered afterwards"
Search = Callable[[str, Sequence[float], str], list[str]]


def rivals(gear: Gear, *, k: int) -> dict[str, Search]:
    """Searches for k passages by question, vector and collection; none if neo4j-graphrag is not installed."""
    if not find_spec("neo4j_graphrag"):
        return {}
    # It warns in every search that the index cannot filter.
    logging.getLogger("neo4j_graphrag").setLevel(logging.ERROR)
    driver, name = gear.graph.database._driver, gear.graph.name
    return {FILTERED: _filtered(driver, name, k=k), AFTERWARDS: _filtered_afterwards(driver, name, k=k)}


def _filtered(driver: neo4j.Driver, database: str, *, k: int) -> Search:
    from neo4j_graphrag.retrievers import VectorRetriever

    retriever = VectorRetriever(
        driver,
        "gear_passage_embedding",
        result_formatter=lambda record: _item(record["node"]["id"]),
        return_properties=["id"],
        neo4j_database=database,
    )

    def search(_question: str, vector: Sequence[float], collection: str) -> list[str]:
        found = retriever.search(query_vector=list(vector), top_k=k, filters={"collection": {"$eq": collection}})
        return [one.content for one in found.items]

    return search


def _filtered_afterwards(driver: neo4j.Driver, database: str, *, k: int) -> Search:
    from neo4j_graphrag.retrievers import HybridCypherRetriever

    retriever = HybridCypherRetriever(
        driver,
        "gear_passage_embedding",
        "gear_passage_text",
        "WITH node, score WHERE node.collection = $collection RETURN node.id AS id ORDER BY score DESC",
        result_formatter=lambda record: _item(record["id"]),
        neo4j_database=database,
    )

    def search(question: str, vector: Sequence[float], collection: str) -> list[str]:
        found = retriever.search(
            query_text=question, query_vector=list(vector), top_k=HITS, query_params={"collection": collection}
        )
        return [one.content for one in found.items][:k]

    return search


def _item(id: str) -> Any:
    from neo4j_graphrag.types import RetrieverResultItem

    return RetrieverResultItem(content=id)
