"""Jobs in trouble: killed, stopped, cancelled, without disk or database; nothing is lost or done twice."""

import json
import signal
import threading
from contextlib import contextmanager
from itertools import count

import httpx
import pytest

from gear_neo4j.graph.queries import Query
from tests.disk import full_disk
from tests.graphs import opened
from tests.scripted_server import ScriptedServer
from tests.uploads import PATIENCE, Gated, corpus, ended, ingested, send
from tests.web import client_of, command, events_in, served
from tests.wire import Wire

pytestmark = pytest.mark.one_server_line

SIZE = 1_000
PASSAGES = Query("passages", "MATCH (p:Passage) RETURN count(p) AS passages, count(DISTINCT p.id) AS ids")
TEXT = b"Marie Curie was born in Warsaw."


@contextmanager
def gated_service(server, folder, *, model=None, uri=None, **options):
    """A service whose model waits at a word: a client, the model, and the folder where documents wait."""
    model = model or Gated()
    driver = {"max_transaction_retry_time": 0.2}
    with opened(server, model, uri=uri, **driver) as gear, client_of(gear, uploads_folder=folder, **options) as client:
        try:
            yield client, model
        finally:
            model.released.set()


def state(client, id):
    return client.get(f"/api/jobs/{id}").json()["state"]


class Vectors:
    """An embedding server that answers the first batches, and then waits until its client is dead."""

    def __init__(self, embedder, *, most):
        self.embedder, self.most = embedder, most
        self.texts = []
        self.reached, self.released = threading.Event(), threading.Event()
        self.lock = threading.Lock()

    def __call__(self, texts):
        with self.lock:
            stops = len(self.texts) + len(texts) > self.most
            if not stops:
                self.texts.extend(texts)
        if stops:
            self.reached.set()
            assert self.released.wait(PATIENCE)
        return self.embedder.embed(texts).tolist()


def test_a_service_killed_in_the_middle_of_a_job_goes_on_after_its_restart(server, empty, embedder, home):
    """SIGKILL of the process: no passage is lost or doubled, and stored ones are not embedded again."""
    vectors = Vectors(embedder, most=600)
    with ScriptedServer(lambda _: "", vectors=vectors) as model:
        variables = {"GEAR_EMBEDDING_URL": model.url, "GEAR_EMBEDDING_MODEL": "toy"}
        with command(server, home, **variables) as (running, url):
            with httpx.Client(base_url=url, timeout=PATIENCE) as client:
                job = send(client, {"c.jsonl": corpus(SIZE)}, extract="none").json()
            assert vectors.reached.wait(PATIENCE)
            running.send_signal(signal.SIGKILL)
            running.wait()
        before = empty.run(PASSAGES)[0]["passages"]
        waiting = list((home / "uploads").rglob("*.jsonl"))
        vectors.released.set()
        vectors.most, vectors.texts = 10 * SIZE, []
        with (
            command(server, home, **variables) as (_, url),
            httpx.stream("GET", f"{url}/api/jobs/{job['id']}/events", timeout=PATIENCE) as stream,
        ):
            *_, (name, data) = events_in("\n".join(stream.iter_lines()))

    after = json.loads(data)
    assert ("end", "done", SIZE) == (name, after["state"], after["counts"]["passages_read"])
    assert {"passages": SIZE, "ids": SIZE} == empty.run(PASSAGES)[0]
    # A batch that the dead process had sent may be committed after the count.
    written = after["counts"]["passages_written"]
    assert 0 < before <= SIZE - written
    assert written == sum("text " in text for text in vectors.texts)
    assert 1 == len(waiting)
    assert [] == list((home / "uploads").rglob("*.jsonl"))


def test_a_service_that_is_stopped_lets_a_job_wait_and_ends_its_events(server, database, tmp_path):
    """The next service continues the job; the events end at once, although the job does not."""
    with gated_service(server, tmp_path) as (client, model):
        job = send(client, {"c.jsonl": corpus(SIZE, gate=0)}).json()
        assert model.waits.wait(PATIENCE)
        client.app.state.service.jobs.stop()
        *_, (name, data) = events_in(client.get(f"/api/jobs/{job['id']}/events").text)
        model.released.set()
    with gated_service(server, tmp_path) as (client, model):
        model.released.set()
        stream = client.get(f"/api/jobs/{job['id']}/events").text
        *_, (last, end) = events_in(stream)

    assert ("progress", "running") == (name, json.loads(data)["state"])
    assert ("end", "done") == (last, json.loads(end)["state"])
    assert {"passages": SIZE, "ids": SIZE} == database.run(PASSAGES)[0]


def test_a_waiting_job_is_cancelled_at_once_and_a_running_one_at_its_next_batch(server, database, tmp_path):
    """Written data stays, its files are removed, and the next job runs."""
    with gated_service(server, tmp_path) as (client, model):
        running = send(client, {"c.jsonl": corpus(5 * SIZE, gate=0)})
        waiting = send(client, {"w.txt": TEXT}).json()
        next_one = send(client, {"n.txt": TEXT})
        assert model.waits.wait(PATIENCE)
        cancelled = client.delete(f"/api/jobs/{waiting['id']}").json()
        marked = client.delete(running.headers["location"]).json()
        model.released.set()
        stopped, done = ended(client, running), ended(client, next_one)
        again = client.delete(f"/api/jobs/{done['id']}").json()

    assert ("cancelled", "running") == (cancelled["state"], marked["state"])
    assert ("cancelled", "done", "done") == (stopped["state"], done["state"], again["state"])
    assert 5 * SIZE > database.run(PASSAGES)[0]["passages"] > 0
    assert [] == list((tmp_path / "files").iterdir())


def test_jobs_of_two_collections_do_each_other_no_harm(server, database, tmp_path):
    """They run one after the other, in order."""
    with gated_service(server, tmp_path) as (client, model):
        responses = [
            send(client, {"c.jsonl": corpus(300, gate=0)}, collection=collection) for collection in ("a", "b", "a")
        ]
        assert model.waits.wait(PATIENCE)
        states = [state(client, response.json()["id"]) for response in responses]
        model.released.set()
        jobs = [ended(client, response) for response in responses]
        listed = client.get("/api/documents").json()["sources"]

    assert ["running", "waiting", "waiting"] == states
    assert [300, 300, 0] == [job["counts"]["passages_written"] for job in jobs]
    assert [("a", 300), ("b", 300)] == [(row["collection"], row["passages"]) for row in listed]


def test_a_search_is_answered_beside_a_job(server, database, tmp_path):
    """While the job waits for its model."""
    with gated_service(server, tmp_path) as (client, model):
        ingested(client, {"curie.txt": TEXT})
        job = send(client, {"c.jsonl": corpus(10, gate=0)})
        assert model.waits.wait(PATIENCE)
        hits = client.post("/api/search", json={"question": "Who was born in Warsaw?", "k": 1}).json()["hits"]
        running = state(client, job.json()["id"])
        model.released.set()
        ended(client, job)

    assert (["curie.txt"], "running") == ([hit["source"] for hit in hits], running)


def test_so_many_jobs_of_a_key_may_wait(server, database, tmp_path):
    """One more is refused with the time to wait, and so are files beyond the limit of the disk."""
    with gated_service(server, tmp_path / "a", waiting_jobs=1) as (client, model):
        first = send(client, {"c.jsonl": corpus(10, gate=0)})
        refused = send(client, {"w.txt": TEXT})
        model.released.set()
        ended(client, first)
    with gated_service(server, tmp_path / "b", waiting_bytes=1) as (client, model):
        first = send(client, {"d.jsonl": corpus(11, gate=10)})
        larger = send(client, {"w.txt": TEXT})
        model.released.set()
        ended(client, first)

    assert [(429, "1"), (429, "1")] == [(each.status_code, each.headers["retry-after"]) for each in (refused, larger)]


def test_a_second_service_on_the_folder_takes_no_documents(server, database, embedder, tmp_path):
    """Two would do each job twice; it accepts them once the first has ended."""
    with opened(server, embedder) as gear, client_of(gear, uploads_folder=tmp_path) as second:
        with client_of(gear, uploads_folder=tmp_path / "other"):
            pass
        with client_of(gear, uploads_folder=tmp_path) as first:
            refused, searched = send(first, {"a.txt": TEXT}), first.get("/api/status")
        job = ingested(second, {"a.txt": TEXT})

    assert (503, 200, "done") == (refused.status_code, searched.status_code, job["state"])
    assert "another service" in refused.json()["detail"]


def test_a_full_disk_is_one_problem_and_loses_nothing(server, database, embedder, tmp_path):
    """No part of the upload is left behind; once there is room, the same service accepts it."""
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with opened(server, embedder) as gear, client_of(gear, uploads_folder=tmp_path) as client:
            done = ingested(client, {"a.txt": TEXT})
            with full_disk(after=200_000):
                refused = send(client, {"b.txt": b"x" * 2_000_000})
            left = [path.name for path in (tmp_path / "files").iterdir()]
            again = ingested(client, {"b.txt": TEXT})
            listed = [job["id"] for job in client.get("/api/jobs").json()["jobs"]]
    finally:
        signal.signal(signal.SIGXFSZ, previous)

    assert (507, "InsufficientStorage") == (refused.status_code, refused.json()["code"])
    assert str(tmp_path) not in refused.text
    assert ([], [again["id"], done["id"]], "done") == (left, listed, again["state"])


def test_a_folder_that_cannot_be_used_is_one_problem_and_the_rest_works(server, database, embedder, tmp_path):
    """A file is in its place; once that is gone, documents are accepted."""
    uploads = tmp_path / "uploads"
    uploads.write_text("in the way")
    with opened(server, embedder) as gear, client_of(gear, uploads_folder=uploads) as client:
        refused, works = send(client, {"a.txt": TEXT}), client.get("/api/status")
        uploads.unlink()
        job = ingested(client, {"a.txt": TEXT})

    assert (507, 200, "done") == (refused.status_code, works.status_code, job["state"])
    assert str(tmp_path) not in refused.text


def test_a_job_waits_for_a_database_that_is_gone(server, database, tmp_path, monkeypatch):
    """It is neither lost nor failed."""
    monkeypatch.setattr("gear_neo4j.web.jobs.worker.RETRY_SECONDS", 0.1)
    with Wire(server.uri) as wire, gated_service(server, tmp_path, uri=wire.uri) as (client, model):
        response = send(client, {"c.jsonl": corpus(10, gate=0)})
        assert model.waits.wait(PATIENCE)
        with wire.outage():
            model.released.set()
            details = (client.get(response.headers["location"]).json()["detail"] for _ in count())
            waited = next(detail for detail in details if detail)
        job = ended(client, response)

    assert "the database does not answer: this continues once it does" == waited
    assert ("done", 10) == (job["state"], database.run(PASSAGES)[0]["passages"])


def test_a_client_that_sends_slowly_or_too_much_is_refused(server, database, embedder, tmp_path):
    """By the limits of uploads, which differ from those of other bodies; nothing is kept."""
    limits = {"upload_bytes": 3 << 20, "upload_seconds": 0.5, "upload_files": 2, "uploads_folder": tmp_path}
    with opened(server, embedder) as gear, served(gear, **limits) as (url, _):
        with httpx.Client(base_url=url, timeout=PATIENCE) as client:
            large = send(client, {"a.txt": b"x" * (4 << 20)})
            many = send(client, {f"{n}.txt": TEXT for n in range(3)})
            other = client.post("/api/search", content=b"x" * (2 << 20))
            fits = send(client, {"a.txt": b"A text. " * (2 << 17)})
        gate = threading.Event()

        def slow():
            yield b"--x\r\n"
            gate.wait(5)
            yield b"--x--\r\n"

        with httpx.Client(base_url=url, timeout=PATIENCE) as client:
            headers = {"Content-Type": "multipart/form-data; boundary=x"}
            late = client.post("/api/documents", content=slow(), headers=headers)
            gate.set()

    assert [413, 400, 413, 202, 408] == [each.status_code for each in (large, many, other, fits, late)]
