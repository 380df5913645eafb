"""Documents over HTTP: accepted, ingested in the background, listed and removed."""

import json
import stat

import pytest

from gear_neo4j.graph.read.sources import SourcePage
from gear_neo4j.ingestion.job import Job
from gear_neo4j.wire import from_json
from tests.graphs import opened
from tests.json_schema import violations
from tests.office import TABLE, sheets, slides, word
from tests.pdfs import pdf
from tests.uploads import ended, ingested, lines, send
from tests.waiting import settle
from tests.web import client_of, events_in

pytestmark = pytest.mark.one_server_line

TEXT = b"Curie\n\nMarie Curie was born in Warsaw.\n"


@pytest.fixture
def gear(database, server, embedder):
    """A Gear over an empty corpus."""
    with opened(server, embedder) as gear:
        yield gear


@pytest.fixture
def client(gear, tmp_path):
    """The service over it, without keys; documents wait in a folder."""
    with client_of(gear, uploads_folder=tmp_path / "uploads") as client:
        yield client


def sources(client, **parameters):
    """The sources that the service lists, as (collection, source, passages)."""
    listed = client.get("/api/documents", params=parameters).json()["sources"]
    return [(row["collection"], row["source"], row["passages"]) for row in listed]


def test_every_kind_of_file_is_ingested_under_its_name(client, gear):
    """Into the collection of the form; triples by rules or from lines; a search finds them at once."""
    files = {
        "curie.txt": TEXT,
        "notes.md": b"# Towns\n\nWarsaw is in Poland.\n",
        "page.HTML": b"<html><title>Rivers</title><body><p>The Vistula flows through Warsaw.</p></body></html>",
        "table.csv": b"town,country\nWarsaw,Poland\n",
        "book.pdf": pdf("Sobieski ruled Poland."),
        "letter.docx": word("Copernicus lived in Frombork."),
        "talk.pptx": slides(("Towns", "Gdynia has a port.")),
        "prices.xlsx": sheets(Sales=TABLE[:2]),
        "corpus.jsonl": lines({"id": "p1", "title": "Chopin", "text": "Chopin was born near Warsaw."}),
    }
    triples = {"facts.jsonl": lines({"id": "p1", "triples": [["Chopin", "born near", "Warsaw"]]})}
    job = ingested(client, files, triples=triples, collection="history")

    assert ("done", 8, 9, 0) == (
        job["state"],
        job["counts"]["documents_read"],
        job["counts"]["passages_written"],
        job["problem_count"],
    )
    assert sorted(("history", name, 1) for name in files) == sources(client)
    assert {"passages", "triples"} <= {stage["stage"] for stage in job["progress"]}
    hits = client.post("/api/search", json={"question": "Where was Marie Curie born?", "k": 1}).json()["hits"]
    assert [("curie.txt", "Curie", {"file": "curie.txt"})] == [
        (hit["source"], hit["title"], hit["metadata"]) for hit in hits
    ]
    assert ["Chopin"] == [triple.subject for triple in gear.passage("history/p1").triples]


def test_a_job_is_accepted_at_once_and_looked_at(client, tmp_path):
    """With its location; its document is that of the library, and its files are removed when it ends."""
    response = send(client, {"curie.txt": TEXT})
    job = ended(client, response)
    listed = client.get("/api/jobs").json()["jobs"]

    assert (202, "waiting", "job") == (response.status_code, response.json()["state"], response.json()["kind"])
    assert job == client.get(f"/api/jobs/{job['id']}").json() == listed[0]
    assert job["id"] == from_json(Job, job).id
    # A moment after its end is recorded: a job killed in between still needs them.
    assert settle(lambda: not any((tmp_path / "uploads" / "files").iterdir()))
    assert 'gear_jobs{state="done"} 1.0' in client.get("/metrics").text


def test_jobs_and_sources_fit_the_openapi_document(client):
    """Its schemas are those of the JSON; it also describes the form."""
    job = ingested(client, {"curie.txt": TEXT})
    root = client.get("/openapi.json").json()
    local = json.loads(json.dumps(root["components"]["schemas"]).replace("#/components/schemas/", "#/$defs/"))
    form = root["paths"]["/api/documents"]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]

    assert [] == violations(job, local["Job"], root={"$defs": local})
    assert [] == violations(client.get("/api/documents").json(), local["Sources"], root={"$defs": local})
    assert [] == violations(client.get("/api/jobs").json(), local["Jobs"], root={"$defs": local})
    assert {"files", "triples", "collection", "readers", "replace", "extract"} == form["properties"].keys()


def test_events_end_with_the_job(client):
    """Each contains the whole job; a job that has ended has a single one."""
    job = ingested(client, {"curie.txt": TEXT})
    again = list(events_in(client.get(f"/api/jobs/{job['id']}/events").text))

    assert [("end", job)] == [(name, json.loads(data)) for name, data in again]


def test_what_cannot_be_used_is_reported_by_line_and_bounded(client):
    """By the name of the file, never by a path of the service; the rest is ingested."""
    content = lines({"id": "p1", "text": "good"}) + b"{\n" * 150
    job = ingested(client, {"corpus.jsonl": content, "broken.pdf": b"no PDF"}, extract="none")

    assert ("done", 151, 100) == (job["state"], job["problem_count"], len(job["problems"]))
    assert {"file": "corpus.jsonl", "line": 2} == {name: job["problems"][0][name] for name in ("file", "line")}
    assert {"corpus.jsonl"} == {problem["file"] for problem in job["problems"]}
    assert 1 == job["counts"]["passages_written"]


def test_a_job_that_fails_says_why_by_the_names_that_were_sent(client, tmp_path):
    """For files with only empty lines."""
    job = ingested(client, {"corpus.jsonl": b"\n\n"})

    assert ("failed", True) == (job["state"], job["detail"].startswith("corpus.jsonl is empty"))
    assert str(tmp_path) not in json.dumps(job)


def test_a_new_version_replaces_the_earlier_one(client):
    """A document by its name; a line of JSONL only with ``replace``."""
    ingested(client, {"a.txt": TEXT, "c.jsonl": lines({"id": "p1", "text": "old"})})
    kept = ingested(client, {"a.txt": b"Another text.", "c.jsonl": lines({"id": "p1", "text": "new"})})
    replaced = ingested(client, {"c.jsonl": lines({"id": "p1", "text": "new"})}, replace="true")

    assert (1, 0, 1) == tuple(kept["counts"][name] for name in ("passages_removed", "passages_replaced", "problems"))
    assert 1 == replaced["counts"]["passages_replaced"]
    assert "new" == client.get("/api/passages/p1").json()["text"]


@pytest.mark.parametrize(("extract", "triples"), [("none", 0), ("auto", 1), ("rules", 1)])
def test_triples_are_made_in_the_collection_alone(client, gear, extract, triples):
    """Passages without triples in other collections are not changed."""
    ingested(
        client,
        {"c.jsonl": lines({"id": "p1", "text": "Marie Curie was born in Warsaw."})},
        extract="none",
        collection="b",
    )
    ingested(
        client,
        {"c.jsonl": lines({"id": "p1", "text": "Marie Curie was born in Warsaw."})},
        extract=extract,
        collection="a",
    )

    assert (triples, 0) == (min(1, len(gear.passage("a/p1").triples)), len(gear.passage("b/p1").triples))


def test_sources_are_listed_in_pages_and_by_collection(client):
    """The next page begins after the last source of the previous one."""
    ingested(client, {f"{name}.txt": TEXT for name in "abc"})
    ingested(client, {"b.txt": TEXT}, collection="other")
    first = client.get("/api/documents", params={"limit": 2}).json()

    assert [("default", "a.txt", 1), ("default", "b.txt", 1), ("other", "b.txt", 1)] == [
        (row.collection, row.source, row.passages) for row in from_json(SourcePage, first).sources
    ]
    assert [("default", "c.txt", 1)] == sources(client, after=first["next"], limit=2)
    assert [("other", "b.txt", 1)] == sources(client, collection="other")
    assert [] == sources(client, collection="none")


def test_a_source_is_forgotten_in_its_collection(client):
    """As a job, which reports the counts; not in another collection, and not without naming one."""
    ingested(client, {"a.txt": TEXT})
    ingested(client, {"a.txt": TEXT}, collection="other")
    without = client.delete("/api/documents/a.txt")
    absent = client.delete("/api/documents/b.txt", params={"collection": "other"})
    job = ended(client, client.delete("/api/documents/a.txt", params={"collection": "other"}))

    assert (422, 404) == (without.status_code, absent.status_code)
    assert ("done", "forget", "a.txt", 1) == (job["state"], job["task"], job["source"], job["counts"]["passages"])
    assert [("default", "a.txt", 1)] == sources(client)


def test_an_empty_database_lists_nothing(server, embedder, empty):
    """And there is nothing to remove."""
    with opened(server, embedder) as gear, client_of(gear) as client:
        listed = client.get("/api/documents")
        absent = client.delete("/api/documents/a.txt", params={"collection": "default"})
        refused = send(client, {"a.txt": TEXT})

    assert (200, [], None) == (listed.status_code, listed.json()["sources"], listed.json()["next"])
    assert (404, 404, "this service accepts no documents") == (
        absent.status_code,
        refused.status_code,
        refused.json()["detail"],
    )


def test_what_waits_on_disk_is_for_the_service_alone(client, tmp_path):
    """Folders, files, and the queue."""
    ingested(client, {"a.txt": TEXT})
    paths = list((tmp_path / "uploads").rglob("*"))

    assert 0o700 == stat.S_IMODE((tmp_path / "uploads").stat().st_mode)
    assert {"jobs.sqlite", "lock", "files"} <= {path.name for path in paths}
    assert [] == [path.name for path in paths if path.stat().st_mode & 0o077]
