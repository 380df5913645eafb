"""The service for people who sign in with a real provider: every way in, what each of them sees, and how it ends."""

import json
import re
import time

import anyio
import httpx
import httpx2
import pytest
from langchain_openai import ChatOpenAI
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from openai import AuthenticationError, OpenAI

from gear_neo4j.web.callers import NEEDED_OR_SIGN_IN
from gear_neo4j.web.identity import people
from gear_neo4j.web.keys import add_key
from gear_neo4j.web.options import IdentityOptions
from tests.graphs import opened
from tests.identity_provider import AUDIENCE, signed_in
from tests.processes import run
from tests.waiting import settle
from tests.web import HOST, client_of, command, served

pytestmark = pytest.mark.one_server_line

RIGHTS = """
[everyone]
principals = ["user:{email}", "group:{groups}"]
collections = ["*"]

[groups.legal]
writes = true
"""
QUESTION = "Where did Hinton write his thesis?"
ONLY_READS = "this account only reads: ask the operator for the right to write"
SECRET_TEXT = "Hinton wrote a second thesis at Leeds, which nobody may know."


@pytest.fixture
def rights(tmp_path):
    file = tmp_path / "rights.toml"
    file.write_text(RIGHTS)
    return file


@pytest.fixture
def identity(provider, rights):
    """How people sign in."""
    return IdentityOptions(
        issuer=provider.issuer,
        rights_file=rights,
        audiences=(AUDIENCE,),
        client="gear-page",
        secret="page secret",
    )


@pytest.fixture
def gear(corpus, server, embedder, tmp_path):
    """A Gear over the passages, one of which is for the legal department."""
    file = tmp_path / "secret.jsonl"
    file.write_text(json.dumps({"id": "secret", "title": "Second thesis", "text": SECRET_TEXT}))
    with opened(server, embedder) as gear:
        gear.ingest(file, readers=["group:legal"])
        yield gear


def passages(client, token, **options):
    """The ids that a search finds."""
    response = client.post(
        "/api/search", json={"question": QUESTION, "k": 10}, headers={"Authorization": f"Bearer {token}"}, **options
    )
    assert 200 == response.status_code, response.text
    return {hit["id"] for hit in response.json()["hits"]}


def test_each_person_sees_what_their_groups_may_read(gear, provider, identity, tmp_path):
    """By token; the log names the person, and a key works beside it."""
    secret = add_key(tmp_path / "keys.json", "robot")
    with client_of(gear, identity=identity, keys_file=tmp_path / "keys.json") as client:
        ada, bob = provider.token("ada"), provider.token("bob")
        found = {name: passages(client, token) for name, token in (("ada", ada), ("bob", bob), ("robot", secret))}
        who = client.get("/api/caller", headers={"Authorization": f"Bearer {ada}"}).json()

    assert {"ada": True, "bob": False, "robot": False} == {name: "secret" in ids for name, ids in found.items()}
    assert found["bob"] == found["robot"] == found["ada"] - {"secret"}
    assert ("ada@example.org", True) == (who["name"], who["signed_in"])
    assert ["group:legal", "group:staff", "user:ada@example.org"] == who["principals"]


def test_what_does_not_count_is_refused_in_one_line(gear, provider, identity):
    """With the header that leads a client to the provider, and nothing of the token or the reason inside."""
    with client_of(gear, identity=identity) as client:
        responses = {
            name: client.get("/api/status", headers=headers)
            for name, headers in (
                ("nothing", {}),
                ("expired", {"Authorization": f"Bearer {provider.signed(exp=1)}"}),
                ("elsewhere", {"Authorization": f"Bearer {provider.signed(aud='other')}"}),
                ("forged", {"Authorization": f"Bearer {provider.signed(sub='eve')[:-5]}"}),
                ("as a key", {"X-API-Key": provider.signed(iss="https://evil.example.org")}),
                ("a cookie", {"Cookie": "gear_session=invented"}),
            )
        }
        alone = client.get("/.well-known/oauth-protected-resource").json()

    where = f'resource_metadata="{HOST}/.well-known/oauth-protected-resource"'
    assert {401} == {response.status_code for response in responses.values()}
    assert f"Bearer {where}" == responses["nothing"].headers["www-authenticate"]
    assert f'Bearer error="invalid_token", {where}' == responses["expired"].headers["www-authenticate"]
    assert {
        "nothing": NEEDED_OR_SIGN_IN,
        "expired": "this sign-in has ended: sign in again",
        "elsewhere": "this token is for another service: ask for one for this service",
        "forged": "this sign-in is not valid here: sign in again",
        "as a key": "this sign-in is not valid here: sign in again",
        "a cookie": "this sign-in has ended: sign in again",
    } == {name: response.json()["detail"] for name, response in responses.items()}
    assert {"SignIn"} == {response.json()["code"] for response in responses.values()}
    assert {"resource": HOST, "authorization_servers": [provider.issuer]}.items() <= alone.items()


def test_an_account_without_rights_and_a_provider_that_is_down(gear, provider, identity, rights):
    """403 says whom to ask, and 503 to try again; neither is taken for an invalid token."""
    with client_of(gear, identity=identity) as client:
        rights.write_text("[groups.legal]\ncollections = ['*']\n")
        headers = {"Authorization": f"Bearer {provider.signed(groups=[])}"}
        nothing = client.get("/api/caller", headers=headers)
        provider.stop()
        rights.write_text("[groups.legal\n")
        broken = client.get("/api/caller", headers={"Authorization": f"Bearer {provider.signed()}"})
    rights.write_text(RIGHTS)
    with client_of(gear, identity=identity) as client:
        down = client.get("/api/caller", headers={"Authorization": f"Bearer {provider.signed()}"})

    assert (403, "this account has no rights here: ask the operator") == (nothing.status_code, nothing.json()["detail"])
    assert (503, "the rights file rights.toml cannot be used now: ask the operator") == (
        broken.status_code,
        broken.json()["detail"],
    )
    assert (503, "the sign-in provider does not answer now: try again") == (down.status_code, down.json()["detail"])
    assert "5" == down.headers["retry-after"]


class Browser:
    """A browser that signs in on the page, with the cookies of one person."""

    def __init__(self, url, account):
        self.http = httpx2.Client(base_url=url, timeout=30, headers={"Origin": url})
        start = self.http.get("/sign-in")
        with httpx2.Client(timeout=30) as provider:
            back = signed_in(provider, start.headers["location"], account, until=url)
        self.back = back.removeprefix(url)
        self.end = self.http.get(self.back)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.close()

    def found(self):
        """The ids that a search finds."""
        response = self.http.post("/api/search", json={"question": QUESTION, "k": 10})
        assert 200 == response.status_code, response.text
        return {hit["id"] for hit in response.json()["hits"]}


def test_a_session_of_the_page(gear, provider, identity):
    """The cookie is out of reach for scripts and other pages; signing out ends it."""
    with served(gear, identity=identity) as (url, _), Browser(url, "ada") as ada:
        cookie = ada.end.headers.get_list("set-cookie")[0]
        found = ada.found()
        replayed = ada.http.get(ada.back)
        foreign = ada.http.post("/api/search", json={"question": QUESTION}, headers={"Origin": "https://evil.test"})
        del ada.http.headers["Origin"]
        unknown = ada.http.post("/api/search", json={"question": QUESTION})
        ada.http.headers["Origin"] = url
        out = ada.http.post("/sign-out")
        after = ada.http.get("/api/caller")

    assert (303, "/") == (ada.end.status_code, ada.end.headers["location"])
    assert re.fullmatch(r"gear_session=[\w-]{43}; HttpOnly; Max-Age=28800; Path=/; SameSite=lax", cookie)
    assert "secret" in found
    assert (400, True) == (replayed.status_code, "You are not signed in" in replayed.text)
    assert [403, 403] == [foreign.status_code, unknown.status_code]
    assert out.json()["url"].startswith(f"{provider.issuer}/session/end?")
    assert 401 == after.status_code


def test_over_https_the_cookie_is_for_https_and_this_host_only(gear, identity):
    """As the service's public address says."""
    with client_of(gear, identity=identity, public_url="https://gear.example.org") as client:
        cookie = client.get("/sign-in", follow_redirects=False).headers["set-cookie"]

    assert cookie.startswith("__Host-gear_sign_in=")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=lax"} <= set(cookie.split("; "))
    assert "Domain" not in cookie


def test_without_a_client_nobody_signs_in_on_the_page(gear, provider, rights):
    """Only tokens count; without audiences, only sessions."""
    tokens = IdentityOptions(issuer=provider.issuer, rights_file=rights, audiences=(AUDIENCE,))
    sessions = IdentityOptions(issuer=provider.issuer, rights_file=rights, client="gear-page", secret="page secret")
    with client_of(gear, identity=tokens) as client:
        refused = client.get("/api/caller")
        assert [404, 404, 404] == [
            response.status_code
            for response in (client.get("/sign-in"), client.get("/sign-in/back"), client.post("/sign-out"))
        ]
    with client_of(gear, identity=sessions) as client:
        token = client.get("/api/caller", headers={"Authorization": f"Bearer {provider.signed()}"})
        metadata = client.get("/.well-known/oauth-protected-resource")
        assert 303 == client.get("/sign-in", follow_redirects=False).status_code
    with client_of(gear) as client:
        assert 404 == client.get("/sign-in").status_code

    assert "Unauthorized" == refused.json()["code"]
    assert (401, 404) == (token.status_code, metadata.status_code)


def test_who_leaves_a_group_loses_what_they_read_everywhere(gear, provider, identity, tmp_path, monkeypatch):
    """The page's search, a stream and a job under way; here the provider is asked every second."""
    monkeypatch.setattr(people, "RENEW_SECONDS", 1.0)
    with (
        served(gear, identity=identity, uploads_folder=tmp_path / "uploads") as (url, _),
        Browser(url, "ada") as ada,
    ):
        before = ada.found()
        address = _long_job(ada)
        with ada.http.stream("GET", f"{address}/events") as stream:
            lines = stream.iter_lines()
            next(lines)
            provider.set_groups(ada=["staff"])
            left = time.monotonic()
            rest = list(lines)
            ended = time.monotonic() - left
        after = ada.found()
        upload = ada.http.post("/api/documents", files={"files": ("a.txt", b"A text.")})
        settle(lambda: ada.http.get(address).json()["state"] == "cancelled", seconds=60)
        job = ada.http.get(address).json()

    assert (True, False) == ("secret" in before, "secret" in after)
    assert "the sign-in of this request ended or was restricted while it ran: sign in again" in rest[-2]
    assert ended < 10
    assert [ONLY_READS] * 2 == [upload.json()["detail"], job["detail"]]


def _long_job(browser):
    """The address of a job that takes long."""
    text = "\n\n".join(f"Person {number} met person {number + 1} in town {number}." for number in range(20_000))
    response = browser.http.post("/api/documents", files={"files": ("people.txt", text.encode())})
    assert 202 == response.status_code, response.text
    return response.headers["location"]


def test_clients_of_openais_protocol_and_langchain_use_tokens(gear, provider, identity):
    """Their own SDKs; a token that has ended is their error for a wrong key."""
    with (
        served(gear, identity=identity) as (url, _),
        OpenAI(base_url=f"{url}/v1", api_key=provider.token("ada"), max_retries=0) as client,
        OpenAI(base_url=f"{url}/v1", api_key=provider.signed(exp=1), max_retries=0) as late,
    ):
        answers = [
            client.chat.completions.create(model="gear-search", messages=[{"role": "user", "content": QUESTION}])
            .choices[0]
            .message.content,
            ChatOpenAI(base_url=f"{url}/v1", api_key=provider.token("bob"), model="gear-search", max_retries=0)
            .invoke(QUESTION)
            .content,
        ]
        with pytest.raises(AuthenticationError, match="this sign-in has ended: sign in again"):
            late.models.list()

    assert [True, False] == ["Leeds" in answer for answer in answers]


def test_an_mcp_client_finds_the_provider_and_uses_its_token(gear, provider, identity, server):
    """The refusal leads to the metadata of /mcp (RFC 9728), and these to the provider."""
    from gear_neo4j.cli.serve import _mounts
    from gear_neo4j.settings import Settings

    with served(gear, identity=identity, mounts=_mounts(Settings())) as (url, _):
        refused = httpx.post(f"{url}/mcp", json={})
        address = re.search(r'resource_metadata="([^"]+)"', refused.headers["www-authenticate"])[1]
        metadata = httpx.get(address).json()

        async def search(token):
            async with (
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http,
                Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
            ):
                return (await client.call_tool("search", {"query": QUESTION, "k": 10})).content[0].text

        texts = [anyio.run(search, provider.token(name)) for name in ("ada", "bob")]

    assert (401, f"{url}/.well-known/oauth-protected-resource/mcp") == (refused.status_code, address)
    assert {"resource": f"{url}/mcp", "authorization_servers": [provider.issuer]}.items() <= metadata.items()
    assert [True, False] == ["Leeds" in text for text in texts]


def test_the_command_serves_people(provider, rights, server, corpus, tmp_path):
    """With the options of a provider; without keys, other machines may still call."""
    options = ("--oidc", provider.issuer, "--audience", AUDIENCE, "--rights-file", rights)
    with command(server, tmp_path, *options) as (_, url):
        none = httpx.get(f"{url}/api/caller")
        ada = httpx.get(f"{url}/api/caller", headers={"Authorization": f"Bearer {provider.token('ada')}"})

    assert (401, "ada@example.org") == (none.status_code, ada.json()["name"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--audience", "a"], "--audience and --oidc-client need --oidc"),
        (["--oidc", "https://id.test"], "sign-in needs --audience, for clients with tokens, or --oidc-client"),
        (["--oidc", "https://id.test", "--audience", "a"], "rights.toml cannot be read: No such file or directory"),
        (["--oidc", "http://id.test", "--audience", "a"], "the issuer 'http://id.test' is not encrypted"),
    ],
)
def test_options_that_do_not_fit_are_refused_in_one_line(options, words, server, tmp_path):
    """Before anything is served."""
    from tests.processes import GEAR

    if "No such file" not in words:
        (tmp_path / "rights.toml").write_text(RIGHTS)
    ended = run(
        [*GEAR, "serve", *options],
        env={
            "GEAR_HOME": str(tmp_path),
            "NEO4J_URI": server.uri,
            "NEO4J_PASSWORD": server.password or "",
            "PATH": "/usr/bin:/bin",
        },
        stderr=-1,
        stdout=-1,
    )

    assert words in ended.stderr
    assert 1 == len(ended.stderr.strip().splitlines())
    assert ended.returncode
