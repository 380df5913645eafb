"""Web search with Tavily's public API, through its own client (extra ``web``)."""

import os
from collections.abc import Sequence
from typing import Any

from gear_neo4j.domain import Passage
from gear_neo4j.errors import SearchError, SettingsError

TIMEOUT = 20.0


class TavilySearch:
    """Searches the web with a Tavily API key.

    Args:
        api_key: the key; by default the value of ``TAVILY_API_KEY``.
        url: the address of another service with the same API.

    Raises:
        SettingsError: there is no key, or the extra ``web`` is not installed.
    """

    name = "tavily"

    def __init__(self, *, api_key: str | None = None, url: str | None = None) -> None:
        key = api_key or os.environ.get("TAVILY_API_KEY")
        if not key:
            raise SettingsError("TAVILY_API_KEY is not set: searching the web needs a key of Tavily's")
        try:
            from tavily import TavilyClient
        except ImportError as error:
            raise SettingsError("searching the web needs the extra: pip install 'gear-neo4j[web]'") from error
        self._client: Any = TavilyClient(api_key=key, api_base_url=url)

    def search(self, query: str, *, k: int) -> Sequence[Passage]:
        """At most k pages, each with the part that fits the query.

        Raises:
            SearchError: the service cannot be reached, refuses the key, or sends an invalid reply.
        """
        try:
            reply = self._client.search(query, max_results=k, timeout=TIMEOUT)
            return [_passage(row) for row in reply["results"] if row.get("url")][:k]
        except Exception as error:  # The client has no base class for its errors, and raises those of requests, too.
            reason = " ".join(str(error).split()) or type(error).__name__
            raise SearchError(f"tavily: {reason[:200]}") from error


def _passage(row: dict[str, Any]) -> Passage:
    url = str(row["url"])
    return Passage(url, str(row.get("title") or url), str(row.get("content") or ""), url)
