"""``gear up``, ``down``, ``status`` and ``migrate``: the local server and the schema of a database."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from gear_neo4j.cli.options import CONNECTION, EMBEDDING, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.progress import waiting
from gear_neo4j.cli.screen import Screen
from gear_neo4j.errors import MigrationError
from gear_neo4j.server import local
from gear_neo4j.settings import Settings

NAME = click.option("--name", help="Name of the local server; each has its own data.  [GEAR_NAME; default: default]")


@click.command()
@NAME
@click.option("--port", type=click.IntRange(1, 65535), help="Bolt port.  [default: its last one, 7687, or a free one]")
@click.option("--keep", is_flag=True, help="Run until gear down; otherwise it stops once it is idle.")
def up(name: str | None, port: int | None, keep: bool) -> None:
    """Start a local Neo4j, or show its address if it runs: for development, demos and tests, not for production.

    The first start downloads Neo4j Community (free software, GPLv3) from Maven Central. Half an hour after the last
    query (GEAR_LOCAL_IDLE) the server stops; its data stays, and the next command starts it again.
    """
    settings = Settings.load()
    with waiting("starting") as report:
        server = local.start(
            name=name or settings.name,
            home=settings.home,
            version=settings.neo4j_version,
            port=port,
            idle=settings.local_idle,
            keep=keep,
            report=report,
        )
    say(f"Neo4j {server.version} ({server.name}) at {server.uri}; data and password in {server.home}")
    if server.java:
        say(f"It runs on Java {server.java}.")
    say("Neo4j Community, GPLv3, runs as a separate process; for development, demos and tests.")
    say(f"export NEO4J_URI={server.uri} NEO4J_USERNAME={server.username} ", nl=False)
    say(f'NEO4J_PASSWORD="$(cat {server.home / "password"})"')


@click.command()
@NAME
def down(name: str | None) -> None:
    """Stop a local Neo4j; its data stays."""
    settings = Settings.load()
    local.require(name=name or settings.name, home=settings.home)
    stopped = local.stop(name=name or settings.name, home=settings.home)
    say(f"{name or settings.name}: {'stopped' if stopped else 'was not running'}")


@click.command()
@click.option("--name", help="Show only this server.")
@json_option
def status(name: str | None, json_file: Path | None) -> None:
    """List the local servers: state, address and disk usage."""
    home = Settings.load().home
    if name:
        local.require(name=name, home=home)
    servers = [server for server in local.servers(home=home) if name in (None, server.name)]
    if emit(json_file, [_document(server) for server in servers]):
        return
    if not servers:
        say("no local server: run 'gear up' to start one")
        return
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("name", "state", "version", "address", "data", "stops"):
        table.add_column(column)
    for server in servers:
        state = Text("running", style="green") if server.running else "stopped"
        size = f"{server.size / 1e6:,.0f} MB"
        table.add_row(server.name, state, server.version or "", server.uri or "", size, _end(server))
    Screen().print(table)


def _document(server: local.ServerStatus) -> dict[str, Any]:
    stops_at = server.stops_at.isoformat(timespec="seconds") if server.stops_at else None
    return asdict(server) | {"stops_at": stops_at}


def _end(server: local.ServerStatus) -> str:
    """When a server stops, in the time of this machine."""
    if not server.running:
        return ""
    return f"{server.stops_at.astimezone():%H:%M} unless used" if server.stops_at else "at gear down"


@click.command()
@click.option("--check", is_flag=True, help="Change nothing; report what is missing, with exit code 2.")
@click.option(
    "--rebuild",
    is_flag=True,
    help="Also rebuild the vector indexes, which then filter by collection if the server can; searches wait meanwhile.",
)
@with_settings(CONNECTION, EMBEDDING)
def migrate(check: bool, rebuild: bool, settings: Settings) -> None:
    """Migrate a database to the latest schema, and verify its indexes."""
    if check and rebuild:
        raise click.UsageError("--check changes nothing, --rebuild does: give only one of them")
    with opened(settings) as gear:
        missing = gear.graph.pending_migrations()
        if check and missing:
            raise MigrationError(
                f"{gear.graph.name} lacks {', '.join(migration.source for migration in missing)}: run 'gear migrate'"
            )
        if check:
            gear.graph.store.require_model(name=gear.embedder.name, dimension=gear.embedder.dimension)
            gear.graph.verify(dimension=gear.embedder.dimension)
        else:
            gear.corpus.prepare()
            if rebuild:
                gear.graph.rebuild_indexes(dimension=gear.embedder.dimension)
            with waiting("building indexes") as report:
                gear.graph.await_online(on_percent=lambda done: report(f"building indexes: {done:.0f} %"))
            gear.graph.verify(dimension=gear.embedder.dimension)
        database = gear.graph.name
    for migration in () if check else missing:
        say(f"applied {migration.source}")
    say(f"{database}: schema complete, every index online")
