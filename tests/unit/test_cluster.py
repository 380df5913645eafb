"""Which queries go to which server of a cluster, with which bookmarks: the real driver and stubs that speak Bolt."""

import anyio
import neo4j
import pytest

from gear_neo4j import AsyncGear, Gear
from gear_neo4j.errors import DatabaseError, InputError, SettingsError
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.fragments import resource_folder
from gear_neo4j.graph.queries import Query, load
from gear_neo4j.settings import Settings
from tests.bolt_stub import Cluster, Refused

QUERIES = load(resource_folder("cypher"))
WRITE = Query("write", "CREATE (:Thing)", writes=True)


@pytest.fixture
def cluster():
    """A router, a reader, a writer, and another possible leader."""
    with Cluster() as cluster:
        yield cluster


@pytest.fixture
def database(cluster):
    """A connection to a database that is not the home database; the queries of connecting are forgotten."""
    with Database.connect(cluster.uri, username="neo4j", password="stub", name="films") as database:
        cluster.reader.sent.clear()
        yield database


@pytest.fixture
def driver(cluster):
    """The caller's own driver, with a short retry time."""
    with neo4j.GraphDatabase.driver(cluster.uri, auth=("neo4j", "stub"), max_transaction_retry_time=0.2) as driver:
        yield driver


def modes(member):
    """The queries that a member received, with their modes."""
    return [(sent.query, sent.mode) for sent in member.sent]


def test_the_first_query_of_a_connection_is_a_read(cluster):
    """Connecting needs no leader: it arrives only at the reader."""
    cluster.leader = None
    with Database.connect(cluster.uri, username="neo4j", password="stub") as database:
        assert ("neo4j", "5.26.0") == (database.name, database.version)

    assert ["r"] == [sent.mode for sent in cluster.reader.sent]
    assert [[], [], []] == [member.sent for member in (cluster.router, cluster.writer, cluster.other)]


def test_a_server_is_not_told_how_it_is_used(cluster, database, driver):
    """Also one that asks for it, and gets it from a driver of the caller."""
    database.call("counts")
    assert [] == cluster.told

    driver.execute_query("RETURN 1", database_="films")
    assert cluster.told


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_goes_where_its_access_says(cluster, database, name):
    """Each of ``cypher/``: a read to the reader in mode r, a write to the writer in mode w; the database is named."""
    query = QUERIES[name]
    database.run(query, **dict.fromkeys(query.parameters))

    here, there = (cluster.writer, cluster.reader) if query.writes else (cluster.reader, cluster.writer)
    assert [(query.text, "w" if query.writes else "r")] == modes(here)
    assert ["films"] == [sent.database for sent in here.sent]
    assert [] == there.sent
    assert [] == cluster.router.sent


@pytest.mark.parametrize(
    "use",
    [
        lambda database: database.call("counts"),
        lambda database: list(database.stream("all_passages")),
        lambda database: database.explain("MATCH (n) RETURN n"),
        lambda database: database.read_text("MATCH (n) RETURN n"),
        lambda database: database.has_search_clause,
        lambda database: database.catch_up(["SB:1"]),
    ],
    ids=["call", "stream", "explain", "text", "probe", "catch_up"],
)
def test_every_way_to_read_goes_to_the_reader(cluster, database, use):
    """Including the separate connection of an untrusted statement."""
    use(database)

    assert {"r"} == {sent.mode for sent in cluster.reader.sent}
    assert {"films"} == {sent.database for sent in cluster.reader.sent}
    assert [] == cluster.writer.sent


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("Neo.ClientError.Statement.EntityNotFound", "Unable to load NODE 4:x:1."),
        ("Neo.DatabaseError.Statement.ExecutionFailed", "Invalid progress specified: 9333/1000"),
    ],
    ids=["a node is gone", "an index is being built"],
)
def test_a_query_is_sent_again_after_a_failure_that_passes_by_itself(cluster, database, code, message):
    """Five times; then the failure is reported."""
    cluster.failures = [Refused(code, message)] * 5
    assert [] == database.call("show_indexes")

    cluster.failures = [Refused(code, message)] * 6
    with pytest.raises(DatabaseError, match=message):
        database.call("show_indexes")


def test_no_other_failure_is_tried_again(cluster, database):
    """The query would fail for the same reason."""
    cluster.failures = [Refused("Neo.DatabaseError.Statement.ExecutionFailed", "the disk is full")] * 2

    with pytest.raises(DatabaseError, match="the disk is full"):
        database.call("show_indexes")

    assert 1 == len(cluster.failures)


def test_a_schema_statement_goes_to_the_writer(cluster, database):
    """It is a write, too."""
    database.execute("DROP INDEX nothing IF EXISTS")

    assert [("DROP INDEX nothing IF EXISTS", "w")] == modes(cluster.writer)


def test_gear_reads_at_the_reader(cluster, driver):
    """So does a view of it; the first read carries the bookmarks of another process."""
    gear = Gear(driver, database="neo4j", bookmarks=["SB:7"])
    view = gear.scoped(collections=["legal"])
    assert [] == gear.corpus.collections()
    for front in (gear, view):
        assert () == front.entities("Ada")
        with pytest.raises(InputError, match="holds no passages"):
            front.search("Who?")

    assert {"r"} == {sent.mode for sent in cluster.reader.sent}
    assert {frozenset({"SB:7"})} == {sent.bookmarks for sent in cluster.reader.sent}
    assert [] == cluster.writer.sent
    assert ("SB:7",) == gear.bookmarks == view.bookmarks


def test_a_connection_by_settings_takes_bookmarks(cluster, tmp_path):
    """Its first query carries them."""
    settings = Settings(uri=cluster.uri, username="neo4j", password="stub", home=tmp_path)
    with Gear.connect(settings, bookmarks=["SB:7", "SB:5"]) as gear:
        assert [frozenset({"SB:7", "SB:5"})] == [sent.bookmarks for sent in cluster.reader.sent]
        assert ("SB:7",) == gear.bookmarks


def test_an_event_loop_catches_up(cluster, driver):
    """Like :class:`Gear`."""
    agear = AsyncGear(Gear(driver, database="neo4j"))
    anyio.run(agear.catch_up, ["SB:3"])

    assert ("SB:3",) == agear.gear.bookmarks


@pytest.mark.parametrize(
    "read",
    [
        lambda database: database.call("counts"),
        lambda database: list(database.stream("all_passages")),
        lambda database: database.read_text("RETURN 1"),
    ],
    ids=["call", "stream", "text"],
)
def test_a_read_is_sent_the_bookmark_of_the_last_write(cluster, database, read):
    """The one from its commit, which other processes also get."""
    _ = database.has_search_clause
    for write in (1, 2):
        database.run(WRITE)
        assert (f"SB:{write}",) == database.bookmarks
        read(database)
        assert frozenset({f"SB:{write}"}) == cluster.reader.sent[-1].bookmarks


def test_two_processes_hand_bookmarks_over(cluster):
    """An open connection catches up; later it sends these bookmarks, then newer ones."""
    login = {"username": "neo4j", "password": "stub"}
    with Database.connect(cluster.uri, **login) as writer, Database.connect(cluster.uri, **login) as reader:
        writer.run(WRITE)
        assert ("SB:0",) == reader.bookmarks
        reader.catch_up(writer.bookmarks)
        reader.call("counts")
        reader.run(WRITE)

        assert frozenset({"SB:0", "SB:1"}) == cluster.reader.sent[2].bookmarks
        assert frozenset({"SB:1"}) == cluster.reader.sent[-1].bookmarks
        assert frozenset({"SB:1"}) == cluster.writer.sent[-1].bookmarks
        assert ("SB:2",) == reader.bookmarks


def test_a_bookmark_that_no_server_reads_is_forgotten(cluster, driver):
    """It fails with one line, and the caller's driver continues without it."""
    database = Database(driver)
    with pytest.raises(SettingsError, match="cannot read a bookmark"):
        database.catch_up(["nonsense"])
    with pytest.raises(SettingsError, match="cannot read a bookmark"):
        Database(driver, bookmarks=["nonsense"])

    database.call("counts")
    driver.execute_query("RETURN 1", routing_="r")
    assert ("SB:0",) == database.bookmarks


def test_a_cluster_that_is_behind_says_so(cluster, driver):
    """Once its servers have given up waiting; others do not wait for these bookmarks."""
    database = Database(driver)
    cluster.behind = True
    with pytest.raises(DatabaseError, match="has not caught up with a bookmark: try again later"):
        database.catch_up(["SB:9"])

    assert ("SB:0",) == database.bookmarks


def test_a_write_goes_to_the_new_leader(cluster, database):
    """The old one refuses it, and the driver requests the routing table again; the caller does not notice."""
    database.run(WRITE)
    cluster.leader = cluster.other
    database.run(WRITE)
    database.run(WRITE)

    assert 1 == cluster.writer.refused
    assert [1, 2] == [len(member.sent) for member in (cluster.writer, cluster.other)]
    assert [frozenset({"SB:1"}), frozenset({"SB:2"})] == [sent.bookmarks for sent in cluster.other.sent]


def test_without_a_leader_a_write_fails_and_reads_go_on(cluster, driver):
    """After the driver's retry time."""
    database = Database(driver)
    database.run(WRITE)
    cluster.leader = None
    with pytest.raises(DatabaseError, match="the server failed: .*'WRITE' server"):
        database.run(WRITE)

    database.call("counts")
    assert "r" == cluster.reader.sent[-1].mode


def test_a_stream_whose_reader_is_gone_says_so(cluster, driver):
    """It is not restarted, because the consumer may have used half of it."""
    database = Database(driver)
    assert [] == list(database.stream("all_passages"))
    cluster.reader.stop()
    with pytest.raises(DatabaseError, match=r"^(the server failed|no Neo4j server answers): [^\n]*$"):
        list(database.stream("all_passages"))


def test_a_read_goes_to_another_reader_when_its_own_is_gone(cluster, database):
    """Whatever connections existed; a writer is not a reader."""
    database.call("counts")
    cluster.reader.stop()
    cluster.reader = cluster.other
    database.call("counts")

    assert ["r"] == [sent.mode for sent in cluster.other.sent]
    assert [] == cluster.writer.sent
