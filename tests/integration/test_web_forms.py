"""Invalid forms: each gets a response below 500, and leaves nothing behind."""

from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphs import opened
from tests.web import client_of

pytestmark = pytest.mark.one_server_line

PIECES = [
    b"--x\r\n",
    b"--x--\r\n",
    b"--x",
    b"\r\n\r\n",
    b"\n",
    b"\r",
    b'Content-Disposition: form-data; name="files"; filename="a.txt"\r\n',
    b'Content-Disposition: form-data; name="triples"; filename="../a.jsonl"\r\n',
    b'Content-Disposition: form-data; name="collection"\r\n',
    b'Content-Disposition: form-data; name="readers"\r\n',
    b"Content-Disposition: form-data\r\n",
    b"Content-Disposition: form-data; name*=utf-8''files; filename*=utf-8''%ff%00.txt\r\n",
    b'Content-Disposition: form-data; name="\xff\xfe"; filename="\xed\xa0\x80.txt"\r\n',
    b"Content-Type: text/plain; charset=nosuch\r\n",
    b"Content-Transfer-Encoding: base64\r\n",
    b": \r\n",
    b"text",
    b"\x00",
    b'{"id": "a", "text": "b"}',
    b"A" * 5_000,
]
TYPES = [
    "multipart/form-data; boundary=x",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    'multipart/form-data; boundary="',
    "multipart/form-data; boundary=" + "x" * 500,
    "multipart/form-data; boundary=x; charset=utf-8",
    "multipart/form-data; boundary=x; charset=idna",
    "multipart/form-data; boundary=x; charset=punycode",
    "multipart/form-data; boundary=x; charset=unicode_escape",
    "multipart/form-data; boundary=x; charset=undefined",
    "multipart/form-data; boundary=\xff",
    "multipart/mixed; boundary=x",
    "application/x-www-form-urlencoded",
    "application/json",
    "",
]


@pytest.fixture
def client(database, server, embedder, tmp_path):
    """The service without keys; it accepts no jobs, so that each example is fast."""
    folder = tmp_path / "uploads"
    with opened(server, embedder) as gear, client_of(gear, uploads_folder=folder, waiting_jobs=0) as client:
        yield client


def violations(response):
    """What is wrong with a response, if anything."""
    document = response.json()
    if not 400 <= response.status_code < 500 or document["status"] != response.status_code:
        yield response.status_code, response.text


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pieces=st.lists(st.sampled_from(PIECES) | st.binary(max_size=20), max_size=12),
    begins=st.booleans(),
    kind=st.sampled_from(TYPES[:1] * 8 + TYPES),
)
def test_no_form_gives_500(client, pieces, begins, kind):
    """With its pieces in any order and any declared type."""
    content = (b"--x\r\n" if begins else b"") + b"".join(pieces)
    response = client.post("/api/documents", content=content, headers={"Content-Type": kind.encode("latin-1")})

    assert [] == list(violations(response))


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.text(max_size=20),
    suffix=st.sampled_from([".txt", ".jsonl", ".pdf", "", ".exe"]),
    content=st.binary(max_size=50),
    fields=st.dictionaries(
        st.sampled_from(["collection", "readers", "replace", "extract", "files", "other"]),
        st.text(max_size=20) | st.lists(st.text(max_size=10), max_size=3),
        max_size=3,
    ),
)
def test_no_name_and_no_field_gives_500(client, name, suffix, content, fields):
    """In a well-formed form."""
    encoded = (name + suffix).encode("utf-8", "replace").decode()
    response = client.post("/api/documents", files=[("files", (encoded, content))], data=fields)

    assert [] == list(violations(response))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(["/api/jobs/", "/api/documents/"]),
    tail=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
    method=st.sampled_from(["GET", "DELETE"]),
    parameters=st.dictionaries(st.sampled_from(["collection", "after", "limit"]), st.text(max_size=10), max_size=3),
)
def test_no_job_and_no_source_gives_500(client, path, tail, method, parameters):
    """With anything in the path and the query."""
    response = client.request(method, path + quote(tail, safe=""), params=parameters)

    assert response.status_code < 500, response.text
