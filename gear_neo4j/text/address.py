"""URLs of servers: checks them, and separates the login that they may contain."""

import re
from base64 import b64encode
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import SplitResult, quote, unquote, urlsplit

from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.text.printable import single_line
from gear_neo4j.text.redaction import without_login

# The schemes of a Neo4j server, and its first user.
SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
DEFAULT_USER = "neo4j"
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>.*)", re.DOTALL)
_HOST = re.compile(r"(\[[^\[\]@]*\]|[^\[\]:@\s]*)(:[0-9]*)?")


@dataclass(frozen=True, slots=True)
class Login:
    """A user and a password."""

    user: str
    password: str = field(repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The password in all forms in which a message could contain it."""
        token = b64encode(f"{self.user}:{self.password}".encode()).decode()
        return self.password, quote(self.password, safe=""), token


@dataclass(frozen=True, slots=True)
class Address:
    """A URL without user info, and the login that was in it, if any."""

    url: str
    login: Login | None = None

    @classmethod
    def of(cls, url: str, *, setting: str) -> Self:
        """Split a URL; one without an ``@`` has no login and stays unchanged.

        Error messages do not show the URL, because any part of it may belong to the password.

        Raises:
            SettingsError: it has an ``@``, but no user info before a host and a port.

        Example:
            >>> Address.of("bolt://neo4j:p%40ss@db:7687", setting="NEO4J_URI")
            Address(url='bolt://db:7687', login=Login(user='neo4j'))
        """
        if "@" not in url:
            return cls(url)
        parts = _URL.fullmatch(url.strip())
        info, at, host = parts["authority"].rpartition("@") if parts else ("", "", "")
        # The path of a web server may contain an @; without a path, the text before the @ is a password.
        stray = parts and "@" in parts["rest"] and not parts["scheme"].lower().startswith("http")
        if not parts or stray or not _HOST.fullmatch(host):
            raise SettingsError(
                f"{setting} cannot be used: it must be SCHEME://HOST:PORT, with the special characters of a password "
                "as %XX"
            )
        user, _, password = info.partition(":")
        login = Login(unquote(user), unquote(password)) if at and info else None
        return cls(f"{parts['scheme']}://{host}{parts['rest']}", login)


def is_address(source: str) -> bool:
    """Whether a source is an address, not a path on this machine.

    Example:
        >>> is_address("s3://bucket/folder"), is_address("folder/a.md")
        (True, False)
    """
    return "://" in source


def local_path(source: str | Path) -> Path:
    """The path of a source that must be on this machine.

    Raises:
        InputError: it is an address.

    Example:
        >>> local_path("https://example.org/a.html")
        Traceback (most recent call last):
        gear_neo4j.errors.InputError: https://example.org/a.html is an address: only gear sync reads those
    """
    if is_address(str(source)):
        raise InputError(f"{without_login(str(source))} is an address: only gear sync reads those")
    return Path(source)


def check_neo4j_uri(uri: str) -> None:
    """Refuse a URI that is not that of a Neo4j server, without repeating a password in it.

    Raises:
        SettingsError: says what is wrong.

    Example:
        >>> check_neo4j_uri("http://localhost:7474")
        Traceback (most recent call last):
        gear_neo4j.errors.SettingsError: NEO4J_URI 'http://localhost:7474' cannot be used: it must begin with \
neo4j://, neo4j+s://, neo4j+ssc://, bolt://, bolt+s:// or bolt+ssc://, such as bolt://localhost:7687
    """
    shown = without_login(uri)
    if problem := _problem(shown):
        raise SettingsError(f"NEO4J_URI {shown!r} cannot be used: {problem}")


def _problem(uri: str) -> str:
    if not uri.strip():
        return "it is empty: give an address such as bolt://localhost:7687"
    try:
        parts = urlsplit(uri)
    except ValueError:
        return "its host is malformed: give an address such as bolt://localhost:7687"
    if parts.scheme not in SCHEMES or "://" not in uri:
        *others, last = (f"{scheme}://" for scheme in SCHEMES)
        return f"it must begin with {', '.join(others)} or {last}, such as bolt://localhost:7687"
    if not parts.hostname:
        return "it names no host: give an address such as bolt://localhost:7687"
    if not _is_name(parts.hostname):
        return "its host is malformed: give an address such as bolt://localhost:7687"
    # Only neo4j:// takes a query, the routing context; today the driver ignores the rest, later it will refuse it.
    if parts.path not in ("", "/") or parts.fragment or (parts.query and parts.scheme.startswith("bolt")):
        return "it has text after the port: remove it, and set NEO4J_DATABASE for a database"
    return "" if _has_valid_port(parts) else "its port must be a number from 1 to 65535"


def _is_name(host: str) -> bool:
    """Whether a host can be looked up: no part of its name is empty, too long, or not valid text."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True


def _has_valid_port(parts: SplitResult) -> bool:
    try:
        return parts.port != 0
    except ValueError:
        return False


def login_for(address: Address, *, username: str, password: str | None) -> Login:
    """The login in a Neo4j URI, else that of the other settings.

    Raises:
        SettingsError: both are set, and they differ.
    """
    given = address.login
    if given is None:
        return Login(username, password or "")
    other_user = username not in (DEFAULT_USER, given.user)
    if other_user or (password and given.password and password != given.password):
        raise SettingsError(
            "NEO4J_URI holds another user or password than NEO4J_USERNAME and NEO4J_PASSWORD: take it out of the URI"
        )
    return Login(given.user, given.password or password or "")


def is_web_url(url: str) -> bool:
    """Whether a text is a web address: one line without spaces, with a host and without a login.

    Example:
        >>> [is_web_url(url) for url in ("https://example.org/a", "javascript:x", "https://me:pw@example.org")]
        [True, False, False]
    """
    if url != single_line(url) or any(character.isspace() for character in url):
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc


def is_public_url(url: str) -> bool:
    """Whether passages can have addresses below this one: it is a web address with a host and without a login or query.

    Example:
        >>> [is_public_url(url) for url in ("https://gear.example.org/kb", "gear.example.org", "https://x.org/?q")]
        [True, False, False]
    """
    return is_web_url(url) and not {"?", "#", "*"} & set(url)
