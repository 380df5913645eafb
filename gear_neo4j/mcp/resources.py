"""The resources, which return the same as the tools fetch and status, and the prompt."""

from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resources import ResourceSecurity
from pydantic import Field

from gear_neo4j.mcp import texts
from gear_neo4j.mcp.calls import Calls, resource_errors
from gear_neo4j.mcp.fitting import compact
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.tools import LONGEST_QUESTION

JSON = "application/json"
# An id is a key in the graph, not a file path: it may contain slashes and dots.
ANY_ID = ResourceSecurity(exempt_params=frozenset({"id"}))


def add_resources(server: MCPServer[Any], calls: Calls) -> None:
    """Register ``gear://passage/{id}`` and ``gear://status``."""

    @server.resource("gear://passage/{id}", title="A passage", description=texts.FETCH, mime_type=JSON, security=ANY_ID)
    async def passage(id: str) -> str:
        with resource_errors():
            return compact(await calls.run(lambda work: work.fetch(id)))

    @server.resource("gear://status", title="Status", description=texts.STATUS, mime_type=JSON)
    async def status() -> str:
        with resource_errors():
            return compact(await calls.run(lambda work: work.status()))


def add_prompt(server: MCPServer[Any], options: ServerOptions) -> None:
    """Register ``multi_hop(question)``."""

    @server.prompt(title="Multi-hop question", description=texts.PROMPT)
    def multi_hop(
        question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION, description=texts.QUESTION)],
    ) -> str:
        return texts.multi_hop(question, options.tool)
