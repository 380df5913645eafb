"""gear-neo4j as a LangChain retriever, and LangChain tools in the planner.

``from gear_neo4j.integrations.langchain import GearRetriever, LangChainTool``
"""

from typing import Any, Self

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import run_in_executor
from langchain_core.tools import BaseTool
from pydantic import ConfigDict, SkipValidation, model_validator

from gear_neo4j.agents.tools import ToolReply
from gear_neo4j.domain import Hit, Hits, Passage
from gear_neo4j.errors import SettingsError
from gear_neo4j.gear import Gear
from gear_neo4j.recipes import RetrieverRecipe
from gear_neo4j.registry import RETRIEVERS
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.retrieval.traced import noted, retrieval_span
from gear_neo4j.wire import hit_json, path_json


class GearRetriever(BaseRetriever):
    """Multi-hop retrieval over Neo4j as a LangChain retriever; each document carries the paths to it.

    Args:
        gear: the graph to search.
        retriever: a name or a recipe, as for :meth:`gear_neo4j.Gear.search`; or, instead of a gear, any object
            with our ``retrieve``.
        k: documents per question; ``invoke(question, k=3)`` overrides it.
        options: the options of the named recipe, each as an argument of its own: ``base="sbert"``.

    A document holds the passage's text and id; its metadata is JSON: ``title``, ``source``, ``position``,
    ``score``, ``rank``, ``retriever``, ``sources`` (the rankings that contain it, with its ranks) and ``paths``, best
    first, those that pass through this passage: ``text``, ``score``, ``triples`` and the ``cypher`` that shows the path
    in Neo4j Browser, ``statement`` and ``parameters``.

    Raises:
        SettingsError: neither a gear nor a retriever object is given, or both, or the recipe has no such option.
        GearError: on invocation, the errors of a search.

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
        retriever = arguments.get("retriever", "auto")
        if options and not isinstance(retriever, str):
            raise SettingsError(f"the retriever is complete as it is: leave out {', '.join(sorted(options))}")
        if isinstance(retriever, str):
            retriever = RETRIEVERS.recipe({"name": retriever, **options})
        return {**{name: arguments[name] for name in arguments.keys() - options.keys()}, "retriever": retriever}

    @model_validator(mode="after")
    def _require_one_graph(self) -> Self:
        recipe = self.retriever
        if isinstance(recipe, RetrieverRecipe):
            if self.gear is None:
                raise SettingsError("GearRetriever has nothing to search: give it gear=..., or a retriever object")
        elif not hasattr(recipe, "retrieve"):
            raise SettingsError(f"{recipe!r} is not a retriever: give a name, a recipe, or an object that retrieves")
        elif self.gear is not None:
            raise SettingsError("a retriever object brings its own graph: leave out gear")
        return self

    # LangChain passes the callback manager; a search has no intermediate events for it.
    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
        k: int | None = None,
    ) -> list[Document]:
        k = self.k if k is None else k
        with retrieval_span(query, k=k, source=self.gear.graph.name if self.gear else None) as active:
            hits = noted(active, self._resolve().retrieve(query, k=k))
        return [_document(hit, hits) for hit in hits]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        # LangChain's default implementation does not pass k on.
        return await run_in_executor(None, self._get_relevant_documents, query, run_manager=run_manager.get_sync(), k=k)

    def _resolve(self) -> Retriever:
        """The retriever; rebuilt from the recipe for each question, because the graph may have changed."""
        if self.gear is None:
            return self.retriever  # type: ignore[return-value]
        return self.gear.retriever(self.retriever)  # type: ignore[arg-type]


def _document(hit: Hit, hits: Hits) -> Document:
    passage, fields = hit.passage, hit_json(hit)
    metadata = {
        **{key: fields[key] for key in ("title", "source", "position", "score", "rank", "sources")},
        "retriever": hits.retriever,
        "paths": [path_json(path) for path in hits.paths if passage.id in path.passage_ids],
    }
    return Document(page_content=passage.text, id=passage.id, metadata=metadata)


class LangChainTool:
    """A LangChain tool as a tool of the planner: ``Planner(tools=(LangChainTool(tool),))``.

    Its name and description are the tool's own; it is invoked with the question, and its reply is the answer.

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
