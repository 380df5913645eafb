"""neo4j-graphrag's own retrievers and ours inside its ``GraphRAG``, on one graph of its form that we have adopted.

``python -m benchmarks.graphrag DATASET_DIR``: chunks, entities and relationships as its pipeline writes them, with the
triples of the data set; its vector and full-text indexes over the chunks; then ``gear adopt neo4j-graphrag``. Every
question goes to all systems in turn, and the same embedding model encodes it for each. The language model is scripted
and answers at once, so that the times are those of retrieval and of GraphRAG's own work.
"""

import argparse
import json
import logging
import re
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import neo4j
from neo4j_graphrag.embeddings import Embedder as PeerEmbedder
from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.indexes import create_fulltext_index, create_vector_index
from neo4j_graphrag.llm import LLMInterfaceV2
from neo4j_graphrag.llm.types import LLMResponse
from neo4j_graphrag.retrievers import HybridCypherRetriever, VectorCypherRetriever, VectorRetriever
from neo4j_graphrag.retrievers.base import Retriever
from neo4j_graphrag.types import RetrieverResultItem
from rich.console import Console
from rich.progress import track

from benchmarks.measure import machine, spread
from gear_neo4j import Gear, Settings
from gear_neo4j.adoption import profile_file
from gear_neo4j.evaluate import datasets
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.graph.queries import Query
from gear_neo4j.integrations.neo4j_graphrag import GearRetriever
from gear_neo4j.server import local

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "graphrag.json"
KS = (5, 10)
K = max(KS)
ROUNDS = 1
# An entity with more relationships than this leads everywhere: with 300, as in our own searches, theirs take seconds.
HUB = 30
ROWS = frozenset({"rows"})
TYPES = "MATCH (:__Entity__)-[r]->(:__Entity__) RETURN count(DISTINCT type(r)) AS types"
VECTORS, WORDS = "chunk_embedding", "chunk_text"
CHUNKS = Query(
    "chunks",
    "UNWIND $rows AS row CREATE (c:__KGBuilder__:Chunk {id: row.id, text: row.text}) "
    "WITH c, row CALL db.create.setNodeVectorProperty(c, 'embedding', row.vector)",
    ROWS,
    writes=True,
)
ENTITIES = Query(
    "entities",
    "UNWIND $rows AS row MATCH (c:Chunk {id: row.chunk}) "
    "MERGE (e:__Entity__ {name: row.name}) ON CREATE SET e:__KGBuilder__ MERGE (e)-[:FROM_CHUNK]->(c)",
    ROWS,
    writes=True,
)
FACTS = Query(
    "facts",
    "UNWIND $rows AS row MATCH (s:__Entity__ {name: row.subject}), (o:__Entity__ {name: row.object}) "
    "MERGE (s)-[:$(row.type)]->(o)",
    ROWS,
    writes=True,
)
DESCRIBED = Query("described", "MATCH (p:Passage)-[:DESCRIBES]->(c:Chunk) RETURN p.id AS passage, c.id AS chunk")
# As in its documentation: from a chunk to its entities, over one relationship, and back to chunks.
EXPANSION = f"""
CALL (node, score) {{
  RETURN node AS chunk, score AS weight, 0 AS hops
  UNION
  MATCH (node)<-[:FROM_CHUNK]-(e:__Entity__)
  WHERE COUNT {{ (e)--() }} <= {HUB}
  MATCH (e)-[r]-(other:__Entity__)-[:FROM_CHUNK]->(chunk:Chunk)
  RETURN chunk, score AS weight, 1 AS hops
}}
WITH chunk, min(hops) AS hops, max(weight) AS weight, count(*) AS ways
RETURN chunk.id AS id, chunk.text AS text
ORDER BY hops, weight DESC, ways DESC, id
LIMIT {K}
"""
# The same, ordered by the number of ways to a chunk: with the nearest first, they fill the whole list.
FOLLOWED = EXPANSION.replace("ORDER BY hops, weight DESC, ways DESC, id", "ORDER BY ways DESC, weight DESC, id")


class Encoder(PeerEmbedder):
    """Our embedding model with their interface."""

    def __init__(self, gear: Gear) -> None:
        super().__init__()
        self._gear = gear

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return [float(value) for value in self._gear.embedder.embed([text])[0]]


class Instant(LLMInterfaceV2):
    """A language model that always gives the same reply at once."""

    def __init__(self) -> None:
        super().__init__(model_name="instant")

    def invoke(self, *_: object, **__: object) -> LLMResponse:
        """One word."""
        return LLMResponse(content="answered")

    async def ainvoke(self, *_: object, **__: object) -> LLMResponse:
        """One word."""
        return self.invoke()


def build(gear: Gear, folder: Path) -> None:
    """Write the graph as SimpleKGPipeline of neo4j-graphrag 1.22 does, and its indexes."""
    database = gear.graph.database
    passages, stated = [rows_of(folder / f"{name}.jsonl") for name in ("corpus", "triples")]
    texts = [f"{row['title']}\n{row['text']}" for row in passages]
    vectors = gear.embedder.embed(texts)
    rows = [
        {"id": row["id"], "text": text, "vector": [float(value) for value in vector]}
        for row, text, vector in zip(passages, texts, vectors, strict=True)
    ]
    facts = [
        {"chunk": row["id"], "subject": subject, "object": object, "type": typed(predicate)}
        for row in stated
        for subject, predicate, object in row["triples"]
    ]
    names = [{"chunk": row["chunk"], "name": row[end]} for row in facts for end in ("subject", "object")]
    database.execute("CREATE INDEX chunk_id FOR (c:Chunk) ON (c.id)")
    database.execute("CREATE INDEX entity_name FOR (e:__Entity__) ON (e.name)")
    for query, some in ((CHUNKS, rows), (ENTITIES, names), (FACTS, facts)):
        for start in track(range(0, len(some), 1_000), query.name):
            database.run(query, rows=some[start : start + 1_000])


def rows_of(file: Path) -> list[dict[str, Any]]:
    """The objects of a file, one per line."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def typed(predicate: str) -> str:
    """A predicate as a relationship type, as models write them for this pipeline."""
    return re.sub(r"\W+", "_", predicate).strip("_").upper() or "RELATED"


def systems(gear: Gear, driver: neo4j.Driver) -> dict[str, Retriever]:
    """The measured retrievers, by name."""
    encoder, database = Encoder(gear), gear.graph.name

    def item(record: neo4j.Record) -> RetrieverResultItem:
        return RetrieverResultItem(content=record["text"], metadata={"id": record["id"]})

    def node(record: neo4j.Record) -> RetrieverResultItem:
        return RetrieverResultItem(content=record["node"]["text"], metadata={"id": record["node"]["id"]})

    plain = VectorRetriever(driver, VECTORS, encoder, result_formatter=node, neo4j_database=database)
    theirs = {
        f"VectorCypherRetriever, {name}": VectorCypherRetriever(
            driver, VECTORS, query, encoder, result_formatter=item, neo4j_database=database
        )
        for name, query in (("the nearest first", EXPANSION), ("the most linked first", FOLLOWED))
    }
    hybrid = HybridCypherRetriever(
        driver, VECTORS, WORDS, EXPANSION, encoder, result_formatter=item, neo4j_database=database
    )
    ours = {f"GearRetriever, {name}": GearRetriever(gear, retriever=name) for name in ("auto", "naive", "scout")}
    return {"VectorRetriever": plain, **theirs, "HybridCypherRetriever, the nearest first": hybrid, **ours}


def measure(rags: dict[str, GraphRAG], gear: Gear, queries: Sequence[datasets.EvaluationQuery]) -> dict[str, Any]:
    """The recall of each system by half, and the milliseconds of a whole ``search``; the first round warms up."""
    chunks = {row["passage"]: row["chunk"] for row in gear.graph.database.run(DESCRIBED)}
    recalls: dict[str, list[dict[int, float]]] = {name: [] for name in rags}
    times: dict[str, list[float]] = {name: [] for name in rags}
    for turn in track(range((1 + ROUNDS) * len(queries)), "searches"):
        query = queries[turn % len(queries)]
        for name, rag in rags.items():
            started = time.perf_counter()
            given = rag.search(query.question, retriever_config={"top_k": K}, return_context=True).retriever_result
            spent = 1_000 * (time.perf_counter() - started)
            if turn >= len(queries):
                times[name].append(spent)
                continue
            assert given
            found = [str((item.metadata or {})["id"]) for item in given.items]
            ids = [chunks.get(id, id) for id in found]
            recalls[name].append({k: recall(ids, query.gold, k=k) for k in KS})
    return {name: {"ms": spread(times[name]), "recall": _by_half(recalls[name])} for name in rags}


def _by_half(recalls: list[dict[int, float]]) -> dict[str, dict[str, float]]:
    """The percentage of gold passages at each k: on the even questions, used to choose our defaults, and the odd."""
    halves = {"even": recalls[::2], "odd": recalls[1::2]}
    return {
        half: {f"at {k}": round(100 * fmean(row[k] for row in rows), 1) for k in KS} for half, rows in halves.items()
    }


def main() -> None:
    """Build, adopt, measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graphrag", description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--keep", type=Path, help="a folder for the server; the next run takes the graph in it")
    arguments = parser.parse_args()
    dataset = datasets.load(arguments.dataset)
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    home = arguments.keep or Path(tempfile.mkdtemp(prefix="gear-graphrag-"))
    settings = replace(Settings.load(), uri=None, name="bench-graphrag", database=None, home=home)
    try:
        server = local.start(name=settings.name, home=home, version=settings.neo4j_version)
        with (
            neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver,
            Gear.connect(settings) as gear,
        ):
            if gear.overlay.profile() is None:
                build(gear, dataset.folder)
                create_vector_index(driver, VECTORS, "Chunk", "embedding", gear.embedder.dimension, "cosine")
                create_fulltext_index(driver, WORDS, "Chunk", ["text"])
                gear.overlay.adopt(profile_file.load(profile_file.built_in()["neo4j-graphrag"]))
                driver.execute_query("CALL db.awaitIndexes()")
            rags = {name: GraphRAG(retriever, Instant()) for name, retriever in systems(gear, driver).items()}
            results = {
                "machine": machine(gear.graph.version),
                "dataset": dataset.name,
                "questions": len(dataset.queries),
                "types": driver.execute_query(TYPES).records[0]["types"],
                "systems": measure(rags, gear, dataset.queries),
            }
    finally:
        local.stop(name=settings.name, home=home)
        if not arguments.keep:
            shutil.rmtree(home)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data=results)


if __name__ == "__main__":
    main()
