"""Keys of the service: stored, looked up, limited and revoked."""

import json
import os
import secrets
import stat
import statistics
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from hashlib import sha256

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import HTTPConnection

from gear_neo4j.cli.main import main
from gear_neo4j.errors import ExitCode, NothingFound, SettingsError
from gear_neo4j.scope import EVERYTHING
from gear_neo4j.web.callers import CallerBackend, Refused
from gear_neo4j.web.entry import begin
from gear_neo4j.web.key_ring import KeyRing, KeysUnusable
from gear_neo4j.web.keys import Key, add_key, digest, matching, read_keys, revoke_key
from gear_neo4j.web.options import ServiceOptions, require_keys
from gear_neo4j.web.rates import Rate, RateLimiter
from gear_neo4j.web.ring import Ring
from gear_neo4j.web.running import listen
from gear_neo4j.web.views import Views
from gear_neo4j.web.writing import Grant, RightsEnded, renewed
from tests.clock import Clock


@pytest.fixture
def file(tmp_path):
    return tmp_path / "home" / "keys.json"


def test_a_key_is_kept_as_a_digest_in_a_file_of_its_owner(file):
    """The file does not contain the secret."""
    secret = add_key(file, "ada", principals=["user:ada"], collections=["legal"], where={"year": 2024}, rate="5/s")

    (key,) = read_keys(file)
    assert sha256(secret.encode()).hexdigest() == key.sha256
    assert secret not in file.read_text()
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert EVERYTHING.narrowed(collections=["legal"], principals=["user:ada"], where="year = 2024") == key.scope
    assert Rate(5, 1) == key.limit


@pytest.mark.parametrize("fault", ["broken", "open to others", "gone"])
def test_a_file_that_cannot_be_used_says_nothing_of_its_keys(file, fault):
    """No request is accepted, but no key counts as revoked: keys are valid again once the file is repaired."""
    secret = add_key(file, "ada", writes=True)
    ring, content = KeyRing(file), file.read_text()
    key = ring.find(secret)
    if fault == "gone":
        file.unlink()
    elif fault == "broken":
        file.write_text(content[:-5])
    else:
        file.chmod(0o644)
    refused = ring.find(secret), ring.admits(key), ring.admits(None)
    with pytest.raises(KeysUnusable):
        ring.current(key.sha256)
    file.unlink(missing_ok=True)
    file.touch(0o600)
    file.write_text(content)
    repaired = ring.current(key.sha256), ring.admits(key)
    revoke_key(file, "ada")

    assert ((None, False, False), (key, True)) == (refused, repaired)
    assert (None, False) == (ring.current(key.sha256), ring.admits(key))


@pytest.mark.parametrize(
    ("now", "admitted", "left"),
    [
        ({}, True, ["a", "b"]),
        ({"principals": ["user:ada", "group:legal"], "collections": None, "rate": "1/s"}, True, ["a", "b"]),
        ({"everything": True}, True, ["a", "b"]),
        ({"principals": []}, False, ["a", "b"]),
        ({"collections": ["a"]}, False, ["a"]),
        ({"where": {"year": 1}}, False, []),
        ({"writes": False}, False, []),
    ],
    ids=str,
)
def test_what_a_key_allowed_is_allowed_as_long_as_it_allows_that(file, now, admitted, left):
    """For the same secret with changed fields: a grant becomes narrower, never wider."""
    secret = add_key(file, "ada", principals=["user:ada"], collections=["a", "b"], writes=True)
    ring = KeyRing(file)
    key = ring.find(secret)
    document = json.loads(file.read_text())
    document["keys"][0].update(now)
    file.write_text(json.dumps(document))
    scopes = {}
    for collection in ("a", "b", "c"):
        with suppress(RightsEnded):
            scopes[collection] = renewed(Grant(key.sha256, collection, key.scope), Ring(ring)).scope

    assert (admitted, left) == (ring.admits(key), sorted(scopes))
    assert all(key.scope.admits(scope) for scope in scopes.values())


def test_a_key_without_principals_is_nobody(file):
    """It sees passages without readers; only ``everything`` changes that."""
    add_key(file, "nobody")
    add_key(file, "root", everything=True)

    assert [EVERYTHING.narrowed(principals=[]), EVERYTHING] == [key.scope for key in read_keys(file)]


def test_a_key_writes_only_if_it_says_so(file):
    """Even one that sees everything; the file has no field for the others."""
    add_key(file, "root", everything=True)
    add_key(file, "editor", collections=["legal"], writes=True)

    assert [False, True] == [key.writes for key in read_keys(file)]
    assert 1 == file.read_text().count("writes")


def test_a_secret_is_compared_with_every_entry_in_constant_time(file, monkeypatch):
    """Even if the first matches: the time reveals neither whether a key is known nor its position."""
    known = [add_key(file, name) for name in ("first", "second", "third")]
    keys, compared, compare = read_keys(file), [], secrets.compare_digest

    def noted(stored, presented):
        compared.append((stored, presented))
        return compare(stored, presented)

    monkeypatch.setattr(secrets, "compare_digest", noted)
    names = [key.name if (key := matching(keys, secret)) else None for secret in (known[0], known[2], "wrong")]

    assert ["first", "third", None] == names
    assert 3 * [entry.sha256 for entry in keys] == [stored for stored, _ in compared]


def test_time_tells_neither_whether_a_key_is_known_nor_where_it_stands():
    """Medians over many look-ups in 200 keys, kinds of guesses in turn; "near" shares all digits except the last."""
    known = [f"gear_{number}" for number in range(200)]
    keys = [Key(name=secret, sha256=digest(secret)) for secret in known]
    near = [key.model_copy(update={"sha256": digest("wrong")[:-1] + "x"}) for key in keys]
    guesses = {
        "first": (keys, known[0], known[0]),
        "last": (keys, known[-1], known[-1]),
        "unknown": (keys, "wrong", None),
        "near": (near, "wrong", None),
    }
    spent = {name: [] for name in guesses}
    for _ in range(500):
        for name, (listed, guess, expected) in guesses.items():
            started = time.perf_counter_ns()
            found = matching(listed, guess)
            spent[name].append(time.perf_counter_ns() - started)
            assert expected == (found and found.name)
    medians = {name: statistics.median(times) for name, times in spent.items()}

    # A comparison that stops at the first match takes a hundredth of the time.
    assert max(medians.values()) < 1.25 * min(medians.values()), medians


@pytest.mark.parametrize(("places", "wrong"), [(1, {401: 20, 429: 9_880}), (10_000, {401: 9_900})])
def test_ten_thousand_guesses_find_no_key_and_shut_nobody_out(file, places, wrong):
    """From one address, most are refused unread; from many addresses, all are wrong. A valid key always works."""
    valid = add_key(file, "ada")
    slow = Rate(20, 86_400)
    backend = CallerBackend(
        Ring(KeyRing(file)),
        FixedViews(),
        failed=slow,
        is_open=lambda _path: False,
        challenge=lambda _connection, _error: "Bearer",
    )

    async def guess():
        seen = Counter()
        for number in range(10_000):
            secret = valid if number % 100 == 99 else f"gear_{number:032x}"
            try:
                _, caller = await backend.authenticate(request(secret, f"10.0.0.{number % places}"))
                seen[caller.name] += 1
            except Refused as refused:
                seen[refused.failure.status] += 1
        return seen

    assert {"ada": 100, **wrong} == anyio.run(guess)


class FixedViews:
    """The same view for everybody."""

    def of(self, _scope):
        return None


def request(secret, address):
    """A request with a key, from an address."""
    scope = {
        "type": "http",
        "path": "/api/search",
        "client": (address, 1),
        "headers": [(b"x-api-key", secret.encode())],
    }
    begin(scope, None)
    return HTTPConnection(scope)


@given(text=st.text(max_size=200))
def test_no_text_is_a_key(text, tmp_path_factory):
    """Whatever a client sends in a header."""
    file = tmp_path_factory.getbasetemp() / "one" / "keys.json"
    if not file.exists():
        add_key(file, "ada")

    assert matching(read_keys(file), text) is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a file of keys"),
        (b"[]", "not a file of keys"),
        (b"\xff", "not a file of keys"),
        (b"[" * 100_000, "not a file of keys"),
        (b'{"version": 2, "keys": []}', "at version"),
        (b'{"version": 1, "keys": [{"name": "a", "sha256": "short"}]}', "at keys.0.sha256"),
        (b'{"version": 1, "keys": [{"name": "a", "sha256": "%s", "readers": []}]}' % (b"0" * 64), "at keys.0.readers"),
        (b'{"version": 1, "keys": [{"name": "a", "sha256": "%s", "where": "year >"}]}' % (b"0" * 64), "keys.json"),
        (b'{"version": 1, "keys": [{"name": "a", "sha256": "%s", "rate": "fast"}]}' % (b"0" * 64), "keys.json"),
        (
            b'{"version": 1, "keys": [{"name": "a", "sha256": "%s"}, {"name": "a", "sha256": "%s"}]}'
            % (b"0" * 64, b"1" * 64),
            "not a file of keys",
        ),
    ],
)
def test_a_file_with_anything_else_is_refused(content, words, file):
    """None of it is used."""
    file.parent.mkdir()
    file.write_bytes(content)
    file.chmod(0o600)

    with pytest.raises(SettingsError, match=words):
        read_keys(file)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o666])
def test_a_file_that_others_can_open_is_refused(mode, file):
    """The message says what to do."""
    add_key(file, "ada")
    file.chmod(mode)

    with pytest.raises(SettingsError, match="chmod 600"):
        read_keys(file)


@pytest.mark.parametrize("name", ["", "a b", "-a", "a" * 101, "a\n", "é", "../a"])
def test_a_name_that_could_mislead_in_a_log_is_refused(name, file):
    """Nothing is written."""
    with pytest.raises(SettingsError):
        add_key(file, name)

    assert not file.exists()


def test_keys_that_are_added_at_one_time_are_all_kept(file):
    """Each command reads what the other wrote."""
    threads = [threading.Thread(target=add_key, args=(file, f"key{n}")) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {f"key{n}" for n in range(8)} == {key.name for key in read_keys(file)}


def test_two_keys_need_two_names(file):
    """And only an existing key can be revoked."""
    add_key(file, "ada")

    with pytest.raises(SettingsError, match="already"):
        add_key(file, "ada")
    with pytest.raises(NothingFound, match="the keys are ada"):
        revoke_key(file, "bo")


def test_a_ring_sees_what_happens_to_its_file(file):
    """A new key is valid at once, and a revoked one no longer."""
    ring = KeyRing(file)
    before = ring.required
    secret = add_key(file, "ada")
    key = ring.find(secret)
    revoke_key(file, "ada")

    assert (False, "ada", None, True) == (before, key.name, ring.find(secret), ring.required)


@pytest.mark.parametrize("spoil", [lambda file: file.write_text("{"), os.unlink, lambda file: file.chmod(0o644)])
def test_a_file_that_breaks_while_the_service_runs_opens_nothing(spoil, file):
    """No key is accepted, but one is still required."""
    secret = add_key(file, "ada")
    ring = KeyRing(file)
    spoil(file)

    assert (None, True) == (ring.find(secret), ring.required)


def test_a_file_that_was_repaired_counts_again(file):
    """Its mode is checked, too."""
    secret = add_key(file, "ada")
    ring = KeyRing(file)
    file.chmod(0o644)
    refused = ring.find(secret)
    file.chmod(0o600)

    assert (None, "ada") == (refused, ring.find(secret).name)


@pytest.mark.parametrize(
    ("host", "allowed"), [("0.0.0.0", ()), ("192.168.0.7", ()), ("::", ()), ("db", ()), ("127.0.0.1", ("gear.test",))]
)
def test_without_keys_nobody_else_gets_in(host, allowed):
    """Neither from the network nor through a proxy with another host name; with keys, both work."""
    require_keys(host, allowed, has_keys=True)

    with pytest.raises(SettingsError, match="gear keys add"):
        require_keys(host, allowed, has_keys=False)


@pytest.mark.parametrize(
    "options",
    [
        {"allowed_hosts": ("*",)},
        {"allowed_hosts": ("*.example.org",)},
        {"allowed_hosts": ("https://gear.example.org",)},
        {"allowed_hosts": ("gear.example.org:8765",)},
        {"allowed_hosts": ("",)},
        {"allowed_origins": ("wiki.example.org",)},
        {"allowed_origins": ("https://wiki.example.org/page",)},
        {"allowed_origins": ("*",)},
        {"public_url": "gear.example.org"},
        {"public_url": "https://user:secret@gear.example.org"},
    ],
)
def test_a_name_that_would_match_nothing_or_all_is_refused(options):
    """An operator learns it at the start."""
    with pytest.raises(SettingsError, match="write it"):
        ServiceOptions(**options)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "localhost", "::1", "[::1]"])
def test_this_machine_needs_no_key(host):
    """In any spelling."""
    require_keys(host, (), has_keys=False)


def test_without_the_extra_the_line_names_it(gear, monkeypatch):
    """Before anything is opened."""
    monkeypatch.setitem(sys.modules, "gear_neo4j.web.app", None)
    code, out, err = gear("serve", "--port", "0")

    assert (ExitCode.ERROR, "") == (code, out)
    assert "gear: the service needs the extra: pip install 'gear-neo4j[server]'\n" == err


def test_an_address_in_use_is_one_line(gear):
    """It says what to do."""
    with listen("127.0.0.1", 0) as taken:
        code, _, err = gear("serve", "--port", str(taken.getsockname()[1]))

    assert (ExitCode.ERROR, 1) == (code, len(err.splitlines()))
    assert "choose another --host or --port" in err


def test_a_rate_allows_so_many_and_then_one_at_a_time():
    """The bucket is full at first and fills evenly; the wait is the time until the next token."""
    clock, rate = Clock(), Rate.parse("6/min")
    limiter = RateLimiter(clock=clock)
    waits = [limiter.wait("ada", rate) for _ in range(7)]
    clock.now = 10.0

    assert [0.0] * 6 + [10.0] == waits
    assert [0.0, 10.0] == [limiter.wait("ada", rate) for _ in range(2)]


def test_a_pause_fills_the_bucket_and_no_more():
    """An hour of silence allows no more than the first minute."""
    clock, rate = Clock(), Rate.parse("2/s")
    limiter = RateLimiter(clock=clock)
    limiter.wait("ada", rate)
    clock.now = 3_600.0

    assert [0.0, 0.0, 0.5] == [limiter.wait("ada", rate) for _ in range(3)]


def test_only_so_many_names_are_kept():
    """Many addresses take no more memory; the least recently seen one is forgotten."""
    limiter, rate = RateLimiter(most=2, clock=Clock()), Rate(1, 60)
    for name in ("a", "b", "c"):
        limiter.wait(name, rate)

    assert [60.0, 60.0, 0.0] == [limiter.wait(name, rate) for name in ("b", "c", "a")]


@given(text=st.text(max_size=20))
def test_any_other_text_is_no_rate(text):
    """It is refused in one line."""
    with pytest.raises(SettingsError) as refused:
        Rate.parse(text)

    assert "\n" not in str(refused.value)


class Whole:
    """Creates a new view at each request."""

    def scoped(self, scope):
        return scope, object()


def test_views_are_kept_while_they_are_used(file):
    """What searches reuse is kept with the scope; of too many scopes, the least recently used one is forgotten."""
    scopes = [EVERYTHING.narrowed(principals=[name]) for name in ("a", "b", "c")]
    views = Views(whole := Whole(), most=2)
    first, second = views.of(scopes[0]), views.of(scopes[1])
    again = views.of(EVERYTHING.narrowed(principals=["a"]))
    views.of(scopes[2])

    assert whole is views.of(EVERYTHING)
    assert (True, True, False) == (first is again, first is views.of(scopes[0]), second is views.of(scopes[1]))


@pytest.fixture
def gear(monkeypatch, tmp_path, capsys):
    """Run a command with its own home folder."""
    monkeypatch.setenv("GEAR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")

    def run(*args):
        with pytest.raises(SystemExit) as ended:
            main(list(args))
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return run


def test_the_command_prints_a_secret_once(gear, tmp_path):
    """Alone on standard output, for scripts; the list does not show it, and a revoked key is not listed."""
    code, out, err = gear("keys", "add", "ada", "--principal", "user:ada", "--where", "year >= 2020", "--rate", "9/min")
    ring = KeyRing(tmp_path / "home" / "keys.json")
    listed = gear("keys", "list")
    rows = json.loads(gear("keys", "list", "--json")[1])["keys"]

    assert (0, "ada") == (code, ring.find(out.strip()).name)
    assert "only now" in err
    assert out.strip() not in listed[1]
    assert "user:ada" in listed[1]
    assert [{"year": {"gte": 2020}}] == [row["where"] for row in rows]
    assert "sha256" not in rows[0]
    assert (0, "ada: revoked\n", "") == gear("keys", "revoke", "ada")
    assert (0, "no keys: make one with 'gear keys add NAME'\n", "") == gear("keys", "list")


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("add", "a b"), ExitCode.ERROR),
        (("add", "a", "--rate", "9"), ExitCode.ERROR),
        (("add", "a", "--where", "year >"), ExitCode.ERROR),
        (("add", "a", "--collection", "a/b"), ExitCode.ERROR),
        (("add", "a", "--everything", "--principal", "x"), ExitCode.ERROR),
        (("add", "a", "--write", "--where", "year > 1"), ExitCode.ERROR),
        (("revoke", "a"), ExitCode.NOTHING_FOUND),
    ],
)
def test_a_command_that_cannot_be_done_is_one_line(args, code, gear):
    """And changes nothing."""
    ended, out, err = gear("keys", *args)

    assert (code, "", 1) == (ended, out, len(err.splitlines()))
