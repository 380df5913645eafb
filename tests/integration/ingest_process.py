"""A process that ingests a data set with the fake model, to be killed: URI, user, password, folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from conftest import FakeEmbedder  # noqa: E402

from gear_neo4j.graph.database import Database  # noqa: E402
from gear_neo4j.ingestion.pipeline import Ingest  # noqa: E402

uri, username, password, folder = sys.argv[1:]
with Database.connect(uri, username=username, password=password) as database:
    print("connected", flush=True)
    Ingest(database, FakeEmbedder()).run([Path(folder, "corpus.jsonl")], [Path(folder, "triples.jsonl")])
