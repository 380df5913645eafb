"""Who may write where: attacks through fields, file names, ids in lines, and the paths of sources and jobs."""

import json

import pytest

from gear_neo4j.web.keys import add_key
from tests.graphs import opened
from tests.uploads import ended, ingested, lines, send
from tests.web import bearer, client_of

pytestmark = pytest.mark.one_server_line

TEXT = b"Quillfeather lives in Brambleworth."
FOREIGN = "The harbourmaster of another collection."


@pytest.fixture
def gear(shared, server, embedder, tmp_path):
    """A passage in a collection to which only the key for everything may write, and one for a group."""

    def fill(_database):
        for name, collection, readers in (("foreign", "hr", None), ("secret", "legal", ["group:vault"])):
            file = tmp_path / f"{name}.jsonl"
            file.write_bytes(lines({"id": "p1" if name == "foreign" else "p2", "text": FOREIGN, "source": "plan.txt"}))
            gear.ingest([file], collection=collection, readers=readers, extract=False)

    with opened(server, embedder) as gear:
        shared.filled("foreign", embedder, fill)
        yield gear


@pytest.fixture
def keys(tmp_path):
    """The keys' headers by name, and their rights."""
    file = tmp_path / "keys.json"
    made = {
        "reader": add_key(file, "reader", collections=["legal"]),
        "writer": add_key(file, "writer", collections=["legal"], writes=True),
        "other": add_key(file, "other", collections=["legal"], writes=True),
        "default": add_key(file, "default", collections=["default"], writes=True),
        "root": add_key(file, "root", everything=True, writes=True),
    }
    filtered = add_key(file, "filtered", collections=["legal"], where={"year": 1})
    document = json.loads(file.read_text())
    document["keys"][-1]["writes"] = True
    file.write_text(json.dumps(document))
    made["filtered"] = filtered
    return file, {name: bearer(secret) for name, secret in made.items()}


@pytest.fixture
def client(gear, keys, tmp_path):
    """The service with those keys."""
    with client_of(gear, keys_file=keys[0], uploads_folder=tmp_path / "uploads") as client:
        yield client


def foreign(gear):
    """What must never change: the passage of the other collection, and its triples."""
    record = gear.passage("hr/p1")
    return record.passage.text, record.passage.source, record.triples


UNTOUCHED = (FOREIGN, "plan.txt", ())


def test_a_key_writes_only_if_it_says_so_and_has_no_filter(client, keys):
    """It may neither upload nor delete, even its own job, and is refused before the body is read."""
    refused = {
        (name, method): client.request(method, path, params={"collection": "legal"}, headers=keys[1][name]).status_code
        for name in ("reader", "filtered")
        for method, path in (
            ("POST", "/api/documents"),
            ("DELETE", "/api/documents/plan.txt"),
            ("DELETE", "/api/jobs/1"),
        )
    }

    assert {403} == set(refused.values())
    assert 202 == send(client, {"a.txt": TEXT}, headers=keys[1]["writer"], collection="legal").status_code


def test_a_caller_learns_what_it_may_see_and_send(client, gear, keys, tmp_path):
    """File types only if it may upload; a service without a folder accepts none from anybody."""
    rights = {name: client.get("/api/caller", headers=header).json() for name, header in keys[1].items()}
    with client_of(gear) as open_to_all:
        nobody = open_to_all.get("/api/caller").json()
    with client_of(gear, uploads_folder=tmp_path / "more") as open_to_all:
        anybody = open_to_all.get("/api/caller").json()

    assert {"writer", "other", "default", "root"} == {name for name, right in rights.items() if right["accepts"]}
    assert ("writer", ["legal"], [], False) == tuple(
        rights["writer"][field] for field in ("name", "collections", "principals", "filtered")
    )
    assert (None, None) == (rights["root"]["collections"], rights["root"]["principals"])
    assert rights["filtered"]["filtered"]
    assert ([], None) == (nobody["accepts"], nobody["collections"])
    assert {".jsonl", ".md", ".pdf"} <= set(anybody["accepts"])


COLLECTIONS = [
    "hr",
    "Legal",
    "LEGAL",
    "ｌegal",
    "legal/",
    "legal/../hr",
    "../hr",
    "hr/legal",
    " legal",
    "legal ",
    "legal\n",
    "legal\x00",
    "default",
    "legal,hr",
    "*",
]


@pytest.mark.parametrize("collection", COLLECTIONS, ids=ascii)
def test_no_other_name_is_that_of_the_collection(client, gear, keys, collection):
    """Names must match exactly, for uploads and deletions."""
    headers = keys[1]["writer"]
    sent = send(client, {"plan.txt": TEXT}, headers=headers, collection=collection)
    forgotten = client.delete("/api/documents/plan.txt", params={"collection": collection}, headers=headers)

    assert {sent.status_code, forgotten.status_code} <= {400, 403}
    assert UNTOUCHED == foreign(gear)
    assert [] == client.get("/api/jobs", headers=keys[1]["root"]).json()["jobs"]


def test_a_collection_that_is_sent_twice_or_elsewhere_does_not_count(client, gear, keys):
    """In two fields, in the query, in a header, in another field, as a file."""
    headers = keys[1]["writer"]
    twice = client.post(
        "/api/documents", files=[("files", ("a.txt", TEXT))], data={"collection": ["legal", "hr"]}, headers=headers
    )
    elsewhere = client.post(
        "/api/documents?collection=legal",
        files=[("files", ("a.txt", TEXT))],
        headers=headers | {"X-Collection": "legal"},
    )
    unknown = send(client, {"a.txt": TEXT}, headers=headers, collection="legal", collections="hr")
    file = client.post(
        "/api/documents", files=[("files", ("a.txt", TEXT)), ("collection", ("c.txt", b"legal"))], headers=headers
    )

    # Without the field it is the default collection, to which this key may not write.
    assert [422, 403, 422, 422] == [part.status_code for part in (twice, elsewhere, unknown, file)]
    assert UNTOUCHED == foreign(gear)


@pytest.mark.parametrize("replace", ["false", "true"])
def test_lines_that_name_ids_of_another_collection_are_problems(client, gear, keys, replace):
    """Without a prefix in the default collection, with one in another: hr does not change, and nothing is revealed."""
    row = lines(
        {"id": "hr/p1", "text": "changed"}, {"id": "hr/absent", "text": "changed"}, {"id": "ok", "text": "fine"}
    )
    facts = lines({"id": "hr/p1", "triples": [["a", "b", "c"]]})
    jobs = {
        name: ingested(
            client,
            {"c.jsonl": row},
            triples={"t.jsonl": facts},
            headers=keys[1][name],
            collection=collection,
            replace=replace,
            extract="none",
        )
        for name, collection in (("default", "default"), ("writer", "legal"))
    }

    assert UNTOUCHED == foreign(gear)
    assert 1 == len({problem["reason"] for problem in jobs["default"]["problems"]})
    assert {"done"} == {job["state"] for job in jobs.values()}
    assert 1 == jobs["default"]["counts"]["passages_written"]
    assert 3 == jobs["writer"]["counts"]["passages_written"]


NAMES = ["../../etc/cron.d/a.txt", "..\\..\\a.txt", "/etc/a.txt", "C:\\a.txt", "hr/a.txt", "./a.txt"]


@pytest.mark.parametrize("name", NAMES)
def test_folders_in_the_name_of_a_file_are_left_out(client, keys, tmp_path, name):
    """The name is not a path; its last part is the source."""
    before = sorted(path for path in tmp_path.rglob("*") if "uploads" not in path.parts)
    job = ingested(client, {name: TEXT}, headers=keys[1]["writer"], collection="legal")

    assert ["a.txt"] == [file["name"] for file in job["files"]]
    assert before == sorted(path for path in tmp_path.rglob("*") if "uploads" not in path.parts)


BAD_NAMES = [
    "",
    "..",
    ".",
    "a.exe",
    "txt",
    ".txt",
    "a.txt/",
    "a\x1b[2J.txt",
    "\u202ea.txt",
    " a.txt",
    "a" * 300 + ".txt",
]


@pytest.mark.parametrize("name", BAD_NAMES, ids=ascii)
def test_a_file_without_a_name_or_a_kind_is_refused(client, keys, name):
    """Before anything is stored."""
    refused = send(client, {name: TEXT}, headers=keys[1]["writer"], collection="legal")

    assert 422 == refused.status_code
    assert [] == client.get("/api/jobs", headers=keys[1]["root"]).json()["jobs"]


SOURCES = ["plan.txt", "./plan.txt", "hr/plan.txt", "%2e%2e/hr/plan.txt", "..%2Fhr%2Fplan.txt", "%00"]


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_of_another_collection_or_of_other_readers_is_not_there(client, gear, keys, source):
    """For any spelling of its path; a hidden source looks like a missing one."""
    headers = keys[1]["writer"] | {"X-Request-Id": "trace-0001"}
    responses = [
        client.delete(f"/api/documents/{name}", params={"collection": "legal"}, headers=headers)
        for name in (source, "absent.txt")
    ]

    assert [404, 404] == [response.status_code for response in responses]
    assert responses[0].json() == responses[1].json()
    assert (UNTOUCHED, FOREIGN) == (foreign(gear), gear.passage("legal/p2").passage.text)


def test_a_document_does_not_replace_what_its_sender_cannot_see(client, gear, keys):
    """The name is taken; a key that sees everything may use it."""
    refused = send(client, {"plan.txt": TEXT}, headers=keys[1]["writer"], collection="legal")
    accepted = ingested(client, {"plan.txt": TEXT}, headers=keys[1]["root"], collection="legal")

    assert (409, "done") == (refused.status_code, accepted["state"])
    assert FOREIGN == gear.passage("legal/p2").passage.text


def test_a_job_is_there_for_its_own_key_and_for_one_that_sees_everything(client, keys):
    """For others there is no job, no events, and nothing to cancel."""
    job = ingested(client, {"a.txt": TEXT}, headers=keys[1]["writer"], collection="legal")
    paths = [f"/api/jobs/{job['id']}", f"/api/jobs/{job['id']}/events"]
    seen = {
        name: [client.get(path, headers=keys[1][name]).status_code for path in paths]
        + [len(client.get("/api/jobs", headers=keys[1][name]).json()["jobs"])]
        for name in ("writer", "other", "reader", "root")
    }
    headers = keys[1]["other"] | {"X-Request-Id": "trace-0001"}
    hidden, absent = (client.delete(f"/api/jobs/{id}", headers=headers) for id in (job["id"], "0" * 32))

    own, none = [200, 200, 1], [404, 404, 0]
    assert {"writer": own, "other": none, "reader": none, "root": own} == seen
    assert (404, hidden.json()) == (hidden.status_code, absent.json())


def test_readers_are_those_that_were_named(client, gear, keys):
    """None, unless the request names some; then its sender may not see the upload."""
    headers = keys[1]["writer"]
    ingested(client, {"open.txt": TEXT}, headers=headers, collection="legal")
    ingested(client, {"closed.txt": TEXT}, headers=headers, collection="legal", readers=["group:vault", "user:ada"])
    listed = client.get("/api/documents", headers=headers).json()["sources"]
    removed = ended(
        client,
        client.delete("/api/documents/closed.txt", params={"collection": "legal"}, headers=keys[1]["root"]),
        headers=keys[1]["root"],
    )

    assert ["open.txt"] == [row["source"] for row in listed]
    assert 1 == removed["counts"]["passages"]
