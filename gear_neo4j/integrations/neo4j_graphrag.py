"""gear-neo4j as a retriever for neo4j-graphrag: in its ``GraphRAG``, beside its retrievers, and as a tool.

``from gear_neo4j.integrations.neo4j_graphrag import GearRetriever``; extra ``[neo4j-graphrag]``.
"""

from collections.abc import Callable
from typing import Any, Optional

from neo4j_graphrag.retrievers.base import Retriever as PeerRetriever
from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem

from gear_neo4j.domain import Hit, Hits
from gear_neo4j.gear import Gear
from gear_neo4j.graph.connection.database import Record
from gear_neo4j.integrations.search import Search, metadata_of, recipe_of
from gear_neo4j.recipes.recipe import RetrieverRecipe
from gear_neo4j.retrieval.retriever import Retriever

Formatter = Callable[[Record], RetrieverResultItem]


class GearRetriever(PeerRetriever):
    """Multi-hop retrieval over Neo4j as a neo4j-graphrag retriever; each item carries the paths to it.

    Args:
        gear: the graph to search; a view of :meth:`gear_neo4j.Gear.scoped` searches what its caller may see.
        retriever: a name or a recipe, as for :meth:`gear_neo4j.Gear.search`; or, instead of a gear, any object
            with our ``retrieve``.
        k: items per question; ``search(top_k=3)`` overrides it.
        result_formatter: makes an item from a record with ``content`` and ``metadata``; by default the item has both.
        options: the options of the named recipe, as keyword arguments: ``base="sbert"``.

    An item's content is the passage's title and text; its metadata has ``id`` and the fields of
    :func:`gear_neo4j.integrations.search.metadata_of`.

    Raises:
        SettingsError: neither a gear nor a retriever object is given, or both, or the recipe has no such option.
        GearError: any error of a search.

    Usage::

        rag = GraphRAG(retriever=GearRetriever(gear), llm=llm)
        print(rag.search("Where did the laureate study?", return_context=True).answer)
    """

    # The server was checked when the gear connected.
    VERIFY_NEO4J_VERSION = False

    def __init__(
        self,
        gear: Gear | None = None,
        *,
        retriever: str | RetrieverRecipe | Retriever = "auto",
        k: int = 10,
        result_formatter: Formatter | None = None,
        **options: Any,
    ) -> None:
        # The base constructor is not called: it would change the user agent of the caller's driver.
        self._search = Search(gear, recipe_of(retriever, options))
        self._k = k
        self.neo4j_database = gear.graph.name if gear else None
        self.result_formatter = result_formatter

    # For optional numbers, neo4j-graphrag's tool schema only supports ``Optional``.
    def get_search_results(self, query_text: str, top_k: Optional[int] = None) -> RawSearchResult:  # noqa: UP045
        """The best passages for a question, and the paths through the graph that led to them.

        Args:
            query_text: the question.
            top_k: the maximum number of passages.
        """
        hits = self._search.run(query_text, k=self._k if top_k is None else top_k)
        records = [_record(hit, hits) for hit in hits]
        return RawSearchResult(records=records, metadata={"retriever": hits.retriever, "exact": hits.exact})

    def default_record_formatter(self, record: Record) -> RetrieverResultItem:
        """The record's content and metadata as an item."""
        return RetrieverResultItem(content=record["content"], metadata=record["metadata"])


def _record(hit: Hit, hits: Hits) -> Record:
    metadata = {"id": hit.passage.id, **metadata_of(hit, hits)}
    return Record({"content": hit.passage.content, "metadata": metadata})  # type: ignore[no-untyped-call]
