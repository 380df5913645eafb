"""The supported server versions."""

import re

from gear_neo4j.errors import UnsupportedServer

OLDEST_SERVER = (5, 26)
SEARCH_PROBE = """\
EXPLAIN CYPHER 25
MATCH (n:Passage)
SEARCH n IN (VECTOR INDEX gear_no_such_index FOR [0.5] LIMIT 1)
RETURN n"""
FILTER_PROBE = """\
EXPLAIN CYPHER 25
MATCH (n:Passage)
SEARCH n IN (VECTOR INDEX gear_no_such_index FOR [0.5] WHERE n.collection IN [''] LIMIT 1)
RETURN n"""


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


def search_answer(code: str | None) -> bool | None:
    """Whether the server has the SEARCH clause, by the probe's error code; None if the code does not tell.

    A server with the clause only reports that the index does not exist; any other one cannot parse the statement.

    Example:
        >>> search_answer("Neo.ClientError.Schema.IndexNotFound")
        True
        >>> search_answer("Neo.ClientError.Statement.SyntaxError")
        False
        >>> search_answer("Neo.TransientError.General.MemoryPoolOutOfMemoryError") is search_answer(None) is None
        True
    """
    if code == "Neo.ClientError.Schema.IndexNotFound":
        return True
    return False if (code or "").startswith("Neo.ClientError.Statement.") else None
