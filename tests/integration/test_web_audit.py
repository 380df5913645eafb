"""The audit record of a service: who saw and changed what, without texts, and what happens if it cannot be written."""

import json
import shutil

import anyio
import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from gear_neo4j.cli.serve import _mounts
from gear_neo4j.settings import Settings
from gear_neo4j.web.audit.exporting import Selection, exported
from gear_neo4j.web.audit.verifying import verified
from gear_neo4j.web.keys import add_key, read_keys, revoke_key
from gear_neo4j.web.options import IdentityOptions
from tests.disk import full_disk
from tests.graphs import opened
from tests.identity_provider import AUDIENCE
from tests.integration.test_sign_in import RIGHTS, Browser
from tests.toy_model import QUESTION
from tests.uploads import ended, send
from tests.web import bearer, client_of, command, documents_in, scripted_gear, served

pytestmark = pytest.mark.one_server_line

TEXT = b"Curie\n\nMarie Curie was born in Warsaw.\n"
UNRECORDED = "the service cannot record this now, so it does not answer: ask the operator"


@pytest.fixture
def gear(corpus, server, embedder):
    """A Gear over the passages, with a scripted model."""
    with scripted_gear(server, embedder) as (gear, _):
        yield gear


@pytest.fixture
def folder(tmp_path):
    """The folder of the record."""
    return tmp_path / "audit"


@pytest.fixture
def secret(tmp_path):
    """The secret of a key that may write."""
    return add_key(tmp_path / "keys.json", "ada", everything=True, writes=True)


def entries(folder, *kinds):
    """The entries of some kinds, or of all requests; the chains are whole."""
    assert [""] == [report.broken for report in verified(folder)]
    every = list(exported(folder, Selection()))
    return [entry for entry in every if (entry["kind"] in kinds if kinds else "request" in entry)]


def record_of(folder):
    """All that is written."""
    return "".join(file.read_text() for file in folder.glob("*.jsonl"))


def test_each_read_leaves_an_entry_with_who_and_what(gear, folder, secret, tmp_path):
    """A search, a passage, an entity, paths and an answer, by a key: its name, the ids, and the outcome."""
    with client_of(gear, key=secret, keys_file=tmp_path / "keys.json", audit_folder=folder) as client:
        hits = client.post("/api/search", json={"question": QUESTION, "k": 3}).json()["hits"]
        client.get("/api/passages/study")
        named_entity = client.get("/api/entities", params={"name": "Hinton"}).json()["entities"][0]["id"]
        client.get(f"/api/entities/{named_entity}")
        client.post("/api/paths", json={"question": "Hinton and Edinburgh"})
        answer = client.post("/api/ask", json={"question": QUESTION, "k": 4}).json()
        client.post("/api/search", json={"question": ""})
        client.get("/api/passages/nowhere")
        client.get("/api/status")
    found = entries(folder)

    kinds = ["search", "passage", "entities", "entity", "paths", "answer", "search", "passage"]
    assert kinds == [entry["kind"] for entry in found]
    key = read_keys(tmp_path / "keys.json")[0]
    assert {("ada", key.id[:16], "testclient")} == {
        (entry["who"]["key"], entry["who"]["id"], entry["address"]) for entry in found
    }
    assert [hit["id"] for hit in hits] == found[0]["what"]["passages"]
    assert sorted({hit["source"] for hit in hits if hit["source"]}) == found[0]["what"].get("documents", [])
    assert [["study"], named_entity] == [found[1]["what"]["passages"], found[3]["what"]["entity"]]
    assert found[4]["what"]["passages"]
    assert [hit["id"] for hit in answer["search"]["hits"]] == found[5]["what"]["passages"]
    assert [("done", 200)] * 6 == [(entry["outcome"], entry["status"]) for entry in found[:6]]
    assert [("failed", 422), ("failed", 404)] == [(entry["outcome"], entry["status"]) for entry in found[6:]]


def test_a_stream_leaves_an_entry_when_it_begins_and_one_with_what_it_showed(gear, folder):
    """Of the API and of the chat protocol."""
    body = {"model": "gear-gear", "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
    with client_of(gear, audit_folder=folder) as client:
        *_, (_, event) = documents_in(client.post("/api/ask", json={"question": QUESTION, "stream": True}).text)
        client.post("/v1/chat/completions", json=body)
    found = entries(folder)

    assert ["begun", "done", "begun", "done"] == [entry["outcome"] for entry in found]
    assert found[0]["request"] == found[1]["request"] != found[2]["request"]
    shown = [hit["id"] for hit in event["answer"]["search"]["hits"]]
    assert shown == found[1]["what"]["passages"]
    assert shown == found[3]["what"]["passages"]
    assert {"answer"} == {entry["kind"] for entry in found}


@pytest.fixture
def empty(database, server, embedder):
    """A Gear over an empty corpus."""
    with opened(server, embedder) as gear:
        yield gear


def test_writes_are_recorded_before_they_are_done_and_when_they_end(empty, folder, secret, tmp_path):
    """An upload and a removal, with their collection, their documents and the jobs that do them."""
    options = {"keys_file": tmp_path / "keys.json", "uploads_folder": tmp_path / "up", "audit_folder": folder}
    with client_of(empty, key=secret, **options) as client:
        job = ended(client, send(client, {"curie.txt": TEXT}, collection="history"))
        gone = ended(client, client.delete("/api/documents/curie.txt", params={"collection": "history"}))
    found = entries(folder, "upload", "ingest", "forget")
    outcomes = {kind: [entry["outcome"] for entry in found if entry["kind"] == kind] for kind in ("upload", "ingest")}

    assert {"upload": ["begun", "done"], "ingest": ["done"]} == outcomes
    assert ["begun", "done", "done"] == [entry["outcome"] for entry in found if entry["kind"] == "forget"]
    assert {"ada"} == {entry["who"]["key"] for entry in found}
    assert {"history"} == {entry["what"]["collection"] for entry in found}
    assert {job["id"], gone["id"]} == {entry["what"]["job"] for entry in found if "job" in entry["what"]}
    assert "Warsaw" not in record_of(folder)


def test_what_is_refused_is_recorded(gear, folder, secret, tmp_path):
    """No key, an unknown one, one that may not, too many requests; never the secret that was sent."""
    reader = add_key(tmp_path / "keys.json", "bob", rate="3/min")
    with client_of(gear, keys_file=tmp_path / "keys.json", audit_folder=folder) as client:
        client.post("/api/search", json={"question": QUESTION})
        client.get("/api/status", headers=bearer("gear_unknown-secret"))
        client.delete("/api/documents/a", params={"collection": "default"}, headers=bearer(reader))
        for _ in range(3):
            client.get("/api/caller", headers=bearer(reader))
    found = entries(folder)

    assert [("search", 401, {}), ("request", 401, {}), ("forget", 403, "bob"), ("request", 429, "bob")] == [
        (entry["kind"], entry["status"], entry["who"].get("key", {})) for entry in found
    ]
    assert {"refused"} == {entry["outcome"] for entry in found}
    assert not [word for word in ("unknown-secret", reader, secret) if word in record_of(folder)]


def test_changes_of_keys_are_recorded(gear, folder, secret, tmp_path):
    """Those that the service starts with, and those that it notices later."""
    file = tmp_path / "keys.json"
    with client_of(gear, key=secret, keys_file=file, audit_folder=folder) as client:
        add_key(file, "bob")
        client.get("/api/caller")
        revoke_key(file, "bob")
        client.get("/api/caller")
    start, added, removed = (entry["what"] for entry in entries(folder, "start", "keys"))

    assert [["ada"], ["bob"], []] == [
        [key["key"] for key in keys] for keys in (start["keys"], added["added"], added["removed"])
    ]
    assert (removed["added"], removed["removed"]) == ([], added["added"])


def test_neither_questions_nor_texts_are_in_the_record(gear, folder, tmp_path):
    """Of any passage, of a question, an answer or a token; with an option of the operator, questions are."""
    texts = [record.passage.text for record in (gear.passage(hit.passage.id) for hit in gear.search(QUESTION, k=10))]
    chat = {"model": "gear-gear", "messages": [{"role": "user", "content": QUESTION}]}
    for name, options in (("without", {}), ("with", {"audit_texts": True})):
        with client_of(gear, audit_folder=tmp_path / name, **options) as client:
            answer = client.post("/api/ask", json={"question": QUESTION}).json()["answer"]
            client.post("/api/search", json={"question": QUESTION})
            client.post("/v1/chat/completions", json=chat)
            client.get("/api/entities", params={"name": QUESTION})
            client.get(f"/api/passages/{QUESTION}")
            client.get(f"/nowhere/{QUESTION}")
            client.post("/api/explain", json={"question": QUESTION})
    without, with_questions = record_of(tmp_path / "without"), record_of(tmp_path / "with")

    assert not [text for text in (QUESTION, answer, *texts) if text in without or text[:40] in without]
    assert 3 == with_questions.count(QUESTION)
    assert not [text for text in texts if text in with_questions]


def test_a_call_over_mcp_leaves_an_entry(gear, folder, secret, tmp_path):
    """Of each tool that reads texts, with the ids of what it returned."""

    async def call(url):
        async with (
            httpx2.AsyncClient(headers=bearer(secret), timeout=30) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            found = await client.call_tool("search", {"query": QUESTION, "k": 3})
            await client.call_tool("fetch", {"id": "nowhere"})
            return json.loads(found.content[0].text)["results"]

    options = {"keys_file": tmp_path / "keys.json", "audit_folder": folder, "mounts": _mounts(Settings())}
    with served(gear, **options) as (url, _):
        results = anyio.run(call, url)
        httpx.post(f"{url}/mcp", json={})
    search, fetch, refused = entries(folder)

    assert ("search", "ada", "127.0.0.1", "done") == (
        search["kind"],
        search["who"]["key"],
        search["address"],
        search["outcome"],
    )
    assert [result["id"] for result in results] == search["what"]["passages"]
    assert ("passage", "failed", "NothingFound") == (fetch["kind"], fetch["outcome"], fetch["error"])
    assert ("request", 401, {}) == (refused["kind"], refused["status"], refused["who"])
    assert QUESTION not in record_of(folder)


def test_people_are_recorded_by_issuer_and_subject(gear, provider, folder, tmp_path):
    """A sign-in on the page, a search, the end of the session, and a sign-in that is refused."""
    rights = tmp_path / "rights.toml"
    rights.write_text(RIGHTS)
    identity = IdentityOptions(
        issuer=provider.issuer, rights_file=rights, audiences=(AUDIENCE,), client="gear-page", secret="page secret"
    )
    with served(gear, identity=identity, audit_folder=folder) as (url, _), Browser(url, "ada") as ada:
        ada.found()
        ada.http.post("/sign-out")
        ada.http.get(ada.back)
        token = provider.token("ada")
        httpx.post(f"{url}/api/search", json={"question": QUESTION}, headers=bearer(token))
        rights.write_text(f"{RIGHTS}\n")
        httpx.get(f"{url}/api/caller", headers=bearer(token))
        rights.write_text("[groups.nobody]\ncollections = ['*']\n")
        httpx.get(f"{url}/api/caller", headers=bearer(token))
    found = entries(folder)

    who = {"issuer": provider.issuer, "subject": "ada", "name": "ada@example.org"}
    assert [
        ("sign-in", 303),
        ("search", 200),
        ("sign-out", 200),
        ("sign-in", 400),
        ("search", 200),
        ("request", 403),
    ] == [(entry["kind"], entry["status"]) for entry in found]
    assert [who, who, who, {}, who] == [entry["who"] for entry in found[:5]]
    assert {"issuer": provider.issuer, "subject": "ada"} == found[5]["who"]
    assert 2 == len(entries(folder, "rights"))
    assert token not in record_of(folder)


def test_a_record_that_cannot_be_written_is_reported_and_the_service_goes_on(gear, folder, caplog):
    """In the log, at /readyz, and in the record itself once it can be written again."""
    with client_of(gear, audit_folder=folder) as client:
        client.get("/readyz")
        with full_disk(after=100):
            lost = [client.post("/api/search", json={"question": QUESTION}).status_code for _ in range(2)]
            ready = client.get("/readyz")
        well = client.get("/readyz")
        client.get("/api/passages/study")

    assert [200, 200] == lost
    assert (200, "the audit record cannot be written") == (ready.status_code, ready.json()["warning"])
    assert (200, {"status": "ok"}) == (well.status_code, well.json())
    assert 1 == caplog.text.count('{"audit": "cannot be written", "detail": "')
    assert [{"entries": 2}] == [entry["what"] for entry in entries(folder, "lost")]
    assert ["passage"] == [entry["kind"] for entry in entries(folder)]


@pytest.mark.parametrize("fault", ["a full disk", "a file in place of the folder"])
def test_where_a_record_is_required_nothing_is_answered_without_one(fault, gear, folder, tmp_path):
    """503 in one line, also for an upload, a stream and a refusal; nothing is written, and it works again later."""
    options = {"audit_folder": folder, "audit_required": True, "uploads_folder": tmp_path / "up"}
    with client_of(gear, **options) as client:
        client.get("/readyz")
        client.post("/api/search", json={"question": QUESTION})
        if fault == "a full disk":
            with full_disk(after=100):
                refused = requests(client)
        else:
            shutil.move(folder, tmp_path / "away")
            folder.write_text("")
            refused = requests(client)
            folder.unlink()
            shutil.move(tmp_path / "away", folder)
        jobs = client.get("/api/jobs").json()["jobs"]
        after = client.post("/api/search", json={"question": QUESTION})

    *answers, ready = refused
    assert {(503, UNRECORDED)} == {(answer.status_code, answer.json()["detail"]) for answer in answers}
    assert (503, "not ready, missing: audit record") == (ready.status_code, ready.json()["detail"])
    assert ([], 200) == (jobs, after.status_code)
    assert ["search", "search"] == [entry["kind"] for entry in entries(folder)]


def requests(client):
    """Responses to a read, a stream, an upload, a refusal and a probe."""
    return [
        client.get("/api/passages/study"),
        client.post("/api/ask", json={"question": QUESTION, "stream": True}),
        send(client, {"curie.txt": TEXT}),
        client.get("/api/status", headers={"Origin": "https://evil.test"}),
        client.get("/readyz"),
    ]


def test_the_command_records_and_a_killed_service_leaves_a_whole_chain(server, corpus, folder, tmp_path):
    """What was answered is recorded, whenever the process is killed; the next one continues the chain."""
    for _ in range(2):
        with command(server, tmp_path, "--audit", folder) as (running, url):
            assert 200 == httpx.get(f"{url}/api/passages/study", timeout=60).status_code
            running.kill()
            running.wait(30)
    (report,) = verified(folder)

    assert ("", 2) == (report.broken, report.files)
    assert ["passage", "passage"] == [entry["kind"] for entry in entries(folder)]
