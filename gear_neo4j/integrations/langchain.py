"""gear-neo4j as a retriever of LangChain, and LangChain's tools in our plans.

``from gear_neo4j.integrations.langchain import GearRetriever, LangChainTool``
"""

from typing import Self

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import run_in_executor
from langchain_core.tools import BaseTool
from pydantic import ConfigDict, model_validator

from gear_neo4j.agents.tools import ToolReply
from gear_neo4j.domain import Hit, Hits, Passage
from gear_neo4j.errors import SettingsError
from gear_neo4j.gear import Gear
from gear_neo4j.retrieval.beam import Beam
from gear_neo4j.retrieval.catalogue import BaseName, RetrieverName
from gear_neo4j.retrieval.expansion import Score
from gear_neo4j.retrieval.retrievers import BASE_K, Retriever
from gear_neo4j.wire import hit_json, path_json


class GearRetriever(BaseRetriever):
    """Multi-hop retrieval over Neo4j wherever LangChain takes a retriever; each document brings the paths to it.

    Args:
        gear: what is searched; ``retriever``, ``base``, ``beam``, ``score`` and ``base_k`` are the options of
            :meth:`gear_neo4j.Gear.search`, read at each question.
        retriever: a name, or instead of a gear and its options any object that retrieves as ours do.
        k: how many documents a question gets; ``invoke(question, k=3)`` asks for another number.

    A document holds the passage's text and id; its metadata, which is all JSON: ``title``, ``source``, ``position``,
    ``score``, ``rank``, ``retriever``, ``sources`` (the lists it was found in, with its rank there) and ``paths``, best
    first, those that pass through this passage, in the shape of docs/wire.md: ``text``, ``score``, ``triples``, the
    ``cypher`` that shows the path in Neo4j Browser, and more.

    Raises:
        SettingsError: neither a gear nor a retriever object is given, or both.
        GearError: asked a question, whatever the search itself raises.

    Usage::

        retriever = GearRetriever(gear=gear, k=5, base="hybrid")
        for document in retriever.invoke("Where did the laureate study?"):
            print(document.metadata["title"], [path["text"] for path in document.metadata["paths"]])
    """

    # An option with a slip in its name must not be passed over.
    model_config = ConfigDict(extra="forbid", frozen=True)

    gear: Gear | None = None
    retriever: RetrieverName | Retriever = "naive"
    base: BaseName = "hybrid"
    beam: Beam = Beam()
    score: Score = "composed"
    base_k: int = BASE_K
    k: int = 10

    @model_validator(mode="after")
    def _one_to_ask(self) -> Self:
        if self.gear is None and isinstance(self.retriever, str):
            raise SettingsError("GearRetriever has nothing to search: give it gear=..., or a retriever object")
        options = ("gear", "base", "beam", "score", "base_k")
        fields = type(self).model_fields
        unused = [name for name in options if getattr(self, name) != fields[name].default]
        if not isinstance(self.retriever, str) and unused:
            raise SettingsError(f"a retriever object is asked as it is: leave out {', '.join(unused)}")
        return self

    # The manager of callbacks is LangChain's to hand over; a search has nothing to tell it in between.
    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
        k: int | None = None,
    ) -> list[Document]:
        hits = self._asked().retrieve(query, k=self.k if k is None else k)
        return [_document(hit, hits) for hit in hits]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        # LangChain's own version of this does not hand on k.
        return await run_in_executor(None, self._get_relevant_documents, query, run_manager=run_manager.get_sync(), k=k)

    def _asked(self) -> Retriever:
        if not isinstance(self.retriever, str):
            return self.retriever
        assert self.gear  # _one_to_ask saw to it
        return self.gear.retriever(self.retriever, base=self.base, beam=self.beam, score=self.score, base_k=self.base_k)


def _document(hit: Hit, hits: Hits) -> Document:
    passage, fields = hit.passage, hit_json(hit)
    metadata = {
        **{key: fields[key] for key in ("title", "source", "position", "score", "rank", "sources")},
        "retriever": hits.retriever,
        "paths": [path_json(path) for path in hits.paths if passage.id in path.passage_ids],
    }
    return Document(page_content=passage.text, id=passage.id, metadata=metadata)


class LangChainTool:
    """Any tool of LangChain as one that :meth:`gear_neo4j.Gear.planner` can plan with.

    Its name and description are the tool's own; it is invoked with the question, and what it gives back is the answer.

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
        """What the tool says, as an answer and as a text that can be cited."""
        said = str(self._tool.invoke(question))
        passage = Passage(f"{self.name}: {question}", self.name, said)
        return ToolReply(said, (Hit(passage, 0.0, 1),) if said.strip() else ())
