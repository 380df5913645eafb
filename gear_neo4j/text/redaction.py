"""Keeps passwords out of messages by removing the user info of URLs."""

import re

HIDDEN = "***"
_USER_INFO = re.compile(r"(://)[^\s/?#\"<>]*@")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def redacted(text: str) -> str:
    """A message without the user info of its URLs.

    Example:
        >>> redacted("no route to bolt://neo4j:secret@db:7687, see https://neo4j.com/docs")
        'no route to bolt://***@db:7687, see https://neo4j.com/docs'
    """
    return _USER_INFO.sub(rf"\1{HIDDEN}@", text)


def without_login(url: str) -> str:
    """A URL without its query and everything before its last ``@``: a password may contain unescaped slashes.

    Example:
        >>> without_login("https://user:se/cret@host/v1"), without_login("https://host/v1?key=secret")
        ('https://***@host/v1', 'https://host/v1?***')
    """
    before, at, rest = url.rpartition("@")
    scheme = _SCHEME.match(before)
    address, query, _ = rest.partition("?")
    shown = f"{address}?{HIDDEN}" if query else address
    return f"{scheme[0] if scheme else ''}{HIDDEN}@{shown}" if at else shown
