"""The quotas of a service: counted in the database, before a request runs and when it has ended, and refused beyond."""

import json
import logging
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import anyio
import httpx
import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from gear_neo4j.cli import usage
from gear_neo4j.cli.main import main
from gear_neo4j.cli.serve import _mounts
from gear_neo4j.errors import DatabaseError, InputError
from gear_neo4j.graph.connection.query_log import LOGGER
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.write.usage_store import UsageStore
from gear_neo4j.scope import EVERYTHING
from gear_neo4j.settings import Settings
from gear_neo4j.usage import Usage
from gear_neo4j.web.audit.exporting import Selection, exported
from gear_neo4j.web.identity.rights import Person
from gear_neo4j.web.keys import add_key, read_keys
from gear_neo4j.web.options import IdentityOptions
from gear_neo4j.web.quotas.balance import OverQuota
from gear_neo4j.web.quotas.counting import Quotas
from gear_neo4j.web.quotas.quota import Quota
from tests.examples import examples
from tests.forks import Connecting, counting
from tests.graphs import opened
from tests.identity_provider import AUDIENCE
from tests.toy_model import QUESTION, ToyModel
from tests.waiting import settle
from tests.web import bearer, client_of, scripted_gear, served
from tests.wire import Wire

pytestmark = pytest.mark.one_server_line

SEARCH = {"question": QUESTION, "k": 3}
ASK = {"question": QUESTION}
RECORDS = Query("records", "MATCH (u:__GearStore) WHERE u.id STARTS WITH 'usage/' RETURN u.id AS id")
FORGET = Query("forget", "MATCH (u:__GearStore) WHERE u.id STARTS WITH 'usage/' DELETE u", writes=True)
NIGHT = datetime(2026, 11, 30, 23, 59, 50, tzinfo=UTC)


class Clock:
    """A time that stands still until a test moves it."""

    def __init__(self, time=NIGHT):
        self.time = time

    def __call__(self):
        return self.time


@pytest.fixture
def gear(corpus, server, embedder):
    """A Gear over the passages, with a scripted model."""
    with scripted_gear(server, embedder) as (gear, _):
        yield gear


@pytest.fixture
def file(tmp_path):
    """The file of keys."""
    return tmp_path / "keys.json"


def keyed(file, name="ada", **limits):
    """The secret of a new key that may see everything, with these limits."""
    return add_key(file, name, everything=True, quota=Quota(**limits) if limits else None)


def at(client, clock):
    """Let the quotas of an application follow a clock."""
    client.app.state.service.quotas.clock = clock
    return client


def used(client, **options):
    """What the caller has used, by the name of the limit."""
    limits = client.get("/api/quota", **options).json()["limits"]
    return {f"{limit['unit']}_per_{limit['period']}": limit["used"] for limit in limits}


def holder(name="ada", **limits):
    """A person with a quota, for tests without an application."""
    return Person(f"person:{name}", name, EVERYTHING, "", 0.0, quota=Quota(**limits))


def test_requests_beyond_a_limit_are_refused_until_the_next_day_or_month(gear, file):
    """In one line with the time, with the headers of the draft; the refused ones are not counted."""
    secret, clock = keyed(file, requests_per_day=2, requests_per_month=3), Clock(NIGHT - timedelta(days=1))
    with client_of(gear, key=secret, keys_file=file) as client:
        at(client, clock)
        first, second, third = (client.post("/api/search", json=SEARCH) for _ in range(3))
        clock.time = NIGHT
        fourth, fifth = (client.get("/api/passages/study") for _ in range(2))
        spent = used(client)
        clock.time += timedelta(seconds=10)
        sixth = client.post("/api/search", json=SEARCH)
        anew = used(client)

    assert [200, 200, 429, 200, 429, 200] == [
        response.status_code for response in (first, second, third, fourth, fifth, sixth)
    ]
    assert ("application/problem+json", "OverQuota", "A quota is used up") == (
        third.headers["content-type"],
        third.json()["code"],
        third.json()["title"],
    )
    assert "the quota of 2 requests a day is used up: it starts again at 2026-11-30 00:00 UTC" == third.json()["detail"]
    assert (
        "the quota of 3 requests a month is used up: it starts again at 2026-12-01 00:00 UTC"
        == (fifth.json()["detail"])
    )
    assert ("10", "10") == (third.headers["retry-after"], fifth.headers["retry-after"])
    assert (
        '"requests-per-day";q=2;qu="requests";w=86400, "requests-per-month";q=3;qu="requests";w=2592000'
        == first.headers["ratelimit-policy"]
    )
    assert '"requests-per-day";r=1;t=10, "requests-per-month";r=2;t=86410' == first.headers["ratelimit"]
    assert '"requests-per-day";r=0;t=10, "requests-per-month";r=1;t=86410' == third.headers["ratelimit"]
    assert {"requests_per_day": 1, "requests_per_month": 3} == spent
    assert {"requests_per_day": 1, "requests_per_month": 1} == anew


def test_tokens_are_counted_when_a_run_ends_and_it_may_go_beyond_the_limit_once(gear, file):
    """All that the answer reports, in one piece, as a stream, and over the chat protocol; which refuses in its form."""
    secret, free = keyed(file, tokens_per_day=10**6), keyed(file, "bob")
    chat = {"model": "gear-gear", "messages": [{"role": "user", "content": QUESTION}]}
    with client_of(gear, key=secret, keys_file=file) as client:
        whole = client.post("/api/ask", json=ASK).json()
        once = used(client)["tokens_per_day"]
        client.post("/api/ask", json={**ASK, "stream": True})
        twice = used(client)["tokens_per_day"]
        client.post("/v1/chat/completions", json=chat)
        client.post("/v1/chat/completions", json={**chat, "stream": True})
        fourfold = used(client)["tokens_per_day"]
        poor = bearer(keyed(file, "cy", tokens_per_day=1))
        begun = client.post("/v1/chat/completions", json=chat, headers=poor)
        refused = client.post("/v1/chat/completions", json=chat, headers=poor)
        unlimited = client.post("/api/ask", json=ASK, headers=bearer(free))
    spent = whole["usage"].values()

    assert once == sum(role["input_tokens"] + role["output_tokens"] for role in spent) > 0
    assert (2 * once, 4 * once) == (twice, fourfold)
    assert (200, 429) == (begun.status_code, refused.status_code)
    error = refused.json()["error"]
    assert ("rate_limit_error", "OverQuota") == (error["type"], error["code"])
    assert error["message"].startswith("the quota of 1 token a day is used up")
    assert (200, False) == (unlimited.status_code, "ratelimit" in unlimited.headers)


def test_what_describes_the_service_or_the_caller_is_never_refused(gear, file):
    """The page works beyond the limit, and says why; probes and refused keys are not counted."""
    secret, robot = keyed(file, requests_per_month=1), keyed(file, "robot")
    paths = ("/api/caller", "/api/quota", "/api/status", "/api/recipes", "/api/health", "/v1/models", "/metrics")
    with client_of(gear, key=secret, keys_file=file) as client:
        before = [client.get(path).status_code for path in (*paths, "/healthz", "/", "/openapi.json", "/api/jobs")]
        client.post("/api/search", json=SEARCH, headers=bearer("gear_unknown"))
        nothing = used(client)
        client.post("/api/search", json=SEARCH)
        after = [client.get(path).status_code for path in paths]
        refused = client.post("/api/search", json=SEARCH)
        without = used(client, headers=bearer(robot))

    assert {200} == {*before[:-1], *after}
    assert {"requests_per_month": 0} == nothing
    assert 429 == refused.status_code
    assert {} == without


def test_callers_have_usage_of_their_own(gear, file):
    """Nobody sees or uses up what is another's; a new key of an old name starts anew."""
    ada, bob = keyed(file, "ada", requests_per_day=1), keyed(file, "bob", requests_per_day=1)
    with client_of(gear, keys_file=file) as client:
        spent = [client.post("/api/search", json=SEARCH, headers=bearer(ada)).status_code for _ in range(2)]
        seen = used(client, headers=bearer(bob))
        other = client.post("/api/search", json=SEARCH, headers=bearer(bob)).status_code

    assert ([200, 429], {"requests_per_day": 0}, 200) == (spent, seen, other)


def test_replicas_and_later_processes_share_the_count(gear, file):
    """Two applications over one database, and one that starts afterwards."""
    secret = keyed(file, requests_per_day=3)
    with client_of(gear, key=secret, keys_file=file) as one, client_of(gear, key=secret, keys_file=file) as other:
        codes = [client.post("/api/search", json=SEARCH).status_code for client in (one, other, one)]
        beyond = other.post("/api/search", json=SEARCH).status_code
    with client_of(gear, key=secret, keys_file=file) as later:
        still = later.post("/api/search", json=SEARCH).status_code

    assert ([200] * 3, 429, 429) == (codes, beyond, still)


def test_no_count_is_lost_when_two_processes_count_at_once(database, server):
    """And none goes beyond the limit."""
    people = [Connecting(counting, server, "ada", 150, 200), Connecting(counting, server, "ada", 150, 200)]
    for process in people:
        assert 0 == process.wait(60)
    today, this_month = UsageStore(database).used("ada", day="2026-11-29", month="2026-11")

    assert (200, 300) == (today.requests, today.tokens)
    assert today == this_month


class Held:
    """A toy model that does not reply until a test releases it."""

    def __init__(self):
        self.toy = ToyModel()
        self.asked, self.released = threading.Event(), threading.Event()

    def __call__(self, messages):
        self.asked.set()
        assert self.released.wait(60)
        return self.toy(messages)


def test_a_stream_that_its_client_leaves_still_pays(corpus, server, embedder, file):
    """For the reply that was under way; no further call starts."""
    secret, model = keyed(file, tokens_per_day=10**6), Held()
    with (
        scripted_gear(server, embedder, script=model) as (gear, scripted),
        served(gear, keys_file=file) as (url, running),
        httpx.Client(base_url=url, headers=bearer(secret), timeout=60) as client,
    ):
        service = running.config.app.state.service
        try:
            with client.stream("POST", "/api/ask", json={**ASK, "stream": True}) as response:
                next(response.iter_lines())
                assert model.asked.wait(60)
            left = settle(lambda: service.counts.running == 0)
            before = used(client)["tokens_per_day"]
        finally:
            model.released.set()
        paid = settle(lambda: used(client)["tokens_per_day"] > 0, 30)
        assert settle(lambda: service.asks.running == 0)

    assert (True, 0, True) == (left, before, paid)
    assert 1 == len(scripted.requests)


def test_a_run_whose_model_fails_pays_for_what_it_got(corpus, server, embedder, file):
    """The first reply arrives, the second does not."""
    secret = keyed(file, tokens_per_day=10**6)

    def fault(number, _messages):
        return 401 if number > 1 else None

    with (
        scripted_gear(server, embedder, fault=fault) as (gear, _),
        client_of(gear, key=secret, keys_file=file) as client,
    ):
        answer = client.post("/api/ask", json=ASK).json()
        spent = used(client)["tokens_per_day"]

    assert "model_error" == answer["stop_reason"]
    assert spent == sum(role["input_tokens"] + role["output_tokens"] for role in answer["usage"].values()) > 0


def test_a_request_costs_one_query_before_and_its_tokens_one_after(gear, file, caplog):
    """And nothing without a quota."""
    caplog.set_level(logging.DEBUG, logger=LOGGER.name)
    secrets = keyed(file, "ada", requests_per_day=9), keyed(file, "bob")

    def counts(path, body, secret):
        caplog.clear()
        assert 200 == client.post(path, json=body, headers=bearer(secret)).status_code
        queries = [record.query for record in caplog.records if record.name == LOGGER.name]
        return [query for query in queries if "usage" in query]

    with client_of(gear, keys_file=file) as client:
        # The first request of a day also deletes what is old.
        client.post("/api/search", json=SEARCH, headers=bearer(secrets[0]))
        search = [counts("/api/search", SEARCH, secret) for secret in secrets]
        ask = [counts("/api/ask", ASK, secret) for secret in secrets]

    assert [["count_usage"], []] == search
    assert [["count_usage"] * 2, []] == ask


def test_without_the_database_nothing_is_answered(corpus, server, embedder, file):
    """503, also for what would need no database; afterwards it works again."""
    secret = keyed(file, requests_per_day=9)
    with (
        Wire(server.uri) as wire,
        opened(server, embedder, uri=wire.uri, max_transaction_retry_time=0.1) as gear,
        client_of(gear, key=secret, keys_file=file) as client,
    ):
        client.post("/api/search", json=SEARCH)
        with wire.outage():
            refused = client.post("/api/explain", json={})
            free = client.get("/api/caller")
        assert settle(lambda: client.post("/api/search", json=SEARCH).status_code == 200, 30)

    assert (503, "ServerUnavailable") == (refused.status_code, refused.json()["code"])
    assert 200 == free.status_code


def test_tokens_that_cannot_be_counted_are_counted_with_the_next_request(corpus, server, embedder, caplog):
    """The log says how many."""
    ada = holder(tokens_per_day=100)
    with (
        Wire(server.uri) as wire,
        opened(server, embedder, uri=wire.uri, max_transaction_retry_time=0.1) as gear,
    ):
        quotas = Quotas(gear.graph.usage)
        bill, _ = quotas.open(ada)
        bill.add(Usage(input_tokens=120))
        with wire.outage():
            bill.settle()
            with pytest.raises(DatabaseError):
                quotas.open(ada)
        with pytest.raises(OverQuota, match="100 tokens a day"):
            quotas.open(ada)
        (balance,) = quotas.balances(ada)

    assert 120 == balance.used
    assert '{"quota": "not counted yet", "tokens": 120, ' in caplog.text


def test_what_was_used_before_yesterday_is_deleted(database):
    """Of all callers, with the first request of a day; a month lasts as long as it counts."""
    clock = Clock(datetime(2026, 11, 29, 12, tzinfo=UTC))
    quotas, ada = Quotas(UsageStore(database), clock=clock), holder("ada", requests_per_month=9)
    names = []
    for bob, days in (("bob", 0), ("cy", 1), ("di", 1), ("ed", 31)):
        clock.time += timedelta(days=days)
        quotas.open(ada)
        quotas.open(holder(bob, requests_per_day=1))
        names.append(sorted(row["id"] for row in database.run(RECORDS)))

    def records(*periods):
        return sorted(f"usage/{period}/person:{name}" for period, people in periods for name in people)

    assert records(("2026-11-29", ["ada", "bob"]), ("2026-11", ["ada", "bob"])) == names[0]
    assert (
        records(
            ("2026-11-30", ["ada", "cy"]),
            ("2026-12-01", ["ada", "di"]),
            ("2026-11", ["ada", "bob", "cy"]),
            ("2026-12", ["ada", "di"]),
        )
        == names[2]
    )
    assert records(("2027-01-01", ["ada", "ed"]), ("2027-01", ["ada", "ed"]), ("2026-12", ["ada", "di"])) == names[3]


def test_an_empty_database_counts_nothing(empty):
    """It says what to do first, as a search does; nothing is written."""
    with pytest.raises(InputError, match="holds no passages yet: run 'gear ingest'"):
        Quotas(Graph(empty).usage).open(holder(requests_per_day=1))

    assert [] == empty.run(RECORDS)


STEPS = st.lists(
    st.tuples(st.sampled_from(["ada", "bob"]), st.integers(0, 60), st.integers(0, 3 * 86_400)), max_size=12
)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_the_sums_are_those_of_a_list_of_all_requests(database, steps):
    """For any requests, tokens and times: what is admitted and what is used, by day and by month."""
    database.run(FORGET)
    clock, limits = Clock(NIGHT - timedelta(days=3)), {"requests_per_day": 2, "tokens_per_month": 100}
    quotas, done = Quotas(UsageStore(database), clock=clock), []
    for name, tokens, seconds in steps:
        clock.time += timedelta(seconds=seconds)
        month = [cost for who, time, cost in done if who == name and (time.year, time.month) == year_month(clock.time)]
        today = [time for who, time, _ in done if who == name and time.date() == clock.time.date()]
        admitted = len(today) < 2 and sum(month) < 100
        try:
            bill, _ = quotas.open(holder(name, **limits))
        except OverQuota:
            assert not admitted
        else:
            assert admitted
            bill.add(Usage(output_tokens=tokens))
            bill.settle()
            done.append((name, clock.time, tokens))
            today, month = [*today, clock.time], [*month, tokens]
        balances = [balance.used for balance in quotas.balances(holder(name, **limits))]
        assert [len(today), sum(month)] == balances


def year_month(time):
    return time.year, time.month


def test_a_call_over_mcp_is_counted_and_refused_as_an_error_of_the_tool(gear, file, tmp_path):
    """Its tokens, too; listing the tools is not counted, and the refusal is on record."""
    secret = keyed(file, requests_per_day=1, tokens_per_day=10**6)

    async def call(url):
        async with (
            httpx2.AsyncClient(headers=bearer(secret), timeout=60) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            await client.list_tools()
            return [await client.call_tool("ask", {"question": QUESTION}) for _ in range(2)]

    mounts = _mounts(Settings(chat_model="toy"))
    with served(gear, keys_file=file, mounts=mounts, audit_folder=tmp_path / "audit") as (url, _):
        answered, refused = anyio.run(call, url)
        with httpx.Client(base_url=url, headers=bearer(secret)) as client:
            spent = used(client)
            over = client.post("/api/search", json=SEARCH)
            below = client.post("/mcp/", json={})
    found = [entry for entry in exported(tmp_path / "audit", Selection()) if "request" in entry]

    assert (False, True) == (answered.is_error, refused.is_error)
    assert refused.content[0].text.endswith("UTC")
    assert "the quota of 1 request a day is used up" in refused.content[0].text
    assert 1 == spent["requests_per_day"]
    assert json.loads(answered.content[0].text)["usage"]["input_tokens"] < spent["tokens_per_day"]
    assert 429 == over.status_code != below.status_code
    assert [("answer", "done", 200), ("request", "refused", 429), ("search", "refused", 429)] == [
        (entry["kind"], entry["outcome"], entry["status"]) for entry in found
    ]
    assert ["", "OverQuota", "OverQuota"] == [entry.get("error", "") for entry in found]
    assert {read_keys(file)[0].id[:16]} == {entry["who"]["id"] for entry in found}


def test_the_operator_sees_what_each_caller_has_used(database, server, monkeypatch, capsys):
    """As a table and as JSON; a caller who has used nothing today is there with zeros."""
    monkeypatch.setattr(usage, "now", lambda: NIGHT)
    quotas = Quotas(UsageStore(database), clock=Clock(NIGHT - timedelta(days=2)))
    for name, tokens in (("bob", 5), ("ada", 70)):
        bill, _ = quotas.open(holder(name, requests_per_day=9))
        bill.add(Usage(input_tokens=tokens))
        bill.settle()
    quotas.clock = Clock()
    quotas.open(holder("bob", requests_per_day=9))
    connection = ("--uri", server.uri, "--username", server.username, "--password", server.password)

    def run(*options):
        with pytest.raises(SystemExit):
            main(["usage", *connection, *options])
        return capsys.readouterr().out

    table, document = run(), json.loads(run("--json"))

    ada, bob = document["callers"]
    assert ("ada", {"requests": 0, "tokens": 0}, {"requests": 1, "tokens": 70}) == tuple(ada.values())
    assert ("bob", {"requests": 1, "tokens": 0}, {"requests": 2, "tokens": 5}) == tuple(bob.values())
    assert ["ada", "0", "0", "1", "70"] == table.splitlines()[1].split()


def test_a_person_is_counted_once_whatever_they_sign_in_with(gear, provider, tmp_path):
    """By the most generous of their groups; another person is counted separately."""
    rights = tmp_path / "rights.toml"
    rights.write_text(
        "[everyone]\ncollections = ['*']\nquota = { requests_per_day = 1 }\n"
        "[groups.legal]\nquota = { requests_per_day = 2, tokens_per_day = 9 }\n"
    )
    identity = IdentityOptions(issuer=provider.issuer, rights_file=rights, audiences=(AUDIENCE,))
    with client_of(gear, identity=identity) as client:
        ada = [provider.token("ada") for _ in range(3)]
        bob = provider.token("bob")
        first = [client.post("/api/search", json=SEARCH, headers=bearer(token)).status_code for token in ada]
        second = [client.post("/api/search", json=SEARCH, headers=bearer(bob)).status_code for _ in range(2)]
        spent = used(client, headers=bearer(ada[0])), used(client, headers=bearer(bob))

    assert ([200, 200, 429], [200, 429]) == (first, second)
    assert ({"requests_per_day": 2, "tokens_per_day": 0}, {"requests_per_day": 1}) == spent


def test_requests_that_arrive_together_do_not_go_beyond_the_limit(gear, file):
    """At two replicas, by many threads."""
    secret = keyed(file, requests_per_day=7)
    with client_of(gear, key=secret, keys_file=file) as one, client_of(gear, key=secret, keys_file=file) as other:

        def ask(number):
            return (one, other)[number % 2].get("/api/passages/study").status_code

        with ThreadPoolExecutor(10) as pool:
            codes = Counter(pool.map(ask, range(20)))

    assert {200: 7, 429: 13} == codes
