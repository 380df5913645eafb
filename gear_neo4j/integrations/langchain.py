"""gear-neo4j as a LangChain retriever, and LangChain tools in the planner.

``from gear_neo4j.integrations.langchain import GearRetriever, LangChainTool``
"""

from typing import Any, Self

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool
from pydantic import ConfigDict, SkipValidation, model_validator

from gear_neo4j.agents.tools import ToolReply
from gear_neo4j.domain import Hit, Hits, Passage
from gear_neo4j.gear import Gear
from gear_neo4j.integrations.search import Search, metadata_of, recipe_of
from gear_neo4j.recipes.recipe import RetrieverRecipe
from gear_neo4j.retrieval.retriever import Retriever


class GearRetriever(BaseRetriever):
    """Multi-hop retrieval over Neo4j as a LangChain retriever; each document carries the paths to it.

    Args:
        gear: the graph to search; a view of :meth:`gear_neo4j.Gear.scoped` searches what its caller may see.
        retriever: a name or a recipe, as for :meth:`gear_neo4j.Gear.search`; or, instead of a gear, any object
            with our ``retrieve``.
        k: documents per question; ``invoke(question, k=3)`` overrides it.
        options: the options of the named recipe, as keyword arguments: ``base="sbert"``.

    ``invoke(question, where="year >= 2020")`` narrows one search by a metadata filter. A document has the passage's
    text and id; for its metadata see :func:`gear_neo4j.integrations.search.metadata_of`.

    Raises:
        SettingsError: neither a gear nor a retriever object is given, or both, or the recipe has no such option.
        GearError: any error of a search.

    Usage::

        retriever = GearRetriever(gear=gear, retriever="naive", base="hybrid", k=5)
        for document in retriever.invoke("Where did the laureate study?"):
            print(document.metadata["title"], [path["text"] for path in document.metadata["paths"]])
    """

    # A misspelt option must not be ignored.
    model_config = ConfigDict(extra="forbid", frozen=True)

    gear: Gear | None = None
    retriever: SkipValidation[str | RetrieverRecipe | Retriever] = "auto"
    k: int = 10

    @model_validator(mode="before")
    @classmethod
    def _with_options(cls, arguments: Any) -> Any:
        """Move arguments that are not fields of the model into the options of the recipe."""
        if not isinstance(arguments, dict):
            return arguments
        options = {name: arguments[name] for name in arguments.keys() - cls.model_fields.keys()}
        fields = {name: arguments[name] for name in arguments.keys() - options.keys()}
        return {**fields, "retriever": recipe_of(arguments.get("retriever", "auto"), options)}

    @model_validator(mode="after")
    def _require_one_graph(self) -> Self:
        self._search()
        return self

    # LangChain passes the callback manager; a search has no intermediate events for it.
    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
        k: int | None = None,
        where: object = None,
    ) -> list[Document]:
        return _documents(self._search().run(query, k=self.k if k is None else k, where=where))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002
        k: int | None = None,
        where: object = None,
    ) -> list[Document]:
        return _documents(await self._search().arun(query, k=self.k if k is None else k, where=where))

    def _search(self) -> Search:
        return Search(self.gear, self.retriever)  # type: ignore[arg-type]  # a name has become a recipe


def _documents(hits: Hits) -> list[Document]:
    return [Document(page_content=hit.passage.text, id=hit.passage.id, metadata=metadata_of(hit, hits)) for hit in hits]


class LangChainTool:
    """A LangChain tool as a tool of the planner: ``Planner(tools=(LangChainTool(tool),))``.

    It keeps the tool's name and description; the tool is invoked with the question, and its reply is the answer.

    Example:
        >>> from langchain_core.tools import tool
        >>> @tool
        ... def spelled(question: str) -> str:
        ...     '''How something is spelled.'''
        ...     return " ".join(question)
        >>> LangChainTool(spelled).run("Ana").answer
        'A n a'
    """

    def __init__(self, tool: BaseTool) -> None:
        self._tool = tool
        self.name = tool.name
        self.description = " ".join(tool.description.split())

    def run(self, question: str) -> ToolReply:
        """The tool's reply as an answer and as a citable passage."""
        reply = str(self._tool.invoke(question))
        passage = Passage(f"{self.name}: {question}", self.name, reply)
        return ToolReply(reply, (Hit(passage, 0.0, 1),) if reply.strip() else ())
