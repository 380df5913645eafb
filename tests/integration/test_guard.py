"""The worst queries that a model might write, on a real server: nothing changes, leaks, or runs forever."""

import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import HealthCheck, given, settings

from gear_neo4j import CypherAgent
from gear_neo4j.errors import DatabaseError, GuardError, QueryTimeout
from gear_neo4j.graph.connection.database import GRACE
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.guard.guard import admit, check
from gear_neo4j.graph.queries import Query
from tests.attacks import ATTACKS
from tests.dump import dump
from tests.grammar import DOING_MORE, READING, queries
from tests.hostile import BOUNDED, HARMLESS, attacks

CANARY = "canary-5f1d"
TIMEOUT = 1.0
WRITES = [reply for some in ATTACKS["writes"].values() for reply in some]
ROWS = 5
PEOPLE = Query(
    "people",
    """UNWIND range(1, 14) AS number
    CREATE (p:Person:GuardTest {name: 'Person ' + number, born: 1880 + number})
    WITH collect(p) AS people
    UNWIND people AS a UNWIND people AS b
    WITH a, b WHERE a.born < b.born
    CREATE (a)-[:KNOWS {since: 1900}]->(b)
    WITH DISTINCT 1 AS one
    CREATE (:Person:GuardTest {name: 'Ana Petkova', born: 1890})
      -[:EMPLOYED_BY]->(:Board:GuardTest {name: 'Black Sea Harbour Board', seat: 'Varna'})""",
    writes=True,
)
RUNNING = Query("running", "SHOW TRANSACTIONS YIELD metaData WHERE metaData.query = 'text' RETURN metaData")
FORGET = Query("forget", "MATCH (n:GuardTest) DETACH DELETE n", writes=True)


@pytest.fixture
def graph(shared, embedder):
    """Fifteen people, fourteen of whom know each other, and a board."""
    return shared.filled("people", embedder, lambda database: database.run(PEOPLE))


@pytest.fixture
def web():
    """A web server that must not be called, and the requests that it received."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(f"{CANARY}\n".encode())

        def log_message(self, format, *args):
            """Say nothing on standard error."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()
        thread.join()


def read(database, reply, *, timeout=TIMEOUT):
    """The rows of a reply, read as the agent does."""
    query = admit(Graph(database), reply, limit=ROWS, timeout=timeout)
    return database.read_text(query, limit=ROWS, timeout=timeout).rows


def ends(database):
    """Whether the server has ended all such queries within five seconds."""
    for _ in range(50):
        if not database.run(RUNNING):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("kind", list(ATTACKS))
def test_hostile_replies_change_nothing_and_read_nothing_else(graph, web, tmp_path, kind):
    """Each is refused at once; graph, schema, file and address are untouched."""
    url, asked = web
    (tmp_path / "secret.csv").write_text(CANARY)
    before = dump(graph)

    for own, reason, reply in attacks(url, (tmp_path / "secret.csv").as_uri()):
        if own != kind:
            continue
        started = time.monotonic()
        with pytest.raises(GuardError) as refused:
            read(graph, reply)
        assert time.monotonic() - started < TIMEOUT, reply
        assert reason in str(refused.value)
        assert CANARY not in str(refused.value)

    assert [] == asked
    assert before == dump(graph)


def test_what_the_rules_let_through_the_server_counts_as_reading(graph):
    """Queries from a grammar: all are of type r, and most can be run."""
    kinds = Counter()

    @settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
    @given(queries([*READING, *DOING_MORE]))
    def explained(query):
        try:
            checked = check(query.text)
        except GuardError:
            kinds["refused"] += 1
            return
        try:
            kinds[graph.explain(checked)] += 1
        except DatabaseError:
            kinds["broken"] += 1

    explained()

    assert {"refused", "broken", "r"} >= set(kinds)
    assert kinds["r"] > 10 * kinds["broken"]


@pytest.mark.parametrize("reply", WRITES)
def test_a_write_without_the_rules_is_refused_by_the_server_itself(graph, reply):
    """The transaction is read-only: this holds where the rules have a gap."""
    before = dump(graph)

    with pytest.raises(DatabaseError):
        graph.read_text(reply, timeout=TIMEOUT, limit=ROWS)
    try:
        kind = graph.explain(reply, timeout=TIMEOUT)
    except DatabaseError:
        kind = "not run"

    assert "r" != kind
    assert before == dump(graph)


def test_the_server_counts_reading_files_and_addresses_as_reading(graph, web):
    """This is why the rules are needed: EXPLAIN accepts LOAD CSV, and the server would call any address."""
    url, asked = web
    load = f"LOAD CSV FROM '{url}/data.csv' AS line RETURN line"

    assert "r" == graph.explain(load)
    assert ({"line": [CANARY]},) == graph.read_text(load).rows
    assert ["/data.csv"] == asked


@pytest.mark.parametrize("reply", BOUNDED)
def test_a_query_without_end_or_with_a_huge_result_ends_in_time(graph, reply):
    """At the limit of rows, of bytes, or of time; afterwards the server no longer runs it."""
    before = dump(graph)
    started = time.monotonic()

    try:
        rows = read(graph, reply)
    except DatabaseError as error:
        if not (isinstance(error, QueryTimeout) or "one row of the answer is too large" in str(error)):
            raise
        rows = ()

    # EXPLAIN and the query each have a timeout.
    assert time.monotonic() - started < 2 * (TIMEOUT + GRACE)
    assert len(rows) <= ROWS
    assert all(len(str(value)) < 5_000 for row in rows for value in row.values())
    assert before == dump(graph)
    assert ends(graph)


def test_a_value_that_the_server_never_ends_does_not_hold_the_caller(graph):
    """Without the rules: the server checks its timeout only between rows, so the caller has its own."""
    started = time.monotonic()

    with pytest.raises(QueryTimeout):
        graph.read_text("RETURN any(x IN range(1, 250000000) WHERE x < 0) AS a", timeout=0.2)

    assert time.monotonic() - started < 0.2 + GRACE + 1
    assert ({"a": 1},) == graph.read_text("RETURN 1 AS a").rows


@pytest.mark.parametrize("reply", HARMLESS)
def test_a_query_that_only_reads_is_run(graph, reply):
    """The server understands the queries that the guard accepts."""
    before = dump(graph)

    # The first plan of a new server takes more than a second; other tests check the time limit.
    rows = read(graph, reply, timeout=CypherAgent().timeout)

    assert len(rows) <= ROWS
    assert before == dump(graph)


def test_rows_come_back_as_plain_data(graph):
    """Nodes, relationships, paths, times, points; long lists are cut."""
    (row,) = graph.read_text(
        """MATCH p = (a {name: 'Ana Petkova'})-[r]->(b)
        RETURN b, r, p, date('2024-02-29') AS day, duration('P1D') AS time, point({x: 1, y: 2}) AS place,
          [0.5, 0.5] AS pair, [n IN range(1, 90) | toFloat(n)] AS vector, {a: [true, null]} AS map"""
    ).rows

    board = {
        "labels": ["Board", "GuardTest"],
        "properties": {"name": "Black Sea Harbour Board", "seat": "Varna"},
    }
    assert board == row["b"]
    assert {"type": "EMPLOYED_BY", "properties": {}} == row["r"]
    assert (board, ["EMPLOYED_BY"]) == (row["p"]["nodes"][-1], row["p"]["types"])
    assert ("2024-02-29", "P1D") == (row["day"], row["time"])
    assert {"srid": 7203, "coordinates": [1.0, 2.0]} == row["place"]
    assert ([0.5, 0.5], "<90 numbers>", {"a": [True, None]}) == (row["pair"], row["vector"], row["map"])


def test_a_statement_is_known_by_the_database_and_by_us(graph):
    """Its transaction has our metadata, and an unknown database is named."""
    (row,) = graph.read_text(
        """SHOW TRANSACTIONS YIELD metaData, database WHERE metaData.query = 'text'
        RETURN DISTINCT metaData.app AS app, database"""
    ).rows

    assert {"app": "gear-neo4j", "database": graph.name} == row
    assert ({"n": 1}, {"n": 2}) == graph.read_text("UNWIND range(1, 1000000000000) AS n RETURN n", limit=2).rows
