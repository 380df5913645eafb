"""``gear mcp``: the server for hosts of the Model Context Protocol."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from gear_neo4j.cli.options import CHAT, CONNECTION, EMBEDDING, RERANK, Decorator, with_settings
from gear_neo4j.cli.scope import with_scope
from gear_neo4j.errors import SettingsError
from gear_neo4j.scope import Scope
from gear_neo4j.settings import Settings

if TYPE_CHECKING:
    from gear_neo4j.gear import Gear

MISSING = "the MCP server needs the extra: pip install 'gear-neo4j[mcp]'"


def _option(name: str, *names: str, **options: Any) -> Decorator:
    """An option that a host can also set in its environment."""
    variable = f"GEAR_MCP_{name.removeprefix('--').replace('-', '_').upper()}"
    help = f"{options.pop('help')}  [{variable}]"
    return click.option(name, *names, envvar=variable, help=help, **options)


@click.command()
@_option("--namespace", default="", help="Prefix of the names of the tools.")
@_option(
    "--timeout",
    type=click.FloatRange(min=1),
    default=30.0,
    show_default=True,
    help="Timeout of all calls but ask, in seconds.",
)
@_option(
    "--max-chars", type=click.IntRange(min=1_000), default=20_000, show_default=True, help="Maximum length of a result."
)
@_option("--public-url", help="Where people can read passages; /passages/ID is appended.")
@with_scope
@with_settings(CHAT, CONNECTION, EMBEDDING, RERANK)
def mcp(
    namespace: str,
    timeout: float,
    max_chars: int,
    public_url: str | None,
    scope: Scope,
    settings: Settings,
) -> None:
    """Serve searches to assistants and editors over the Model Context Protocol (MCP).

    The tools are search, fetch, paths and status, and ask if a chat model is set. They only read, and the scope options
    apply to all of them. The first call connects and loads the embedding model; docs/mcp.md has the
    configurations of hosts. It speaks over standard input and output; gear serve has the same tools over HTTP, at /mcp.

    \b
    gear mcp --collection handbook --as group:staff
    """
    if find_spec("mcp") is None:
        raise SettingsError(MISSING)
    from gear_neo4j.mcp.calls import CLOSING_SECONDS, call_limiter
    from gear_neo4j.mcp.opening import OneGear
    from gear_neo4j.mcp.options import ServerOptions
    from gear_neo4j.mcp.server import make_server

    options = ServerOptions(
        namespace=namespace,
        timeout=timeout,
        max_chars=max_chars,
        public_url=public_url,
        neo4j_uri=settings.uri,
        has_model=bool(settings.chat_model),
    )
    gear, limiter = OneGear(lambda: _connect(settings), scope=scope), call_limiter()
    try:
        make_server(gear.gear_for, options=options, limiter=limiter).run("stdio")
    finally:
        limiter.close(seconds=CLOSING_SECONDS)
        gear.close()


def _connect(settings: Settings) -> "Gear":
    from gear_neo4j.gear import Gear

    return Gear.connect(settings, create=False)
