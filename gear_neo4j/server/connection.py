"""Connects to the database of the settings: the configured server, else the local one, started on demand."""

from collections.abc import Callable, Iterable

from gear_neo4j.graph.connection.database import Database
from gear_neo4j.server import local
from gear_neo4j.settings import Settings


def connect(
    settings: Settings,
    *,
    create: bool = True,
    impersonate: str | None = None,
    bookmarks: Iterable[str] = (),
    report: Callable[[str], None] = lambda _: None,
) -> Database:
    """Connect to the database of the settings; ``report`` is called with progress while a local server starts.

    Args:
        create: make the local server if there is none of its name; otherwise only one that exists is started.
        impersonate: the user of the server under whose rights every query runs.
        bookmarks: those of another process; see :meth:`Database.catch_up`.

    Raises:
        ServerUnavailable, AuthenticationFailed, DatabaseNotFound, UnsupportedServer: for the configured server.
        SettingsError: the URI or the name of the server cannot be used.
        NoLocalServer: there is no local server of that name, and none may be made.
        LocalServerError: the local server cannot be started.
    """
    if settings.uri is not None:
        return Database.connect(
            settings.uri,
            username=settings.username,
            password=settings.password,
            name=settings.database,
            impersonate=impersonate,
            bookmarks=bookmarks,
        )
    if not create:
        local.require(name=settings.name, home=settings.home)
    server = local.start(name=settings.name, home=settings.home, version=settings.neo4j_version, report=report)
    return Database.connect(
        server.uri, username=server.username, password=server.password, impersonate=impersonate, bookmarks=bookmarks
    )
