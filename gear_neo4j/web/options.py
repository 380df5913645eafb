"""The options of the service: who may call it, and its limits."""

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from gear_neo4j.errors import SettingsError
from gear_neo4j.text.address import is_public_url
from gear_neo4j.web.rates import Rate

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")
_ORIGIN = re.compile(r"https?://[^\s/?#@*]+/?")
LONGEST_QUESTION = 4_000
MOST_PASSAGES = 100
FAILED_KEYS = Rate(20, 60)


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityOptions:
    """The provider that people sign in with (OpenID Connect).

    Args:
        issuer: its address, exactly as it writes it itself.
        rights_file: what people may do; see :mod:`gear_neo4j.web.identity.rights`.
        audiences: the names of this service, one of which a token must have; without any, tokens are refused.
        client: the id of this service at the provider; without one, nobody signs in on the page.
        secret: of the client; None for a public one.

    Raises:
        SettingsError: there is neither an audience nor a client, or the issuer is no address, or not an encrypted one.
    """

    issuer: str
    rights_file: Path
    audiences: tuple[str, ...] = ()
    client: str | None = None
    secret: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _check_issuer(self.issuer)
        if not (self.audiences or self.client):
            raise SettingsError(
                "sign-in needs --audience, for clients with tokens, or --oidc-client, for the page, or both"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """Limits and addresses of the service; times are in seconds.

    Args:
        keys_file: the file of keys; see :mod:`gear_neo4j.web.keys`.
        requires_key: refuse requests without a key even if there is no file of keys.
        identity: the provider that people sign in with; None if only keys are used.
        allowed_hosts: host names that requests may use, besides those of this machine.
        allowed_origins: origins whose pages may call the service, besides its own.
        public_url: the address of the service in links; by default, the one in the request.
        neo4j_uri: the address of the database in links to Neo4j Browser, for callers who may see everything.
        docs: serve Swagger UI at ``/docs``.
        log_questions: write questions into the log.
        body_bytes, body_seconds: maximum size of a body, and time limit for its arrival.
        asks, searches: how many run at once; more are refused with 429.
        requests: how many run at once, without probes; more are refused with 503.
        key_requests, key_streams, key_uploads: how many requests of a key run at once, and how many of them may be
            streams of events and uploads; more are refused with 429.
        ask_seconds: the longest time limit that a caller may set for an answer.
        memory: maximum bytes of indexes in memory, for all callers together; an index of more than half is refused.
        uploads_folder: where documents wait until they are ingested; without it, uploads are refused.
        upload_bytes, upload_seconds, upload_files: maximum size of an upload, time limit for its arrival, and maximum
            number of files.
        uploads: how many arrive at once; more are refused with 429.
        waiting_jobs, waiting_bytes: how many jobs of a key may wait, and the maximum size of all waiting files.
        failed_keys: how often an address may present an unknown key.
        audit_folder: the folder of the audit record; without it, there is none.
        audit_required: refuse what cannot be recorded.
        audit_texts: record questions, too.

    Raises:
        SettingsError: a host, an origin or the public address is invalid.
    """

    keys_file: Path | None = None
    requires_key: bool = False
    identity: IdentityOptions | None = None
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    public_url: str | None = None
    neo4j_uri: str | None = None
    docs: bool = False
    log_questions: bool = False
    body_bytes: int = 1 << 20
    body_seconds: float = 20.0
    asks: int = 4
    searches: int = 16
    requests: int = 400
    key_requests: int = 100
    key_streams: int = 10
    key_uploads: int = 2
    search_seconds: float = 30.0
    ask_seconds: float = 120.0
    memory: int = 1 << 30
    uploads_folder: Path | None = None
    upload_bytes: int = 256 << 20
    upload_seconds: float = 600.0
    upload_files: int = 100
    uploads: int = 4
    waiting_jobs: int = 20
    waiting_bytes: int = 4 << 30
    failed_keys: Rate = FAILED_KEYS
    audit_folder: Path | None = None
    audit_required: bool = False
    audit_texts: bool = False

    def __post_init__(self) -> None:
        for host in self.allowed_hosts:
            if not _HOST.fullmatch(host):
                raise SettingsError(f"the allowed host {host!r} is not a name: write it without scheme, port and *")
        for origin in self.allowed_origins:
            if not _ORIGIN.fullmatch(origin):
                raise SettingsError(f"the allowed origin {origin!r} is not valid: write it as https://wiki.example.org")
        if self.public_url is not None and not is_public_url(self.public_url):
            raise SettingsError("the public URL cannot be used: write it as https://gear.example.org")


def _check_issuer(issuer: str) -> None:
    try:
        parts = urlsplit(issuer)
    except ValueError:
        parts = urlsplit("")
    if not parts.hostname or parts.query or parts.fragment or parts.scheme not in ("http", "https"):
        raise SettingsError(f"the issuer {issuer!r} is not valid: write it as https://id.example.org")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise SettingsError(f"the issuer {issuer!r} is not encrypted: it must begin with https://")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself.

    Example:
        >>> [is_loopback(host) for host in ("localhost", "127.0.0.2", "[::1]", "0.0.0.0", "db")]
        [True, True, True, False, False]
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def require_keys(host: str, allowed_hosts: tuple[str, ...], *, has_keys: bool) -> None:
    """Refuse to serve other machines without keys.

    Raises:
        SettingsError: other machines could call the service without a key.
    """
    beyond = next((name for name in (host, *allowed_hosts) if not is_loopback(name)), None)
    if beyond is not None and not has_keys:
        raise SettingsError(f"{beyond} is not this machine: make a key first, with 'gear keys add NAME'")
