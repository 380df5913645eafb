"""The five tools, which are read-only and cannot widen the view of their request."""

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from gear_neo4j.mcp import picture, texts
from gear_neo4j.mcp.calls import Calls, tool_errors
from gear_neo4j.mcp.fitting import compact
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.results import AskResult, FetchResult, PathsResult, SearchResult, StatusResult

if TYPE_CHECKING:
    from gear_neo4j.mcp.work import Work

LONGEST_QUESTION = 4_000
LONGEST_ID = 4_000
LONGEST_NAME = 200
# Seconds for the last model call of an agent after its budget is spent.
LAST_CALL = 10.0

Query = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION, description=texts.QUERY)]
Question = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION, description=texts.QUESTION)]
K = Annotated[int, Field(ge=1, le=50, description=texts.K)]
Retriever = Annotated[str | None, Field(max_length=LONGEST_NAME, description=texts.RETRIEVER)]
Base = Annotated[str | None, Field(max_length=LONGEST_NAME, description=texts.BASE)]
Id = Annotated[str, Field(max_length=LONGEST_ID, description=texts.ID)]
Limit = Annotated[int, Field(ge=1, le=50, description=texts.LIMIT)]
AgentName = Annotated[str | None, Field(max_length=LONGEST_NAME, description=texts.AGENT)]
MaxSteps = Annotated[int | None, Field(ge=1, le=4, description=texts.MAX_STEPS)]
Seconds = Annotated[float, Field(ge=5, le=55, description=texts.SECONDS)]


class Tools:
    """The tools of a server: their arguments, and their results as clients get them."""

    def __init__(self, calls: Calls, options: ServerOptions) -> None:
        self._calls = calls
        self._options = options

    def add_to(self, server: MCPServer[Any]) -> None:
        """Register the tools; ``ask`` only if there is a language model."""
        tools: list[tuple[str, str, str, Callable[..., Any]]] = [
            ("search", "Multi-hop search", texts.SEARCH, self.search),
            ("fetch", "A passage", texts.FETCH, self.fetch),
            ("paths", "Paths between entities", texts.PATHS, self.paths),
            ("ask", "An answer with citations", texts.ASK, self.ask),
            ("status", "Status", texts.STATUS, self.status),
        ]
        harmless = ToolAnnotations(read_only_hint=True, open_world_hint=False)
        for name, title, description, function in tools:
            if name != "ask" or self._options.has_model:
                server.add_tool(
                    function,
                    self._options.tool(name),
                    title,
                    description,
                    annotations=harmless,
                    structured_output=True,
                    meta=picture.tool_metadata(name),
                )

    async def search(
        self, query: Query, k: K = 10, retriever: Retriever = None, base: Base = None
    ) -> Annotated[CallToolResult, SearchResult]:
        """Passages for a question, and the paths to them."""
        with tool_errors():
            return await self._drawn(lambda work: work.search(query, k=k, retriever=retriever, base=base))

    async def fetch(self, id: Id) -> Annotated[CallToolResult, FetchResult]:
        """One passage by its id."""
        with tool_errors():
            return _result(await self._calls.run(lambda work: work.fetch(id)))

    async def paths(self, question: Question, limit: Limit = 20) -> Annotated[CallToolResult, PathsResult]:
        """The connections between the entities that a question names."""
        with tool_errors():
            return await self._drawn(lambda work: work.paths(question, limit=limit))

    async def ask(
        self,
        context: Context[Any, Any],
        question: Question,
        agent: AgentName = None,
        max_steps: MaxSteps = None,
        seconds: Seconds = 45.0,
    ) -> Annotated[CallToolResult, AskResult]:
        """An answer with citations; each event of the run is reported as progress."""

        numbers = count(1)

        async def report(message: str) -> None:
            await context.report_progress(next(numbers), message=message)

        def ask(work: "Work") -> AskResult:
            return work.ask(question, agent=agent, max_steps=max_steps, seconds=seconds)

        with tool_errors():
            return await self._drawn(ask, seconds=seconds + LAST_CALL, report=report)

    async def status(self) -> Annotated[CallToolResult, StatusResult]:
        """The contents of the database."""
        with tool_errors():
            return _result(await self._calls.run(lambda work: work.status()))

    async def _drawn(self, task: Callable[["Work"], BaseModel], **options: Any) -> CallToolResult:
        """The result of a task, with the paths to what it shows as metadata, for a picture of them."""
        result, walks = await self._calls.run(lambda work: (task(work), work.walks), **options)
        return _result(result, picture.result_metadata(walks, fetch=self._options.tool("fetch")))


def _result(result: BaseModel, metadata: dict[str, Any] | None = None) -> CallToolResult:
    """A result as structured content for programs, and as compact JSON for models."""
    text = TextContent(type="text", text=compact(result))
    return CallToolResult(content=[text], structured_content=result.model_dump(mode="json"), _meta=metadata)
