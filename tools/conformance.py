"""The MCP server under the protocol's own conformance suite: ``python -m tools.conformance`` (``make conformance``).

The suite and the Node.js that it needs come from the npm registry into ``build/conformance``. No database is needed:
the scenarios call no tool of ours. Many need tools, resources and prompts of a test server, and cannot pass here; the
exit status is 1 if one of the others fails.
"""

import logging
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import uvicorn
from rich.console import Console
from rich.table import Table
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from gear_neo4j.errors import SettingsError
from gear_neo4j.mcp.http import PATH, mounted
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.server import make_server

if TYPE_CHECKING:
    from gear_neo4j.gear.front import Gear

PACKAGES = ("@modelcontextprotocol/conformance@0.1.16", "node@22.23.3")
FOLDER = Path(__file__).parents[1] / "build" / "conformance"
MODULES = FOLDER / "node_modules"
# Those that ask only for what every server has.
EXPECTED = frozenset(
    {
        *("server-initialize", "ping", "completion-complete", "tools-list", "tools-call-error"),
        *("resources-list", "prompts-list", "dns-rebinding-protection"),
    }
)
SECONDS = 60


def suite(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the suite with some arguments."""
    program = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    command = [str(MODULES / "node" / "bin" / "node"), str(program), *arguments]
    return subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False, timeout=SECONDS)


def scenarios() -> list[str]:
    """The scenarios for servers, in the suite's order."""
    listed = suite("list").stdout.split("Client scenarios")[0]
    return [line.split()[1] for line in listed.splitlines() if line.strip().startswith("- ")]


def no_database(_: Request | None) -> "Gear":
    """What a call gets."""
    raise SettingsError("there is no database")


@contextmanager
def served() -> Iterator[str]:
    """Serve the tools on loopback; yields their address."""
    part = mounted(make_server(no_database, options=ServerOptions(has_model=True)))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with part.lifespan():
            yield

    app = Starlette(routes=[Route(PATH, part.app)], lifespan=lifespan)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                sys.exit("the server did not start")
            time.sleep(0.05)
        (socket,) = server.servers[0].sockets
        yield f"http://127.0.0.1:{socket.getsockname()[1]}{PATH}"
    finally:
        server.should_exit = True
        thread.join()


def main() -> None:
    """Install, serve, run each scenario, print."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", *PACKAGES]
    subprocess.run(install, cwd=FOLDER, check=True)
    # The server reports each scenario that asks for what it does not have.
    logging.disable()
    table = Table("scenario", "result")
    failed = []
    with served() as url:
        for name in scenarios():
            passed = suite("server", "--url", url, "--scenario", name).returncode == 0
            if name in EXPECTED and not passed:
                failed.append(name)
            table.add_row(name, "passed" if passed else "FAILED" if name in EXPECTED else "needs a test server")
    Console().print(table)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
