"""The five tools; each reads, and none can widen the view that its request gets."""

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from gear_neo4j.errors import ModelError
from gear_neo4j.mcp import texts
from gear_neo4j.mcp.calls import Calls, tool_errors
from gear_neo4j.mcp.fitting import compact, fitted
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.results import AskResult, FetchResult, PathsResult, SearchResult, StatusResult
from gear_neo4j.printable import single_line

if TYPE_CHECKING:
    from gear_neo4j.agents.answer import Answer
    from gear_neo4j.agents.run import Event
    from gear_neo4j.gear.aio import AsyncGear
    from gear_neo4j.recipes import AgentRecipe

LONGEST_QUESTION = 4_000
LONGEST_ID = 4_000
LONGEST_NAME = 200
MESSAGE = 200
# Seconds that the last call of an agent may take once its budget is spent.
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
    """The tools of a server; what they need of gear-neo4j is imported by their first call."""

    def __init__(self, calls: Calls, options: ServerOptions) -> None:
        self._calls = calls
        self._options = options

    def add_to(self, server: MCPServer[Any]) -> None:
        """Register the tools; ``ask`` only where there is a language model."""
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
                    function, self._options.tool(name), title, description, annotations=harmless, structured_output=True
                )

    async def search(
        self, query: Query, k: K = 10, retriever: Retriever = None, base: Base = None
    ) -> Annotated[CallToolResult, SearchResult]:
        """Passages for a question, and the paths to them."""
        from gear_neo4j.gear.requests import requested_retriever
        from gear_neo4j.mcp.encode import encode_hits

        with tool_errors():
            recipe = requested_retriever(retriever, base=base)
            hits = await self._calls.run(lambda gear: gear.search(query, k=k, retriever=recipe))
            found = encode_hits(hits, public_url=self._options.public_url)
            return _result(fitted(found, parts=("paths", "results"), most=self._options.max_chars))

    async def fetch(self, id: Id) -> Annotated[CallToolResult, FetchResult]:
        """One passage by its id."""
        with tool_errors():
            return _result(await self.passage(id))

    async def passage(self, id: str) -> FetchResult:
        """The result of :meth:`fetch`, which is a resource, too."""
        from gear_neo4j.mcp.encode import encode_record

        record = await self._calls.run(lambda gear: gear.passage(id))
        found = encode_record(record, public_url=self._options.public_url)
        return fitted(found, parts=("metadata.triples", "text"), most=self._options.max_chars)

    async def paths(self, question: Question, limit: Limit = 20) -> Annotated[CallToolResult, PathsResult]:
        """How what a question names is connected."""
        with tool_errors():
            found = await self._calls.run(lambda gear: self._connected(gear, question, limit=limit))
            return _result(fitted(found, parts=("paths", "named"), most=self._options.max_chars))

    async def _connected(self, gear: "AsyncGear", question: str, *, limit: int) -> PathsResult:
        from gear_neo4j.mcp.encode import encode_connected
        from gear_neo4j.retrieval.paths import Paths

        connected = await gear.paths(question, options=Paths(max_paths=limit, facts=min(20, limit)))
        return encode_connected(connected, limit=limit, uri=self._options.neo4j_uri, database=gear.gear.graph.name)

    async def ask(
        self,
        context: Context[Any, Any],
        question: Question,
        agent: AgentName = None,
        max_steps: MaxSteps = None,
        seconds: Seconds = 45.0,
    ) -> Annotated[CallToolResult, AskResult]:
        """An answer with citations."""
        from gear_neo4j.gear.requests import requested_agent
        from gear_neo4j.mcp.encode import encode_answer

        with tool_errors():
            recipe = requested_agent(agent, max_steps=max_steps, max_seconds=seconds)
            answer = await self._calls.run(
                lambda gear: _answer(gear, question, recipe, context), seconds=seconds + LAST_CALL
            )
            if answer.failure and not answer.text:
                raise ModelError(f"{answer.failure}; the tool {self._options.tool('search')} needs no model")
            found = encode_answer(answer, public_url=self._options.public_url)
            return _result(fitted(found, parts=("steps", "citations", "answer"), most=self._options.max_chars))

    async def status(self) -> Annotated[CallToolResult, StatusResult]:
        """What the database holds."""
        with tool_errors():
            return _result(await self.state())

    async def state(self) -> StatusResult:
        """The result of :meth:`status`, which is a resource, too."""
        from gear_neo4j.mcp.encode import encode_status

        return encode_status(await self._calls.run(lambda gear: gear.status()))


async def _answer(gear: "AsyncGear", question: str, recipe: "AgentRecipe", context: Context[Any, Any]) -> "Answer":
    """Run an agent and report its events as progress; a client that goes away ends the run at its next step."""
    answer, number = None, 0
    async with aclosing(gear.stream(question, agent=recipe)) as events:
        async for event in events:
            answer = event.answer or answer
            # The pieces of an answer are too many, and not final.
            if event.kind != "token":
                number += 1
                await context.report_progress(number, message=_message(event))
    assert answer is not None  # the last event of a run that raises nothing
    return answer


def _message(event: "Event") -> str:
    text = event.text or "; ".join(map(str, event.facts))
    return single_line(f"{event.kind}: {text}" if text else event.kind)[:MESSAGE]


def _result(result: BaseModel) -> CallToolResult:
    """A result for programs, and the same as compact JSON for models."""
    text = TextContent(type="text", text=compact(result))
    return CallToolResult(content=[text], structured_content=result.model_dump(mode="json"))
