"""Sign-ins on the page: the code flow with PKCE (RFC 7636), and sessions whose tokens never leave this process."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from gear_neo4j.web.identity.cookies import SESSION_SECONDS, SIGN_IN_SECONDS
from gear_neo4j.web.identity.provider import Provider
from gear_neo4j.web.identity.refusals import EXPIRED, SignInRefused
from gear_neo4j.web.identity.rights import Claims
from gear_neo4j.web.identity.tokens import TokenVerifier
from gear_neo4j.web.keys import digest as digest_of

Key = TypeVar("Key")
Value = TypeVar("Value")
SCOPES = ("openid", "profile", "email", "groups", "offline_access")
MOST_STARTED, MOST_SESSIONS = 10_000, 10_000


@dataclass(frozen=True, slots=True)
class _Started:
    """A sign-in that has begun: what its answer must agree with."""

    browser: str
    nonce: str
    verifier: str
    back: str
    until: float


@dataclass(frozen=True, slots=True)
class Session:
    """A session: the claims of its person, the tokens that renew them, and when it ends (seconds since 1970)."""

    claims: Claims
    tokens: Mapping[str, Any]
    until: float


class Kept(Generic[Key, Value]):
    """Values by key; beyond ``most``, the one that was put first is dropped. Threads may share it."""

    def __init__(self, most: int) -> None:
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._most = most
        self._lock = Lock()

    def put(self, key: Key, value: Value) -> None:
        """Keep a value."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)

    def get(self, key: Key) -> Value | None:
        """The value, if it is still kept."""
        with self._lock:
            return self._values.get(key)

    def take(self, key: Key) -> Value | None:
        """The value, which is then gone."""
        with self._lock:
            return self._values.pop(key, None)


class Sessions:
    """The sessions of the page, in this process's memory: they end with it, and people then sign in again.

    Args:
        clock: seconds since 1970.
    """

    def __init__(self, provider: Provider, *, clock: Callable[[], float] = time.time) -> None:
        self._provider = provider
        self._verifier = TokenVerifier(provider)
        self._clock = clock
        self._started: Kept[str, _Started] = Kept(MOST_STARTED)
        self._sessions: Kept[str, Session] = Kept(MOST_SESSIONS)

    def start(self, back: str) -> tuple[str, str]:
        """Begin a sign-in; returns the provider's address to go to, and a secret for a cookie of the browser.

        Args:
            back: the address of this service to which the provider sends the browser back.

        Raises:
            ProviderDown: it does not answer.
        """
        metadata = self._provider.metadata
        state, browser, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(4))
        scope = " ".join(name for name in SCOPES if name == "openid" or name in metadata.scopes_supported)
        with self._provider.session(scope=scope, redirect_uri=back) as session:
            url, _ = session.create_authorization_url(
                metadata.authorization_endpoint, state=state, code_verifier=verifier, nonce=nonce
            )
        until = self._clock() + SIGN_IN_SECONDS
        self._started.put(digest_of(state), _Started(digest_of(browser), nonce, verifier, back, until))
        return url, browser

    def finish(self, query: Mapping[str, str], browser: str) -> str:
        """End a sign-in with the provider's answer; returns the secret of a new session. An answer counts once.

        Args:
            browser: the secret that :meth:`start` gave this browser.

        Raises:
            SignInRefused: the answer is not to a sign-in of this browser, or the provider has refused it.
            ProviderDown: it does not answer.
        """
        started = self._started.take(digest_of(query.get("state", "")))
        if started is None or started.until < self._clock():
            raise SignInRefused(EXPIRED)
        if not secrets.compare_digest(started.browser, digest_of(browser)):
            raise SignInRefused
        self._check_issuer(query)
        code = query.get("code")
        if not code or "error" in query:
            raise SignInRefused
        url = self._provider.metadata.token_endpoint
        tokens = self._provider.exchanged(
            lambda session: session.fetch_token(
                url, grant_type="authorization_code", code=code, code_verifier=started.verifier
            ),
            redirect_uri=started.back,
        )
        claims = self._verifier.identity(str(tokens.get("id_token", "")), nonce=started.nonce)
        secret = secrets.token_urlsafe(32)
        session = Session(self._current(claims, tokens), tokens, self._clock() + SESSION_SECONDS)
        self._sessions.put(digest_of(secret), session)
        return secret

    def get(self, digest: str) -> Session:
        """The session of a secret's digest.

        Raises:
            SignInRefused: there is none, or it has ended.
        """
        session = self._sessions.get(digest)
        if session is None or session.until < self._clock():
            raise SignInRefused(EXPIRED)
        return session

    def renewed(self, digest: str) -> Session:
        """A session with the claims that the provider has now; it ends if the provider has ended it.

        Raises:
            SignInRefused: it has ended.
            ProviderDown: nobody can say now.
        """
        session = self.get(digest)
        try:
            renewed = self._renewed(session)
        except SignInRefused:
            self._sessions.take(digest)
            raise
        # Another request may have ended it meanwhile.
        if self._sessions.get(digest) is None:
            raise SignInRefused(EXPIRED)
        self._sessions.put(digest, renewed)
        return renewed

    def end(self, digest: str, *, back: str) -> str:
        """End a session; returns the address at which the provider ends its own, or else ``back``."""
        session = self._sessions.take(digest)
        url = self._provider.metadata.end_session_endpoint
        if session is None or url is None:
            return back
        query = {"id_token_hint": session.tokens["id_token"], "client_id": self._provider.client}
        return f"{url}?{urlencode(query)}"

    def _renewed(self, session: Session) -> Session:
        try:
            return Session(self._current(session.claims, session.tokens), session.tokens, session.until)
        except SignInRefused:
            # The access token may just be too old.
            if not (refresh := session.tokens.get("refresh_token")):
                raise
        url = self._provider.metadata.token_endpoint
        found = self._provider.exchanged(
            lambda exchange: exchange.fetch_token(url, grant_type="refresh_token", refresh_token=refresh)
        )
        claims = session.claims
        if id_token := found.get("id_token"):
            claims = self._verifier.identity(str(id_token), nonce=None)
        tokens = {**session.tokens, **found}
        return Session(self._current(claims, tokens, of=session.claims), tokens, session.until)

    def _current(self, claims: Claims, tokens: Mapping[str, Any], *, of: Claims | None = None) -> Claims:
        """The claims of an ID token with the current ones of the same person.

        Raises:
            SignInRefused: the provider names another person, or nobody.
        """
        if of is not None and claims["sub"] != of["sub"]:
            raise SignInRefused
        if self._provider.metadata.userinfo_endpoint is None:
            return claims
        current = self._provider.userinfo(str(tokens.get("access_token", "")))
        if current.get("sub") != claims["sub"]:
            raise SignInRefused
        return {**claims, **current, "iss": claims["iss"]}

    def _check_issuer(self, query: Mapping[str, str]) -> None:
        """Refuse the answer of another provider (RFC 9207)."""
        is_required = self._provider.metadata.authorization_response_iss_parameter_supported
        if query.get("iss", None if is_required else self._provider.issuer) != self._provider.issuer:
            raise SignInRefused
