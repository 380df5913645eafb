"""The page of the service as files and routes: what is open, what is cached, what only some callers get."""

import re

import pytest

from gear_neo4j.web import pages
from gear_neo4j.web.keys import add_key
from gear_neo4j.wire import entities_json, to_json
from tests.graphs import opened
from tests.toy_model import FACTS, PASSAGES, QUESTION
from tests.web import client_of, scripted_gear

pytestmark = pytest.mark.one_server_line

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


@pytest.fixture
def gear(shared, embedder, server):
    """Three hops: prize, thesis, town; and a recipe; with a scripted model."""
    shared.ingested(PASSAGES, FACTS, embedder)
    with scripted_gear(server, embedder) as (gear, _):
        yield gear


@pytest.fixture
def keys(tmp_path):
    """A file with a key for everything and one for a collection; returns their secrets."""
    file = tmp_path / "keys.json"
    return file, add_key(file, "root", everything=True), add_key(file, "team", collections=["team"])


def test_the_page_needs_no_key_and_holds_nothing_of_the_database(gear, keys):
    """Nor do its files; everything else needs one."""
    with client_of(gear, keys_file=keys[0], requires_key=True) as client:
        page = client.get("/")
        files = [client.get(path) for path in re.findall(r'(?:src|href)="(/[^"]+)"', page.text)]
        refused = [client.get(path).status_code for path in ("/api/recipes", "/static/", "/api/entities?name=x")]

    assert (200, POLICY) == (page.status_code, page.headers["content-security-policy"])
    assert {200} == {response.status_code for response in files}
    assert [401, 401, 401] == refused
    assert "Hinton" not in page.text + "".join(response.text for response in files)


def test_the_page_is_checked_each_time_and_its_files_are_kept(gear):
    """Other content has another URL."""
    with client_of(gear) as client:
        page = client.get("/")
        again = client.get("/", headers={"If-None-Match": page.headers["etag"]})
        file = client.get(f"{pages.STATIC}/app.js")
        known = client.get(f"{pages.STATIC}/app.js", headers={"If-None-Match": file.headers["etag"]})

    assert ("no-cache", 304, b"") == (page.headers["cache-control"], again.status_code, again.content)
    assert POLICY == again.headers["content-security-policy"]
    assert "public, max-age=31536000, immutable" == file.headers["cache-control"]
    assert 304 == known.status_code
    assert file.headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize("path", ["../pages.py", "..%2fpages.py", "%2e%2e/pages.py", "nosuch.js", "", "app.js/x"])
def test_no_other_file_can_be_read(gear, path):
    """Whatever the path."""
    with client_of(gear) as client:
        response = client.get(f"{pages.STATIC}/{path}")

    assert 404 == response.status_code
    assert "no-store" == response.headers["cache-control"]


def test_entities_are_those_of_the_library(gear):
    """Under the caller's scope; an unknown one is 404."""
    with client_of(gear) as client:
        listed = client.get("/api/entities", params={"name": "hinton"}).json()
        record = client.get(f"/api/entities/{listed['entities'][0]['id']}").json()
        statuses = [client.get(f"/api/entities{rest}").status_code for rest in ("", "?name=", "/4:none:1")]

    assert entities_json("hinton", gear.entities("hinton")) == listed
    assert to_json(gear.entity(listed["entities"][0]["id"])) == record
    assert [422, 422, 404] == statuses


def test_a_key_sees_the_entities_of_its_passages_alone(gear, keys):
    """The id of another entity is of no use."""
    id = gear.entities("Hinton")[0].id
    with client_of(gear, keys_file=keys[0], requires_key=True, key=keys[2]) as client:
        listed = client.get("/api/entities", params={"name": "Hinton"}).json()
        record = client.get(f"/api/entities/{id}")

    assert ([], 404) == (listed["entities"], record.status_code)
    assert "Hinton" not in record.text


def test_a_picture_has_the_boxes_of_the_paths_and_a_link_for_each(gear, keys):
    """Only callers who may see everything get the link, because Neo4j Browser shows everything."""
    paths = to_json(gear.search(QUESTION, k=3, retriever="naive"))["paths"]
    options = {"keys_file": keys[0], "requires_key": True, "neo4j_uri": "bolt://db:7687"}
    layouts = []
    for key in keys[1:]:
        with client_of(gear, key=key, **options) as client:
            layouts.append(client.post("/api/picture", json={"paths": paths}).json())
    whole, narrow = layouts

    triples = {str(path["text"]) for path in paths if len(path["triples"]) == 1}
    assert triples <= {box["triple"] for box in whole["boxes"]}
    assert len(paths) == len([box for box in whole["boxes"] if box["kind"] == "rank"]) == len(whole["links"])
    assert all(link.startswith("http://db:7474/browser/?") for link in whole["links"])
    assert {""} == set(narrow["links"])
    assert whole["boxes"] == narrow["boxes"]


@pytest.mark.parametrize("body", [{}, {"paths": 1}, {"paths": [{}]}, {"paths": [{"triples": []}]}])
def test_what_is_no_path_is_not_drawn(gear, body):
    """The request is refused; no paths give an empty picture."""
    with client_of(gear) as client:
        assert 422 == client.post("/api/picture", json=body).status_code
        assert [] == client.post("/api/picture", json={"paths": []}).json()["boxes"]


def test_the_doctor_speaks_to_callers_who_may_see_everything(gear, keys):
    """Others get the reason for the refusal."""
    options = {"keys_file": keys[0], "requires_key": True}
    with client_of(gear, key=keys[1], **options) as client:
        findings = client.get("/api/health").json()["findings"]
    with client_of(gear, key=keys[2], **options) as client:
        refused = client.get("/api/health")

    assert {"server", "schema", "contents", "plans"} <= {finding["subject"] for finding in findings}
    assert {"ok"} == {finding["level"] for finding in findings if finding["subject"] in ("server", "schema")}
    assert (403, "ScopeRefusal") == (refused.status_code, refused.json()["code"])
    assert "passages" not in refused.text


def test_the_recipes_say_whether_there_is_a_model(gear, server, embedder):
    """So clients need not try; chat clients are offered what can answer."""
    with client_of(gear) as client:
        assert client.get("/api/recipes").json()["has_model"]
        assert "gear-gear" in [model["id"] for model in client.get("/v1/models").json()["data"]]
    with opened(server, embedder) as other, client_of(other) as client:
        assert not client.get("/api/recipes").json()["has_model"]
        assert ["gear-search"] == [model["id"] for model in client.get("/v1/models").json()["data"]]
