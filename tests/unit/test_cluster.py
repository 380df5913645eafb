"""What goes to which server of a cluster, and with which bookmarks: the real driver against stubs that speak Bolt."""

import neo4j
import pytest

from gear_neo4j.errors import DatabaseError
from gear_neo4j.graph.database import Database
from gear_neo4j.graph.queries import Query, load, resource_folder
from tests.bolt_stub import Cluster

QUERIES = load(resource_folder("cypher"))
WRITE = Query("write", "CREATE (:Thing)", writes=True)


@pytest.fixture
def cluster():
    """A router, a reader, a writer, and another that can lead."""
    with Cluster() as cluster:
        yield cluster


@pytest.fixture
def database(cluster):
    """A connection to another than the home database; what it sent to connect is forgotten."""
    with Database.connect(cluster.uri, username="neo4j", password="stub", name="films") as database:
        cluster.reader.sent.clear()
        yield database


@pytest.fixture
def driver(cluster):
    """A driver of the caller's, which does not try for long."""
    with neo4j.GraphDatabase.driver(cluster.uri, auth=("neo4j", "stub"), max_transaction_retry_time=0.2) as driver:
        yield driver


def modes(member):
    """The queries that arrived at a member, with their modes."""
    return [(sent.query, sent.mode) for sent in member.sent]


def test_the_first_query_of_a_connection_is_a_read(cluster):
    """Connecting needs no leader: it arrives at the reader, and nothing arrives elsewhere."""
    cluster.leader = None
    with Database.connect(cluster.uri, username="neo4j", password="stub") as database:
        assert ("neo4j", "5.26.0") == (database.name, database.version)

    assert ["r"] == [sent.mode for sent in cluster.reader.sent]
    assert [[], [], []] == [member.sent for member in (cluster.router, cluster.writer, cluster.other)]


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
    ],
    ids=["call", "stream", "explain", "text", "probe"],
)
def test_every_way_to_read_goes_to_the_reader(cluster, database, use):
    """Also over the connection of its own that an untrusted statement has."""
    use(database)

    assert {"r"} == {sent.mode for sent in cluster.reader.sent}
    assert {"films"} == {sent.database for sent in cluster.reader.sent}
    assert [] == cluster.writer.sent


def test_a_schema_statement_goes_to_the_writer(cluster, database):
    """It is a write, too."""
    database.execute("DROP INDEX nothing IF EXISTS")

    assert [("DROP INDEX nothing IF EXISTS", "w")] == modes(cluster.writer)


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
    """The one that its commit gave."""
    _ = database.has_search_clause
    for write in (1, 2):
        database.run(WRITE)
        read(database)
        assert frozenset({f"SB:{write}"}) == cluster.reader.sent[-1].bookmarks


def test_a_write_goes_to_the_new_leader(cluster, database):
    """The old one refuses it; the driver asks for the routing table again, and the caller hears of nothing."""
    database.run(WRITE)
    cluster.leader = cluster.other
    database.run(WRITE)
    database.run(WRITE)

    assert 1 == cluster.writer.refused
    assert [1, 2] == [len(member.sent) for member in (cluster.writer, cluster.other)]
    assert [frozenset({"SB:1"}), frozenset({"SB:2"})] == [sent.bookmarks for sent in cluster.other.sent]


def test_without_a_leader_a_write_fails_and_reads_go_on(cluster, driver):
    """Once the driver has tried for as long as it may."""
    database = Database(driver)
    database.run(WRITE)
    cluster.leader = None
    with pytest.raises(DatabaseError, match="the server failed: .*'WRITE' server"):
        database.run(WRITE)

    database.call("counts")
    assert "r" == cluster.reader.sent[-1].mode


def test_a_stream_whose_reader_is_gone_says_so(cluster, driver):
    """It is not begun again: its reader may have used half of it."""
    database = Database(driver)
    assert [] == list(database.stream("all_passages"))
    cluster.reader.stop()
    with pytest.raises(DatabaseError, match=r"^(the server failed|no Neo4j server answers): [^\n]*$"):
        list(database.stream("all_passages"))


def test_a_read_goes_to_another_reader_when_its_own_is_gone(cluster, database):
    """Whatever connections there were; a writer is no reader."""
    database.call("counts")
    cluster.reader.stop()
    cluster.reader = cluster.other
    database.call("counts")

    assert ["r"] == [sent.mode for sent in cluster.other.sent]
    assert [] == cluster.writer.sent
