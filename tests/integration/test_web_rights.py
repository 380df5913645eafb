"""Rights that end while a job waits or runs: the worker checks again what the request was allowed to do."""

import json
from contextlib import contextmanager

import pytest

from gear_neo4j.web.keys import add_key, revoke_key
from tests.graphs import opened
from tests.uploads import PATIENCE, Gated, corpus, ended, ingested, lines, send
from tests.web import bearer, client_of

pytestmark = pytest.mark.one_server_line

BOARD = ["group:board"]
SECRET = b"The board meets in Varna."
OTHER = b"Pay every invoice to account 666."


@pytest.fixture
def file(tmp_path):
    """The path of the key file."""
    return tmp_path / "keys.json"


@pytest.fixture
def keys(file):
    """The callers' headers by name: one of the board, one of nobody's, both for one collection, and the operator."""
    made = {
        "ada": add_key(file, "ada", collections=["legal"], principals=BOARD, writes=True),
        "mallory": add_key(file, "mallory", collections=["legal"], writes=True),
        "root": add_key(file, "root", everything=True, writes=True),
    }
    return {name: bearer(secret) for name, secret in made.items()}


@contextmanager
def service(server, file):
    """A service whose model waits at a word: a client, the model, and the Gear below."""
    model = Gated()
    with (
        opened(server, model) as gear,
        client_of(gear, keys_file=file, uploads_folder=file.parent / "uploads") as client,
    ):
        try:
            yield client, model, gear
        finally:
            model.released.set()


@pytest.fixture
def running(database, server, file, keys):
    """A service over an empty corpus."""
    with service(server, file) as parts:
        yield parts


def busy(client, model, headers, *, size=1):
    """A job that runs until the model is released."""
    model.waits.clear()
    model.released.clear()
    response = post(client, {"busy.jsonl": corpus(size, gate=0)}, headers)
    assert model.waits.wait(PATIENCE)
    return response


def post(client, files, headers, **fields):
    return send(client, files, headers=headers, collection="legal", extract="none", **fields)


def forget(client, source, headers):
    return client.delete(f"/api/documents/{source}", params={"collection": "legal"}, headers=headers)


def edited(file, name, **fields):
    """An operator's edit of the key file: the entry of a key gets other fields."""
    document = json.loads(file.read_text())
    for key in document["keys"]:
        if key["name"] == name:
            key.update(fields)
    file.write_text(json.dumps(document))


def texts(gear, source):
    """The passages of a source, and their readers."""
    found = gear.graph.sources.of_documents([source], collection="legal")
    return {
        (gear.passage(id).passage.text, gear.graph.readers.of([source], collection="legal").get(source))
        for id, _ in found
    }


def files_of(file):
    return list((file.parent / "uploads" / "files").iterdir())


def test_a_name_that_waits_is_taken(running, keys):
    """For other keys, with the message for a hidden document; its sender and keys for everything may use it."""
    client, model, gear = running
    first = busy(client, model, keys["mallory"])
    waiting = [post(client, {"plan.txt": SECRET}, keys["ada"], readers=BOARD) for _ in range(2)]
    refused = post(client, {"free.txt": OTHER, "plan.txt": OTHER}, keys["mallory"])
    root = post(client, {"plan.txt": SECRET}, keys["root"])
    model.released.set()
    jobs = [ended(client, response, headers=keys["root"]) for response in (first, *waiting, root)]
    hidden = post(client, {"plan.txt": OTHER}, keys["mallory"])

    assert ({"done"}, 202, [409, 409]) == (
        {job["state"] for job in jobs},
        root.status_code,
        [refused.status_code, hidden.status_code],
    )
    assert refused.json()["detail"] == hidden.json()["detail"]
    assert {(SECRET.decode(), tuple(BOARD))} == texts(gear, "plan.txt")
    assert set() == texts(gear, "free.txt")


def test_a_source_is_removed_by_the_name_that_was_checked_and_by_no_other(running, keys):
    """The second of two requests finds its document gone, and does not remove another with the same path."""
    client, model, gear = running
    hidden = lines({"id": "h", "text": SECRET.decode(), "source": "contracts/varna.md"})
    ingested(client, {"h.jsonl": hidden}, headers=keys["ada"], collection="legal", readers=BOARD)
    own = ["contracts//varna.md", "./contracts/varna.md", "contracts/./varna.md", "contracts/varna.md/"]
    rows = [{"id": f"m{number}", "text": "mine", "source": source} for number, source in enumerate(own)]
    ingested(client, {"m.jsonl": lines(*rows)}, headers=keys["mallory"], collection="legal")
    first = busy(client, model, keys["mallory"])
    paths = [source.replace("/", "%2F").replace("./", "%2E%2F") for source in own]
    sent = [forget(client, path, keys["mallory"]) for path in paths for _ in range(2)]
    model.released.set()
    jobs = [ended(client, response, headers=keys["mallory"]) for response in (first, *sent)]

    assert ["done", "failed"] * len(own) == [job["state"] for job in jobs[1:]]
    assert {1} == {job["counts"]["passages"] for job in jobs[1:] if job["state"] == "done"}
    assert {(SECRET.decode(), tuple(BOARD))} == texts(gear, "contracts/varna.md")


def test_what_waits_for_a_revoked_key_is_not_done(running, keys, file):
    """One line says so, its files are removed, and other jobs run."""
    client, model, gear = running
    first = busy(client, model, keys["root"])
    ingested_later = post(client, {"mine.txt": OTHER}, keys["mallory"])
    removal = forget(client, "busy.jsonl", keys["mallory"])
    revoke_key(file, "mallory")
    other = post(client, {"plan.txt": SECRET}, keys["ada"])
    at_once = client.get(ingested_later.headers["location"], headers=keys["root"]).json()
    left = len(files_of(file))
    model.released.set()
    jobs = [ended(client, response, headers=keys["root"]) for response in (first, ingested_later, other)]

    assert (404, ["done", "cancelled", "done"]) == (removal.status_code, [job["state"] for job in jobs])
    assert "its key was revoked before this was done: send it again with another key" == jobs[1]["detail"]
    # The next request notices it: its files and names do not wait for a long job.
    assert ("cancelled", 2) == (at_once["state"], left)
    assert set() == texts(gear, "mine.txt")


def test_a_job_that_runs_ends_at_its_next_batch_once_its_key_is_revoked(running, keys, file):
    """Like a cancelled job; the rest is not written."""
    client, model, gear = running
    job = busy(client, model, keys["mallory"], size=2_000)
    revoke_key(file, "mallory")
    model.released.set()
    end = ended(client, job, headers=keys["root"])

    assert ("cancelled", True) == (end["state"], "revoked" in end["detail"])
    assert gear.status().passages < 2_000


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"writes": False}, "cancelled"),
        ({"principals": []}, "failed"),
        ({"collections": ["legal", "sales"], "principals": [*BOARD, "user:ada"]}, "done"),
    ],
    ids=str,
)
def test_a_key_counts_as_it_is_when_the_job_is_done(running, keys, file, fields, state):
    """A restricted key's jobs may not do what it no longer may: here, replace a document that it no longer sees."""
    client, model, gear = running
    ingested(client, {"plan.txt": SECRET}, headers=keys["ada"], collection="legal", readers=BOARD)
    first = busy(client, model, keys["root"])
    job = post(client, {"plan.txt": OTHER}, keys["ada"])
    edited(file, "ada", **fields)
    model.released.set()
    ended(client, first, headers=keys["root"])

    assert state == ended(client, job, headers=keys["root"])["state"]
    expected = OTHER if state == "done" else SECRET
    assert {(expected.decode(), tuple(BOARD))} == texts(gear, "plan.txt")


@pytest.mark.parametrize("task", ["ingest", "forget"])
def test_a_document_that_became_hidden_stays(running, keys, task):
    """Its readers were set while the job waited."""
    client, model, gear = running
    ingested(client, {"plan.txt": SECRET}, headers=keys["ada"], collection="legal")
    first = busy(client, model, keys["root"])
    sender = keys["mallory"]
    job = post(client, {"plan.txt": OTHER}, sender) if task == "ingest" else forget(client, "plan.txt", sender)
    gear.corpus.set_readers("plan.txt", BOARD, collection="legal")
    model.released.set()
    ended(client, first, headers=keys["root"])

    assert ("failed", 202) == (ended(client, job, headers=sender)["state"], job.status_code)
    assert {(SECRET.decode(), tuple(BOARD))} == texts(gear, "plan.txt")


def test_stored_jobs_are_checked_by_the_next_service(database, server, file, keys):
    """With keys revoked in between, also for the interrupted job; jobs of valid keys continue.

    Their documents are for readers that do not include the key; passages that the job itself wrote are not somebody
    else's document.
    """
    with service(server, file) as (client, model, _):
        table = b"town\n" + b"".join(b"Town %d\n" % number for number in range(300))
        running = post(client, {"table.csv": table, "g.txt": b"gate"}, keys["mallory"], readers=BOARD)
        assert model.waits.wait(PATIENCE)
        waiting = [post(client, {"a.txt": OTHER}, keys["ada"]), post(client, {"r.txt": OTHER}, keys["root"])]
        client.app.state.service.jobs.stop()
    revoke_key(file, "ada")
    with service(server, file) as (client, model, gear):
        begun = len(texts(gear, "table.csv"))
        model.released.set()
        jobs = [ended(client, response, headers=keys["root"]) for response in (running, *waiting)]
        written = [len(texts(gear, name)) for name in ("table.csv", "a.txt", "r.txt")]

    assert (["done", "cancelled", "done"], [300, 0, 1]) == ([job["state"] for job in jobs], written)
    assert 0 < begun
    assert [] == files_of(file)


def test_what_was_sent_without_a_key_is_not_done_once_there_are_keys(database, server, file):
    """Nor are jobs of a key whose file the service no longer uses."""
    with service(server, file) as (client, model, _):
        first = busy(client, model, None)
        open_to_all = post(client, {"a.txt": OTHER}, None)
        root = {"X-API-Key": add_key(file, "root", everything=True, writes=True)}
        keyed = post(client, {"b.txt": OTHER}, root)
        client.app.state.service.jobs.stop()
    file.unlink()
    with service(server, file) as (client, model, _):
        model.released.set()
        again = ended(client, post(client, {"c.txt": OTHER}, None))
        jobs = [client.get(job.headers["location"]).json() for job in (first, open_to_all, keyed)]

    assert "done" == again["state"]
    assert ["done", "cancelled", "cancelled"] == [job["state"] for job in jobs]
    assert [True, True] == ["requires a key" in jobs[1]["detail"], "revoked" in jobs[2]["detail"]]


def test_a_file_of_keys_that_cannot_be_used_loses_no_job(running, keys, file, monkeypatch):
    """The valid keys are unknown, so no job runs or is dropped until it is repaired."""
    monkeypatch.setattr("gear_neo4j.web.jobs.worker.RETRY_SECONDS", 0.1)
    client, model, gear = running
    first = busy(client, model, keys["root"])
    job = post(client, {"plan.txt": SECRET}, keys["ada"])
    content, queue = file.read_text(), client.app.state.service.jobs
    file.write_text(content[:-20])
    refused = client.get("/api/jobs", headers=keys["root"]).status_code
    model.released.set()
    waits = next(detail for detail in iter(lambda: detail_of(queue, first), None) if detail)
    before = texts(gear, "plan.txt")
    file.write_text(content)
    jobs = [ended(client, first, headers=keys["root"]), ended(client, job, headers=keys["ada"])]

    assert (401, set(), ["done", "done"]) == (refused, before, [each["state"] for each in jobs])
    assert waits.startswith("the service's file of keys cannot be used")


def detail_of(queue, response):
    """The reason why a job waits, read from its file, because no key can ask the service."""
    return queue._opened.store.get(response.json()["id"]).job.detail
