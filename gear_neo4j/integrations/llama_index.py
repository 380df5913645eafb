"""gear-neo4j as a LlamaIndex retriever: in a ``RetrieverQueryEngine``, or as a tool, sync and async.

``from gear_neo4j.integrations.llama_index import GearRetriever``; extra ``[llama-index]``.
"""

from typing import Any

from llama_index.core.callbacks import CallbackManager
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from gear_neo4j.domain import Hit, Hits
from gear_neo4j.gear import Gear
from gear_neo4j.integrations.search import Search, metadata_of, recipe_of
from gear_neo4j.recipes.recipe import RetrieverRecipe
from gear_neo4j.retrieval.retriever import Retriever

# The metadata that a model reads; paths and scores would fill its prompt.
READ = {"title", "source"}


class GearRetriever(BaseRetriever):
    """Multi-hop retrieval over Neo4j as a LlamaIndex retriever; each node carries the paths to it.

    Args:
        gear: the graph to search; a view of :meth:`gear_neo4j.Gear.scoped` searches what its caller may see.
        retriever: a name or a recipe, as for :meth:`gear_neo4j.Gear.search`; or, instead of a gear, any object
            with our ``retrieve``.
        k: nodes per question.
        callback_manager: LlamaIndex's callback manager; by default that of its settings.
        options: the options of the named recipe, as keyword arguments: ``base="sbert"``.

    A node has the passage's id and text; for its metadata see
    :func:`gear_neo4j.integrations.search.metadata_of`. A language model reads only ``title`` and ``source`` of it.
    ``aretrieve`` runs in a thread, so that the event loop is free; a cancelled search ends at its next step.

    Raises:
        SettingsError: neither a gear nor a retriever object is given, or both, or the recipe has no such option.
        GearError: any error of a search.

    Usage::

        engine = RetrieverQueryEngine.from_args(GearRetriever(gear, k=5), llm=llm)
        print(engine.query("Where did the laureate study?"))
    """

    def __init__(
        self,
        gear: Gear | None = None,
        *,
        retriever: str | RetrieverRecipe | Retriever = "auto",
        k: int = 10,
        callback_manager: CallbackManager | None = None,
        **options: Any,
    ) -> None:
        self._search = Search(gear, recipe_of(retriever, options))
        self._k = k
        super().__init__(callback_manager=callback_manager)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(self._search.run(query_bundle.query_str, k=self._k))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(await self._search.arun(query_bundle.query_str, k=self._k))


def _nodes(hits: Hits) -> list[NodeWithScore]:
    return [NodeWithScore(node=_node(hit, hits), score=hit.score) for hit in hits]


def _node(hit: Hit, hits: Hits) -> TextNode:
    metadata = metadata_of(hit, hits)
    unread = sorted(metadata.keys() - READ)
    return TextNode(
        id_=hit.passage.id,
        text=hit.passage.text,
        metadata=metadata,
        excluded_llm_metadata_keys=unread,
        excluded_embed_metadata_keys=unread,
    )
