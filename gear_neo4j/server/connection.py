"""Connects to the database of the settings: the configured server, else the local one, started on demand."""

from collections.abc import Callable

from gear_neo4j.graph.database import Database
from gear_neo4j.server import local
from gear_neo4j.settings import Settings


def connect(settings: Settings, *, report: Callable[[str], None] = lambda _: None) -> Database:
    """Connect to the database of the settings; ``report`` is called with progress while a local server starts.

    Raises:
        ServerUnavailable, AuthenticationFailed, DatabaseNotFound, UnsupportedServer: for the configured server.
        LocalServerError: the local server cannot be started.
    """
    if settings.uri:
        return Database.connect(
            settings.uri, username=settings.username, password=settings.password, name=settings.database
        )
    server = local.start(name=settings.name, home=settings.home, version=settings.neo4j_version, report=report)
    return Database.connect(server.uri, username=server.username, password=server.password)
