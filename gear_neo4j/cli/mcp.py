"""``gear mcp``: the server for hosts of the Model Context Protocol."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from gear_neo4j.cli.options import CHAT, CONNECTION, EMBEDDING, Decorator, grouped, with_settings
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.scope import with_scope
from gear_neo4j.errors import SettingsError
from gear_neo4j.scope import Scope
from gear_neo4j.settings import Settings

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from gear_neo4j.gear import Gear

MISSING = "the MCP server needs the extra: pip install 'gear-neo4j[mcp]'"


def _option(name: str, *names: str, **options: Any) -> Decorator:
    """An option that a host can set in its environment, too."""
    variable = f"GEAR_MCP_{name.removeprefix('--').replace('-', '_').upper()}"
    help = f"{options.pop('help')}  [{variable}]"
    return click.option(name, *names, envvar=variable, help=help, **options)


HTTP: Sequence[Decorator] = (
    _option("--host", default="127.0.0.1", show_default=True, help="Address to listen on, over HTTP."),
    _option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True, help="Port, over HTTP."),
    _option(
        "--allowed-host", "allowed_hosts", multiple=True, help="Name by which clients reach the server; repeatable."
    ),
    _option("--allowed-origin", "allowed_origins", multiple=True, help="Page that may call it; repeatable."),
    _option(
        "--api-key-file", type=click.Path(path_type=Path), help="Keys, one in each line; a request then needs one."
    ),
)


TOOLS: Sequence[Decorator] = (
    _option("--namespace", default="", help="Prefix of the names of the tools."),
    _option(
        "--timeout",
        type=click.FloatRange(min=1),
        default=30.0,
        show_default=True,
        help="Seconds for a call but ask.",
    ),
    _option(
        "--max-chars", type=click.IntRange(min=1_000), default=20_000, show_default=True, help="Characters of a result."
    ),
    _option("--public-url", help="Where people can read passages; /passages/ID is appended."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpOptions:
    """How the server is reached over HTTP."""

    host: str
    port: int
    allowed_hosts: tuple[str, ...]
    allowed_origins: tuple[str, ...]
    api_key_file: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOptions:
    """What the tools are called, and what one call may take."""

    namespace: str
    timeout: float
    max_chars: int
    public_url: str | None


@click.command()
@_option(
    "--transport",
    type=click.Choice(["stdio", "http"]),
    default="stdio",
    show_default=True,
    help="Standard input and output, as hosts start it, or HTTP at /mcp.",
)
@grouped("http", HttpOptions, HTTP)
@grouped("tools", ToolOptions, TOOLS)
@with_scope
@with_settings(CHAT, CONNECTION, EMBEDDING)
def mcp(transport: str, http: HttpOptions, tools: ToolOptions, scope: Scope, settings: Settings) -> None:
    """Serve searches to assistants and editors over the Model Context Protocol (MCP).

    The tools are search, fetch, paths and status, and ask if a chat model is set. They only read, and the options of a
    scope hold for all of them. The first call connects and loads the embedding model; docs/mcp.md has the
    configurations of hosts.

    \b
    gear mcp --collection handbook --as group:staff
    """
    if find_spec("mcp") is None:
        raise SettingsError(MISSING)
    from gear_neo4j.mcp.opening import OneGear
    from gear_neo4j.mcp.options import ServerOptions
    from gear_neo4j.mcp.server import make_server

    options = ServerOptions(**asdict(tools), neo4j_uri=settings.uri, has_model=bool(settings.chat_model))
    gear = OneGear(lambda: _connect(settings), scope=scope)
    server = make_server(gear.gear_for, options=options)
    try:
        if transport == "stdio":
            _refuse_options_of_http()
            server.run("stdio")
        else:
            _serve(server, http)
    finally:
        gear.close()


def _serve(server: "MCPServer[Any]", options: HttpOptions) -> None:
    from gear_neo4j.mcp import http, keys

    accepted = keys.read_keys(options.api_key_file) if options.api_key_file else None
    http.require_key(options.host, accepted)
    app = http.http_app(server, keys=accepted, hosts=options.allowed_hosts, origins=options.allowed_origins)
    http.serve(app, host=options.host, port=options.port, on_start=lambda url: say(f"MCP server at {url}", err=True))


def _refuse_options_of_http() -> None:
    """Refuse options that would have no effect; in the environment they may stand, for another server."""
    context = click.get_current_context()
    for name in (field.name for field in fields(HttpOptions)):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            flag = f"--{name.removesuffix('s').replace('_', '-')}"
            raise click.UsageError(f"{flag} is for HTTP: leave it out, or add --transport http")


def _connect(settings: Settings) -> "Gear":
    from gear_neo4j.gear import Gear

    return Gear.connect(settings, create=False)
