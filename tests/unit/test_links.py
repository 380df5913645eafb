"""The URLs in results: of a passage, and of a path in Neo4j Browser."""

from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.domain import Cypher, Passage
from gear_neo4j.wire import browser_url, passage_url

CYPHER = Cypher("MATCH (t:Triple)\nWHERE t.id IN $ids RETURN t", {"ids": ["a&b", 'c"']})


def passage(url=None, id="legal/p 1"):
    return Passage(id, "Title", "Text.", metadata={} if url is None else {"url": url})


@pytest.mark.parametrize("url", ["https://example.org/a?b=c#d", "http://localhost:8000/x", "https://[::1]/x"])
def test_the_address_of_the_document_comes_first(url):
    """A reader wants to open the document."""
    assert url == passage_url(passage(url), public_url="https://gear.example.org")


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "ftp://example.org/x",
        "https://",
        "https:///path",
        "//example.org/x",
        "example.org/x",
        "https://user:secret@example.org/x",
        "https://exa mple.org/x",
        "https://example.org/\nx",
        "https://example.org/\x1b[2J",
        "https://example.org/\u202ex",
        "https://[::1/x",
        "",
        7,
        ["https://example.org/x"],
    ],
)
def test_what_is_no_address_of_the_web_does_not_count(url):
    """The author of a document can write anything into its metadata."""
    assert "gear://passage/legal%2Fp%201" == passage_url(passage(url))


@pytest.mark.parametrize("public", ["https://gear.example.org", "https://gear.example.org/"])
def test_a_public_address_comes_second(public):
    """A slash in a passage's id does not separate parts of the URL's path."""
    assert "https://gear.example.org/passages/legal%2Fp%201" == passage_url(passage(), public_url=public)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_an_id_can_be_read_from_its_address(id):
    """Any id is escaped, so none of its characters ends the path."""
    url = passage_url(passage(id=id))

    assert id == unquote(url.removeprefix("gear://passage/"))
    assert set() == set(url.removeprefix("gear://passage/")) & set("/?#& \n\"'<>")


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("bolt://db:7687", "http://db:7474/browser/"),
        ("neo4j://db", "http://db:7474/browser/"),
        ("bolt://[::1]:7687", "http://[::1]:7474/browser/"),
        ("neo4j+s://db", "https://db:7473/browser/"),
        ("bolt+ssc://db:7688", "https://db:7473/browser/"),
        ("neo4j+s://abcd1234.databases.neo4j.io", "https://abcd1234.databases.neo4j.io/browser/"),
    ],
)
def test_a_path_opens_in_the_browser_of_its_own_server(uri, address):
    """With the parameters before the statement; nothing is sent to another server."""
    url = browser_url(CYPHER, uri=uri, database="films")

    assert address == url.partition("?")[0]
    assert "+" not in url
    assert {"dbms": [uri], "db": ["films"], "cmd": ["edit"], "arg": [str(CYPHER)]} == parse_qs(urlsplit(url).query)


def test_a_login_stays_out_of_the_address():
    """As in all output."""
    assert "secret" not in browser_url(CYPHER, uri="bolt://neo4j:secret@db:7687", database="neo4j")


def test_without_an_address_of_the_server_there_is_none():
    """Our local server has no Browser."""
    assert "" == browser_url(CYPHER, uri=None, database="neo4j")
