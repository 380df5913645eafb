"""Bookmarks between drivers, as between processes, on a real server."""

import json
import re

import neo4j
import pytest

from gear_neo4j import Gear
from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.queries import Query
from gear_neo4j.settings import Settings
from tests.graphs import ingest, opened
from tests.toy_model import FACTS, PASSAGES, QUESTION

WRITE = Query("write", "CREATE (:Thing)", writes=True)


@pytest.fixture
def settings(server, tmp_path):
    """The settings with which a process would connect."""
    return Settings(
        uri=server.uri, username=server.username, password=server.password, database=server.database, home=tmp_path
    )


@pytest.fixture
def driver(server):
    """A driver that the caller owns."""
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        yield driver


def test_what_one_process_ingests_another_finds(database, settings, embedder, tmp_path):
    """It gets the bookmarks as JSON: when it connects, and again later."""
    with (
        Gear.connect(settings, embedder=embedder) as writer,
        Gear.connect(settings, embedder=embedder, bookmarks=json.loads(json.dumps(writer.bookmarks))) as reader,
    ):
        assert writer.bookmarks == reader.bookmarks
        ingest(writer.graph.database, embedder, tmp_path, PASSAGES, FACTS)
        handed_over = json.dumps(writer.bookmarks)
        reader.catch_up(json.loads(handed_over))

        assert json.loads(handed_over) == list(reader.bookmarks)
        assert len(PASSAGES) == len(reader.search(QUESTION, retriever="naive"))


def test_a_view_and_a_driver_of_the_callers_have_the_same_bookmarks(database, server, embedder, driver):
    """They include the writes of the caller's driver."""
    with opened(server, embedder) as other:
        other.graph.database.run(WRITE)
        gear = Gear(driver, database=server.database, embedder=embedder, bookmarks=other.bookmarks)
        assert other.bookmarks == gear.bookmarks

    driver.execute_query(WRITE.text, database_=gear.graph.name)
    held = driver.execute_query_bookmark_manager.get_bookmarks()

    assert gear.bookmarks != other.bookmarks
    assert tuple(held) == gear.bookmarks == gear.scoped(collections=["legal"]).bookmarks


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
@pytest.mark.parametrize("bookmark", ["nonsense", "FB:nonsense", "neo4j:bookmark:v1:tx1", "x" * 5_000])
def test_what_is_no_bookmark_is_one_line(server, scheme, bookmark):
    """At once, also when a routing table is requested; the connection for it is closed."""
    uri = re.sub(r"^\w+(?=:)", scheme, server.uri)
    with pytest.raises(SettingsError) as refused:
        Database.connect(uri, username=server.username, password=server.password, bookmarks=[bookmark])

    assert "the server cannot read a bookmark: hand over those of gear.bookmarks, unchanged" == str(refused.value)


@pytest.mark.parametrize("given", ["FB:kcwQ", None, 3, [""], ["FB"], [None], [b"FB:kcwQ"], ["FB:é"], ["FB:kcwQ", 3]])
def test_what_is_no_list_of_strings_never_reaches_a_server(connection, given):
    """The driver would treat a string as a list of letters."""
    with pytest.raises(SettingsError, match=r"^bookmarks are a list of strings, such as gear\.bookmarks, and not ."):
        connection.catch_up(given)


def test_a_bookmark_of_another_database_is_no_hindrance(connection, driver):
    """The server ignores it."""
    with driver.session(database="system") as session:
        session.run("SHOW DATABASES").consume()
        elsewhere = session.last_bookmarks().raw_values
    connection.catch_up(elsewhere)

    assert connection.run(Query("one", "RETURN 1 AS one")) == [{"one": 1}]


def test_a_refused_bookmark_leaves_the_callers_driver_as_it_was(connection, driver):
    """Otherwise the driver's own queries would fail with it."""
    database = Database(driver, name=connection.name)
    before = database.bookmarks
    with pytest.raises(SettingsError):
        database.catch_up(["nonsense"])

    assert before == database.bookmarks
    assert driver.execute_query("RETURN 1 AS one", database_=connection.name)[0][0].values() == [1]
