"""The SDK's own client against a server of ours, without an event loop in the test."""

import json
import threading
from contextlib import aclosing

import anyio
from mcp import Client

from gear_neo4j import AsyncGear
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.server import make_server
from tests.json_schema import violations


class Watched(AsyncGear):
    """Says when a stream has been left, and so its run told to end."""

    def __init__(self, gear):
        super().__init__(gear)
        self.left = threading.Event()

    async def stream(self, question, **options):
        try:
            async with aclosing(super().stream(question, **options)) as events:
                async for event in events:
                    yield event
        finally:
            self.left.set()


def server_over(gear, **options):
    """A server over one view."""
    agear = gear if isinstance(gear, AsyncGear) else AsyncGear(gear)

    async def gear_for(_):
        return agear

    return make_server(gear_for, options=ServerOptions(**options))


def talk(server, work, **options):
    """What ``work`` makes of a client; in memory, if the server is one of ours."""

    async def run():
        async with Client(server, **options) as client:
            return await work(client)

    return anyio.run(run)


def call(server, tool, /, **arguments):
    """The structured result of a tool."""
    return answered(server, tool, **arguments).structured_content


def answered(server, tool, /, **arguments):
    """The result of a tool, after a check that its text and its schema say the same."""

    async def work(client):
        await client.list_tools()
        return await client.call_tool(tool, arguments), (await client.list_tools()).tools

    result, tools = talk(server, work)
    assert not result.is_error, result.content[0].text
    schema = next(one.output_schema for one in tools if one.name == tool)
    assert result.structured_content == json.loads(result.content[0].text)
    assert [] == violations(result.structured_content, schema, root=schema)
    return result


def refused(server, tool, /, **arguments):
    """The message of a call that fails."""
    result = talk(server, lambda client: client.call_tool(tool, arguments))
    assert result.is_error
    return result.content[0].text
