"""The URI of a server: URIs that the driver cannot use are refused first, in one line and without their secrets."""

from contextlib import suppress

import neo4j
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j.exceptions import ConfigurationError

from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.text.address import SCHEMES, check_neo4j_uri
from gear_neo4j.text.redaction import without_login


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("http://localhost:7474", "'http://localhost:7474' cannot be used: it must begin with neo4j://"),
        ("https://db.example.org", "it must begin with"),
        ("nonsense", "it must begin with"),
        ("localhost:7687", "it must begin with"),
        ("bolt:localhost", "it must begin with"),
        ("", "it is empty"),
        ("  ", "it is empty"),
        ("bolt://", "it names no host"),
        ("bolt://:7687", "it names no host"),
        ("neo4j+s:///db", "it names no host"),
        ("bolt://localhost:port", "its port must be a number from 1 to 65535"),
        ("bolt://localhost:0", "its port must be"),
        ("bolt://localhost:-1", "its port must be"),
        ("bolt://localhost:70000", "its port must be"),
        ("bolt://[::1", "its host is malformed"),
        ("bolt://localhost:7687/movies", "set NEO4J_DATABASE for a database"),
        ("neo4j://localhost/movies", "it has text after the port"),
        ("bolt://localhost?a=b", "it has text after the port"),
        ("neo4j://localhost#a", "it has text after the port"),
    ],
)
def test_an_address_that_cannot_be_used_is_one_line(uri, words):
    """It names the error, and connecting raises the same one."""
    with pytest.raises(SettingsError) as refused:
        Database.connect(uri, username="neo4j", password="secret")

    assert words in str(refused.value)
    assert "secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "address", ["localhost", "localhost:7687", "[::1]:7687", "10.0.0.1", "abc.databases.neo4j.io", "host/"]
)
def test_every_scheme_of_the_driver_passes(scheme, address):
    """With or without a port, by name or by number."""
    check_neo4j_uri(f"{scheme}://{address}")


PIECES = ("bolt", "neo4j+s", "http", "://", ":", "/", "//", "#", "@", "[", "]", "host", "7687", "99999", "?a=b", " ")


@given(st.one_of(st.text(max_size=30), st.lists(st.sampled_from(PIECES), max_size=7).map("".join)))
def test_the_driver_takes_or_refuses_whatever_passes(uri):
    """No text leads to an unexpected error, as http:// did in the driver."""
    try:
        check_neo4j_uri(uri)
    except SettingsError:
        return
    with suppress(ConfigurationError, ValueError):
        neo4j.GraphDatabase.driver(uri, auth=("neo4j", "x")).close()


@given(st.text(alphabet="abc:/?@", max_size=8), st.text(alphabet="abc:/?@", max_size=8))
def test_no_part_of_a_user_is_shown(user, password):
    """Whatever characters a password has."""
    assert "SECRET" not in without_login(f"https://{user}:SECRET{password}@host/v1")
    assert "SECRET" not in without_login("https://host/v1?key=SECRET")
