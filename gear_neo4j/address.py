"""The URL of a server, and the login that may stand in it."""

import re
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import quote, unquote

from gear_neo4j.errors import SettingsError

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>.*)", re.DOTALL)
_HOST = re.compile(r"(\[[^\[\]@]*\]|[^\[\]:@\s]*)(:[0-9]*)?")


@dataclass(frozen=True, slots=True)
class Login:
    """A user and a password."""

    user: str
    password: str = field(repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The password in the forms in which a message could show it."""
        token = b64encode(f"{self.user}:{self.password}".encode()).decode()
        return self.password, quote(self.password, safe=""), token


@dataclass(frozen=True, slots=True)
class Address:
    """A URL without user info, and the login that this was, if any."""

    url: str
    login: Login | None = None

    @classmethod
    def of(cls, url: str, *, setting: str) -> Self:
        """Take a URL apart; one without an ``@`` has no login and stays as it is.

        The message of an error shows nothing of the URL, for any part may be one of the password.

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
        # The path of a web server may hold an @; where there is no path, what stands before it is a password.
        stray = parts and "@" in parts["rest"] and not parts["scheme"].lower().startswith("http")
        if not parts or stray or not _HOST.fullmatch(host):
            raise SettingsError(
                f"{setting} cannot be used: it must be SCHEME://HOST:PORT, with the special characters of a password "
                "as %XX"
            )
        user, _, password = info.partition(":")
        login = Login(unquote(user), unquote(password)) if at and info else None
        return cls(f"{parts['scheme']}://{host}{parts['rest']}", login)
