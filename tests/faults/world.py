"""A server behind a proxy, and a model, for running a command under a fault and then again."""

import json
import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema.preparation import prepare
from gear_neo4j.graph.write import imports
from gear_neo4j.ingestion.pipeline import Ingest
from gear_neo4j.server import local
from gear_neo4j.settings import Settings
from tests.bad_bodies import BadBody
from tests.conftest import KEPT_PLANS, MARK, clear
from tests.dump import dump_of
from tests.fake_embedder import FakeEmbedder
from tests.faults.commands import Command, Model, prompt_of, write_data
from tests.faults.process import Ended, Running
from tests.faults.proxy import Proxy
from tests.scripted_server import Fault, ScriptedServer

NAME = "faults"
# So that the driver notices a silent server within seconds; the server's default is two minutes.
IMPATIENT = f"""
{KEPT_PLANS}
server.bolt.connection_keep_alive=1s
server.bolt.connection_keep_alive_probes=2
server.bolt.connection_keep_alive_streaming_scheduling_interval=1s
"""
# All cells of the command share the adopted graph, because an adoption depends on the element ids of its nodes.
WIPE = Query(
    "wipe",
    "MATCH (n) WHERE NOT (n:__GearTests OR n:__Neo4jMigration OR n:__GearStore OR $graph AND (n:Person OR n:Company)) "
    "DETACH DELETE n",
    parameters=frozenset({"graph"}),
    writes=True,
)
STORE = Query("store", "MATCH (s:__GearStore {id: 'store'}) RETURN s {.*} AS properties")
RESTORE = Query(
    "restore",
    "MATCH (s:__GearStore {id: 'store'}) SET s = $properties",
    parameters=frozenset({"properties"}),
    writes=True,
)
GRAPH = Query(
    "graph",
    "UNWIND range(0, 11) AS n MERGE (c:Company {name: 'Company ' + (n % 3)}) "
    "MERGE (p:Person {name: 'Person ' + n}) MERGE (p)-[:WORKS_AT]->(c)",
    writes=True,
)
CONNECTIONS = Query(
    "connections",
    "CALL dbms.listConnections() YIELD userAgent WHERE userAgent STARTS WITH 'gear' RETURN count(*) AS n",
)
Answers = Callable[[int, list], Fault | BadBody | int | None]


class World:
    """The environment of a cell of the table; shared by all cells, and reset by :meth:`reset`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.version = Settings.load().neo4j_version
        self.server = self._started(None)
        self.proxy = Proxy(int(self.server.uri.rsplit(":", 1)[1]))
        self.answers: Answers = lambda _number, _messages: None
        self.model = ScriptedServer(Model(), fault=self._answer)
        self.folder, self.out, self.cache = home / "data", home / "out.json", home / "cache"
        self.folder.mkdir()
        write_data(self.folder)
        self.paid: Counter[tuple[str, ...]] = Counter()
        self.embedder = FakeEmbedder()
        self.database = self._connected()
        self._is_killed = self._holds_corpus = False
        self._store: dict[str, object] = {}
        self._undisturbed: dict[str, object] = {}

    def __enter__(self) -> "World":
        self.proxy.__enter__()
        self.model.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()
        self.model.__exit__(None, None, None)
        self.proxy.__exit__(None, None, None)
        local.stop(name=NAME, home=self.home)

    def calm(self) -> None:
        """End all faults."""
        self.proxy.calm()
        self.answers = lambda _number, _messages: None
        if self.cache.exists():
            self.cache.chmod(0o700)

    def reset(self, command: Command) -> None:
        """The initial database and files of a command; no faults, no paid calls."""
        self.calm()
        self.paid.clear()
        self.out.unlink(missing_ok=True)
        for file in self.cache.glob("*"):
            if file.is_dir():
                shutil.rmtree(file)
            else:
                file.unlink()
        if command.needs != "graph":
            # The next adoption starts with another graph, whose nodes have other ids.
            self._undisturbed.pop("adopt", None)
        if command.reads and self._holds_corpus:
            return
        self._holds_corpus = command.reads
        if command.needs == "nothing" or not self._store:
            clear(self.database)
            self._store = {}
        if command.needs == "nothing":
            return
        self._with_schema(keep_graph=command.needs == "graph")
        if command.needs == "corpus":
            files = self.folder / "corpus.jsonl", self.folder / "triples.jsonl"
            Ingest(Graph(self.database), self.embedder).run([files[0]], [files[1]])
        elif command.needs == "graph":
            self.database.run(GRAPH)

    def start(
        self, command: Command, *, chat_timeout: int = 1, largest: int | None = None, jumps: bool = False
    ) -> Running:
        """A command in a separate process."""
        environment = {
            "NEO4J_URI": self.proxy.uri,
            "NEO4J_DATABASE": "",
            "NEO4J_USERNAME": self.server.username,
            "NEO4J_PASSWORD": self.server.password,
            "GEAR_HOME": str(self.cache),
            "GEAR_CHAT_MODEL": "toy",
            "GEAR_CHAT_TIMEOUT": str(chat_timeout),
            "OPENAI_BASE_URL": self.model.url,
            "COLUMNS": "200",
        }
        return Running(command.in_folder(self.folder, self.out), environment, largest=largest, jumps=jumps)

    def undisturbed(self, command: Command) -> dict[str, object]:
        """The result of an undisturbed run of the command, with the bytes transferred and the requests; cached."""
        if command.name not in self._undisturbed:
            self.reset(command)
            ended = self.start(command).end()
            assert 0 == ended.code, ended
            self._undisturbed[command.name] = {
                "state": self.state(),
                "result": self.result(command, ended),
                "down": self.proxy.seen["down"],
                "up": self.proxy.seen["up"],
                "paid": dict(self.paid),
            }
        return self._undisturbed[command.name]

    def state(self) -> object:
        """The whole content of the database."""
        return dump_of(self.database)

    def result(self, command: Command, ended: Ended) -> object:
        """The result of a command that is run for its result."""
        if command.name == "search":
            return [hit["id"] for hit in json.loads(ended.out)["hits"]]
        if command.name == "ask":
            return next(line for line in ended.out.splitlines() if line.strip())
        return json.loads(self.out.read_text())["recall"] if command.name == "evaluate" else None

    def kill_server(self) -> None:
        """SIGKILL the server, like a crash of its machine."""
        self._is_killed = True
        os.kill(self.server.pid, signal.SIGKILL)

    def restart_server(self) -> None:
        """Start the killed server again, on its port and with its data."""
        if not self._is_killed:
            return
        self._is_killed = False
        while local.running(name=NAME, home=self.home):
            time.sleep(0.05)
        self.server = self._started(int(self.server.uri.rsplit(":", 1)[1]))

    def connections(self) -> int:
        """The connections that the server knows, including those of the tests."""
        return self.database.run(CONNECTIONS)[0]["n"]

    def _answer(self, number: int, messages: list) -> Fault | BadBody | int | None:
        fault = self.answers(number, messages)
        if fault is None:
            self.paid[prompt_of(messages)] += 1
        return fault

    def _started(self, port: int | None) -> local.LocalServer:
        os.environ["GEAR_LOCAL_SETTINGS"] = IMPATIENT
        try:
            return local.start(name=NAME, home=self.home, version=self.version, port=port)
        finally:
            del os.environ["GEAR_LOCAL_SETTINGS"]

    def _connected(self) -> Database:
        server = self.server
        return Database.connect(server.uri, username=server.username, password=server.password)

    def _with_schema(self, *, keep_graph: bool) -> None:
        if self._store:
            for name in imports.CONSTRAINTS:
                self.database.execute(f"DROP CONSTRAINT {name} IF EXISTS")
            self.database.run(WIPE, graph=keep_graph)
            self.database.run(RESTORE, properties=self._store)
            return
        prepare(self.database, model=self.embedder.name, dimension=self.embedder.dimension)
        self.database.run(MARK)
        self._store = self.database.run(STORE)[0]["properties"]
