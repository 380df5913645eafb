"""Ingestion of the same 17,240 triples by us, langchain-neo4j and neo4j-graphrag: ``python -m benchmarks.writers``.

All on one server with APOC, which the other two need. Ours writes a vector for every passage and every triple, and its
vector and full-text indexes are online; the others write none. Each starts with an empty database; several rounds, in
turn.
"""

import argparse
import asyncio
import json
import logging
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.made import SyntheticCorpus, WordVectors
from benchmarks.measure import machine
from benchmarks.rivals import apoc
from benchmarks.scale import write_files
from gear_neo4j import Gear, Settings
from gear_neo4j.domain import Passage, Triple, entity_key
from gear_neo4j.graph.queries import Query
from gear_neo4j.server import local
from gear_neo4j.server.local import LocalServer

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "writers.json"
PASSAGES = 1_724
# The others take minutes; a part of the corpus shows their rate.
SHARE = {"langchain-neo4j": 0.15, "neo4j-graphrag": 0.5, "gear-neo4j": 1.0}
ROUNDS = 3
WIPE = Query("wipe", "MATCH (n) WITH n LIMIT 10000 DETACH DELETE n RETURN count(*) AS deleted", writes=True)
CONSTRAINTS = Query("constraints", "SHOW CONSTRAINTS YIELD name RETURN name")
INDEXES = Query("indexes", "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name")
Batch = list[tuple[Passage, list[Triple]]]


def ours(server: LocalServer, _: Batch, folder: Path) -> None:
    """``gear ingest`` from files."""
    settings = Settings(uri=server.uri, username=server.username, password=server.password)
    with Gear.connect(settings, embedder=WordVectors()) as gear:
        gear.ingest([folder])


def langchain(server: LocalServer, batch: Batch, _: Path) -> None:
    """``add_graph_documents`` with sources and base label, as in its documentation."""
    from langchain_core.documents import Document
    from langchain_neo4j import Neo4jGraph
    from langchain_neo4j.graphs.graph_document import GraphDocument, Node, Relationship

    graph = Neo4jGraph(server.uri, server.username, server.password, refresh_schema=False)
    documents = []
    for passage, triples in batch:
        nodes = {name: Node(id=name, type="Entity") for triple in triples for name in (triple.subject, triple.object)}
        edges = [
            Relationship(source=nodes[triple.subject], target=nodes[triple.object], type=_type(triple.predicate))
            for triple in triples
        ]
        source = Document(passage.text, metadata={"id": passage.id})
        documents.append(GraphDocument(nodes=list(nodes.values()), relationships=edges, source=source))
    for start in range(0, len(documents), 100):
        graph.add_graph_documents(documents[start : start + 100], include_source=True, baseEntityLabel=True)


def graphrag(server: LocalServer, batch: Batch, _: Path) -> None:
    """The KG builder's writer, with chunks and entities as its pipeline creates them."""
    import neo4j
    from neo4j_graphrag.components.kg_writer import Neo4jWriter
    from neo4j_graphrag.components.types import Neo4jGraph, Neo4jNode, Neo4jRelationship

    nodes: dict[str, Any] = {}
    edges = []
    for passage, triples in batch:
        nodes[passage.id] = Neo4jNode(id=passage.id, label="Chunk", properties={"text": passage.text})
        for triple in triples:
            for name in (triple.subject, triple.object):
                key = entity_key(name)
                if key not in nodes:
                    nodes[key] = Neo4jNode(id=key, label="Entity", properties={"name": name})
                    edges.append(Neo4jRelationship(start_node_id=key, end_node_id=passage.id, type="FROM_CHUNK"))
            ends: dict[str, Any] = {
                "start_node_id": entity_key(triple.subject),
                "end_node_id": entity_key(triple.object),
            }
            edges.append(Neo4jRelationship(**ends, type=_type(triple.predicate)))
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        writer = Neo4jWriter(driver)
        written = asyncio.run(writer.run(Neo4jGraph(nodes=list(nodes.values()), relationships=edges)))
    if written.status != "SUCCESS":
        raise RuntimeError(str(written.metadata))


def _type(predicate: str) -> str:
    return predicate.replace(" ", "_").upper()


def empty(server: LocalServer) -> None:
    """An empty database, without constraints and indexes."""
    settings = Settings(uri=server.uri, username=server.username, password=server.password)
    with Gear.connect(settings, embedder=WordVectors()) as gear:
        while gear.graph.database.run(WIPE)[0]["deleted"]:
            pass
        for query, kind in ((CONSTRAINTS, "CONSTRAINT"), (INDEXES, "INDEX")):
            for row in gear.graph.database.run(query):
                gear.graph.database.execute(f"DROP {kind} `{row['name']}`")


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.writers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    home = Path(tempfile.mkdtemp(prefix="gear-writers-"))
    settings = replace(Settings.load(), uri=None, name="bench-writers", database=None, home=home)
    corpus = [item for batch in SyntheticCorpus(PASSAGES).batches() for item in batch]
    write_files(SyntheticCorpus(PASSAGES), home / "corpus")
    writers: dict[str, Callable[[LocalServer, Batch, Path], None]] = {
        "gear-neo4j": ours,
        "neo4j-graphrag": graphrag,
        "langchain-neo4j": langchain,
    }
    rates: dict[str, list[float]] = {name: [] for name in writers}
    server = apoc.start(settings)
    try:
        for _ in range(rounds):
            for name, write in writers.items():
                part = corpus[: round(len(corpus) * SHARE[name])]
                empty(server)
                started = time.perf_counter()
                write(server, part, home / "corpus")
                rates[name].append(sum(len(triples) for _, triples in part) / (time.perf_counter() - started))
    finally:
        local.stop(name=settings.name, home=home)
        shutil.rmtree(home)
    mine = sorted(rates["gear-neo4j"])[len(rates["gear-neo4j"]) // 2]
    results = {
        "machine": machine(settings.neo4j_version),
        "triples_a_second": {name: sorted(map(round, samples)) for name, samples in rates.items()},
        "ratio": {name: round(mine / sorted(samples)[len(samples) // 2], 1) for name, samples in rates.items()},
    }
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data=results)


if __name__ == "__main__":
    main()
