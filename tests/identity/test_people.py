"""People who sign in with a real provider: which tokens and sessions count, for what, and until when."""

import base64
import hmac
import json
import time

import httpx2
import pytest

from gear_neo4j.errors import SettingsError
from gear_neo4j.web.credentials import RightsUnknown
from gear_neo4j.web.identity.people import GRACE_SECONDS, RENEW_SECONDS, People
from gear_neo4j.web.identity.provider import KEYS_SECONDS, PAUSE_SECONDS, STALE_SECONDS, Provider
from gear_neo4j.web.identity.refusals import ELSEWHERE, EXPIRED, INVALID, NOTHING, ProviderDown, SignInRefused
from gear_neo4j.web.identity.tokens import LONGEST_TOKEN, TokenVerifier
from gear_neo4j.web.options import IdentityOptions
from tests.identity_provider import AUDIENCE, new_keys, signed_in

RIGHTS = """
[everyone]
principals = ["user:{email}", "group:{groups}"]
collections = ["handbook"]

[groups.legal]
collections = ["contracts"]
writes = true
rate = "60/min"
"""
BACK = "http://127.0.0.1:1/sign-in/back"
OPAQUE = f"{AUDIENCE}/opaque"


class Clock:
    """The time, which can be put forward."""

    ahead = 0.0

    def __call__(self):
        return time.time() + self.ahead


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "rights.toml"
    file.write_text(RIGHTS)
    return file


@pytest.fixture
def people(provider, file, clock):
    """The people of the provider."""
    known = Provider(provider.issuer, client="gear-page", secret="page secret", clock=clock)
    return People(TokenVerifier(known, (AUDIENCE,)), file=file, clock=clock)


def begin(people, account):
    """Sign in on the page: the provider's answer, and the secret of the browser."""
    url, browser = people.sessions.start(BACK)
    with httpx2.Client(timeout=30) as http:
        return dict(httpx2.URL(signed_in(http, url, account, until=BACK)).params), browser


def session_of(people, account):
    """The secret of a new session."""
    return people.sessions.finish(*begin(people, account))


def refused(people, token):
    """The reason for which a token is refused."""
    with pytest.raises(SignInRefused) as found:
        people.of_token(token)
    return str(found.value)


def written(part):
    """A part of a token."""
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


@pytest.mark.parametrize("resource", [f"{AUDIENCE}/jwt", OPAQUE])
def test_a_token_of_the_provider_gives_what_the_rights_file_says(provider, people, resource):
    """Whether it is signed or the provider must be asked."""
    ada, bob = (people.of_token(provider.token(name, resource=resource)) for name in ("ada", "bob"))

    assert ("ada@example.org", True, "60/min") == (ada.name, ada.writes, ada.rate)
    assert {
        "collections": ["contracts", "handbook"],
        "principals": ["group:legal", "group:staff", "user:ada@example.org"],
    } == ada.scope.json
    assert ("bob@example.org", False, None) == (bob.name, bob.writes, bob.rate)
    assert {"collections": ["handbook"], "principals": ["group:staff", "user:bob@example.org"]} == bob.scope.json
    assert ada.id != bob.id
    assert people.admits(ada)


def test_a_token_that_the_provider_did_not_make_for_us_is_refused(provider, people):
    """In one line each; the right one is accepted."""
    own, now = provider.keys.keys[0], int(time.time())
    foreign = new_keys().keys[0]
    foreign_as_own = type(foreign).import_key(foreign.as_dict(private=True) | {"kid": own.kid})
    head, body, signature = provider.signed().split(".")
    changed = json.loads(base64.urlsafe_b64decode(body + "==")) | {"sub": "eve"}
    by_hash = f"{written(json.dumps({'alg': 'HS256', 'kid': own.kid}).encode())}.{body}"
    none = written(b'{"alg": "none"}')
    mac = hmac.digest(own.as_pem(private=False), by_hash.encode(), "sha256")
    people.of_token(provider.signed())

    assert EXPIRED == refused(people, provider.signed(exp=now - 60))
    assert {ELSEWHERE} == {refused(people, provider.signed(aud=aud)) for aud in ("other", ["a", "b"], AUDIENCE + "/")}
    invalid = {
        "other issuer": provider.signed(iss="http://127.0.0.1:1"),
        "no expiry": provider.signed(without=["exp"]),
        "no audience": provider.signed(without=["aud"]),
        "no subject": provider.signed(without=["sub"]),
        "not yet": provider.signed(nbf=now + 600),
        "of the future": provider.signed(iat=now + 600),
        "expiry as text": provider.signed(exp="never"),
        "an ID token": provider.signed(at_hash="x"),
        "another key": provider.signed(key=foreign),
        "another key of the same id": provider.signed(key=foreign_as_own),
        "public key as secret": f"{by_hash}.{written(mac)}",
        "none": f"{none}.{body}.",
        "changed": f"{head}.{written(json.dumps(changed).encode())}.{signature}",
        "without its end": f"{head}.{body}.{signature[:-4]}",
        "no token": "a.b.c",
        "unknown and opaque": "x" * 43,
        "not ASCII": "é.é.é",
        "too long": "a.b." + "c" * LONGEST_TOKEN,
    }
    assert dict.fromkeys(invalid, INVALID) | {"unknown and opaque": EXPIRED} == {
        name: refused(people, token) for name, token in invalid.items()
    }


def test_new_keys_count_at_once_and_old_ones_for_five_minutes(provider, people, clock):
    """Tokens of a key that the provider has removed are refused then, also those that were accepted before."""
    before = provider.signed()
    person = people.of_token(before)
    provider.rotate()
    clock.ahead += PAUSE_SECONDS

    assert person.id == people.of_token(provider.signed()).id
    assert INVALID == refused(people, provider.signed(header={"kid": "invented"}))
    clock.ahead += KEYS_SECONDS
    assert INVALID == refused(people, before)
    assert not people.admits(person)


def test_a_provider_that_does_not_answer(provider, people, clock):
    """Signed tokens count while its keys are known, for an hour; what must be asked, for a minute."""
    signed, opaque = provider.signed(exp=int(time.time()) + 9_000), provider.token("ada", resource=OPAQUE)
    persons = people.of_token(signed), people.of_token(opaque)
    provider.stop()
    clock.ahead += RENEW_SECONDS

    assert all(map(people.admits, persons))
    clock.ahead += GRACE_SECONDS
    assert [True, False] == [people.admits(person) for person in persons]
    with pytest.raises(ProviderDown, match=r"^the sign-in provider does not answer now: try again$"):
        people.of_token(opaque)
    clock.ahead += STALE_SECONDS
    with pytest.raises(ProviderDown):
        people.of_token(signed)


def test_nobody_waits_long_for_a_provider_that_does_not_answer(provider, people, clock, monkeypatch):
    """After one attempt, others are refused at once for five seconds; then it is tried again."""
    tokens = [provider.token("ada", resource=OPAQUE) for _ in range(3)]
    attempts = []
    provider.stop()
    reach = httpx2.Client.send
    monkeypatch.setattr(httpx2.Client, "send", lambda *all, **more: attempts.append(1) or reach(*all, **more))
    for token in tokens:
        with pytest.raises(ProviderDown):
            people.of_token(token)
    first = len(attempts)
    provider.start()
    clock.ahead += PAUSE_SECONDS

    assert 1 == first
    assert "ada@example.org" == people.of_token(provider.token("ada", resource=OPAQUE)).name


def test_a_provider_of_another_name_is_refused(provider, file):
    """It must call itself as the operator calls it; an address that is not encrypted must be of this machine."""
    other = People(TokenVerifier(Provider(provider.issuer + "/"), (AUDIENCE,)), file=file)

    with pytest.raises(SettingsError, match=r"^the issuer is 'http://127.0.0.1:\d+', not 'http://127.0.0.1:\d+/'"):
        other.of_token(provider.signed())
    for issuer in (
        "http://id.example.org",
        "id.example.org",
        "https://",
        "https://id.example.org/?a=b",
        "ftp://a/",
        "https://[",
    ):
        with pytest.raises(SettingsError, match=r"^the issuer "):
            IdentityOptions(issuer=issuer, rights_file=file, audiences=("a",))


def test_a_token_that_was_revoked_counts_for_twenty_seconds(provider, people, clock):
    """If the provider is asked about it; a signed one counts until it ends."""
    token = provider.token("ada", resource=OPAQUE)
    person = people.of_token(token)
    provider.revoke(token)
    clock.ahead += RENEW_SECONDS

    assert not people.admits(person)
    assert EXPIRED == refused(people, token)


def test_who_leaves_a_group_loses_its_rights_within_twenty_seconds(provider, people, clock):
    """Also those of a request that is under way, and of jobs."""
    secret = session_of(people, "ada")
    before = people.of_session(secret)
    provider.set_groups(ada=["staff"])
    clock.ahead += RENEW_SECONDS
    after = people.of_session(secret)

    assert before.writes
    assert "group:legal" in before.scope.principals
    assert not after.writes
    assert {"collections": ["handbook"], "principals": ["group:staff", "user:ada@example.org"]} == after.scope.json
    assert (False, True) == (people.admits(before), people.admits(after))
    assert after.scope == people.current(before.id).scope


def test_an_older_token_does_not_bring_back_a_group(provider, people):
    """The newest claims of a person count, whichever token they send; those of another tool are apart."""
    now = int(time.time())
    older, newer = provider.signed(iat=now - 20), provider.signed(iat=now, groups=["staff"])
    before = people.of_token(older)
    people.of_token(newer)
    other = provider.signed(iat=now + 1, client_id="another", without=["groups"])
    people.of_token(other)

    assert before.writes
    assert not people.admits(before)
    assert not people.of_token(older).writes
    assert "group:staff" in people.of_token(older).scope.principals


def test_the_rights_file_counts_as_it_is_now(provider, people, file):
    """A change at once; if it is broken, nobody is let in, and nothing is decided."""
    token = provider.signed()
    before = people.of_token(token)
    file.write_text(RIGHTS.replace("writes = true", ""))

    assert not people.admits(before)
    file.write_text("[everyone\n")
    with pytest.raises(RightsUnknown, match=r"^the rights file rights.toml cannot be used now: ask the operator$"):
        people.of_token(token)
    with pytest.raises(RightsUnknown):
        people.current(before.id)
    file.write_text("[groups.board]\ncollections = ['*']\n")
    assert NOTHING == refused(people, token)
    with pytest.raises(SignInRefused):
        people.current(before.id)
    file.write_text(RIGHTS)
    assert before.scope == people.of_token(token).scope


def test_a_session_begins_once_in_the_browser_that_asked_for_it(provider, people):
    """An answer of the provider cannot be sent again, by another browser, or without a question."""
    answer, browser = begin(people, "ada")
    person = people.of_session(people.sessions.finish(answer, browser))
    stolen, owner = begin(people, "ada")

    assert "ada@example.org" == person.name
    for query, cookie in (
        (answer, browser),
        (stolen, browser),
        (stolen, owner),
        ({"code": stolen["code"], "state": "invented", "iss": provider.issuer}, owner),
    ):
        with pytest.raises(SignInRefused):
            people.sessions.finish(query, cookie)


@pytest.mark.parametrize(
    "change",
    [{"iss": "https://evil.example.org"}, {"iss": ""}, {"code": "invented"}, {"code": ""}, {"error": "access_denied"}],
)
def test_another_answer_than_the_providers_begins_no_session(people, change):
    """Of another issuer (mix-up), with an invented code, or a refusal."""
    answer, browser = begin(people, "ada")

    with pytest.raises(SignInRefused):
        people.sessions.finish(answer | change, browser)


def test_signing_out_ends_the_session_and_what_runs_in_it(provider, people):
    """Here, and the browser is sent to the provider to end its own."""
    secret = session_of(people, "ada")
    person = people.of_session(secret)
    url = people.end(secret, back="/")

    assert url.startswith(f"{provider.issuer}/session/end?id_token_hint=")
    assert not people.admits(person)
    with pytest.raises(SignInRefused):
        people.of_session(secret)
    assert "/" == people.end(secret, back="/")


def test_a_session_outlasts_its_access_token_but_not_its_day(provider, people, clock):
    """It is renewed by the provider; after eight hours the person signs in again."""
    provider.stop()
    provider.access_seconds = 1
    provider.start()
    secret = session_of(people, "ada")
    time.sleep(1.5)
    clock.ahead += RENEW_SECONDS

    assert "ada@example.org" == people.of_session(secret).name
    clock.ahead += 8 * 3_600
    with pytest.raises(SignInRefused, match=EXPIRED):
        people.of_session(secret)


def test_a_job_waits_for_its_sender_and_ends_with_their_rights(provider, people, file):
    """Without a sign-in it is unknown what they may do; with one that gives nothing, it is known."""
    token = provider.signed()
    id = people.of_token(token).id
    again = People(TokenVerifier(people.provider, (AUDIENCE,)), file=file)

    with pytest.raises(RightsUnknown, match=EXPIRED):
        again.current(id)
    again.of_token(token)
    assert again.current(id).writes


def test_an_address_that_is_not_verified_is_nobodys(provider, people):
    """Anybody can call themselves ada."""
    person = people.of_token(provider.signed(sub="eve", email_verified=False, groups=[]))

    assert frozenset() == person.scope.principals
    assert "eve" == person.name
