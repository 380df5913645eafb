"""The resources, which return the same as the tools fetch and status, and the prompt."""

from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resources import ResourceSecurity
from mcp_types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference
from pydantic import Field

from gear_neo4j.mcp import texts
from gear_neo4j.mcp.calls import Calls, resource_errors
from gear_neo4j.mcp.fitting import compact
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.tools import LONGEST_QUESTION

JSON = "application/json"
PASSAGE = "gear://passage/{id}"
# By the protocol.
MOST_COMPLETED = 100
# An id is a key in the graph, not a file path: it may contain slashes and dots.
ANY_ID = ResourceSecurity(exempt_params=frozenset({"id"}))


def add_resources(server: MCPServer[Any], calls: Calls) -> None:
    """Register ``gear://passage/{id}`` and ``gear://status``."""

    @server.resource(PASSAGE, title="A passage", description=texts.FETCH, mime_type=JSON, security=ANY_ID)
    async def passage(id: str) -> str:
        with resource_errors():
            return compact(await calls.run(lambda work: work.fetch(id)))

    @server.resource("gear://status", title="Status", description=texts.STATUS, mime_type=JSON)
    async def status() -> str:
        with resource_errors():
            return compact(await calls.run(lambda work: work.status()))


def add_completion(server: MCPServer[Any], calls: Calls) -> None:
    """Complete the id of ``gear://passage/{id}``."""

    # The SDK's decorator has no types.
    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(
        ref: PromptReference | ResourceTemplateReference, argument: CompletionArgument, _: CompletionContext | None
    ) -> Completion | None:
        if not isinstance(ref, ResourceTemplateReference) or ref.uri != PASSAGE or argument.name != "id":
            return None
        with resource_errors():
            ids = await calls.run(lambda work: work.ids(argument.value, limit=MOST_COMPLETED + 1))
            return Completion(values=ids[:MOST_COMPLETED], has_more=len(ids) > MOST_COMPLETED)


def add_prompt(server: MCPServer[Any], options: ServerOptions) -> None:
    """Register ``multi_hop(question)``."""

    @server.prompt(title="Multi-hop question", description=texts.PROMPT)
    def multi_hop(
        question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION, description=texts.QUESTION)],
    ) -> str:
        return texts.multi_hop(question, options.tool)
