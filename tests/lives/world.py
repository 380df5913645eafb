"""The product during a life: every call to it, without any expectations."""

import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Event, Lock

import neo4j
from starlette.testclient import TestClient

from gear_neo4j import Base, Gear, Limits, Scout
from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.errors import GearError, NothingFound
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.queries import Query
from gear_neo4j.web.app import create_app
from gear_neo4j.web.keys import add_key, revoke_key
from gear_neo4j.web.options import ServiceOptions
from tests.conftest import RESTORE, STORES, WIPE_DATA
from tests.fake_embedder import FakeEmbedder
from tests.lives.model import File, Key, Readers, Viewer
from tests.mcp_client import talk
from tests.uploads import lines
from tests.web import HOST

PROJECTS = ("a", "b")
# How a folder is given: relative to its parent, by its absolute path, or with a name.
FORMS = ("relative", "absolute", "named")
NAME = "handbook"
QUESTION = "Who met Bo Lund at the harbour of Varna?"
TEXT = "Ada {} met Bo Lund at the harbour of Varna."
MARK = re.compile(r"zq[a-z]+", re.IGNORECASE)
SLOW = Limits(seconds=0.001)
MANY = 50
# A line of JSONL: its source, its text, and its readers if it names some.
Row = tuple[str, str, Readers | None]
BUSY = "busy"
PATIENCE = 60.0
PEOPLE = Query(
    "people",
    "UNWIND $people AS person CREATE (p:Person) SET p = person",
    frozenset({"people"}),
    writes=True,
)
UNPEOPLED = Query("unpeopled", "MATCH (p:Person) DETACH DELETE p", writes=True)
PROFILE = Profile(name="people", entities={"Person": Entities(names=("name",), text=("note",))}, readers="acl")


class Killed(Exception):
    """The process dies here."""


class Embedder(FakeEmbedder):
    """The fast model: something can happen during an operation, and a job can be made to wait."""

    def __init__(self) -> None:
        self.meanwhile: Callable[[], None] | None = None
        self.is_free = Event()
        self._row, self._lock = cache(super()._row), Lock()

    def embed(self, texts):
        """As the fake one does."""
        if any(text.strip() == BUSY for text in texts):
            assert self.is_free.wait(PATIENCE)
            raise GearError("a job that only keeps the worker busy")
        with self._lock:
            happens, self.meanwhile = self.meanwhile, None
        if happens:
            happens()
        return super().embed(texts)

    @contextmanager
    def interrupted(self, happens: Callable[[], None] | None) -> Iterator[Callable[[], bool]]:
        """A block in which something happens before the first embedding; yields whether it has."""
        self.meanwhile = happens
        try:
            yield lambda: happens is not None and self.meanwhile is None
        finally:
            self.meanwhile = None


class World:
    """One database and one service for all lives; :meth:`begin` resets them."""

    def __init__(self, server, database: Database, home: Path) -> None:
        self.home, self.database = home, database
        self.embedder = Embedder()
        self._stack = ExitStack()
        driver = neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password))
        self.gear = Gear(self._stack.enter_context(driver), database=server.database, embedder=self.embedder)
        self._keys_file = home / "keys.json"
        self._keys_file.write_text('{"version": 1, "keys": []}')
        self._keys_file.chmod(0o600)
        options = ServiceOptions(keys_file=self._keys_file, uploads_folder=home / "uploads", waiting_jobs=1_000)
        app = create_app(self.gear, options=options)
        self._client = self._stack.enter_context(TestClient(app, base_url=HOST))
        self._jobs = app.state.service.jobs
        self._stores = database.run(STORES)[0]["stores"]
        self._view = self.gear
        self._mcp = server_over_view(lambda: self._view)
        self._headers: dict[str, dict[str, str]] = {}
        self._views: dict[str, Gear] = {}
        self.time = 0

    def __enter__(self) -> "World":
        self._folder = Path.cwd()
        return self

    def __exit__(self, *_: object) -> None:
        os.chdir(self._folder)
        self.embedder.is_free.set()
        self._stack.close()

    def begin(self, viewers: Sequence[Viewer]) -> None:
        """An empty database, empty folders, and a key for everybody; an earlier life may have failed halfway."""
        self.embedder.is_free.set()
        while self._jobs.count("waiting") + self._jobs.count("running"):
            time.sleep(0.004)
        while self.database.run(WIPE_DATA)[0]["deleted"]:
            pass
        # Caches between searches identify the graph by this.
        stores = [{**store, "changed": secrets.token_hex(8)} for store in self._stores if store["id"] == "store"]
        self.database.run(RESTORE, stores=stores)
        for project in PROJECTS:
            shutil.rmtree(self.home / project, ignore_errors=True)
            (self.home / project / "docs").mkdir(parents=True)
        self._keys_file.unlink()
        self._headers = {viewer.name: {"Authorization": f"Bearer {self._add_key(viewer)}"} for viewer in viewers}
        self._views = {
            viewer.name: self.gear.scoped(collections=viewer.collections, principals=viewer.principals)
            for viewer in viewers
        }

    def _add_key(self, viewer: Viewer) -> str:
        return add_key(
            self._keys_file,
            viewer.name,
            principals=sorted(viewer.principals or ()),
            collections=sorted(viewer.collections or ()),
            everything=viewer.principals is None,
            writes=viewer.writes,
        )

    # Files

    def path(self, project: str, name: str = "") -> Path:
        """A file of a project, or its folder."""
        return self.home / project / "docs" / name

    def write(self, project: str, name: str, text: str) -> File:
        """Write a file; without a text, an unreadable one."""
        self.path(project, name).write_text(f"<p>{TEXT.format(text) if text else ''}</p>")
        return self.touch(project, name, text)

    def touch(self, project: str, name: str, text: str) -> File:
        """Give a file another modification time; all times are long past, so that a sync trusts them."""
        self.time += 1
        os.utime(self.path(project, name), (1_600_000_000 + self.time,) * 2)
        return File(text, self.time)

    def rename(self, project: str, name: str, to: str) -> None:
        """Give a file another name."""
        self.path(project, name).rename(self.path(project, to))

    def delete_file(self, project: str, name: str) -> None:
        """Delete a file."""
        self.path(project, name).unlink()

    # Operations of the operator; each returns whether it was completed

    def ingest(self, project: str, form: str, **options) -> bool:
        """Ingest a folder."""
        return self._from(project, form, self.gear.ingest, **options)

    def sync(self, project: str, form: str, **options) -> bool:
        """Sync a folder."""
        return self._from(project, form, self.gear.corpus.sync, **options)

    def _from(self, project: str, form: str, command, *, slow: bool, **options) -> bool:
        folder = Path("docs") if form == "relative" else self.path(project)
        if form == "named":
            options |= {"source_name": NAME, "confirm_source": lambda _: True}
        if slow:
            options |= {"limits": SLOW}
        os.chdir(self.home / project)
        try:
            return self._run(lambda: command([folder], **options))
        finally:
            os.chdir(self.home)

    def ingest_lines(self, rows: Sequence[Row], *, collection: str) -> None:
        """Ingest lines of JSONL that name their sources."""
        file = self.home / "lines" / "lines.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"".join(_line(*row) for row in rows))
        self.gear.ingest([file], collection=collection)

    def set_readers(self, key: Key, readers: Readers) -> bool:
        """Set the readers of a source; returns whether it existed."""
        try:
            self.gear.corpus.set_readers(key[1], readers, collection=key[0])
        except NothingFound:
            return False
        return True

    def forget(self, key: Key) -> bool:
        """Forget a source; returns whether it existed."""
        try:
            self.gear.corpus.forget(key[1], collection=key[0])
        except NothingFound:
            return False
        return True

    def adopt(self, people: Sequence[tuple[str, Readers]], *, collection: str) -> None:
        """Adopt somebody else's graph, with a person for each text."""
        rows = [
            {"name": f"Cem {text}", "note": TEXT.format(text), **({"acl": list(names)} if names else {})}
            for text, names in people
        ]
        self.database.run(PEOPLE, people=rows)
        self.gear.overlay.adopt(PROFILE, collection=collection)

    def release(self) -> None:
        """Release the graph, and delete it."""
        self.gear.overlay.release()
        self.database.run(UNPEOPLED)

    def _run(self, work: Callable[[], object]) -> bool:
        try:
            work()
        except Killed:
            return False
        return True

    # The service

    def keep_busy(self) -> None:
        """From now on, jobs wait."""
        self.embedder.is_free.clear()
        # Not a viewer's key, so that it cannot be revoked.
        self._busy = self.send_line("root", BUSY, BUSY, collection="default")
        assert self._busy

    def work(self, jobs: Sequence[str]) -> list[bool]:
        """Let the jobs run; returns those that were done."""
        self.embedder.is_free.set()
        return [self._ended(job) == "done" for job in (self._busy, *jobs)][1:]

    def _ended(self, job: str) -> str:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            response = self._client.get(f"/api/jobs/{job}", headers=self._headers["root"])
            # A job may be deleted with its key.
            if response.status_code == 404 or response.json()["state"] not in ("waiting", "running"):
                return response.json().get("state", "dropped")
            time.sleep(0.004)
        raise AssertionError(f"the job {job} does not end")

    def send(self, key: str, name: str, text: str, *, collection: str, readers: Readers | None) -> str | None:
        """Upload a document; returns its job, if it is accepted."""
        return self._send(key, name, TEXT.format(text).encode(), collection, readers)

    def send_line(self, key: str, source: str, text: str, *, collection: str) -> str | None:
        """Upload a line of JSONL that names its source."""
        return self._send(key, "lines.jsonl", _line(source, text, None), collection, None)

    def _send(self, key: str, name: str, content: bytes, collection: str, readers: Readers | None) -> str | None:
        fields = {"collection": collection, **({"readers": list(readers)} if readers else {})}
        files, headers = [("files", (name, content))], self._headers[key]
        return self._job(self._client.post("/api/documents", files=files, data=fields, headers=headers))

    def delete(self, key: str, source: str, *, collection: str) -> str | None:
        """Request the removal of a source."""
        path = "/api/documents/" + source.replace("/", "%2F")
        return self._job(self._client.delete(path, params={"collection": collection}, headers=self._headers[key]))

    def _job(self, response) -> str | None:
        assert response.status_code < 500, response.text
        return response.json()["id"] if response.status_code == 202 else None

    def revoke(self, key: str) -> None:
        """Take a key away."""
        revoke_key(self._keys_file, key)

    # What somebody sees: marks of texts

    def passages(self, viewer: Viewer) -> set[str]:
        """All passages, from a search with a large enough k."""
        return self._marks(self._views[viewer.name].search(QUESTION, k=MANY, retriever=Base(base="sbert")))

    def bm25(self, viewer: Viewer) -> set[str]:
        """The same by words, which a view caches."""
        return self._marks(self._views[viewer.name].search(QUESTION, k=MANY, retriever=Base(base="bm25")))

    def scout(self, viewer: Viewer) -> set[str]:
        """A search over the graph, with its paths."""
        return self._marks(self._views[viewer.name].search(QUESTION, k=MANY, retriever=Scout()))

    def paths(self, viewer: Viewer) -> set[str]:
        """The paths between the names of a question, and the facts around them."""
        return self._marks(self._views[viewer.name].paths("How is Bo Lund related to Varna?"))

    def entities(self, viewer: Viewer) -> set[str]:
        """The entities of a name, and the facts of the first."""
        view = self._views[viewer.name]
        found = view.entities("Bo Lund")
        facts = ()
        if found:
            with suppress(NothingFound):
                facts = view.entity(found[0].id).facts
        return self._marks((found, facts))

    def by_http(self, viewer: Viewer) -> set[str]:
        """A search with the key of the service."""
        body = {"question": QUESTION, "k": MANY, "retriever": {"name": "base", "base": "bm25"}}
        return self._marks(self._client.post("/api/search", json=body, headers=self._headers[viewer.name]).json())

    def by_mcp(self, viewer: Viewer) -> set[str]:
        """A search with a tool."""
        self._view = self._views[viewer.name]
        arguments = {"query": QUESTION, "k": MANY, "retriever": "base", "base": "sbert"}
        return self._marks(talk(self._mcp, lambda client: client.call_tool("search", arguments)).structured_content)

    def sources(self, viewer: Viewer) -> set[Key]:
        """The collections and sources that the service lists."""
        response = self._client.get("/api/documents", params={"limit": 1_000}, headers=self._headers[viewer.name])
        return {(row["collection"], row["source"]) for row in response.json()["sources"]}

    def is_known(self, viewer: Viewer) -> bool:
        """Whether the service accepts the key."""
        return self._client.get("/api/documents", headers=self._headers[viewer.name]).status_code == 200

    def _marks(self, found: object) -> set[str]:
        return {mark.capitalize() for mark in MARK.findall(str(found))}


def server_over_view(view: Callable[[], Gear]):
    """An MCP server over somebody's current view."""
    from gear_neo4j.mcp.options import ServerOptions
    from gear_neo4j.mcp.server import make_server

    return make_server(lambda _: view(), options=ServerOptions())


def _line(source: str, text: str, readers: Readers | None) -> bytes:
    said = text if text == BUSY else TEXT.format(text)
    return lines(
        {
            "id": f"line-{text}",
            "text": said,
            "source": source,
            **({} if readers is None else {"readers": list(readers)}),
        }
    )
