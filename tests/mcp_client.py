"""The SDK's own client for our servers, without an event loop in the test."""

import json

import anyio
from mcp import Client

from gear_neo4j.cancellation import current_flag
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.server import make_server
from tests.json_schema import violations


class Watched:
    """A view that keeps the flag that cancels its last answer."""

    def __init__(self, gear):
        self.gear = gear
        self.flag = None

    def ask(self, question, **options):
        self.flag = current_flag()
        return self.gear.ask(question, **options)

    def __getattr__(self, name):
        return getattr(self.gear, name)


def server_over(gear, **options):
    """A server over one view."""
    return make_server(lambda _: gear, options=ServerOptions(**options))


def talk(server, work, **options):
    """The result of ``work`` with a client; in memory, if the server is one of ours."""

    async def run():
        async with Client(server, **options) as client:
            return await work(client)

    return anyio.run(run)


def call(server, tool, /, **arguments):
    """The structured result of a tool."""
    return answered(server, tool, **arguments).structured_content


def answered(server, tool, /, **arguments):
    """The result of a tool, after checking that its text and its structured content agree."""

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
    """The message of a failed call."""
    result = talk(server, lambda client: client.call_tool(tool, arguments))
    assert result.is_error
    return result.content[0].text
