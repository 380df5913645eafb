"""The options of a server, which no call can change."""

import re
from dataclasses import dataclass

from gear_neo4j.errors import SettingsError
from gear_neo4j.text.address import is_public_url

LEAST_CHARS = 1_000
_NAMESPACE = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """The options of a server.

    Args:
        namespace: prefix of the names of the tools, for hosts with several servers.
        timeout: seconds for a call of any tool but ``ask``.
        max_chars: maximum length of a result as JSON.
        public_url: base address of passages for people; ``/passages/{id}`` is appended.
        neo4j_uri: the address of the database, for links to its Neo4j Browser.
        has_model: whether there is a language model, and so the tool ``ask``.

    Raises:
        SettingsError: a value cannot be used.
    """

    namespace: str = ""
    timeout: float = 30.0
    max_chars: int = 20_000
    public_url: str | None = None
    neo4j_uri: str | None = None
    has_model: bool = False

    def __post_init__(self) -> None:
        if self.namespace and not _NAMESPACE.fullmatch(self.namespace):
            raise SettingsError(f"the namespace {self.namespace!r} may hold letters, digits, _ and -, at most 40")
        if not 0 < self.timeout < float("inf"):
            raise SettingsError(f"the timeout is {self.timeout}: it must be a number of seconds above 0")
        if self.max_chars < LEAST_CHARS:
            raise SettingsError(f"max_chars is {self.max_chars}: it must be at least {LEAST_CHARS:,}")
        if self.public_url is not None and not is_public_url(self.public_url):
            raise SettingsError("the public URL must begin with https:// or http:// and name a host")

    def tool(self, name: str) -> str:
        """The name of a tool as clients see it.

        Example:
            >>> ServerOptions(namespace="papers").tool("search"), ServerOptions().tool("search")
            ('papers_search', 'search')
        """
        return f"{self.namespace}_{name}" if self.namespace else name
