"""A real Neo4j for the tests: the server at NEO4J_URI, or one that the suite starts and stops."""

import gc
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings as hypothesis_settings

from gear_neo4j.adoption.overlay import Adoption
from gear_neo4j.adoption.profile import Profile
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema.preparation import prepare
from gear_neo4j.models.embeddings import SentenceTransformerEmbedder
from gear_neo4j.models.onnx_record import FOLDER
from gear_neo4j.server import local
from gear_neo4j.settings import Settings
from tests.examples import FEW, MANY
from tests.fake_embedder import CountingEmbedder, FakeEmbedder
from tests.graphs import ingest
from tests.processes import hear_signals
from tests.spans import recorded
from tests.toy_model import FACTS, PASSAGES

# The same examples in every run and no deadline, so that no test fails by chance; 'make fuzz' uses random ones.
hypothesis_settings.register_profile("same", derandomize=True, deadline=None)
hypothesis_settings.register_profile("few", derandomize=True, deadline=None, max_examples=FEW)
hypothesis_settings.register_profile("random", max_examples=MANY, deadline=None, print_blob=True)
hypothesis_settings.load_profile("same")

# Neo4j plans a query again after ten seconds if the number of nodes has changed, as it does in each test, and planning
# takes longer than most queries. Nor does it keep more than a thousand plans, fewer than the tests' queries have forms.
KEPT_PLANS = "dbms.cypher.min_replan_interval=1h\nserver.memory.query_cache.per_db_cache_num_entries=4000"
Passages = Mapping[str, str]
Triples = Sequence[tuple[str, str, str, str]] | None

MARK = Query("mark", "MERGE (:__GearTests)", writes=True)
MARKED = Query("marked", "RETURN EXISTS { MATCH (:__GearTests) } OR NOT EXISTS { MATCH () } AS ours")
WIPE = Query(
    "wipe",
    "MATCH (n) WHERE NOT n:__GearTests WITH n LIMIT 10000 DETACH DELETE n RETURN count(*) AS deleted",
    writes=True,
)
WIPE_DATA = Query(
    "wipe_data",
    "MATCH (n) WHERE NOT (n:__GearTests OR n:__GearStore OR n:__Neo4jMigration) "
    "WITH n LIMIT 10000 DETACH DELETE n RETURN count(*) AS deleted",
    writes=True,
)
STORES = Query("stores", "MATCH (s:__GearStore) RETURN collect(properties(s)) AS stores")
RESTORE = Query(
    "restore",
    "CALL () { MATCH (s:__GearStore) DELETE s } UNWIND $stores AS store CREATE (s:__GearStore) SET s = store",
    frozenset({"stores"}),
    writes=True,
)
# The fixtures that determine the schema, in the order in which a file's tests run; of several, the last one counts.
SCHEMAS = ("gear", "database", "shared", "empty")
CONSTRAINTS = Query("constraints", "SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name")
INDEXES = Query(
    "indexes", "SHOW INDEXES YIELD name, type, options WHERE type <> 'LOOKUP' RETURN name, options ORDER BY name"
)
AHEAD = Query(
    "ahead",
    "MATCH (m:__Neo4jMigration) WHERE NOT m.version IN $known DETACH DELETE m",
    frozenset({"known"}),
    writes=True,
)
MIGRATIONS = Query("migrations", "MATCH (m:__Neo4jMigration) RETURN m {.*} AS migration ORDER BY m.version")


class Prepared(NamedTuple):
    """A prepared test database: its schema, and the properties of the store's nodes."""

    schema: list[list[dict[str, object]]]
    stores: list[dict[str, object]]

    @property
    def versions(self) -> list[str]:
        """The versions of its migrations, which :func:`look` puts last."""
        return [row["migration"]["version"] for row in self.schema[-1]]


@pytest.fixture(scope="session", autouse=True)
def signals() -> None:
    """The tests' processes receive signals; pytest itself may have been started to ignore them, and still does."""
    hear_signals()


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[Settings]:
    """The tests' Neo4j; without one the run fails instead of skipping tests."""
    settings = Settings.load()
    if settings.uri:
        yield settings
        return
    home = tmp_path_factory.mktemp("gear-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEAR_LOCAL_SETTINGS", KEPT_PLANS)
        started = local.start(name="tests", home=home, version=settings.neo4j_version)
    try:
        yield Settings(uri=started.uri, username=started.username, password=started.password, home=home)
    finally:
        local.stop(name="tests", home=home)


class Shared:
    """The content of the tests' database for tests that only read: it stays until anything else is committed."""

    def __init__(self, database: Database, prepared: dict[int, Prepared], folder: Path) -> None:
        self._database = database
        self._prepared = prepared
        self._folder = folder
        self._held: object = None

    def filled(self, what: object, embedder: FakeEmbedder, fill: Callable[[Database], object]) -> Database:
        """The database with the data that a function writes, unless it has it already; ``what`` identifies the data."""
        made = what, embedder.name
        if self._held != (made, self._committed()):
            renew(self._database, self._prepared, model=embedder.name, dimension=embedder.dimension)
            fill(self._database)
            self._held = made, self._committed()
        return self._database

    def ingested(self, passages: Passages, triples: Triples, embedder: FakeEmbedder) -> Database:
        """The database with these passages and triples; with None for triples, only the passages."""

        def fill(database: Database) -> None:
            ingest(database, embedder, self._folder, passages, triples)

        return self.filled((dict(passages), None if triples is None else list(triples)), embedder, fill)

    def adopted(self, text: str, profile: Profile, embedder: FakeEmbedder) -> Database:
        """The database with somebody else's graph, adopted; ``text`` creates the graph.

        The schema is created before the adoption, unlike in the tests of adoption itself, because it takes the most
        time.
        """

        def fill(database: Database) -> None:
            database.run(Query("graph", text, writes=True))
            Adoption(Graph(database), profile, embedder).run()

        return self.filled((text, profile), embedder, fill)

    def _committed(self) -> tuple[str, ...]:
        # The bookmark of a read is that of the last transaction that anybody has committed.
        self._database.run(MARKED)
        return self._database.bookmarks


@pytest.fixture(scope="session")
def connection(server) -> Iterator[Database]:
    """One connection for all tests; refuses a database with other data than the tests'."""
    with Database.connect(
        server.uri, username=server.username, password=server.password, name=server.database
    ) as database:
        if not database.run(MARKED)[0]["ours"]:
            pytest.exit(f"{database.name} holds data that is not the tests': give them an empty database", returncode=2)
        database.run(MARK)
        yield database


def clear(connection) -> None:
    """Delete data, constraints and indexes in the tests' database."""
    while connection.run(WIPE)[0]["deleted"]:
        pass
    for row in connection.run(CONSTRAINTS):
        connection.execute(f"DROP CONSTRAINT `{row['name']}`")
    for row in connection.run(INDEXES):
        connection.execute(f"DROP INDEX `{row['name']}`")


def renew(connection, prepared, *, model: str, dimension: int) -> None:
    """Give the tests' database the schema for models of that dimension, a store of that model, and no data.

    A schema change makes Neo4j plan every query again, which takes longer than most tests, so a suitable schema is
    kept.
    """
    known = prepared.get(dimension)
    while connection.run(WIPE_DATA)[0]["deleted"]:
        pass
    if known:
        connection.run(AHEAD, known=known.versions)
    if known is None or known.schema != look(connection):
        clear(connection)
        prepare(connection, model=model, dimension=dimension)
        known = prepared[dimension] = Prepared(look(connection), connection.run(STORES)[0]["stores"])
    own = {"embeddingModel": model}
    connection.run(RESTORE, stores=[store | own if "embeddingModel" in store else store for store in known.stores])


def look(connection) -> list[list[dict[str, object]]]:
    """The schema of the tests' database and its recorded migrations; equal only if they are the same."""
    return [connection.run(query) for query in (CONSTRAINTS, INDEXES, MIGRATIONS)]


@pytest.fixture
def empty(connection) -> Database:
    """A database without data, constraints and indexes."""
    clear(connection)
    return connection


@pytest.fixture(scope="session")
def shared(connection, prepared, tmp_path_factory) -> Shared:
    """A database that read-only tests share, because filling it takes longer than most of them."""
    return Shared(connection, prepared, tmp_path_factory.mktemp("shared"))


@pytest.fixture
def embedder() -> FakeEmbedder:
    """A fast embedding model."""
    return FakeEmbedder()


@pytest.fixture
def counting() -> CountingEmbedder:
    """A fast embedding model that records its texts."""
    return CountingEmbedder()


@pytest.fixture(scope="session")
def checked(tmp_path_factory) -> Path:
    """A home in which the packaged embedding model has been checked: otherwise each new home loads torch for that."""
    folder = tmp_path_factory.mktemp("checked")
    SentenceTransformerEmbedder(home=folder).embed(["Ada"])
    return folder


@pytest.fixture
def home(checked, tmp_path_factory, monkeypatch) -> Path:
    """The test's own GEAR_HOME, with nothing in it but the record of that check."""
    folder = tmp_path_factory.mktemp("home")
    shutil.copytree(checked / FOLDER, folder / FOLDER)
    monkeypatch.setenv("GEAR_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def prepared() -> dict[int, Prepared]:
    """The expected state of a prepared test database, by the dimension of its embedding model."""
    return {}


@pytest.fixture
def database(connection, embedder, prepared) -> Database:
    """A migrated database without passages; the schema is created again only if a test left another one."""
    renew(connection, prepared, model=embedder.name, dimension=embedder.dimension)
    return connection


@pytest.fixture
def corpus(shared, embedder):
    """Three hops: prize, thesis, town; and a recipe."""
    return shared.ingested(PASSAGES, FACTS, embedder)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the evaluation data."""
    return Path(os.environ.get("GEAR_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture
def spans():
    """The spans of a test."""
    with recorded() as spans:
        yield spans


@pytest.fixture(scope="session")
def tesseract():
    """The program that reads pictures; where CI is true, it must be there."""
    from gear_neo4j.ingestion import scans

    if not scans.is_installed():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("Tesseract is not installed")


@pytest.fixture(scope="session")
def provider_modules(tmp_path_factory):
    """The program of an OpenID provider, from the npm registry."""
    from tests import identity_provider

    if identity_provider.MISSING:
        pytest.skip(f"the tests of sign-in need {' and '.join(identity_provider.MISSING)}")
    return identity_provider.installed(tmp_path_factory.mktemp("provider"))


@pytest.fixture
def provider(provider_modules, tmp_path):
    """A real OpenID provider with three accounts: ada (staff, legal), bob (staff) and eve."""
    from tests import identity_provider

    folder = tmp_path / "provider"
    folder.mkdir()
    with identity_provider.running(provider_modules, folder) as provider:
        yield provider


def pytest_collection():
    """Imported and collected objects stay: the garbage collector need not visit them meanwhile."""
    gc.disable()


def pytest_collection_modifyitems(items):
    """Within a file, tests that need the same schema run consecutively: each schema change costs seconds."""
    places = {path: place for place, path in enumerate(dict.fromkeys(item.path for item in items))}
    items.sort(key=lambda item: (places[item.path], _schema(item)))


def _schema(item) -> int:
    """The index in :data:`SCHEMAS` of the schema that a test needs; tests without one come first."""
    names = getattr(item, "fixturenames", ())
    return max((place for place, name in enumerate(SCHEMAS) if name in names), default=-1)


def pytest_collection_finish():
    """Nor need it visit them later."""
    gc.collect()
    gc.freeze()
    gc.enable()
