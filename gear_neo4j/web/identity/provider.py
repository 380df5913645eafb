"""The provider of an organisation's sign-ins: its metadata, its keys, and the calls to it, by Authlib."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Annotated, Any, TypeVar

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import OAuth2Client
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from gear_neo4j.errors import SettingsError
from gear_neo4j.web.identity.refusals import ProviderDown, SignInRefused
from gear_neo4j.web.identity.rights import Claims

Result = TypeVar("Result")
Url = Annotated[str, StringConstraints(pattern=r"^https?://[^\s#]+$")]
METADATA = "/.well-known/openid-configuration"
TIMEOUT = 5.0
LARGEST = 1 << 20
# Seconds after which keys are read again; a key that the provider has removed is refused after that.
KEYS_SECONDS = 300.0
# Keys that cannot be read again are used for so long.
STALE_SECONDS = 3_600.0
# Seconds between two attempts, so that tokens with invented key ids do not flood the provider.
PAUSE_SECONDS = 5.0


class Metadata(BaseModel):
    """What a provider says of itself (OpenID Connect Discovery 1.0, section 3), as far as it is used."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    issuer: str
    jwks_uri: Url
    authorization_endpoint: Url
    token_endpoint: Url
    userinfo_endpoint: Url | None = None
    introspection_endpoint: Url | None = None
    end_session_endpoint: Url | None = None
    scopes_supported: tuple[str, ...] = ()
    authorization_response_iss_parameter_supported: bool = False


class Provider:
    """A provider by its issuer; threads may share it.

    Args:
        client: the id of this service at the provider, for the page and for tokens that are not JWTs.
        secret: of the client; None for a public one.
        clock: a monotonic clock, in seconds.
    """

    def __init__(
        self,
        issuer: str,
        *,
        client: str | None = None,
        secret: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.issuer = issuer
        self.client = client
        self.secret = secret
        self._clock = clock
        self._lock = Lock()
        self._metadata: Metadata | None = None
        self._keys: KeySet | None = None
        self._read = self._tried = self._unreached = -STALE_SECONDS

    @property
    def metadata(self) -> Metadata:
        """Its metadata, read once.

        Raises:
            ProviderDown: it does not answer, or with something else.
            SettingsError: it is of another issuer.
        """
        if self._metadata is None:
            found = self._document(self.issuer.rstrip("/") + METADATA, Metadata.model_validate)
            if found.issuer != self.issuer:
                raise SettingsError(f"the issuer is {found.issuer!r}, not {self.issuer!r}: write it in the same way")
            self._metadata = found
        return self._metadata

    def keys(self, kid: str | None) -> KeySet:
        """Its public keys; they are read again if none has this id, or after five minutes.

        Raises:
            ProviderDown: they cannot be read, and none are known from the last hour.
        """
        if self._is_due(kid):
            # While one thread reads them again, the others use those that are known.
            with held(self._lock, blocking=self._keys is None) as is_held:
                if is_held and self._is_due(kid):
                    self._read_keys()
        if self._keys is None:
            raise ProviderDown
        return self._keys

    def _is_due(self, kid: str | None) -> bool:
        now = self._clock()
        if now - self._tried < PAUSE_SECONDS:
            return False
        keys = self._keys
        is_known = keys is not None and (kid is None or any(key.kid == kid for key in keys))
        return not is_known or now - self._read > KEYS_SECONDS

    def _read_keys(self) -> None:
        self._tried = self._clock()
        try:
            self._keys = self._document(self.metadata.jwks_uri, KeySet.import_key_set)
            self._read = self._tried
        except ProviderDown:
            if self._tried - self._read > STALE_SECONDS:
                self._keys = None

    def session(self, **options: Any) -> OAuth2Client:
        """A client for one exchange with the provider; close it."""
        return OAuth2Client(
            self.client, self.secret, code_challenge_method="S256", timeout=TIMEOUT, follow_redirects=False, **options
        )

    def userinfo(self, access_token: str) -> Claims:
        """The current claims of the holder of an access token.

        Raises:
            SignInRefused: the token is no longer valid.
            ProviderDown: it does not answer, or cannot say.
        """
        url = self.metadata.userinfo_endpoint
        if url is None:
            raise ProviderDown
        return self._document(url, _claims, headers={"Authorization": f"Bearer {access_token}"})

    def introspected(self, token: str) -> Claims:
        """What the provider says of a token (RFC 7662).

        Raises:
            SignInRefused: the token is not valid, or the provider says nothing of tokens.
            ProviderDown: it does not answer.
        """
        url = self.metadata.introspection_endpoint
        if url is None or self.client is None:
            raise SignInRefused
        with self.session() as session:
            return self._exchanged(lambda: _claims(_content(session.introspect_token(url, token=token))))

    def exchanged(self, exchange: Callable[[OAuth2Client], Mapping[str, Any]], **options: Any) -> Mapping[str, Any]:
        """The tokens of an exchange at the token endpoint.

        Raises:
            SignInRefused: the provider refuses it.
            ProviderDown: it does not answer.
        """
        with self.session(**options) as session:
            return self._exchanged(lambda: dict(exchange(session)))

    def _exchanged(self, exchange: Callable[[], Result]) -> Result:
        try:
            return self._reached(exchange)
        except AuthlibBaseError as error:
            raise SignInRefused from error
        except (httpx2.HTTPError, ValueError, KeyError, TypeError) as error:
            raise ProviderDown from error

    def _reached(self, call: Callable[[], Result]) -> Result:
        """Call the provider, unless it could not be reached a moment ago: nobody waits for it again and again."""
        if self._clock() - self._unreached < PAUSE_SECONDS:
            raise ProviderDown
        try:
            return call()
        except httpx2.TransportError:
            self._unreached = self._clock()
            raise

    def _document(
        self, url: str, parse: Callable[[Any], Result], *, headers: Mapping[str, str] | None = None
    ) -> Result:
        try:
            response = self._reached(partial(_got, url, headers={"Accept": "application/json", **(headers or {})}))
            if headers and response.status_code in (400, 401, 403):
                raise SignInRefused
            return parse(_content(response))
        except (httpx2.HTTPError, httpx2.InvalidURL, ValidationError, JoseError, ValueError, TypeError) as error:
            raise ProviderDown from error


@contextmanager
def held(lock: Lock, *, blocking: bool) -> Iterator[bool]:
    """Hold a lock in the block, if it can be had; says whether."""
    is_held = lock.acquire(blocking=blocking)
    try:
        yield is_held
    finally:
        if is_held:
            lock.release()


def _got(url: str, *, headers: Mapping[str, str]) -> httpx2.Response:
    with httpx2.Client(timeout=TIMEOUT, follow_redirects=False) as http:
        return http.get(url, headers=headers)


def _content(response: httpx2.Response) -> Any:
    response.raise_for_status()
    if len(response.content) > LARGEST:
        raise ValueError("the provider's response is too large")
    return json.loads(response.content)


def _claims(document: Any) -> Claims:
    if not isinstance(document, dict):
        raise TypeError("claims must be an object")
    return document
