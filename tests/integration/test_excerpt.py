"""Limits of a model's query: size, depth and time of its answer, over a separate connection."""

import logging
import socket
import ssl
import sys
import threading
import time
from pathlib import Path

import neo4j
import pytest
import trustme

from gear_neo4j.errors import DatabaseError, QueryTimeout, ServerUnavailable
from gear_neo4j.graph.connection.database import GRACE, Database
from gear_neo4j.graph.connection.meter import Meter, NamedContext
from gear_neo4j.graph.guard.excerpt import LONGEST_ANSWER
from gear_neo4j.graph.queries import Query
from tests.processes import run
from tests.wire import TlsWire, Wire

PROCESS = Path(__file__).with_name("excerpt_process.py")
# In MiB.
MOST_MEMORY = 200
FAT = Query(
    "fat",
    "UNWIND range(1, 400) AS number "
    "CREATE (:FatTest {number: number, embedding: [x IN range(1, 768) | x + 0.5], small: [0.5, 1.0]})",
    writes=True,
)
FORGET = Query("forget", "MATCH (n:FatTest) DETACH DELETE n", writes=True)
ENDLESS = "RETURN any(x IN range(1, 250000000) WHERE x < 0) AS a"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A file with a key and a certificate for localhost, and the file of the authority that signed it."""
    folder, authority = tmp_path_factory.mktemp("tls"), trustme.CA()
    authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(folder / "localhost.pem")
    authority.cert_pem.write_to_path(folder / "authority.pem")
    return folder / "localhost.pem", folder / "authority.pem"


@pytest.fixture
def fat(database):
    """400 nodes with 2.7 MiB of embeddings."""
    database.run(FORGET)
    database.run(FAT)
    yield database
    database.run(FORGET)


def connected(server, uri, name):
    return Database.connect(uri, username=server.username, password=server.password, name=name)


def soon(holds):
    """Whether a condition becomes true within a second."""
    for _ in range(50):
        if holds():
            return True
        time.sleep(0.02)
    return False


def idle():
    """Whether no thread reads or relays an answer."""
    return not any(thread.name in ("gear-read", "gear-relay") for thread in threading.enumerate())


def test_one_row_of_all_nodes_is_refused_with_what_to_do(fat, caplog):
    """Its reading stops, because it is larger than the whole budget; no error is logged."""
    with pytest.raises(DatabaseError, match="one row of the answer is too large: return a few properties"):
        fat.read_text("MATCH (n:FatTest) RETURN collect(n) AS everything")

    assert [] == [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert ({"n": 400},) == fat.read_text("MATCH (n:FatTest) WITH collect(n) AS nodes RETURN size(nodes) AS n").rows


def test_rows_are_read_one_by_one_up_to_the_budget(fat):
    """The first rows are there, in order and without embeddings, and the excerpt says that more exist."""
    excerpt = fat.read_text("MATCH (n:FatTest) RETURN n, n.embedding AS e ORDER BY n.number", limit=400)

    count = len(excerpt.rows)
    assert 20 < count < 200
    assert [*range(1, count + 1)] == [row["n"]["properties"]["number"] for row in excerpt.rows]
    assert f"only the first {count} rows were read: the answer is too large" == excerpt.truncated
    properties = {"number": 1, "embedding": "<768 numbers>", "small": [0.5, 1.0]}
    assert {"n": {"labels": ["FatTest"], "properties": properties}, "e": "<768 numbers>"} == excerpt.rows[0]


def test_an_answer_of_long_texts_is_truncated(database):
    """Each row is small, and so is the data on the wire."""
    excerpt = database.read_text(f"UNWIND range(1, 300) AS n RETURN n, '{'a' * 1_900}' AS text", limit=300)

    length = sum(len(str(row)) for row in excerpt.rows)
    assert LONGEST_ANSWER - 4_000 < length <= LONGEST_ANSWER
    assert excerpt.truncated


def test_an_answer_within_its_budget_is_whole(database):
    """Even with as many rows as the limit."""
    excerpt = database.read_text("UNWIND range(1, 20) AS n RETURN n", limit=20)

    assert ("", 20) == (excerpt.truncated, len(excerpt.rows))


@pytest.mark.parametrize(
    ("limit", "read"), [(20, "only the first 20 rows were read"), (1, "only the first row was read")]
)
def test_rows_beyond_the_limit_are_told(database, limit, read):
    """Otherwise a count of the rows would be wrong."""
    excerpt = database.read_text("UNWIND range(1, 300) AS n RETURN n", limit=limit)

    assert (f"{read}: there are more", limit) == (excerpt.truncated, len(excerpt.rows))


@pytest.mark.parametrize("levels", [100, 400])
def test_a_value_that_is_deep_is_cut(database, levels):
    """Without the rules, which would refuse it."""
    (row,) = database.read_text(f"RETURN reduce(map = {{a: 1}}, level IN range(2, {levels}) | {{a: map}}) AS a").rows

    assert '"…"' in str(row["a"]).replace("'", '"')


def test_past_the_timeout_nothing_waits_for_the_server(server, connection):
    """If the server stops answering, the caller continues, the threads end, and the next query works."""
    with Wire(server.uri) as wire, connected(server, wire.uri, connection.name) as database:
        wire.freeze()
        started = time.monotonic()
        with pytest.raises(QueryTimeout):
            database.read_text("RETURN 1 AS a", timeout=0.2)
        assert time.monotonic() - started < 0.2 + GRACE + 1
        assert soon(idle)

        wire.thaw()
        assert ({"a": 1},) == database.read_text("RETURN 1 AS a").rows


def test_no_connection_is_kept(server, connection):
    """Neither after an answer, nor after a refusal, nor while the server still works on the query."""
    with Wire(server.uri) as wire, connected(server, wire.uri, connection.name) as database:
        database.read_text("RETURN 1 AS a")
        with pytest.raises(DatabaseError):
            database.read_text("RETURN nonsense")
        with pytest.raises(QueryTimeout):
            database.read_text(ENDLESS, timeout=0.2)

        assert soon(lambda: idle() and wire.open == 1)
        assert 4 == wire.connections


def test_a_driver_of_the_callers_is_lent_and_stays_open(server, connection):
    """Over its own connection, because we have no password; rows and depth are still limited."""
    with (
        Wire(server.uri) as wire,
        neo4j.GraphDatabase.driver(wire.uri, auth=(server.username, server.password)) as driver,
    ):
        database = Database(driver, name=connection.name)
        many = database.read_text(f"UNWIND range(1, 300) AS n RETURN n, '{'a' * 1_900}' AS text", limit=300)

        assert ({"a": 1},) == database.read_text("RETURN 1 AS a").rows
        assert many.truncated
        assert [1] == driver.execute_query("RETURN 1 AS one", database_=connection.name)[0][0].values()
        assert 1 == wire.connections


def test_a_query_sees_what_was_written_before(database):
    """Its separate driver gets the bookmarks of ours."""
    database.run(Query("write", "MERGE (:__GearTests)", writes=True))

    assert ({"there": True},) == database.read_text("RETURN EXISTS { MATCH (:__GearTests) } AS there").rows


def test_a_server_is_reached_by_routing_and_by_tls(server, connection, certificate, monkeypatch):
    """Through the relay as without it."""
    signed, authority = certificate
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with TlsWire(server.uri, signed) as wire:
        port = wire.uri.rpartition(":")[2]
        uris = [f"bolt+s://localhost:{port}", f"bolt+ssc://127.0.0.1:{port}", server.uri.replace("bolt", "neo4j")]
        for uri in uris:
            with connected(server, uri, connection.name) as database:
                assert ({"a": 1},) == database.read_text("RETURN 1 AS a").rows


def test_a_certificate_is_checked_behind_the_relay(server, connection, certificate, monkeypatch):
    """It must be trusted, and match the host, not the relay's address."""
    signed, authority = certificate
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with TlsWire(server.uri, signed) as wire:
        port = int(wire.uri.rpartition(":")[2])
        with connected(server, f"bolt+s://localhost:{port}", connection.name) as database:
            monkeypatch.delenv("SSL_CERT_FILE")
            with pytest.raises(ServerUnavailable):
                database.read_text("RETURN 1 AS a")
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        with Meter(1_000_000) as meter, pytest.raises(ssl.SSLCertVerificationError, match="127.0.0.1"):
            shake(meter, ("127.0.0.1", port))
        with Meter(1_000_000) as meter:
            shake(meter, ("localhost", port))


@pytest.mark.one_server_line
# The maximum number of values of each kind within the budget, by bytes on the wire: in Python they take 3 to 100 times
# as much.
@pytest.mark.parametrize(
    ("value", "size"),
    [
        *(("{}", 1), ("[[]]", 2), ("{a: a}", 6), ("a + 0.5", 9), ("'x' + a", 6), ("[a, b]", 7)),
        *(("localtime({hour: 0})", 4), ("date({year: 1970, month: 1, day: b % 28 + 1})", 4)),
        *(("duration({days: a})", 8), ("point({x: a, y: b})", 24)),
    ],
)
def test_the_fattest_row_takes_little_memory(connection, server, value, size, record_property):
    """Measured in a separate process; three times as many values are refused, without using more memory."""
    grown = {}
    for times in (1, 3):
        count = times * 1_000_000 // size // 1_000
        text = f"UNWIND range(1, 1000) AS a UNWIND range(1, {count}) AS b RETURN collect({value}) AS a"
        command = [sys.executable, PROCESS, server.uri, server.username, server.password, connection.name, text]
        rows, used = run(command, check=True).stdout.strip().split("\t")
        grown[rows] = int(used)

    record_property(value, grown)
    assert "1" in grown
    assert len(grown) == 2
    assert max(grown.values()) < MOST_MEMORY


def shake(meter, target):
    """Make a TLS handshake with a target through a meter."""
    (address,) = meter.resolve(target)
    with socket.create_connection(address) as plain, NamedContext.of(meter).wrap_socket(plain):
        pass
