"""Which servers we work with."""

import re

from gear_neo4j.errors import UnsupportedServer

OLDEST_SERVER = (5, 26)


def check_version(version: str) -> None:
    """Refuse a server older than 5.26; Aura's ``5.27-aura`` and calendar versions pass.

    Example:
        >>> check_version("2026.09.0")
        >>> check_version("4.4.38")
        Traceback (most recent call last):
        gear_neo4j.errors.UnsupportedServer: the server is Neo4j 4.4.38: gear-neo4j needs 5.26 or newer
    """
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < OLDEST_SERVER:
        raise UnsupportedServer(f"the server is Neo4j {version}: gear-neo4j needs 5.26 or newer")
