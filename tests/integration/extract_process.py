"""A process that extracts triples by a scripted model, to be killed: URI, user, password, model, cache, threads."""

import sys
from pathlib import Path

from langchain_openai import ChatOpenAI

sys.path.insert(0, str(Path(__file__).parents[2]))

from gear_neo4j.extraction.chat import ChatExtractor
from gear_neo4j.extraction.run import Extraction
from gear_neo4j.graph.database import Database
from gear_neo4j.graph.graph import Graph
from gear_neo4j.models.chat import Chat
from tests.conftest import FakeEmbedder

if __name__ == "__main__":
    uri, username, password, url, cache, threads = sys.argv[1:]
    client = ChatOpenAI(model="toy", api_key="none", base_url=url, temperature=0, max_retries=0, timeout=30)
    chat = Chat(client, cache=Path(cache), concurrency=int(threads), sleep=lambda _seconds: None)
    with Database.connect(uri, username=username, password=password) as database:
        Extraction(Graph(database), FakeEmbedder(), ChatExtractor(chat)).run()
