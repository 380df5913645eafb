"""gear-neo4j as a component of Haystack 3 pipelines, sync and async.

``from gear_neo4j.integrations.haystack import GearRetriever``; extra ``[haystack]``.
"""

from typing import Any

from haystack import Document, component

from gear_neo4j.domain import Hits
from gear_neo4j.errors import SettingsError
from gear_neo4j.gear import Gear
from gear_neo4j.integrations.search import Search, metadata_of, recipe_of
from gear_neo4j.recipes.recipe import RetrieverRecipe
from gear_neo4j.retrieval.retriever import Retriever


@component
class GearRetriever:
    """Multi-hop retrieval over Neo4j as a Haystack component; each document carries the paths to it.

    Args:
        gear: the graph to search; a view of :meth:`gear_neo4j.Gear.scoped` searches what its caller may see.
        retriever: a name or a recipe, as for :meth:`gear_neo4j.Gear.search`; or, instead of a gear, any object
            with our ``retrieve``.
        k: documents per question; the input ``top_k`` overrides it.
        options: the options of the named recipe, as keyword arguments: ``base="sbert"``.

    A document has the passage's id, text and score; for its ``meta`` see
    :func:`gear_neo4j.integrations.search.metadata_of`.

    Raises:
        SettingsError: neither a gear nor a retriever object is given, or both, or the recipe has no such option.
        GearError: any error of a search.

    Usage::

        pipeline = Pipeline()
        pipeline.add_component("retriever", GearRetriever(gear, k=5))
        documents = pipeline.run({"query": "Where did the laureate study?"})["retriever"]["documents"]
    """

    def __init__(
        self,
        gear: Gear | None = None,
        *,
        retriever: str | RetrieverRecipe | Retriever = "auto",
        k: int = 10,
        **options: Any,
    ) -> None:
        self._search = Search(gear, recipe_of(retriever, options))
        self._k = k

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None, where: str | None = None) -> dict[str, list[Document]]:
        """Search.

        Args:
            query: the question.
            top_k: the maximum number of documents.
            where: a metadata filter for this search only, such as ``year >= 2020``.
        """
        return _documents(self._search.run(query, k=self._k if top_k is None else top_k, where=where))

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, top_k: int | None = None, where: str | None = None
    ) -> dict[str, list[Document]]:
        """See :meth:`run`; runs in a thread, and a cancelled search ends at its next step."""
        return _documents(await self._search.arun(query, k=self._k if top_k is None else top_k, where=where))

    def to_dict(self) -> dict[str, Any]:
        """Refused: an open connection and a scope cannot be saved.

        Raises:
            SettingsError: always.
        """
        raise SettingsError("a GearRetriever holds a connection to Neo4j, which cannot be saved: make it in Python")


def _documents(hits: Hits) -> dict[str, list[Document]]:
    documents = [
        Document(id=hit.passage.id, content=hit.passage.text, meta=metadata_of(hit, hits), score=hit.score)
        for hit in hits
    ]
    return {"documents": documents}
