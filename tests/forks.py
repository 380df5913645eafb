"""The functions that killed processes run, at a server's address."""

import os
import signal
from multiprocessing.synchronize import Event
from pathlib import Path

import langchain_community.cache
import langchain_openai
import neo4j
import sqlalchemy

import gear_neo4j.models.http_client
from gear_neo4j import Gear
from gear_neo4j.cli import adopt, ask, communities, evaluate, forget, ingest, search, server
from gear_neo4j.extraction.extractor import ChatExtractor
from gear_neo4j.extraction.run import Extraction
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.schema.preparation import prepare
from gear_neo4j.graph.write.usage_store import UsageStore
from gear_neo4j.ingestion.pipeline import Ingest
from gear_neo4j.models.chat import Chat
from tests.fake_embedder import FakeEmbedder
from tests.processes import FORKS, Fork

# Modules that these processes import late are imported before the fork.
PRELOADED = (
    adopt,
    ask,
    communities,
    evaluate,
    forget,
    gear_neo4j.models.http_client,
    ingest,
    langchain_community.cache,
    search,
    server,
    sqlalchemy,
)
FORKS.set_forkserver_preload([__name__])
Address = tuple[str, str, str]


class Connecting(Fork):
    """A process that runs a function of this module at a server's address; ``began`` is set once it is connected."""

    def __init__(self, function, server, *args) -> None:
        self.began = FORKS.Event()
        super().__init__(function, (server.uri, server.username, server.password), self.began, *args)


def ingesting(address: Address, began: Event, folder: Path) -> None:
    """Ingest a data set with the fake model."""
    with connected(address) as database:
        began.set()
        Ingest(Graph(database), FakeEmbedder()).run([folder / "corpus.jsonl"], [folder / "triples.jsonl"])


def extracting(address: Address, began: Event, url: str, cache: Path, threads: int) -> None:
    """Extract triples with the model at ``url``."""
    client = langchain_openai.ChatOpenAI(
        model="toy", api_key="none", base_url=url, temperature=0, max_retries=0, timeout=30
    )
    chat = Chat(client, cache=cache, concurrency=threads, sleep=lambda _seconds: None)
    with connected(address) as database:
        began.set()
        Extraction(Graph(database), FakeEmbedder(), ChatExtractor(chat)).run()


def syncing(address: Address, began: Event, folder: Path, collection: str) -> None:
    """Sync a folder with the fake model."""
    uri, *login = address
    with neo4j.GraphDatabase.driver(uri, auth=tuple(login)) as driver:
        gear = Gear(driver, database="neo4j", embedder=FakeEmbedder())
        began.set()
        gear.corpus.sync([folder], collection=collection)


def counting(address: Address, began: Event, subject: str, requests: int, most: int) -> None:
    """Count so many requests of a subject, up to a limit, each with a token."""
    with connected(address) as database:
        began.set()
        store, period = UsageStore(database), {"day": "2026-11-29", "month": "2026-11"}
        for _ in range(requests):
            store.count(subject, name=subject, **period, requests=1, tokens=1, limits={"requests_per_day": most})


def upgrading(address: Address, began: Event, number: int) -> None:
    """Migrate a database, and die before the write of that number."""
    Killed.left = number
    with connected(address, Killed) as database:
        began.set()
        prepare(database, model="fake", dimension=8)


class Killed(Database):
    """A database whose process dies before the last of some writes."""

    left = 0

    def run(self, query, /, **parameters):
        """Like a database's, unless it is the last write."""
        if query.writes:
            Killed.left -= 1
            if Killed.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().run(query, **parameters)


def connected(address: Address, kind: type[Database] = Database) -> Database:
    """A database at an address."""
    uri, username, password = address
    return kind.connect(uri, username=username, password=password)
