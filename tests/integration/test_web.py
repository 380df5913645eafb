"""The HTTP service: the response of each route, and the message of each error."""

import json
import logging
import re

import pytest
from starlette.responses import PlainTextResponse

from gear_neo4j.agents.answer import Answer
from gear_neo4j.domain import Hits
from gear_neo4j.errors import ServerUnavailable
from gear_neo4j.explain import saved_from
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS
from gear_neo4j.web.app import Mount
from gear_neo4j.web.keys import add_key, revoke_key
from gear_neo4j.web.rates import Rate
from gear_neo4j.wire import from_json, passage_json, paths_json, to_json
from tests.graphs import opened
from tests.json_schema import violations
from tests.toy_model import QUESTION
from tests.web import client_of, documents_in, scripted_gear
from tests.wire import Wire

pytestmark = pytest.mark.one_server_line

CHAT = {"model": "gear-gear", "messages": [{"role": "user", "content": QUESTION}]}
PROBLEM = "application/problem+json"


@pytest.fixture
def gear(corpus, server, embedder):
    """A Gear over them, with a scripted model."""
    with scripted_gear(server, embedder) as (gear, _):
        yield gear


@pytest.fixture
def client(gear):
    """The service over it, without keys."""
    with client_of(gear) as client:
        yield client


def untimed(document):
    """A document without times."""
    text = re.sub(r'"(milliseconds)": \{[^}]*\}', r'"\1": {}', json.dumps(document))
    return json.loads(re.sub(r'"seconds": [\d.e-]+', '"seconds": 0', text))


def test_the_documents_are_those_of_the_library(client, gear):
    """Search, paths, a passage, the status and an answer."""
    search = client.post("/api/search", json={"question": QUESTION, "k": 3, "retriever": "naive", "base": "sbert"})
    paths = client.post("/api/paths", json={"question": "Hinton and Edinburgh"})
    passage = client.get("/api/passages/study")
    answer = client.post("/api/ask", json={"question": QUESTION, "k": 4, "max_steps": 3})
    options = {"name": "naive", "base": "sbert"}

    assert untimed(to_json(gear.search(QUESTION, k=3, retriever=RETRIEVERS.recipe(options)))) == untimed(search.json())
    assert paths_json("Hinton and Edinburgh", gear.paths("Hinton and Edinburgh")) == paths.json()
    assert passage_json(gear.passage("study"), public_url="http://127.0.0.1") == passage.json()
    assert to_json(gear.status()) == client.get("/api/status").json()
    expected = gear.ask(QUESTION, k=4, agent=AGENTS.recipe({"name": "gear", "max_steps": 3, "max_seconds": 120}))
    assert untimed(to_json(expected)) == untimed(answer.json())


def test_the_link_to_a_passage_leads_to_it_on_the_page(client):
    """Under the URL of the request; it contains nothing of the passage and needs no key."""
    url = client.get("/api/passages/town").json()["url"]
    response = client.get(url, follow_redirects=False)

    assert "http://127.0.0.1/passages/town" == url
    assert (303, "/#passage?id=town") == (response.status_code, response.headers["location"])


def test_events_are_streamed_and_the_answer_is_the_last(client):
    """Each is a document; the pieces of the text come before the final answer."""
    response = client.post("/api/ask", json={"question": QUESTION, "stream": True})
    events = documents_in(response.text)
    names = [name for name, _ in events]

    assert "text/event-stream; charset=utf-8" == response.headers["content-type"]
    assert ("step", "answer") == (names[0], names[-1])
    assert {"step", "facts", "verdict", "token", "answer"} == set(names)
    assert {"event"} == {document["kind"] for _, document in events}
    assert "Scotland" in from_json(Answer, events[-1][1]["answer"]).text


def test_what_is_wrong_from_the_start_of_a_stream_has_its_status(client):
    """No stream begins."""
    response = client.post("/api/ask", json={"question": QUESTION, "agent": "kgt", "stream": True})

    assert (422, PROBLEM) == (response.status_code, response.headers["content-type"])
    assert "adopt" in response.json()["detail"]


def test_a_saved_answer_becomes_a_page(client, gear):
    """With a policy that forbids all loading."""
    document = client.post("/api/ask", json={"question": QUESTION}).json()
    response = client.post("/api/explain", json=document)

    assert (200, "text/html; charset=utf-8") == (response.status_code, response.headers["content-type"])
    assert saved_from(from_json(Answer, document)).question in response.text
    assert response.headers["content-security-policy"].startswith("default-src 'none'")
    assert "sandbox allow-scripts" in response.headers["content-security-policy"]


def test_the_recipes_come_with_the_schema_of_their_options(client):
    """In the order of the registries."""
    listed = client.get("/api/recipes").json()

    assert [entry.name for entry in RETRIEVERS] == [recipe["name"] for recipe in listed["retrievers"]]
    offered = [entry.name for entry in AGENTS if not entry.recipe.operator_only]
    assert offered == [recipe["name"] for recipe in listed["agents"]]
    naive = next(recipe for recipe in listed["retrievers"] if recipe["name"] == "naive")
    assert {"base", "base_k", "beam", "score"} == naive["options"]["properties"].keys()


def test_readiness_names_what_is_missing_and_passes_once_it_is_there(client):
    """A running process is healthy from the start."""
    assert (200, {"status": "ok"}) == ((health := client.get("/healthz")).status_code, health.json())
    responses = [client.get("/readyz") for _ in range(2)]

    assert (200, {"status": "ok"}) == (responses[-1].status_code, responses[-1].json())


class Unloadable:
    """An embedding model that cannot be loaded."""

    name, dimension = "fake", 384

    def embed(self, _texts):
        raise ServerUnavailable("no answer from http://secret.internal")


def test_a_service_without_its_model_is_not_ready(corpus, server):
    """It says only that."""
    with opened(server, Unloadable()) as gear, client_of(gear) as client:
        response = client.get("/readyz")

    assert (503, PROBLEM) == (response.status_code, response.headers["content-type"])
    assert "not ready, missing: embedding model" == response.json()["detail"]
    assert "secret" not in response.text


def test_a_service_that_loses_its_database_is_no_longer_ready(corpus, server, embedder):
    """It is ready again once the database is back."""
    with Wire(server.uri) as wire, opened(server, embedder, uri=wire.uri) as gear, client_of(gear) as client:
        ready = until(client, 200)
        with wire.outage():
            lost = until(client, 503)
        back = until(client, 200)

    assert ("not ready, missing: database", True, True) == (lost.json()["detail"], ready.is_success, back.is_success)


def until(client, status):
    """The first readiness response with this status."""
    responses = (client.get("/readyz") for _ in range(10_000))
    return next(response for response in responses if response.status_code == status)


def test_errors_have_their_status_and_say_what_to_do(client):
    """As in RFC 9457, with the id that is in the log."""
    cases = {
        ("POST", "/api/search", '{"question": " "}'): (422, "InputError"),
        ("POST", "/api/search", '{"question": "Who?", "k": 101}'): (422, "InputError"),
        ("POST", "/api/search", '{"question": "%s"}' % ("x" * 4_001)): (422, "InputError"),
        ("POST", "/api/search", '{"question": "Who?", "principals": ["root"]}'): (422, "InputError"),
        ("POST", "/api/search", "{"): (422, "InputError"),
        ("POST", "/api/search", '{"question": "Who?", "retriever": "nosuch"}'): (400, "SettingsError"),
        ("POST", "/api/search", '{"question": "Who?", "where": "year >"}'): (400, "SettingsError"),
        ("POST", "/api/ask", '{"question": "Who?", "agent": "nosuch"}'): (400, "SettingsError"),
        ("POST", "/api/ask", '{"question": "Who?", "agent": "paths", "max_steps": 2}'): (400, "SettingsError"),
        ("GET", "/api/passages/nosuch", None): (404, "NothingFound"),
        ("GET", "/nosuch", None): (404, "NotFound"),
        ("DELETE", "/api/search", None): (405, "MethodNotAllowed"),
        ("POST", "/api/search", '{"question": "%s"}' % ("x" * (1 << 20))): (413, "ContentTooLarge"),
        ("POST", "/api/explain", "{}"): (422, "InputError"),
    }
    for (method, path, body), expected in cases.items():
        headers = {"Content-Type": "application/json", "X-Request-Id": "trace-0001"}
        response = client.request(method, path, content=body, headers=headers)
        problem = response.json()
        assert (*expected, PROBLEM) == (response.status_code, problem["code"], response.headers["content-type"]), path
        assert (expected[0], "trace-0001") == (problem["status"], problem["request_id"])
        assert "\n" not in problem["detail"]
        assert problem["detail"]
        assert "trace-0001" == response.headers["x-request-id"]


def test_every_answer_and_problem_fits_the_openapi_document(client):
    """Checked against the document itself, whose schemas are those of the JSON."""
    root = client.get("/openapi.json").json()
    calls = [
        ("post", "/api/search", "/api/search", {"question": QUESTION}),
        ("post", "/api/paths", "/api/paths", {"question": "Hinton and Edinburgh"}),
        ("post", "/api/ask", "/api/ask", {"question": QUESTION}),
        ("get", "/api/passages/{id}", "/api/passages/town", None),
        ("get", "/api/passages/{id}", "/api/passages/nosuch", None),
        ("get", "/api/entities", "/api/entities?name=hinton", None),
        ("get", "/api/entities", "/api/entities", None),
        ("get", "/api/entities/{id}", "/api/entities/nosuch", None),
        ("post", "/api/picture", "/api/picture", {"paths": []}),
        ("get", "/api/health", "/api/health", None),
        ("get", "/api/status", "/api/status", None),
        ("get", "/api/recipes", "/api/recipes", None),
        ("get", "/api/caller", "/api/caller", None),
        ("get", "/api/quota", "/api/quota", None),
        ("get", "/api/documents", "/api/documents", None),
        ("get", "/api/jobs", "/api/jobs", None),
        ("post", "/api/search", "/api/search", {"question": ""}),
        ("get", "/v1/models", "/v1/models", None),
        ("get", "/v1/models/{model}", "/v1/models/nosuch", None),
        ("post", "/v1/chat/completions", "/v1/chat/completions", {"model": "gear-gear", "messages": []}),
        ("post", "/v1/chat/completions", "/v1/chat/completions", CHAT),
    ]
    for method, template, path, body in calls:
        response = client.request(method, path, json=body)
        described = root["paths"][template][method]["responses"][str(response.status_code)]["content"]
        schema = described[response.headers["content-type"].split(";")[0]]["schema"]
        assert [] == violations(response.json(), _local(schema), root={"$defs": _local(root["components"]["schemas"])})


def _local(schema):
    """A schema whose references are within the document."""
    return json.loads(json.dumps(schema).replace("#/components/schemas/", "#/$defs/"))


def test_a_model_that_fails_in_a_stream_ends_it(corpus, server, embedder):
    """The answer says why there is none; if there is no model at all, the status does."""
    body = {"question": QUESTION, "stream": True}
    with scripted_gear(server, embedder, fault=lambda _number, _messages: 401) as (gear, _), client_of(gear) as client:
        events = documents_in(client.post("/api/ask", json=body).text)
    with opened(server, embedder) as gear, client_of(gear) as client:
        response = client.post("/api/ask", json=body)

    assert "model_error" == events[-1][1]["answer"]["stop_reason"]
    assert (502, "NoModel") == (response.status_code, response.json()["code"])
    assert "its operator sets GEAR_CHAT_MODEL" in response.json()["detail"]
    assert "gear search" not in response.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PATCH", "/api/documents", "GET, POST"),
        ("PUT", "/api/jobs/x", "DELETE, GET"),
        ("DELETE", "/v1/models", "GET"),
        ("POST", "/", "GET, HEAD"),
    ],
)
def test_a_path_names_all_its_methods(client, method, path, allowed):
    """Also if several routes share it; an unknown path says where to look."""
    refused, unknown = client.request(method, path), client.request(method, "/nosuch")

    assert (405, allowed) == (refused.status_code, refused.headers["allow"])
    assert f"{path} does not take {method}: use {allowed}" in refused.text
    assert 404 == unknown.status_code
    assert "there is no /nosuch: /openapi.json lists the paths" in unknown.text


def test_an_error_of_the_database_is_for_the_log(client, gear, monkeypatch, caplog):
    """Addresses and users must not leak."""

    def fail(*_args, **_options):
        raise ServerUnavailable("no answer from bolt://10.0.0.7:7687")

    monkeypatch.setattr(type(gear), "search", fail)
    response = client.post("/api/search", json={"question": QUESTION})

    assert (503, "ServerUnavailable") == (response.status_code, response.json()["code"])
    assert "10.0.0.7" not in response.text
    assert "10.0.0.7" in caplog.text


def test_a_bug_has_no_text_and_is_logged_without_what_a_user_wrote(client, gear, monkeypatch, caplog):
    """With its class, the lines of its traceback, and the request id."""

    def fail(_gear, question, **_options):
        raise KeyError(question)

    monkeypatch.setattr(type(gear), "search", fail)
    response = client.post("/api/search", json={"question": "a private matter"})

    assert (500, "InternalServerError") == (response.status_code, response.json()["code"])
    assert "private" not in response.text + caplog.text
    assert "KeyError" in caplog.text
    assert response.json()["request_id"] in caplog.text


def logged(caplog):
    """The lines of the access log."""
    return [json.loads(record.message) for record in caplog.records if record.name == "gear_neo4j.web.access"]


def test_the_log_has_a_line_for_each_request_and_no_question(client, caplog):
    """The key's name, the route, the duration, and the returned passages."""
    caplog.set_level(logging.INFO, "gear_neo4j.web.access")
    hits = from_json(Hits, client.post("/api/search", json={"question": QUESTION, "k": 2}).json())
    client.get("/api/passages/town?secret=1")
    client.get("/nosuch/secret")
    client.get("/passages/secret", follow_redirects=False)
    client.get("/")
    lines = logged(caplog)

    routes = ["/api/search", "/api/passages/{id}", "unmatched", "/passages/{id}", "/"]
    assert routes == [line["route"].replace(":path", "") for line in lines]
    assert [200, 200, 404, 303, 200] == [line["status"] for line in lines]
    assert [[hit.passage.id for hit in hits], ["town"]] == [line["passages"] for line in lines if "passages" in line]
    assert QUESTION not in caplog.text
    assert "secret" not in caplog.text
    assert all(line["ms"] > 0 and line["key"] == "" for line in lines)


def test_questions_are_logged_only_where_that_is_wanted(gear, caplog):
    """With an option of the operator."""
    caplog.set_level(logging.INFO, "gear_neo4j.web.access")
    with client_of(gear, log_questions=True) as client:
        client.post("/api/search", json={"question": QUESTION})

    assert [QUESTION] == [line["question"] for line in logged(caplog)]


def test_metrics_count_by_route_and_never_by_value(client):
    """For any request, the labels are names of routes."""
    client.post("/api/ask", json={"question": QUESTION})
    for number in range(20):
        client.get(f"/nosuch/{number}")
        client.get(f"/api/passages/{number}")
        client.request(f"M{number}", "/api/search")
    text = client.get("/metrics").text

    assert 'gear_requests_total{method="POST",route="/api/ask",status="200"} 1.0' in text
    assert 'gear_running{kind="ask"} 0.0' in text
    assert 'gear_seconds_count{part="total",route="/api/ask"} 1.0' in text
    assert re.search(r'gear_tokens_total\{direction="input"\} [1-9]', text)
    routes = set(re.findall(r'gear_requests_total\{[^}]*route="([^"]*)"', text))
    assert {"/api/ask", "/api/passages/{id}", "/api/search", "unmatched"} == {r.replace(":path", "") for r in routes}
    assert {"GET", "POST", "other"} == set(re.findall(r'gear_requests_total\{method="([^"]*)"', text))


def test_every_response_carries_the_headers_of_safety(client):
    """Refusals, too."""
    for path in ("/healthz", "/nosuch", "/api/recipes"):
        headers = client.get(path).headers
        assert "default-src 'none'; frame-ancestors 'none'" == headers["content-security-policy"]
        assert ("nosniff", "no-referrer", "no-store") == tuple(
            headers[name] for name in ("x-content-type-options", "referrer-policy", "cache-control")
        )
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "127.0.0.1:8765"}, 200),
        ({"Host": "localhost"}, 200),
        ({"Host": "gear.test"}, 200),
        ({"Host": "evil.test"}, 400),
        ({"Host": "127.0.0.1.evil.test"}, 400),
        ({"Host": ""}, 400),
        ({"Origin": "http://127.0.0.1"}, 200),
        ({"Origin": "https://wiki.test"}, 200),
        ({"Origin": "https://evil.test"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://[::1"}, 403),
        ({"X-Forwarded-Host": "gear.test", "Host": "evil.test"}, 400),
    ],
)
def test_a_name_or_a_page_of_somebody_else_is_refused(headers, status, server, embedder):
    """DNS rebinding to this machine, and requests from another site's page."""
    options = {"allowed_hosts": ("gear.test",), "allowed_origins": ("https://wiki.test/",)}
    with opened(server, embedder) as gear, client_of(gear, **options) as client:
        response = client.get("/healthz", headers=headers)

    assert status == response.status_code
    assert status == 200 or response.headers["content-type"] == PROBLEM


def test_a_key_is_needed_everywhere_but_for_health_and_the_page(gear, tmp_path):
    """As a bearer token or in its own header; a revoked one is refused from the next request on."""
    file = tmp_path / "keys.json"
    key = add_key(file, "ada", everything=True)
    with client_of(gear, keys_file=file) as client:
        paths = [
            "/api/status",
            "/metrics",
            "/openapi.json",
            "/nosuch",
            "/v1/models",
            "/healthz/",
            "/healthz//",
            "/docs",
        ]
        refused = [client.get(path) for path in paths]
        headers = [{"X-API-Key": key}, {"Authorization": f"Bearer {key}"}, {"Authorization": f"bearer  {key}"}]
        wrong = [{"X-API-Key": key[:-1]}, {"Authorization": key}, {"Authorization": f"Basic {key}"}, {"Cookie": key}]
        accepted = [client.get("/api/status", headers=header).status_code for header in headers]
        denied = [client.get("/api/status", headers=header).status_code for header in wrong]
        health = [client.get(path).status_code for path in ("/healthz", "/readyz")]
        revoke_key(file, "ada")
        after = client.get("/api/status", headers=headers[0]).status_code

    assert [401] * len(paths) == [response.status_code for response in refused]
    assert {"Bearer"} == {response.headers["www-authenticate"] for response in refused}
    assert ([200] * 3, [401] * 4, [200] * 2, 401) == (accepted, denied, health, after)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1/healthz?",
        "127.0.0.1/healthz#",
        "127.0.0.1:80/readyz?x=",
        "127.0.0.1\\@healthz",
        "a@127.0.0.1/healthz?",
    ],
)
def test_the_host_of_a_request_opens_no_path(gear, tmp_path, host):
    """A URL built from it could look like an open path."""
    add_key(file := tmp_path / "keys.json", "ada")
    with client_of(gear, keys_file=file) as client:
        response = client.get("/api/status", headers={"Host": host})

    assert response.status_code in (400, 401)


def test_a_key_may_send_as_much_as_its_rate_says(gear, tmp_path, caplog):
    """One more is refused with the seconds to wait; other keys are not affected."""
    caplog.set_level(logging.INFO, "gear_neo4j.web.access")
    file = tmp_path / "keys.json"
    keys = [add_key(file, "slow", rate="2/h"), add_key(file, "fast")]
    with client_of(gear, keys_file=file) as client:
        headers = [{"X-API-Key": key} for key in (keys[0], keys[0], keys[0], keys[1])]
        responses = [client.get("/v1/models", headers=header) for header in headers]

    assert [200, 200, 429, 200] == [response.status_code for response in responses]
    assert 1_700 < int(responses[2].headers["retry-after"]) <= 1_800
    assert "rate_limit_error" == responses[2].json()["error"]["type"]
    assert ["slow", "slow", "slow", "fast"] == [line["key"] for line in logged(caplog)]


def test_whoever_guesses_keys_is_slowed_down(gear, tmp_path):
    """The holder of a valid key at the same address is not."""
    file = tmp_path / "keys.json"
    key = add_key(file, "ada")
    with client_of(gear, keys_file=file, failed_keys=Rate(3, 3_600)) as client:
        guesses = [client.get("/v1/models", headers={"X-API-Key": f"gear_{n}"}).status_code for n in range(5)]
        valid = client.get("/v1/models", headers={"X-API-Key": key}).status_code

    assert ([401] * 3 + [429] * 2, 200) == (guesses, valid)


def test_more_at_once_than_may_be_is_refused(gear, monkeypatch):
    """With the seconds to wait; calls that are too slow are ended."""
    with client_of(gear, asks=0, searches=0) as client:
        ask = client.post("/api/ask", json={"question": QUESTION})
        stream = client.post("/api/ask", json={"question": QUESTION, "stream": True})
        search = client.post("/api/search", json={"question": QUESTION})
    with client_of(gear, search_seconds=0) as client:
        slow = client.post("/api/search", json={"question": QUESTION})

    assert [(429, "1")] * 3 == [(r.status_code, r.headers["retry-after"]) for r in (ask, stream, search)]
    assert (504, "CallTimeout") == (slow.status_code, slow.json()["code"])


def test_another_application_is_as_protected_as_a_route(gear, tmp_path):
    """It knows the caller, lives as long as the service, and is closed without a key."""
    file, lived = tmp_path / "keys.json", []
    key = add_key(file, "ada", principals=["user:ada"])

    async def mounted(scope, receive, send):
        caller = scope["user"]
        await PlainTextResponse(f"{caller.name} {caller.gear.scope.json}")(scope, receive, send)

    class Life:
        async def __aenter__(self):
            lived.append("begun")

        async def __aexit__(self, *_):
            lived.append("ended")

    with client_of(gear, keys_file=file, mounts={"/mcp": Mount(mounted, Life)}) as client:
        refused = client.get("/mcp").status_code
        whole = client.post("/mcp", headers={"X-API-Key": key}, follow_redirects=False).status_code
        response = client.get("/mcp/tools", headers={"X-API-Key": key})
        foreign = client.get("/mcp/tools", headers={"X-API-Key": key, "Host": "evil.test"}).status_code

    assert (401, 200, 400, "ada {'principals': ['user:ada']}") == (refused, whole, foreign, response.text)
    assert "nosniff" == response.headers["x-content-type-options"]
    assert ["begun", "ended"] == lived


def test_the_page_of_the_api_is_there_only_on_request(gear):
    """With its own files and no others."""
    paths = ("/docs", "/docs/swagger-ui.css", "/docs/pages.py")
    with client_of(gear) as client:
        absent = [client.get(path).status_code for path in paths]
    with client_of(gear, docs=True) as client:
        there = [client.get(path).status_code for path in paths]

    assert ([404, 404, 404], [200, 200, 422]) == (absent, there)
