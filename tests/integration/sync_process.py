"""A process that syncs a folder with the fake model, to be killed: URI, user, password, folder, collection."""

import sys
from pathlib import Path

import neo4j

sys.path.insert(0, str(Path(__file__).parents[1]))

from conftest import FakeEmbedder

from gear_neo4j import Gear

if __name__ == "__main__":
    uri, username, password, folder, collection = sys.argv[1:]
    with neo4j.GraphDatabase.driver(uri, auth=(username, password)) as driver:
        gear = Gear(driver, database="neo4j", embedder=FakeEmbedder())
        sys.stdout.write("connected\n")
        sys.stdout.flush()
        gear.corpus.sync([folder], collection=collection)
