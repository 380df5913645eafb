"""A process that ingests a data set with the fake model, to be killed: URI, user, password, folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from conftest import FakeEmbedder

from gear_neo4j.graph.database import Database
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.pipeline import Ingest

if __name__ == "__main__":
    uri, username, password, folder = sys.argv[1:]
    with Database.connect(uri, username=username, password=password) as database:
        sys.stdout.write("connected\n")
        sys.stdout.flush()
        Ingest(Graph(database), FakeEmbedder()).run([Path(folder, "corpus.jsonl")], [Path(folder, "triples.jsonl")])
