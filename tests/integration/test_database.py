"""The connection to a real server: routing, names, errors and the caller's driver."""

import neo4j
import pytest

from gear_neo4j.domain import Passage
from gear_neo4j.errors import (
    AuthenticationFailed,
    DatabaseError,
    DatabaseNotFound,
    IndexUnavailable,
    QueryTimeout,
    ServerUnavailable,
    SettingsError,
)
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.fragments import resource_folder
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query, load
from tests.wire import Wire


def test_a_write_through_the_door_for_reads_is_refused_by_the_server(empty):
    """READ routing is more than a hint: the server itself refuses writes."""
    with pytest.raises(DatabaseError, match="refused"):
        empty.run(Query("sneaky", "CREATE (n:Sneaky) RETURN n", writes=False))

    assert [{"n": 0}] == empty.run(Query("count", "MATCH (n:Sneaky) RETURN count(n) AS n"))


@pytest.mark.parametrize(
    "name", sorted(query.name for query in load(resource_folder("cypher")).values() if query.writes)
)
def test_every_writing_query_declares_that_it_writes(database, name):
    """Run as a read, each of them is refused, so none can run as a read by mistake."""
    query = load(resource_folder("cypher"))[name]
    rows = [{"id": "x", "key": "x", "name": "x", "title": "", "text": "", "source": None, "embedding": [1.0] * 384}]
    given = dict.fromkeys(query.parameters, "x") | {"seconds": 1, "milliseconds": 1, "k": 1}
    given |= {
        "rows": rows,
        "entities": rows,
        "triples": [],
        "read": [],
        "passages": [],
        "keys": ["x"],
        "dimension": 384,
    }
    given = {key: value for key, value in given.items() if key in query.parameters}

    with pytest.raises(DatabaseError, match="(?i)read"):
        database.run(Query(name, query.text, query.parameters, writes=False), **given)


def test_a_wrong_password_is_one_line_that_names_the_setting(server):
    """It says which variables to check."""
    with pytest.raises(AuthenticationFailed, match="NEO4J_PASSWORD"):
        Database.connect(server.uri, username=server.username, password="wrong")


def test_an_unknown_database_is_named(server):
    """The message contains the requested name."""
    with pytest.raises(DatabaseNotFound, match="nosuch"):
        Database.connect(server.uri, username=server.username, password=server.password, name="nosuch")


class Streaming(Database):
    """A database whose named queries are a single one."""

    query: Query

    def _named(self, name):
        return self.query


@pytest.fixture
def streaming(server):
    """Opens a database that streams one query."""
    with Streaming.connect(server.uri, username=server.username, password=server.password) as database:
        yield database


def test_a_stream_ends_at_the_time_limit_of_its_query(streaming):
    """The error names the file."""
    text = "UNWIND range(1, 10000000000) AS n WITH n WHERE n < 3 RETURN n"
    streaming.query = Query("slow", text, timeout=1, file="cypher/slow.cypher")
    rows = streaming.stream("slow")

    with pytest.raises(QueryTimeout, match=r"too long: .* \(cypher/slow\.cypher\)$"):
        list(rows)


def test_the_drivers_log_of_a_stream_has_no_long_list(streaming, caplog):
    """A vector would be thousands of characters, as in any other query."""
    streaming.query = Query("given", "UNWIND $rows AS row RETURN row", frozenset({"rows"}))
    with caplog.at_level("DEBUG", logger="neo4j"):
        count = sum(1 for _ in streaming.stream("given", rows=[123456789] * 50))

    sent = [record.getMessage() for record in caplog.records if "UNWIND $rows" in record.getMessage()]
    assert (50, 1) == (count, len(sent))
    assert "123456789" not in sent[0]


def test_no_server_says_how_to_start_one():
    """Nothing listens on the discard port."""
    with pytest.raises(ServerUnavailable, match="gear up"):
        Database.connect("bolt://127.0.0.1:9", username="neo4j", password="x")


@pytest.mark.parametrize("uri", ["127.0.0.1:7687", "ftp://127.0.0.1", "bolt+x://127.0.0.1:7687"])
def test_an_address_that_is_none_is_a_setting_to_mend(uri):
    """An unknown scheme is refused with the name of the variable."""
    with pytest.raises(SettingsError, match="NEO4J_URI"):
        Database.connect(uri, username="neo4j", password="x")


def test_the_callers_driver_stays_open(server, connection):
    """Closing our side does not close the driver."""
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        with Database(driver, name=connection.name) as database:
            assert connection.version == database.version

        assert [1] == driver.execute_query("RETURN 1 AS one", database_=connection.name)[0][0].values()


def test_a_closed_database_says_so(server, connection):
    """So do its views; a server that has stopped is not started for it."""
    asked = []
    database = Database.connect(
        server.uri,
        username=server.username,
        password=server.password,
        name=connection.name,
        before_query=lambda: asked.append(1),
    )
    view = database.profiling(lambda _: None)
    database.close()

    before = len(asked)
    for closed in (database, view):
        with pytest.raises(DatabaseError, match=r"^this Gear is closed: make another with Gear.connect\(\)$"):
            closed.call("counts")
        with pytest.raises(DatabaseError, match="this Gear is closed"):
            next(closed.stream("all_passages"))
    assert before == len(asked)


def test_a_read_whose_connection_breaks_is_tried_again(server, connection):
    """So is a write; callers do not notice, and without a break each takes one transaction."""
    with (
        Wire(server.uri) as wire,
        Database.connect(
            wire.uri, username=server.username, password=server.password, name=connection.name
        ) as database,
    ):
        assert database.call("counts")
        wire.cut()
        assert database.call("counts")
        wire.cut()
        database.run(Query("write", "MERGE (:__GearTests)", writes=True))
        wire.reset()
        assert database.call("counts")
        assert (1, 1) == (wire.runs, wire.reads)


def test_an_outage_is_not_taken_for_an_answer_about_the_search_clause(server, connection):
    """The probe fails like any query, and is repeated once the server answers."""
    with (
        Wire(server.uri) as wire,
        neo4j.GraphDatabase.driver(
            wire.uri, auth=(server.username, server.password), max_transaction_retry_time=0.2
        ) as driver,
    ):
        database = Database(driver, name=connection.name)
        with wire.outage(), pytest.raises(DatabaseError, match="no Neo4j server answers|the server failed"):
            _ = database.has_search_clause

        assert connection.has_search_clause == database.has_search_clause
        wire.reset()
        assert connection.has_search_clause == database.has_search_clause
        assert 0 == wire.runs


def test_a_query_with_other_parameters_than_declared_is_a_programming_error(connection):
    """A missing parameter never reaches the server."""
    with pytest.raises(TypeError, match="takes"):
        connection.call("passages_by_id")


def test_a_stream_gives_every_row_once(database, embedder):
    """Rows arrive in batches, and all of them."""
    passages = [Passage(f"p{i:04}", "", "x") for i in range(2_500)]
    Graph(database).corpus.write_passages(passages, [[1.0] * embedder.dimension] * len(passages))

    assert [passage.id for passage in passages] == [row["id"] for row in database.stream("all_passages")]


@pytest.mark.parametrize(
    ("text", "timeout", "error"),
    [
        ("RETURN nonsense", None, DatabaseError),
        ("RETURN 1 / 0 AS x", None, DatabaseError),
        ("UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN sum(sin(a) * b) AS x", 1, QueryTimeout),
        ("CALL db.index.vector.queryNodes('nosuch', 1, [1.0]) YIELD node RETURN node", None, IndexUnavailable),
    ],
)
def test_an_error_of_a_query_names_its_file(empty, text, timeout, error):
    """At the end of its single line; the type of the error is unchanged."""
    query = Query("broken", text, timeout=timeout, file="cypher/broken.cypher")

    with pytest.raises(DatabaseError) as refused:
        empty.run(query)

    assert error is type(refused.value)
    assert str(refused.value).endswith(" (cypher/broken.cypher)")
    assert 1 == len(str(refused.value).splitlines())


def test_an_error_of_a_named_query_names_its_file(empty):
    """Called or streamed; here indexes are missing, or a value is invalid."""
    with pytest.raises(IndexUnavailable, match=r"\(cypher/nearest_triples\.cypher\)$"):
        empty.call("nearest_triples", query=[1.0], k=1, near=1)
    with pytest.raises(DatabaseError, match=r"\(cypher/passages_of_source\.cypher\)$"):
        list(empty.stream("passages_of_source", source="x", collection="default", limit=-1))


def test_an_error_of_the_connection_names_no_file(server):
    """The query is not the cause."""
    with pytest.raises(DatabaseNotFound) as unknown:
        Database.connect(server.uri, username=server.username, password=server.password, name="nosuch")

    assert ".cypher" not in str(unknown.value)


def test_an_error_of_a_text_without_a_file_is_as_the_server_put_it(empty):
    """Such as a schema statement."""
    with pytest.raises(DatabaseError) as refused:
        empty.run(Query("broken", "RETURN nonsense"))

    assert ".cypher" not in str(refused.value)


READ, WRITE = Query("read", "RETURN 1 AS one"), Query("write", "MERGE (:__GearTests)", writes=True)


@pytest.mark.parametrize(
    "use",
    [
        lambda database: database.run(READ),
        lambda database: database.run(WRITE),
        lambda database: database.execute("DROP INDEX nothing IF EXISTS"),
        lambda database: list(database.stream("all_passages")),
        lambda database: database.explain("RETURN 1"),
        lambda database: database.read_text("RETURN 1"),
    ],
    ids=["read", "write", "schema", "stream", "explain", "text"],
)
def test_every_query_runs_as_the_impersonated_user(server, use):
    """The Community server refuses every query with an impersonated user."""
    with Database.connect(server.uri, username=server.username, password=server.password) as database:
        database.impersonated = "alice"
        with pytest.raises(DatabaseError, match="Impersonation is not supported"):
            use(database)


def test_a_connection_is_made_as_the_impersonated_user(server):
    """This applies to its first query already."""
    login = {"username": server.username, "password": server.password}
    with pytest.raises(DatabaseError, match="Impersonation is not supported"):
        Database.connect(server.uri, **login, impersonate="alice")
