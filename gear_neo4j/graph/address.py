"""The URI of a Neo4j server, checked before the driver sees it."""

from urllib.parse import SplitResult, urlsplit

from gear_neo4j.errors import SettingsError
from gear_neo4j.redaction import without_login

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")


def check_address(uri: str) -> None:
    """Refuse a URI that names no Neo4j server; a password in it is never repeated.

    Raises:
        SettingsError: says what is missing.

    Example:
        >>> check_address("http://localhost:7474")
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
    return "" if _has_valid_port(parts) else "its port must be a number from 1 to 65535"


def _has_valid_port(parts: SplitResult) -> bool:
    try:
        return parts.port != 0
    except ValueError:
        return False
