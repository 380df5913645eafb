"""The addresses that results carry: of a passage, for people and clients, and of a path in Neo4j Browser."""

from urllib.parse import quote, urlencode, urlsplit

from gear_neo4j.domain import Cypher, Passage
from gear_neo4j.text.address import Address, is_web_url

AURA = ".databases.neo4j.io"


def passage_url(passage: Passage, *, public_url: str | None = None) -> str:
    """Where a passage can be read: the document's own ``url``, else below ``public_url``, else as a resource of MCP.

    A ``url`` in the metadata counts if it is one of the web, and holds no login.

    Example:
        >>> passage_url(Passage("p1", "Curie", "...", metadata={"url": "https://example.org/curie"}))
        'https://example.org/curie'
        >>> passage_url(Passage("legal/p1", "Curie", "..."), public_url="https://gear.example.org/")
        'https://gear.example.org/passages/legal%2Fp1'
        >>> passage_url(Passage("legal/p1", "Curie", "..."))
        'gear://passage/legal%2Fp1'
    """
    own = passage.metadata.get("url")
    if isinstance(own, str) and is_web_url(own):
        return own
    id = quote(passage.id, safe="")
    return f"{public_url.rstrip('/')}/passages/{id}" if public_url else f"gear://passage/{id}"


def browser_url(cypher: Cypher, *, uri: str | None, database: str) -> str:
    """The address that puts a query into the editor of the server's own Neo4j Browser; empty without a ``uri``.

    Nothing runs before the reader has signed in there and started it. A local server of ours has no Browser.

    Example:
        >>> browser_url(Cypher("RETURN $n", {"n": 1}), uri="bolt://db:7687", database="neo4j")
        'http://db:7474/browser/?dbms=bolt%3A%2F%2Fdb%3A7687&db=neo4j&cmd=edit&arg=%3Aparam%20n%20%3D%3E%201%3B%0ARETURN%20%24n'
    """
    if uri is None:
        return ""
    dbms = Address.of(uri, setting="NEO4J_URI").url
    parameters = {"dbms": dbms, "db": database, "cmd": "edit", "arg": str(cypher)}
    # Not every decoder takes a plus for a blank.
    return f"{_browser(dbms)}?{urlencode(parameters, quote_via=quote, safe='')}"


def _browser(dbms: str) -> str:
    """The Browser beside a server: at the default ports of Neo4j, or at Aura's."""
    parts = urlsplit(dbms)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    if parts.hostname and parts.hostname.endswith(AURA):
        return f"https://{host}/browser/"
    return f"https://{host}:7473/browser/" if "+s" in parts.scheme else f"http://{host}:7474/browser/"
