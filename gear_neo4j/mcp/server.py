"""The server, which lists its tools at once: it opens no model and no connection before the first call."""

from importlib.metadata import version
from typing import Any

from mcp.server import MCPServer

from gear_neo4j.mcp import texts
from gear_neo4j.mcp.calls import Calls, GearFor, OnEnd, keep_request
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.picture import make_app
from gear_neo4j.mcp.resources import add_completion, add_prompt, add_resources
from gear_neo4j.mcp.tools import Tools
from gear_neo4j.threads import ThreadLimiter


def make_server(
    gear_for: GearFor,
    *,
    options: ServerOptions = ServerOptions(),
    on_end: OnEnd = lambda _request, _work: None,
    limiter: ThreadLimiter | None = None,
) -> MCPServer[Any]:
    """A server over the views that ``gear_for`` finds, one for each request.

    Args:
        gear_for: gets the HTTP request of a call (None over stdio and in memory) and returns the view of its sender. It
            is called for each call, in a thread; the client sees the message of a :class:`gear_neo4j.GearError`.
        on_end: gets the request and the work of each finished call, for a log: ``work.passages``, ``work.usage``.
        limiter: the threads of the calls; the host closes it before the database.

    Usage::

        gear = Gear.connect(create=False)
        make_server(lambda request: gear).run("stdio")
    """
    server: MCPServer[Any] = MCPServer(
        name="gear-neo4j",
        title="gear-neo4j",
        description="Multi-hop search over a knowledge graph of documents in Neo4j",
        instructions=texts.instructions(options.tool),
        version=version("gear-neo4j"),
        log_level="WARNING",
        middleware=[keep_request],
        subscriptions=False,
        extensions=[make_app()],
    )
    calls = Calls(gear_for, options=options, on_end=on_end, limiter=limiter)
    Tools(calls, options).add_to(server)
    add_resources(server, calls)
    add_completion(server, calls)
    add_prompt(server, options)
    return server
